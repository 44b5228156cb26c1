/* SPDX-License-Identifier: BSD-3-Clause */
/* Applies a memory plan: copies the translated code to an arena near the image, and changes the
 * image's text as planned, function by function. A function that must stay unchanged because the
 * agent is called at its entry is excluded as a whole. */
#include "agent/mem/mem.h"

#include <string.h>

#include "agent/os.h"

static const struct bob_mem_func *funcs_of(const struct bob_mem_image *m)
{
	return bob_plan_section(m->plan, &m->plan->funcs);
}

static uint64_t func_count(const struct bob_mem_image *m)
{
	return m->plan->funcs.len / sizeof(struct bob_mem_func);
}

static const struct bob_mem_patch *patches_of(const struct bob_mem_image *m, uint64_t *count)
{
	*count = m->plan->patches.len / sizeof(struct bob_mem_patch);
	return bob_plan_section(m->plan, &m->plan->patches);
}

/* --- the arena --- */

static bool add_all(const struct bob_mem_image *m, const struct bob_plan_section *fields,
		    uint8_t *in, int64_t delta)
{
	const uint32_t *at = bob_plan_section(m->plan, fields);

	for (uint64_t i = 0; i < fields->len / sizeof(*at); i++)
		if (!patch_add32(in + at[i], delta))
			return false;
	return true;
}

static enum bob_skip fill(const struct bob_image *im)
{
	const struct bob_mem_image *m = im->mem;
	uint8_t *blob = (uint8_t *)(uintptr_t)m->arena + BOB_PLAN_HANDLER_BYTES;
	int64_t delta = (int64_t)(im->bias - m->arena);

	mem_entry_copy((uint8_t *)(uintptr_t)m->arena);
	memcpy(blob, bob_plan_section(m->plan, &m->plan->blob), m->plan->blob.len);
	memcpy(m->text, bob_plan_section(m->plan, &m->plan->text), m->plan->text.len);
	if (!add_all(m, &m->plan->relocs, blob, delta) ||
	    !add_all(m, &m->plan->tls, blob, mem_slots_offset()) ||
	    !add_all(m, &m->plan->ids, blob, m->first_desc) ||
	    !add_all(m, &m->plan->fixes, m->text, -delta))
		return BOB_SKIP_REACH;
	return BOB_SKIP_NONE;
}

static enum bob_skip make_arena(const struct bob_image *im)
{
	struct bob_mem_image *m = im->mem;
	enum bob_skip why;

	if (m->arena && !patch_reaches(im, m->arena, m->arena_bytes)) {
		os_unmap_bare((void *)(uintptr_t)m->arena, m->arena_bytes);
		m->arena = 0;
	}
	if (!m->arena) {
		m->arena_bytes = (BOB_PLAN_HANDLER_BYTES + m->plan->blob.len + BOB_PAGE - 1) &
				 ~(uint64_t)(BOB_PAGE - 1);
		m->arena = patch_find_arena(im, m->arena_bytes);
	} else if (os_protect(m->arena, m->arena_bytes, 1 | 2) < 0) {
		return BOB_SKIP_PROTECT;
	}
	if (!m->arena)
		return BOB_SKIP_REACH;
	why = fill(im);
	if (!why && os_protect(m->arena, m->arena_bytes, 1 | 4) < 0)
		why = BOB_SKIP_PROTECT;
	return why;
}

/* --- the text --- */

/* Exclude functions with a trampoline of the agent, or whose bytes one needs. */
static void leave_out_hooked(struct bob_image *im)
{
	struct bob_mem_image *m = im->mem;
	uint64_t count, lo, hi;
	const struct bob_mem_patch *p = patches_of(m, &count);

	for (uint32_t i = 0; patch_hooked_bytes(im, i, &lo, &hi); i++)
		for (uint64_t k = 0; k < count; k++)
			if (p[k].addr < hi && lo < p[k].addr + p[k].len)
				m->out[p[k].func] = BOB_MEM_HOOKED;
}

/* With split stacks, functions run with as little stack as they were compiled for, and other code
 * with what its caller has: no space is reserved for a signal frame. So exclude functions that need
 * traps. */
static void leave_out_traps(struct bob_mem_image *m)
{
	static bool split_stacks; /* of any image so far; the program is the first */
	uint64_t count;
	const struct bob_mem_patch *p = patches_of(m, &count);

	split_stacks |= m->plan->split_stacks;
	for (uint64_t k = 0; split_stacks && k < count; k++)
		if (p[k].traps && !m->out[p[k].func])
			m->out[p[k].func] = BOB_MEM_SMALL_STACK;
}

static void swap(uint8_t *a, uint8_t *b, uint64_t len)
{
	for (uint64_t i = 0; i < len; i++) {
		uint8_t byte = a[i];

		a[i] = b[i];
		b[i] = byte;
	}
}

static enum bob_skip commit(struct bob_image *im)
{
	struct bob_mem_image *m = im->mem;
	uint64_t count;
	const struct bob_mem_patch *p = patches_of(m, &count);
	enum bob_skip why = make_arena(im);

