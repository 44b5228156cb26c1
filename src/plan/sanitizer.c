/* SPDX-License-Identifier: BSD-3-Clause */
/* Refuses the run times of sanitizers. LeakSanitizer stops all threads of the process and runs with
 * the thread pointer of one of them; others switch stacks, or run before the program's memory is
 * set up. Users do not need them in a trace.
 *
 * A run time is a separate library, recognised by its name, or statically linked (clang); then its
 * functions are recognised by name, which is impossible in a stripped program. */
#include <elf.h>
#include <string.h>

#include "plan/image.h"

static const char *const libraries[] = { "libasan.so", "libhwasan.so", "liblsan.so", "libtsan.so",
					 "libubsan.so", "libclang_rt." };
/* Parts of names, whether mangled or not. */
static const char *const words[] = { "__asan", "__hwasan", "__interceptor_", "__interception",
				     "__lsan", "__msan", "__sanitizer", "__tsan", "__ubsan" };

static bool is_run_time(const struct bob_plan_image *img)
{
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (!strncmp(img->soname, libraries[i], strlen(libraries[i])))
			return true;
	return false;
}

static bool is_of_run_time(const char *name)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

bob_status bob_plan_refuse_sanitizers(struct bob_plan_image *img)
{
	const bool all = is_run_time(img);
	size_t s = 0;

	if (all)
		bob_plan_fix_range(img, 0, UINT64_MAX);
	for (size_t i = 0; i < img->funcs.count; i++) {
		struct bob_plan_candidate *f = &img->funcs.at[i];
		bool theirs = all;

		while (s < img->symbols.count && img->symbols.at[s].addr < f->addr)
			s++;
		for (size_t k = s; k < img->symbols.count && img->symbols.at[k].addr == f->addr;
		     k++)
			theirs |= img->symbols.at[k].type != STT_NOTYPE &&
				  is_of_run_time(img->symbols.at[k].name);
		if (theirs)
			f->skip = BOB_SKIP_SANITIZER;
	}
	return BOB_OK;
}
