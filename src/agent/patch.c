/* SPDX-License-Identifier: BSD-3-Clause */
/* Relocates trampolines and writes patches; the planner has decoded and planned. An arena near the
 * image gets the entry code and the plan's trampolines. Then each selected entry is compared with
 * the plan's expected bytes and overwritten with a jump. Nothing else of the program is changed. */
#include "agent/agent.h"

#include <string.h>

#include "agent/hooks.h"
#include "agent/os.h"
#include "agent/waits.h"

#define ARENA_STEP (1ull << 20)
#define ARENA_REACH 0x70000000ull /* reach of a rel32, minus both sizes */
#define NON_PIE_TOP 0x70000000ull
#define PATCH_FAR_JUMP 14u	/* bytes */
#define INT3 0xccu

bool patch_reaches(const struct bob_image *im, uint64_t arena, uint64_t size)
{
	return (arena > im->lo ? arena + size - im->lo : im->hi - arena) < ARENA_REACH;
}

/* Allocate memory within reach of the image's jumps, preferably in the same 4 GB block (a jump
 * across a block boundary costs 1 ns): the kernel's choice if it is near, else below the image (the
 * brk heap grows above). */
uint64_t patch_find_arena(const struct bob_image *im, uint64_t size)
{
	uint64_t from = im->bias ? im->lo : NON_PIE_TOP;
	void *p = os_map_at(0, size);

	if (!p)
		return 0;
	uint64_t a = (uint64_t)(uintptr_t)p;
	if (patch_reaches(im, a, size))
		return a;
	os_unmap_bare(p, size);
	for (uint64_t off = ARENA_STEP; off < ARENA_REACH; off += ARENA_STEP) {
		uint64_t at = (from - off - size) & ~(uint64_t)(BOB_PAGE - 1);

		if (from < off + size + 0x10000)
			break;
		p = os_map_at(at, size);
		if (p)
			return (uint64_t)(uintptr_t)p;
	}
	return 0;
}

bool patch_add32(uint8_t *field, int64_t delta)
{
	int32_t v;

	memcpy(&v, field, sizeof(v));
	int64_t w = v + delta;
	if (w != (int32_t)w)
		return false;
	v = (int32_t)w;
	memcpy(field, &v, sizeof(v));
	return true;
}

/* Some functions are needed only if memory is recorded, or if patched code may fault. */
static bool is_needed(const struct bob_plan_special *sp)
{
	const struct bob_config *c = &bob_process.config;
	bool handlers = sp->what == BOB_SPECIAL_SIGACTION || sp->what == BOB_SPECIAL_LIBC_SIGACTION;

	if (bob_special_is_wait(sp->what))
		return waits_are_recorded();
	return bob_special_is_general(sp->what) || c->mem || (handlers && (c->calls || c->hooks));
}

/* Whether the agent is called after the function, too. */
static bool is_around(const struct bob_plan_special *sp)
{
	return bob_special_is_wait(sp->what) ||
	       (bob_process.config.mem &&
		(sp->what >= BOB_SPECIAL_SYNC || sp->what == BOB_SPECIAL_SYSCALL));
}

bool patch_is_special(const struct bob_plan_head *plan, uint32_t func)
{
	const struct bob_plan_special *sp = bob_plan_section(plan, &plan->special);

	for (uint64_t i = 0; i < plan->special.len / sizeof(*sp); i++)
		if (sp[i].func == func && is_needed(&sp[i]))
			return true;
	return false;
}

bool patch_hooked_bytes(const struct bob_image *im, uint32_t index, uint64_t *lo, uint64_t *hi)
{
	const struct bob_plan_head *plan = im->plan;
	const struct bob_plan_special *sp = bob_plan_section(plan, &plan->special);
	const struct bob_plan_func *f;

	*lo = *hi = 0;
	if (!im->arena || index / 2 >= plan->special.len / sizeof(*sp))
		return false;
	sp += index / 2;
	f = (const struct bob_plan_func *)bob_plan_section(plan, &plan->funcs) + sp->func;
	if (!is_needed(sp) || f->kind == BOB_PATCH_NONE || (index & 1 && f->kind != BOB_PATCH_HOLE))
		return true;
	*lo = f->addr + f->patch_delta + (uint64_t)(index & 1 ? (int64_t)f->hole_delta : 0);
	*hi = *lo + (index & 1 ? 5 : bob_plan_entry_bytes(f));
	return true;
}

