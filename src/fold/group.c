/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns taken apart, and put together as groups. */
#include "fold/group.h"

#include <string.h>

#include "base/varint.h"
#include "fold/columns.h"

#define FAR (1u << 16)

/* --- taking apart --- */

void bob_content_free(struct bob_content *c)
{
	bob_array_free(&c->structure.alloc, c->number, c->room, sizeof(*c->number));
	bob_buffer_free(&c->structure);
	c->number = NULL;
	c->count = c->room = 0;
}

int bob_content_add(struct bob_content *c, uint64_t number)
{
	if (c->count == c->room && !bob_array_grow(&c->structure.alloc, &c->number, &c->room,
						   c->count, 1, sizeof(*c->number))) {
		c->structure.failed = 1;
		return 0;
	}
	c->number[c->count++] = number;
	return 1;
}

static void put_piece(struct bob_content *c, const struct bob_piece *p, uint64_t before)
{
	unsigned pairs = bob_piece_pair(0, p->dims);
	uint64_t mask = 0;
	uint8_t dims;

	for (unsigned i = 0; i < pairs; i++)
		mask |= (uint64_t)(p->grow[i] != 0) << i;
	dims = (uint8_t)(p->dims | (mask ? 8u : 0u));
	bob_buffer_put(&c->structure, &dims, 1);
	if (mask)
		bob_buffer_varint(&c->structure, mask);
	bob_content_add(c, p->base - before);
	for (unsigned d = 0; d < p->dims; d++) {
		bob_content_add(c, p->count[d]);
		bob_content_add(c, p->step[d]);
	}
	for (unsigned i = 0; i < pairs; i++)
		if (p->grow[i])
			bob_content_add(c, p->grow[i]);
}

void bob_content_clear(struct bob_content *c)
{
	c->structure.len = 0;
	c->structure.failed = 0;
	c->count = 0;
}

bob_status bob_content_read(struct bob_content *c, const struct bob_fold_bytes *bytes, int in_line)
{
	const uint8_t *at = bytes->at, *end = at + bytes->len;
	struct bob_piece p;
	uint64_t before = 0;

	bob_content_clear(c);
	while (at != end && *at != BOB_COLUMN_GIVEN_UP) {
		if (bob_piece_get(&at, end, before, &p) != BOB_OK)
			return BOB_ERR_CORRUPT;
		put_piece(c, &p, before);
		before = p.base;
	}
	if (at != end && !in_line && end - at != 1)
		return BOB_ERR_CORRUPT;
	bob_buffer_put(&c->structure, at, (size_t)(end - at));
	return c->structure.failed ? BOB_ERR_NOMEM : BOB_OK;
}

/* --- rows --- */

struct rows {
	const struct bob_content *const *member;
	const uint32_t *place;
	uint32_t n;
	bob_profile_fn profile;
	void *ctx;
	uint64_t *scratch;
};

/* Any two numbers are affine. Where the system put two processes is the same in many rows, so it is a profile. */
static int is_far(uint64_t step)
{
	return step + FAR > 2 * FAR;
}

/* What the number grows by from one place to the next, if it is affine. */
static enum bob_row_kind kind_of(const struct rows *r, uint32_t number, uint64_t *step)
{
	uint64_t first = r->member[0]->number[number];
	int64_t grows, places;

	*step = 0;
	grows = (int64_t)(r->member[1]->number[number] - first);
	places = (int64_t)r->place[1] - r->place[0];
	if (grows % places)
		return BOB_ROW_PROFILE;
	*step = (uint64_t)(grows / places);
	if (r->n == 2 && is_far(*step))
		return BOB_ROW_PROFILE;
	for (uint32_t i = 2; i < r->n; i++)
		if (r->member[i]->number[number] != first + (r->place[i] - r->place[0]) * *step)
			return BOB_ROW_PROFILE;
	return *step ? BOB_ROW_AFFINE : BOB_ROW_SAME;
}

static bob_status put_row(struct bob_buffer *b, const struct rows *r, uint32_t number)
{
	uint64_t first = r->member[0]->number[number], step;
	enum bob_row_kind kind = kind_of(r, number, &step);
	uint32_t profile;
	bob_status st;

	if (kind == BOB_ROW_PROFILE) {
		for (uint32_t i = 0; i < r->n; i++)
			r->scratch[i] = r->member[i]->number[number] - first;
		st = r->profile(r->ctx, r->scratch, r->n, &profile);
		if (st != BOB_OK)
			return st;
		bob_buffer_varint(b, profile);
	}
	bob_buffer_signed(b, first);
	if (kind == BOB_ROW_AFFINE)
		bob_buffer_signed(b, step);
	return BOB_OK;
}

/* One member: all of its numbers are the same for all. */
static void put_alone(struct bob_buffer *b, const struct bob_content *c)
{
	static const uint8_t same[64];
	uint32_t kinds = c->count / 4 + (c->count % 4 != 0);

	for (uint32_t n; kinds; kinds -= n) {
		n = kinds < sizeof(same) ? kinds : (uint32_t)sizeof(same);
		bob_buffer_put(b, same, n);
	}
	for (uint32_t i = 0; i < c->count; i++)
		bob_buffer_signed(b, c->number[i]);
}

bob_status bob_group_put(struct bob_buffer *b, const struct bob_content *const *member,
			 const uint32_t *place, uint32_t n, bob_profile_fn profile, void *ctx,
			 uint64_t *scratch)
{
	const struct bob_content *first = member[0];
	const struct rows r = { member, place, n, profile, ctx, scratch };
	bob_status st = BOB_OK;
	uint64_t step;

	bob_buffer_varint(b, first->structure.len);
	bob_buffer_put(b, first->structure.at, first->structure.len);
	bob_buffer_varint(b, first->count);
	if (n == 1) {
		put_alone(b, first);
		return b->failed ? BOB_ERR_NOMEM : BOB_OK;
	}
	for (uint32_t i = 0; i < first->count; i += 4) {
		uint8_t kinds = 0;

		for (uint32_t k = 0; k < 4 && i + k < first->count; k++)
			kinds |= (uint8_t)(kind_of(&r, i + k, &step) << 2 * k);
		bob_buffer_put(b, &kinds, 1);
	}
	for (uint32_t i = 0; i < first->count && st == BOB_OK; i++)
		st = put_row(b, &r, i);
	return st != BOB_OK ? st : b->failed ? BOB_ERR_NOMEM : BOB_OK;
}
