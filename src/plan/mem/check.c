/* SPDX-License-Identifier: BSD-3-Clause */
/* Validates a memory plan, like plan/check.c. Freestanding. */
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "plan/mem/format.h"

struct checker {
	const uint8_t *p;
	uint64_t len;
	const struct bob_mem_plan_head *h;
};

static bob_status check_head(const struct checker *c, uint64_t key)
{
	const struct bob_mem_plan_head *h = c->h;
	const uint64_t from = offsetof(struct bob_mem_plan_head, file_bytes);

	if (h->magic != BOB_MEM_PLAN_MAGIC)
		return BOB_ERR_CORRUPT;
	if (h->version != BOB_MEM_PLAN_VERSION)
		return BOB_ERR_VERSION;
	if (h->file_bytes != c->len || (key != 0 && h->key != key))
		return BOB_ERR_CORRUPT;
	if ((uint32_t)bob_hash64(0, c->p + from, c->len - from) != h->check)
		return BOB_ERR_CORRUPT;
	if (h->text_lo > h->text_hi || h->text_hi > INT32_MAX || h->desc_count > INT32_MAX ||
	    h->split_stacks > 1)
		return BOB_ERR_CORRUPT;
	return BOB_OK;
}

static int section_fits(const struct checker *c, const struct bob_plan_section *s, uint64_t item)
{
	return s->off % 64 == 0 && s->off >= sizeof(*c->h) && s->off <= c->len &&
	       s->len <= c->len - s->off && s->len % item == 0 && s->len / item <= INT32_MAX;
}

static bob_status check_sections(const struct checker *c)
{
	const struct bob_mem_plan_head *h = c->h;

	if (!section_fits(c, &h->funcs, sizeof(struct bob_mem_func)) ||
	    !section_fits(c, &h->patches, sizeof(struct bob_mem_patch)) ||
	    !section_fits(c, &h->stops, sizeof(struct bob_mem_stop)) ||
	    !section_fits(c, &h->blob, 1) || !section_fits(c, &h->relocs, 4) ||
	    !section_fits(c, &h->tls, 4) || !section_fits(c, &h->ids, 4) ||
	    !section_fits(c, &h->text, 1) || !section_fits(c, &h->fixes, 4) ||
	    !section_fits(c, &h->descs, 1) || !section_fits(c, &h->map, 1) ||
	    h->blob.len > INT32_MAX - BOB_PLAN_HANDLER_BYTES)
		return BOB_ERR_CORRUPT;
	return BOB_OK;
}

/* Check the offsets of 32-bit fields in a section of `capacity` bytes. */
static bob_status check_fields(const struct checker *c, const struct bob_plan_section *s,
			       uint64_t capacity)
{
	const uint32_t *at = (const void *)(c->p + s->off);

	for (uint64_t i = 0; i < s->len / 4; i++)
		if (capacity < 4 || at[i] > capacity - 4 ||
		    (i > 0 && (at[i] < at[i - 1] || at[i] - at[i - 1] < 4)))
			return BOB_ERR_CORRUPT;
	return BOB_OK;
}

static uint64_t func_count(const struct checker *c)
{
	return c->h->funcs.len / sizeof(struct bob_mem_func);
}

static int in_text(const struct checker *c, uint64_t at, uint64_t len)
{
	return at >= c->h->text_lo && at <= c->h->text_hi && len <= c->h->text_hi - at;
}

static bob_status check_funcs(const struct checker *c)
{
	const struct bob_mem_func *f = (const void *)(c->p + c->h->funcs.off);
	uint64_t code = 0;

	for (uint64_t i = 0; i < func_count(c); i++, f++) {
		if (f->decline >= BOB_MEM_DECLINES || f->desc > c->h->desc_count ||
		    f->descs > c->h->desc_count - f->desc || f->code > c->h->blob.len ||
		    f->code_len > c->h->blob.len - f->code || f->map > c->h->map.len ||
		    f->map_len > c->h->map.len - f->map || f->code < code)
			return BOB_ERR_CORRUPT;
		code = f->code + f->code_len;
	}
	return BOB_OK;
}

static bob_status check_patches(const struct checker *c)
{
	const struct bob_mem_patch *p = (const void *)(c->p + c->h->patches.off);
	uint64_t last = 0;

	for (uint64_t i = 0; i < c->h->patches.len / sizeof(*p); i++, p++) {
		if (!in_text(c, p->addr, p->len) || p->addr < last || p->func >= func_count(c) ||
		    p->text > c->h->text.len || p->len > c->h->text.len - p->text)
			return BOB_ERR_CORRUPT;
		last = p->addr + p->len;
	}
	return BOB_OK;
}

static bob_status check_stops(const struct checker *c)
{
	const struct bob_mem_stop *s = (const void *)(c->p + c->h->stops.off);

	for (uint64_t i = 0; i < c->h->stops.len / sizeof(*s); i++, s++)
		if (!in_text(c, s->orig, 1) || (i > 0 && s->orig <= s[-1].orig) ||
		    s->code >= c->h->blob.len || s->func >= func_count(c))
			return BOB_ERR_CORRUPT;
	return BOB_OK;
}

bob_status bob_mem_plan_check(const void *plan, uint64_t len, uint64_t key)
{
	struct checker c = { plan, len, plan };
	bob_status st;

	if (len < sizeof(struct bob_mem_plan_head) || (uintptr_t)plan % 8 != 0)
		return BOB_ERR_CORRUPT;
	st = check_head(&c, key);
	if (st != BOB_OK)
		return st;
	if (check_sections(&c) || check_fields(&c, &c.h->relocs, c.h->blob.len) ||
	    check_fields(&c, &c.h->tls, c.h->blob.len) ||
	    check_fields(&c, &c.h->ids, c.h->blob.len) ||
	    check_fields(&c, &c.h->fixes, c.h->text.len) || check_funcs(&c) || check_patches(&c) ||
	    check_stops(&c))
		return BOB_ERR_CORRUPT;
	return BOB_OK;
}