static const char *func_name(const struct bob_plan_head *plan, const struct bob_plan_func *f)
{
	return f->name == ~0u ? "" : (const char *)bob_plan_section(plan, &plan->names) + f->name;
}

bool patch_matches(const struct bob_plan_head *plan, const struct bob_plan_func *f,
		   const char *patterns)
{
	const char *name = func_name(plan, f);
	const char *end = (const char *)bob_plan_section(plan, &plan->names) + plan->names.len;
	int forms = text_starts(name, "_Z") ? 3 : 1;

	for (; forms; forms--) {
		if (config_match(patterns, name))
			return true;
		name += text_len(name) + 1;
		if (name >= end)
			return false;
	}
	return false;
}

const char *patch_plain_name(const struct bob_plan_head *plan, uint32_t func)
{
	const char *name = func_name(
		plan, (const struct bob_plan_func *)bob_plan_section(plan, &plan->funcs) + func);
	const char *end = (const char *)bob_plan_section(plan, &plan->names) + plan->names.len;
	const char *n = name;

	for (int i = 0; text_starts(name, "_Z") && i < 2; i++) {
		n += text_len(n) + 1;
		if (n >= end)
			return name;
	}
	return *n ? n : name;
}

/* Excluded by the user: by -F and -N, or because it is not part of the interface. */
static bool filtered(const struct bob_image *im, const struct bob_plan_func *f)
{
	const struct bob_config *c = &bob_process.config;

	if (c->interface || c->interface_image) {
		bool named = c->interface && patch_matches(im->plan, f, c->interface);

		if (!(f->flags & BOB_FUNC_EXPORTED) || !(named || im->interface))
			return true;
	}
	return (c->only && !patch_matches(im->plan, f, c->only)) ||
	       (c->never && patch_matches(im->plan, f, c->never));
}

static bool is_recorded(const struct bob_image *im, uint32_t func)
{
	const struct bob_plan_func *f = bob_plan_section(im->plan, &im->plan->funcs);

	return im->chosen && bob_process.config.calls && !filtered(im, &f[func]);
}

/* Redirect the trampolines of hooked functions. */
static void fill_hooks(const struct bob_image *im, uint8_t *blob, bool wide)
{
	const struct bob_plan_func *f = bob_plan_section(im->plan, &im->plan->funcs);

	for (uint32_t i = 0; bob_process.config.hooks && i < im->plan->func_count; i++) {
		enum bob_hook_kind kind = hooks_kind(im, i);
		uint32_t there = kind == BOB_HOOKED_FUNCTION ? entry_hook_offset() :
							       entry_backtrace_offset();

		if (kind == BOB_HOOKED_NOT)
			continue;
		patch_add32(blob + f[i].tramp + BOB_PLAN_TRAMP_CALL,
			    (int64_t)there - (wide ? entry_wide_offset() : 0));
		blob[f[i].tramp + BOB_PLAN_TRAMP_ID + 3] |=
			is_recorded(im, i) ? BOB_HOOK_RECORD >> 24 : 0;
	}
}

