/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the functions that are hooked by name: those that match, have a name and a provably
 * patchable entry, and for which the return address is known to be at rsp at the entry and to be
 * used by a return only. */
#include "agent/agent.h"
#include "agent/hooks.h"

#define COMPLAINTS_MAX 8

/* Functions that return twice, read their own return address (dlsym, unwinders, profilers), or
 * switch stacks. */
static const char never[] =
	"setjmp:_setjmp:sigsetjmp:__sigsetjmp:__setjmp:savectx:vfork:__vfork:getcontext:"
	"__getcontext:"
	"_Unwind_*:unw_*:_ULx86_64_*:backtrace:__backtrace:dlopen:dlmopen:dlsym:dlvsym:"
	"__libc_dlopen_mode:mcount:_mcount:__fentry__:__mcount_internal:__cyg_profile_func_*:"
	"__asan_*:__ubsan_*:__tsan_*:__msan_*:__sanitizer_*:__interceptor_*:bobbin_*";

static const struct bob_plan_func *func_at(const struct bob_image *im, uint32_t func)
{
	return (const struct bob_plan_func *)bob_plan_section(im->plan, &im->plan->funcs) + func;
}

/* Whether the frame information of the first instruction says that the return address is at rsp.
 * The loader's lazy binding, for example, is entered by a jump with other words there. */
static bool begins_plainly(const struct bob_image *im, const struct bob_plan_func *f)
{
	const struct bob_plan_fde *d = rows_fde(im->plan, f->addr);
	const struct bob_plan_row *r = d ? rows_row(im->plan, d, f->addr) : NULL;

	return r && !(d->flags & BOB_FDE_SIGNAL) && d->lo == f->addr &&
	       r->cfa_kind == BOB_CFA_RSP && r->cfa_off == 8;
}

/* Returns the reason why it cannot be hooked; NULL: it can. */
static const char *why_not(const struct bob_image *im, uint32_t func)
{
	const struct bob_plan_func *f = func_at(im, func);

	if (f->kind == BOB_PATCH_NONE)
		return "its entry cannot be patched";
	if (patch_is_special(im->plan, func))
		return "reserved by Bobbin";
	if (patch_matches(im->plan, f, never))
		return "it returns twice or reads its return address";
	return begins_plainly(im, f) ? NULL : "no frame information for its entry";
}

static bool is_wanted(const struct bob_image *im, uint32_t func)
{
	const struct bob_plan_func *f = func_at(im, func);

	return bob_process.config.hooks && im->chosen && f->name != ~0u &&
	       patch_matches(im->plan, f, bob_process.config.hooks);
}

static bool is_named(const struct bob_image *im, const struct bob_plan_func *f, const char *name)
{
	return f->name != ~0u &&
	       text_equal((const char *)bob_plan_section(im->plan, &im->plan->names) + f->name,
			  name);
}

enum bob_hook_kind hooks_kind(const struct bob_image *im, uint32_t func)
{
	const struct bob_plan_func *f = func_at(im, func);

	if (f->kind == BOB_PATCH_NONE || !bob_process.config.hooks)
		return BOB_HOOKED_NOT;
	if (im->unwind_ip && is_named(im, f, "_Unwind_Backtrace"))
		return BOB_HOOKED_BACKTRACE;
	return is_wanted(im, func) && !why_not(im, func) ? BOB_HOOKED_FUNCTION : BOB_HOOKED_NOT;
}

/* Bobbin's own libraries are excluded: they have unwinders that know our frames. */
bool hooks_begin_image(struct bob_image *im)
{
	bool any = false;

	if (!bob_process.config.hooks || text_starts(text_base(im->path), "libbobbin-"))
		return false;
	for (uint32_t i = 0; i < im->plan->func_count; i++)
		if (is_named(im, func_at(im, i), "_Unwind_GetIP"))
			im->unwind_ip = func_at(im, i)->addr;
	for (uint32_t i = 0; i < im->plan->func_count && !any; i++)
		any = hooks_kind(im, i) != BOB_HOOKED_NOT;
	return any;
}

static void complain(const char *name, const char *why)
{
	char line[256];
	size_t at = text_add(line, sizeof(line), 0, "function ");

	at = text_add(line, sizeof(line), at, name);
	text_add(line, sizeof(line), at, " is not hooked");
	agent_log(line, why);
}

void hooks_complain(const struct bob_image *im)
{
	uint32_t n = 0;
	char more[64];

	for (uint32_t i = 0; bob_process.config.hooks && i < im->plan->func_count; i++) {
		const char *why = is_wanted(im, i) ? why_not(im, i) : NULL;

		if (why && n++ < COMPLAINTS_MAX)
			complain((const char *)bob_plan_section(im->plan, &im->plan->names) +
					 func_at(im, i)->name,
				 why);
	}
	if (n <= COMPLAINTS_MAX)
		return;
	size_t at = text_add(more, sizeof(more), 0, "and ");
	at = text_add_u64(more, sizeof(more), at, n - COMPLAINTS_MAX, 10);
	text_add(more, sizeof(more), at, " more functions are not hooked");
	agent_log(more, text_base(im->path));
}
