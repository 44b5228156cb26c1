/* SPDX-License-Identifier: BSD-3-Clause */
/* Redirects functions of the program itself to wrappers (docs/wrap.md): no library can interpose
 * them, so their entries are patched. */
#include "agent/agent.h"

#include <elf.h>

#include "agent/os.h"

int bob_agent_redirect_1(const char *program, const char *symbol, uint64_t address, void *to,
			 void **original);

static struct bob_image *main_image(void)
{
	const uint64_t *a = bob_process.auxv;

	for (; a && a[0]; a += 2)
		if (a[0] == AT_ENTRY)
			return image_at(a[1]);
	return NULL;
}

/* Whether this is the program for which the wrapper was made. Other programs inherit LD_PRELOAD. */
static bool is_program(const char *path)
{
	char own[BOB_PATH_MAX];

	return os_readlink("/proc/self/exe", own, sizeof(own)) > 0 && text_equal(own, path);
}

static enum bob_skip redirect(uint64_t address, uint64_t to, uint64_t *original)
{
	struct bob_image *im = main_image();
	const struct bob_plan_func *f;

	if (!im || !image_need_plan(im))
		return BOB_SKIP_NO_PLAN;
	if (im->mem) /* its code is translated */
		return BOB_SKIP_SPECIAL;
	f = (const struct bob_plan_func *)(const void *)((const char *)im->plan +
							 im->plan->funcs.off);
	for (uint32_t i = 0; i < im->plan->func_count; i++)
		if (f[i].addr == address)
			return patch_redirect(im, i, to, original);
	return BOB_SKIP_NO_PLAN;
}

/* Returns 0 on success. Only for constructors, before the program has threads. */
__attribute__((visibility("default"))) int bob_agent_redirect_1(const char *program,
								const char *symbol,
								uint64_t address, void *to,
								void **original)
{
	uint64_t at = 0;
	enum bob_skip why;

	if (!bob_process.recording || !os_allowed() || !is_program(program))
		return -1;
	lock_process();
	why = redirect(address, (uint64_t)(uintptr_t)to, &at);
	if (why)
		agent_log("not wrapped: its code cannot be patched", symbol);
	unlock_process();
	if (!why)
		*original = (void *)(uintptr_t)at;
	return why ? -1 : 0;
}
