/* SPDX-License-Identifier: BSD-3-Clause */
/* Validates a plan. Freestanding: the agent checks the mapped file before it uses any byte of it.
 * After BOB_OK every index, offset and length in the plan can be used without a further check,
 * every write that the plan requests is inside [text_lo, text_hi) or inside the arena, and no two
 * functions start at the same address. Whether the patches are correct is not checked here: the
 * checksum, the key, and the comparison of the bytes before they are replaced ensure that. */
#include <stddef.h>
#include <stdint.h>

#include "archive/format.h"
#include "base/hash.h"
#include "plan/format.h"

#define JMP_LEN 5u

struct checker {
	const uint8_t *p;
	uint64_t len;
	const struct bob_plan_head *h;
};

static bob_status check_section(const struct checker *c, const struct bob_plan_section *s,
				uint64_t item)
{
	if (s->off % 64 != 0 || s->off < sizeof(*c->h) || s->off > c->len ||
	    s->len > c->len - s->off || s->len % item != 0)
		return BOB_ERR_CORRUPT;
	return BOB_OK;
}

static bob_status check_head(const struct checker *c, uint64_t key)
{
	const struct bob_plan_head *h = c->h;
	const uint64_t check_from = offsetof(struct bob_plan_head, file_bytes);

	if (h->magic != BOB_PLAN_MAGIC)
		return BOB_ERR_CORRUPT;
	if (h->version != BOB_PLAN_VERSION)
		return BOB_ERR_VERSION;
	if (h->file_bytes != c->len || (key != 0 && h->key != key))
		return BOB_ERR_CORRUPT;
	if ((uint32_t)bob_hash64(0, c->p + check_from, c->len - check_from) != h->check)
		return BOB_ERR_CORRUPT;
	if (h->text_lo > h->text_hi || h->text_hi > INT32_MAX || h->build_id_len > 20 ||
	    h->arena_bytes > INT32_MAX - BOB_PLAN_HANDLER_BYTES)
		return BOB_ERR_CORRUPT;
	return BOB_OK;
}

static bob_status check_sections(const struct checker *c)
{
	const struct bob_plan_head *h = c->h;

	if (check_section(c, &h->funcs, sizeof(struct bob_plan_func)) ||
	    check_section(c, &h->blob, 1) || check_section(c, &h->relocs, 4) ||
	    check_section(c, &h->fdes, sizeof(struct bob_plan_fde)) ||
	    check_section(c, &h->rows, sizeof(struct bob_plan_row)) ||
	    check_section(c, &h->special, sizeof(struct bob_plan_special)) ||
	    check_section(c, &h->names, 1) || check_section(c, &h->image, 1))
		return BOB_ERR_CORRUPT;
	if (h->funcs.len / sizeof(struct bob_plan_func) != h->func_count ||
	    h->blob.len != h->arena_bytes)
		return BOB_ERR_CORRUPT;
	if (h->names.len > 0 && c->p[h->names.off + h->names.len - 1] != 0)
		return BOB_ERR_CORRUPT;
	return BOB_OK;
}

/* Whether [at, at + len) is in the text; `at` may have wrapped. */
static int in_text(const struct checker *c, uint64_t at, uint64_t len)
{
	return at >= c->h->text_lo && at <= c->h->text_hi && len <= c->h->text_hi - at;
}

static bob_status check_patch(const struct checker *c, const struct bob_plan_func *f)
{
	uint64_t at = f->addr + f->patch_delta;
	uint32_t written = f->kind == BOB_PATCH_JMP ? JMP_LEN : 2;

	if (f->kind > BOB_PATCH_HOLE || f->skip != BOB_SKIP_NONE ||
	    f->patch_delta > BOB_PLAN_BODY_MAX || !in_text(c, at, written) ||
	    f->expect_len > sizeof(f->expect) || f->expect_len < written ||
	    !in_text(c, at, f->expect_len) || f->displaced_len == 0 || f->displaced_len > 32)
		return BOB_ERR_CORRUPT;
	if (f->kind == BOB_PATCH_HOLE) {
		int64_t d = f->hole_delta;

		if (d < 2 - 128 || d > 2 + 127 || (d > -(int64_t)JMP_LEN && d < 2) ||
		    !in_text(c, at + (uint64_t)d, JMP_LEN))
			return BOB_ERR_CORRUPT;
	}
	if (f->tramp > c->h->arena_bytes || f->tramp_len > c->h->arena_bytes - f->tramp ||
	    f->body != BOB_PLAN_TRAMP_CALL + 4 || f->tramp_len <= f->body || f->tramp_len > 256)
		return BOB_ERR_CORRUPT;
	for (uint32_t k = 1; k < JMP_LEN; k++)
		if (bob_plan_moved(f, k) >= f->tramp_len - f->body)
			return BOB_ERR_CORRUPT;
	return BOB_OK;
}