/* Fill the arena while it is writable. False: something is out of reach. */
static bool fill_arena(const struct bob_image *im)
{
	const struct bob_plan_head *plan = im->plan;
	const struct bob_plan_func *f = bob_plan_section(plan, &plan->funcs);
	const struct bob_plan_special *sp = bob_plan_section(plan, &plan->special);
	const uint32_t *reloc = bob_plan_section(plan, &plan->relocs);
	uint8_t *handler = (uint8_t *)(uintptr_t)im->arena;
	uint8_t *blob = handler + BOB_PLAN_HANDLER_BYTES;
	int64_t delta = (int64_t)(im->bias - im->arena);
	enum bob_codec codec = bob_process.config.codec;

	entry_copy(handler, codec == BOB_CODEC_NULL || codec == BOB_CODEC_BLOCK);
	memcpy(blob, bob_plan_section(plan, &plan->blob), plan->blob.len);
	for (uint64_t i = 0; i < plan->relocs.len / sizeof(*reloc); i++)
		if (!patch_add32(blob + reloc[i], delta))
			return false;
	for (uint32_t i = 0; i < plan->func_count; i++)
		if (f[i].kind != BOB_PATCH_NONE)
			patch_add32(blob + f[i].tramp + BOB_PLAN_TRAMP_ID, im->first_id);
	bool wide = im->first_id + plan->func_count > BOB_SYM_ID_MASK;
	for (uint32_t i = 0; wide && i < plan->func_count; i++)
		if (f[i].kind != BOB_PATCH_NONE && !patch_is_special(plan, i))
			patch_add32(blob + f[i].tramp + BOB_PLAN_TRAMP_CALL, entry_wide_offset());
	for (uint64_t i = 0; i < plan->special.len / sizeof(*sp); i++)
		if (f[sp[i].func].kind != BOB_PATCH_NONE && is_needed(&sp[i]))
			patch_add32(blob + f[sp[i].func].tramp + BOB_PLAN_TRAMP_CALL,
				    is_around(&sp[i]) ? entry_sync_offset() :
							entry_special_offset());
	fill_hooks(im, blob, wide);
	return true;
}

static void put_jump(uint8_t *at, uint64_t target)
{
	int32_t rel = (int32_t)(int64_t)(target - (uint64_t)(uintptr_t)(at + 5));

	at[0] = 0xe9;
	memcpy(at + 1, &rel, sizeof(rel));
}

static bool in_text(const struct bob_image *im, uint64_t addr, uint64_t len)
{
	for (uint32_t i = 0; i < im->text_count; i++)
		if (addr >= im->text[i].lo && addr + len <= im->text[i].hi)
			return true;
	return false;
}

/* The reason why the bytes at `at` differ from the expected ones. */
static enum bob_skip differs(const uint8_t *at, const uint8_t *expect, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		if (at[i] != expect[i])
			return at[i] == INT3 ? BOB_SKIP_BREAKPOINT : BOB_SKIP_BYTES;
	return BOB_SKIP_NONE;
}

/* Returns an enum bob_skip; 0: the entry was patched. */
static enum bob_skip commit_one(const struct bob_image *im, const struct bob_plan_func *f,
				bool is_special)
{
	uint8_t *at = (uint8_t *)(uintptr_t)(im->bias + f->addr + f->patch_delta);
	uint8_t *hole = at + f->hole_delta;
	uint64_t tramp = im->arena + BOB_PLAN_HANDLER_BYTES + f->tramp;

	enum bob_skip why;

	if (!in_text(im, (uint64_t)(uintptr_t)at, sizeof(f->expect)))
		return BOB_SKIP_BYTES;
	if ((why = differs(at, f->expect, f->expect_len)))
		return why;
	if (bob_process.debugged && !is_special && bob_plan_begins_inside(f))
		return BOB_SKIP_DEBUGGER;
	if (f->kind == BOB_PATCH_HOLE) {
		if (!in_text(im, (uint64_t)(uintptr_t)hole, 5) || memcmp(hole, f->expect_hole, 5))
			return BOB_SKIP_BYTES;
		put_jump(hole, tramp);
		at[0] = 0xeb;
		at[1] = (uint8_t)(int8_t)(hole - (at + 2));
	} else {
		put_jump(at, tramp);
	}
	return BOB_SKIP_NONE;
}

static void note_skip(struct bob_meta *skipped, uint32_t id, enum bob_skip why)
{
	struct bob_rec_skipped r = { .id = id, .reason = why };

	bob_meta_append(skipped, &r, sizeof(r));
}