	if (why)
		return why;
	if (!patch_protect(im, true)) {
		patch_protect(im, false);
		return BOB_SKIP_PROTECT;
	}
	for (uint64_t i = 0; i < count; i++)
		if (!m->out[p[i].func])
			swap((uint8_t *)(uintptr_t)(im->bias + p[i].addr), m->text + p[i].text,
			     p[i].len);
	if (!patch_protect(im, false))
		agent_log("code left writable", "mprotect refused");
	return BOB_SKIP_NONE;
}

bool mem_image_add(struct bob_image *im, const struct bob_mem_plan_head *plan,
		   struct bob_meta *meta, enum bob_skip *why)
{
	struct bob_mem_image *m =
		os_map(sizeof(*m) + plan->funcs.len / sizeof(struct bob_mem_func));

	*why = BOB_SKIP_LIMIT;
	if (!m)
		return false;
	m->plan = plan;
	m->out = (uint8_t *)(m + 1);
	m->text = os_map(plan->text.len + 1);
	im->mem = m;
	if (!m->text || !mem_descs_add(im) || !mem_descs_write(im)) {
		im->mem = NULL;
		return false;
	}
	leave_out_hooked(im);
	leave_out_traps(m);
	*why = commit(im);
	if (*why) {
		im->mem = NULL;
		return false;
	}
	mem_image_describe(im, meta);
	return true;
}

bool mem_image_again(struct bob_image *im, enum bob_skip *why)
{
	*why = commit(im);
	return !*why;
}

/* --- description in the trace --- */

static void append(struct bob_meta *meta, const struct bob_mem_func *f, uint32_t why)
{
	struct bob_rec_mem_skipped r = { .addr = f->addr, .bytes = f->bytes, .reason = why };

	bob_meta_append(meta, &r, sizeof(r));
}

void mem_image_describe(const struct bob_image *im, struct bob_meta *meta)
{
	const struct bob_mem_image *m = im->mem;
	const struct bob_mem_func *f = funcs_of(m);
	struct bob_rec_mem_image r = { .image = im->number, .functions = (uint32_t)func_count(m) };

	for (uint64_t i = 0; i < func_count(m); i++)
		r.bytes += f[i].bytes;
	bob_meta_begin(meta, BOB_REC_MEM_IMAGE);
	bob_meta_append(meta, &r, sizeof(r));
	for (uint32_t i = 0; i < func_count(m); i++)
		if (f[i].decline || m->out[i])
			append(meta, &f[i], f[i].decline ? f[i].decline : m->out[i]);
	bob_meta_end(meta);
}

/* --- restoring --- */

/* Other threads may be executing these bytes. So first all changed bytes become traps (jumps from
 * their first byte on), and then the original bytes are restored (instructions from their last byte
 * on). A thread that meets a trap in between retries (trap.c). */
static void restore(struct bob_image *im, const struct bob_mem_patch *p)
{
	volatile uint8_t *at = (volatile uint8_t *)(uintptr_t)(im->bias + p->addr);
	const uint8_t *orig = im->mem->text + p->text;

	for (uint32_t i = 0; i < p->len; i++)
		if (at[i] != orig[i])
			at[i] = BOB_MEM_INT3;
	for (uint32_t i = p->len; i-- > 0;)
		at[i] = orig[i];
}

bool mem_restore(struct bob_image *im, uint32_t func)
{
	struct bob_mem_image *m = im->mem;
	const struct bob_mem_func *f = &funcs_of(m)[func];
	struct bob_rec_mem_image r = { .image = im->number, .functions = 0 };
	struct bob_meta meta;
	uint64_t count;
	const struct bob_mem_patch *p = patches_of(m, &count);

	if (m->out[func])
		return true;
	if (!patch_protect(im, true)) {
		patch_protect(im, false);
		return false;
	}
	m->out[func] = BOB_MEM_RESTORED;
	for (uint64_t i = 0; i < count; i++)
		if (p[i].func == func)
			restore(im, &p[i]);
	patch_protect(im, false);
	if (!meta_open(&meta, BOB_PAGE))
		return true;
	bob_meta_begin(&meta, BOB_REC_MEM_IMAGE);
	bob_meta_append(&meta, &r, sizeof(r));
	append(&meta, f, BOB_MEM_RESTORED);
	bob_meta_end(&meta);
	meta_flush(&meta);
	return true;
}

void mem_restore_all(struct bob_image *im)
{
	uint64_t count;
	const struct bob_mem_patch *p = im->mem ? patches_of(im->mem, &count) : NULL;

	if (!p || !patch_protect(im, true))
		return;
	for (uint32_t i = 0; i < func_count(im->mem); i++)
		if (!im->mem->out[i])
			im->mem->out[i] = BOB_MEM_RESTORED;
	for (uint64_t i = 0; i < count; i++)
		if (im->mem->out[p[i].func] == BOB_MEM_RESTORED)
			restore(im, &p[i]);
	patch_protect(im, false);
}

const struct bob_image *mem_image_running(uint64_t addr, uint32_t *code)
{
	const struct bob_image_set *s = __atomic_load_n(&bob_process.images, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; s && i < s->count; i++) {
		const struct bob_mem_image *m = s->image[i]->mem;

		if (!m || addr - m->arena - BOB_PLAN_HANDLER_BYTES >= m->plan->blob.len)
			continue;
		*code = (uint32_t)(addr - m->arena - BOB_PLAN_HANDLER_BYTES);
		return s->image[i];
	}
	return NULL;
}