static bob_status check_funcs(const struct checker *c)
{
	const struct bob_plan_func *f = (const void *)(c->p + c->h->funcs.off);

	for (uint32_t i = 0; i < c->h->func_count; i++, f++) {
		bob_status st = BOB_OK;

		if (!in_text(c, f->addr, 0) || (i > 0 && f->addr <= f[-1].addr) ||
		    (f->name != UINT32_MAX && f->name >= c->h->names.len))
			return BOB_ERR_CORRUPT;
		if (f->kind != BOB_PATCH_NONE)
			st = check_patch(c, f);
		else if (f->skip == BOB_SKIP_NONE)
			st = BOB_ERR_CORRUPT;
		if (st != BOB_OK)
			return st;
	}
	return BOB_OK;
}

static bob_status check_relocs(const struct checker *c)
{
	const uint32_t *r = (const void *)(c->p + c->h->relocs.off);
	uint64_t n = c->h->relocs.len / 4;

	for (uint64_t i = 0; i < n; i++) {
		if (c->h->arena_bytes < 4 || r[i] > c->h->arena_bytes - 4 ||
		    (i > 0 && (r[i] < r[i - 1] || r[i] - r[i - 1] < 4)))
			return BOB_ERR_CORRUPT;
	}
	return BOB_OK;
}

static bob_status check_rows(const struct bob_plan_row *r, const struct bob_plan_fde *f)
{
	for (uint32_t i = 0; i < f->row_count; i++) {
		if (r[i].cfa_kind > BOB_CFA_RBX || r[i].start >= f->hi - f->lo ||
		    (i == 0 ? r[i].start != 0 : r[i].start <= r[i - 1].start))
			return BOB_ERR_CORRUPT;
	}
	return BOB_OK;
}

static bob_status check_fdes(const struct checker *c)
{
	const struct bob_plan_fde *f = (const void *)(c->p + c->h->fdes.off);
	const struct bob_plan_row *rows = (const void *)(c->p + c->h->rows.off);
	uint64_t n = c->h->fdes.len / sizeof(*f), row_count = c->h->rows.len / sizeof(*rows);
	uint64_t next_row = 0;

	for (uint64_t i = 0; i < n; i++, f++) {
		if (f->lo >= f->hi || !in_text(c, f->lo, f->hi - f->lo) ||
		    (i > 0 && f->lo < f[-1].hi) || (f->flags & ~BOB_FDE_SIGNAL) != 0 ||
		    (f->owner != UINT32_MAX && f->owner >= c->h->func_count) ||
		    f->row != next_row || f->row_count == 0 || f->row_count > row_count - next_row)
			return BOB_ERR_CORRUPT;
		if (check_rows(rows + f->row, f) != BOB_OK)
			return BOB_ERR_CORRUPT;
		next_row += f->row_count;
	}
	return next_row == row_count ? BOB_OK : BOB_ERR_CORRUPT;
}

/* Far more than there are special functions. */
#define SPECIALS_MAX 512

static int is_known(uint32_t what)
{
	return (what >= BOB_SPECIAL_DL_STATE && what <= BOB_SPECIAL_THREAD_END) ||
	       (what > BOB_SPECIAL_SYNC && what < BOB_SPECIAL_SYNC + BOB_HOOKS);
}

static bob_status check_special(const struct checker *c)
{
	const struct bob_plan_special *s = (const void *)(c->p + c->h->special.off);

	uint64_t n = c->h->special.len / sizeof(*s);

	if (n > SPECIALS_MAX)
		return BOB_ERR_CORRUPT;
	for (uint64_t i = 0; i < n; i++) {
		if (s[i].func >= c->h->func_count || !is_known(s[i].what))
			return BOB_ERR_CORRUPT;
		for (uint64_t k = 0; k < i; k++) /* its call would be redirected twice */
			if (s[k].func == s[i].func)
				return BOB_ERR_CORRUPT;
	}
	return BOB_OK;
}

bob_status bob_plan_check(const void *plan, uint64_t len, uint64_t key)
{
	struct checker c = { plan, len, plan };
	bob_status st;

	if (len < sizeof(struct bob_plan_head) || (uintptr_t)plan % 8 != 0)
		return BOB_ERR_CORRUPT;
	st = check_head(&c, key);
	if (st != BOB_OK)
		return st;
	return check_sections(&c) || check_funcs(&c) || check_relocs(&c) || check_fdes(&c) ||
			       check_special(&c) ?
		       BOB_ERR_CORRUPT :
		       BOB_OK;
}
