/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the functions of an image: STT_FUNC symbols and starts of call frame information, except
 * linker-made stubs, signal trampolines, cold parts and code that is not entered by a call. All
 * names of an address are one function. Stripped images work without symbols. */
#include <elf.h>
#include <string.h>

#include "base/search.h"
#include "plan/image.h"

uint32_t bob_plan_frame_at(const struct bob_plan_image *img, uint64_t addr)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, img->frames.count, i, img->frames.at[i].lo <= addr);
	return lo > 0 && addr < img->frames.at[lo - 1].hi ? (uint32_t)(lo - 1) : BOB_PLAN_NO_INDEX;
}

uint32_t bob_plan_func_at(const struct bob_plan_image *img, uint64_t addr)
{
	size_t lo;

	BOB_PARTITION_POINT(lo, img->funcs.count, mid, img->funcs.at[mid].addr < addr);
	return lo < img->funcs.count && img->funcs.at[lo].addr == addr ? (uint32_t)lo :
									 BOB_PLAN_NO_INDEX;
}

static bool is_cold_name(const char *name)
{
	const char *dot = strstr(name, ".cold");

	return (dot && (dot[5] == '\0' || dot[5] == '.')) || strstr(name, ".__part.");
}

/* Rank of a name, smaller is better: global before local, few leading underscores, short. */
static uint64_t name_rank(const struct bob_plan_symbol *s)
{
	uint64_t underscores = strspn(s->name, "_");

	return (uint64_t)(s->bind == STB_LOCAL) << 40 | (underscores & 0xff) << 32 |
	       (strlen(s->name) & 0xffffffff);
}

static bool better_name(const struct bob_plan_symbol *s, const struct bob_plan_symbol *than)
{
	uint64_t a, b;

	if (!than)
		return true;
	a = name_rank(s);
	b = name_rank(than);
	return a != b ? a < b : strcmp(s->name, than->name) < 0;
}

static const struct special_name {
	const char *name;
	enum bob_special what;
} special_names[] = {
	{ "_dl_debug_state", BOB_SPECIAL_DL_STATE },
	{ "execve", BOB_SPECIAL_EXECVE },
	{ "execveat", BOB_SPECIAL_EXECVEAT },
	{ "_exit", BOB_SPECIAL_EXIT },
	{ "_Exit", BOB_SPECIAL_EXIT }, /* in musl a separate function, which exit calls */
	{ "sigaltstack", BOB_SPECIAL_SIGALTSTACK },
	{ "makecontext", BOB_SPECIAL_MAKECONTEXT },
	{ "prctl", BOB_SPECIAL_PRCTL },
	{ "syscall", BOB_SPECIAL_SYSCALL },
	{ "__libc_start_main", BOB_SPECIAL_MAIN },
	{ "_Fork", BOB_SPECIAL_FORK },
	{ "clone", BOB_SPECIAL_CLONE },
	{ "sigaction", BOB_SPECIAL_SIGACTION },
	{ "__libc_sigaction", BOB_SPECIAL_LIBC_SIGACTION },
	{ "pthread_sigmask", BOB_SPECIAL_SIGMASK },
	{ "wait4", BOB_SPECIAL_WAIT4 }, /* in glibc, all others except waitid call it */
	{ "waitid", BOB_SPECIAL_WAITID },
	{ "waitpid", BOB_SPECIAL_WAIT4 },
	{ "__call_tls_dtors", BOB_SPECIAL_THREAD_END },
};

/* In glibc waitpid is a jump to wait4, so hooking it would be redundant; it may be hooked by
 * name. */
static bool is_covered(const struct bob_plan_image *img, const char *name)
{
	return !strcmp(img->soname, "libc.so.6") && !strcmp(name, "waitpid");
}

static bool is_libc(const struct bob_plan_image *img)
{
	return !strncmp(img->soname, "libc.so", 7) || !strncmp(img->soname, "ld-linux", 8) ||
	       !strncmp(img->soname, "ld-musl", 7);
}

static bool has_specials(const struct bob_plan_image *img)
{
	return is_libc(img) || bob_sync_is_library(img->soname);
}

/* Returns an enum bob_special; 0: none. */
static uint32_t special_of(const struct bob_plan_image *img, const char *name)
{
	uint32_t hook;

	if (is_covered(img, name))
		return 0;
	for (size_t i = 0; is_libc(img) && i < sizeof(special_names) / sizeof(special_names[0]);
	     i++)
		if (!strcmp(name, special_names[i].name))
			return special_names[i].what;
	hook = bob_sync_is_library(img->soname) ? bob_sync_hook_of(name) : BOB_HOOK_NONE;
	return hook ? BOB_SPECIAL_SYNC + hook : 0;
}