static void commit_all(struct bob_image *im, struct bob_meta *skipped)
{
	const struct bob_plan_func *f = bob_plan_section(im->plan, &im->plan->funcs);
	bool any_special = im->plan->special.len != 0;

	for (uint32_t i = 0; i < im->plan->func_count; i++) {
		bool special = any_special && patch_is_special(im->plan, i);
		bool wanted = is_recorded(im, i), hook = hooks_kind(im, i) != BOB_HOOKED_NOT;

		if (f[i].kind == BOB_PATCH_NONE)
			continue; /* the image file has the reason */
		if (!wanted && im->chosen && bob_process.config.calls && !special)
			note_skip(skipped, im->first_id + i, BOB_SKIP_FILTER);
		if (!wanted && !special && !hook)
			continue;
		enum bob_skip why = commit_one(im, &f[i], special);
		if (why) {
			note_skip(skipped, im->first_id + i, why);
		} else if (wanted) {
			if (im->trigger &&
			    patch_matches(im->plan, &f[i], bob_process.config.trigger))
				im->trigger[i / 64] |= 1ull << i % 64;
			im->hooked[i / 64] |= 1ull << i % 64;
			im->patched++;
		}
	}
}

/* Make the code writable, or restore the protection of each segment. */
bool patch_protect(const struct bob_image *im, bool writable)
{
	bool ok = true;

	for (uint32_t i = 0; i < im->text_count; i++)
		ok &= os_protect(im->text[i].lo, im->text[i].hi - im->text[i].lo,
				 writable ? 1 | 2 | 4 : im->text[i].prot) >= 0;
	return ok;
}

/* Create and fill the arena, and register its special functions. */
static enum bob_skip make_arena(struct bob_image *im)
{
	const struct bob_plan_head *plan = im->plan;
	const struct bob_plan_special *sp = bob_plan_section(plan, &plan->special);
	uint64_t size = BOB_PLAN_HANDLER_BYTES + plan->blob.len;

	size = whole_pages(size);
	im->arena = patch_find_arena(im, size);
	im->arena_bytes = size;
	if (!im->arena || !fill_arena(im))
		return BOB_SKIP_REACH;
	if (os_protect(im->arena, size, 1 | 4) < 0)
		return BOB_SKIP_PROTECT;
	for (uint64_t i = 0; i < plan->special.len / sizeof(*sp); i++)
		if (is_needed(&sp[i]))
			special_add(im->first_id + sp[i].func, sp[i].what, false);
	return BOB_SKIP_NONE;
}

enum bob_skip patch_image(struct bob_image *im, struct bob_meta *skipped)
{
	const struct bob_plan_head *plan = im->plan;
	enum bob_skip why;

	im->hooked = os_map((plan->func_count / 64 + 1) * sizeof(uint64_t));
	if (im->hooked && bob_process.config.trigger)
		im->trigger = os_map((plan->func_count / 64 + 1) * sizeof(uint64_t));
	if (!im->hooked || (bob_process.config.trigger && !im->trigger))
		return BOB_SKIP_LIMIT;
	bool hooks = hooks_begin_image(im);
	hooks_complain(im);
	if (((!im->chosen || !bob_process.config.calls) && !plan->special.len && !hooks) ||
	    !plan->blob.len)
		return BOB_SKIP_NONE;
	why = make_arena(im);
	return why ? why : patch_again(im, false, skipped);
}

/* An absolute jump. */
static void put_far_jump(uint8_t *at, uint64_t target)
{
	static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 }; /* jmp *0(%rip) */

	memcpy(at, jump, sizeof(jump));
	memcpy(at + sizeof(jump), &target, sizeof(target));
}

enum bob_skip patch_redirect(struct bob_image *im, uint32_t index, uint64_t to, uint64_t *original)
{
	const struct bob_plan_func *f =
		(const struct bob_plan_func *)bob_plan_section(im->plan, &im->plan->funcs) + index;
	const uint64_t bit = 1ull << index % 64;
	enum bob_skip why;
	uint64_t tramp;

	if (f->kind == BOB_PATCH_NONE)
		return f->skip ? (enum bob_skip)f->skip : BOB_SKIP_SPECIAL;
	if (patch_is_special(im->plan, index) || hooks_kind(im, index) != BOB_HOOKED_NOT ||
	    f->body < PATCH_FAR_JUMP || !im->hooked)
		return BOB_SKIP_SPECIAL;
	if (!im->arena && (why = make_arena(im)))
		return why;
	tramp = im->arena + BOB_PLAN_HANDLER_BYTES + f->tramp;
	*original = tramp + f->body;
	if (os_protect(im->arena, im->arena_bytes, 1 | 2) < 0)
		return BOB_SKIP_PROTECT;
	put_far_jump((uint8_t *)(uintptr_t)tramp, to);
	if (os_protect(im->arena, im->arena_bytes, 1 | 4) < 0)
		return BOB_SKIP_PROTECT;
	if (im->hooked[index / 64] & bit) { /* its entry already jumps to the trampoline */
		im->hooked[index / 64] &= ~bit;
		im->patched--;
		return BOB_SKIP_NONE;
	}
	if (!patch_protect(im, true))
		return BOB_SKIP_PROTECT;
	why = commit_one(im, f, false);
	patch_protect(im, false);
	return why;
}

/* The arena was made for another address of the image; no thread executes it. */
static enum bob_skip move_arena(struct bob_image *im)
{
	uint64_t a = im->arena, size = im->arena_bytes;

	if (!patch_reaches(im, a, size)) {
		os_unmap_bare((void *)(uintptr_t)a, size);
		im->arena = patch_find_arena(im, size);
	} else if (os_protect(a, size, 1 | 2) < 0) {
		return BOB_SKIP_PROTECT;
	}
	if (!im->arena || !fill_arena(im))
		return BOB_SKIP_REACH;
	return os_protect(im->arena, size, 1 | 4) < 0 ? BOB_SKIP_PROTECT : BOB_SKIP_NONE;
}

enum bob_skip patch_again(struct bob_image *im, bool moved, struct bob_meta *skipped)
{
	const struct bob_plan_special *sp = bob_plan_section(im->plan, &im->plan->special);
	enum bob_skip why;

	if (!im->arena)
		return BOB_SKIP_NONE;
	if (moved && (why = move_arena(im)))
		return why;
	if (!patch_protect(im, true)) {
		patch_protect(im, false);
		return BOB_SKIP_PROTECT;
	}
	im->patched = 0;
	bob_meta_begin(skipped, BOB_REC_SKIPPED);
	commit_all(im, skipped);
	bob_meta_end(skipped);
	for (uint64_t i = 0; i < im->plan->special.len / sizeof(*sp); i++)
		if (im->hooked[sp[i].func / 64] >> sp[i].func % 64 & 1)
			special_add(im->first_id + sp[i].func, sp[i].what, true);
	if (!patch_protect(im, false))
		agent_log("code left writable", "mprotect refused");
	return BOB_SKIP_NONE;
}

/* List functions of the image that were recorded and whose entries have been restored. */
static void list_restored(const struct bob_image *im, struct bob_meta *skipped)
{
	const struct bob_plan_func *f = bob_plan_section(im->plan, &im->plan->funcs);

	for (uint32_t i = 0; i < im->plan->func_count; i++) {
		const uint8_t *at = (const uint8_t *)(uintptr_t)(im->bias + f[i].addr);

		if (im->hooked[i / 64] >> i % 64 & 1 &&
		    !differs(at + f[i].patch_delta, f[i].expect, bob_plan_entry_bytes(&f[i])))
			note_skip(skipped, im->first_id + i, BOB_SKIP_ATTACHED);
	}
}

void patch_list_restored(void)
{
	const struct bob_image_set *s = bob_process.images;
	struct bob_meta meta;

	if (!bob_process.file->debugged_mono_ns || !s || !meta_open(&meta, 1u << 20))
		return;
	bob_meta_begin(&meta, BOB_REC_SKIPPED);
	for (uint32_t i = 0; i < s->count; i++)
		if (s->image[i]->plan && s->image[i]->hooked)
			list_restored(s->image[i], &meta);
	bob_meta_end(&meta);
	meta_flush(&meta);
}