static bob_status note_special(struct bob_plan_image *img, const char *name, uint32_t func)
{
	uint32_t what = special_of(img, name);
	struct bob_plan_special *s;

	if (!what)
		return BOB_OK;
	for (size_t k = 0; k < img->specials.count; k++)
		if (img->specials.at[k].func == func)
			return BOB_OK; /* another name of the same function */
	s = BOB_VEC_PUSH(&img->specials);
	if (!s)
		return BOB_ERR_NOMEM;
	s->func = func;
	s->what = what;
	img->funcs.at[func].special = true;
	return BOB_OK;
}

/* Summary of the symbols [first, last) of one address. */
struct names {
	const struct bob_plan_symbol *best;
	uint64_t size;
	bool func, ifunc, cold, exported;
};

static struct names look_at_symbols(const struct bob_plan_symbol *s,
				    const struct bob_plan_symbol *end)
{
	struct names n = { 0 };

	for (; s < end; s++) {
		if (s->type == STT_NOTYPE)
			continue;
		if (s->type == STT_GNU_IFUNC) {
			/* the name of the implementation that the resolver selects, not of the
			 * resolver */
			n.ifunc = true;
			continue;
		}
		if (is_cold_name(s->name)) {
			n.cold = true;
			continue;
		}
		n.func = true;
		n.exported |= s->exported;
		if (s->size > n.size)
			n.size = s->size;
		if (s->name[0] && better_name(s, n.best))
			n.best = s;
	}
	return n;
}

static uint8_t skip_of(const struct bob_plan_image *img, uint64_t addr, uint32_t frame)
{
	const struct bob_plan_frame *f;
	uint32_t in = bob_plan_frame_at(img, addr);

	if (in != BOB_PLAN_NO_INDEX && img->frames.at[in].signal)
		return BOB_SKIP_SPECIAL;
	if (frame == BOB_PLAN_NO_INDEX)
		return BOB_SKIP_NONE;
	f = &img->frames.at[frame];
	return f->cold || f->no_caller ? BOB_SKIP_SPECIAL : BOB_SKIP_NONE;
}

static bob_status add_function(struct bob_plan_image *img, uint64_t addr, uint32_t frame,
			       const struct names *n)
{
	const struct bob_plan_code *c = bob_plan_code_at(img, addr);
	struct bob_plan_candidate *f;
	uint8_t skip = skip_of(img, addr, frame);

	if (!c || c->plt)
		return BOB_OK;
	if (frame != BOB_PLAN_NO_INDEX && n->cold)
		img->frames.at[frame].cold = true;
	if (!n->func && !n->ifunc && (frame == BOB_PLAN_NO_INDEX || skip || n->cold))
		return BOB_OK;
	f = BOB_VEC_PUSH(&img->funcs);
	if (!f)
		return BOB_ERR_NOMEM;
	f->addr = f->end = addr;
	if (n->size > 0 && n->size <= c->hi - addr)
		f->end = addr + n->size;
	else if (frame != BOB_PLAN_NO_INDEX)
		f->end = img->frames.at[frame].hi;
	f->name = n->best ? n->best->name : NULL;
	f->code = (uint32_t)(c - img->codes.at);
	f->frame = frame;
	f->flags = n->exported ? BOB_FUNC_EXPORTED : 0;
	f->skip = skip;
	f->has_symbol = n->func || n->ifunc;
	if (frame != BOB_PLAN_NO_INDEX)
		img->frames.at[frame].owner = (uint32_t)(img->funcs.count - 1);
	return BOB_OK;
}

bob_status bob_plan_find_functions(struct bob_plan_image *img)
{
	const struct bob_plan_symbol *s = img->symbols.at;
	const struct bob_plan_symbol *end = s ? s + img->symbols.count : s;
	size_t fi = 0;
	bool specials = has_specials(img);
	bob_status st = BOB_OK;

	while (st == BOB_OK && (s < end || fi < img->frames.count)) {
		uint64_t frame_lo = fi < img->frames.count ? img->frames.at[fi].lo : UINT64_MAX;
		uint64_t addr = s < end && s->addr < frame_lo ? s->addr : frame_lo;
		const struct bob_plan_symbol *first = s;
		uint32_t frame = BOB_PLAN_NO_INDEX;
		size_t count = img->funcs.count;
		struct names n;

		while (s < end && s->addr == addr)
			s++;
		if (frame_lo == addr)
			frame = (uint32_t)fi++;
		n = look_at_symbols(first, s);
		st = add_function(img, addr, frame, &n);
		for (; specials && st == BOB_OK && img->funcs.count > count && first < s; first++)
			if (first->type == STT_FUNC)
				st = note_special(img, first->name, (uint32_t)count);
	}
	return st;
}
