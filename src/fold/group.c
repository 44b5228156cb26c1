/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits columns into structure and numbers, and encodes them as groups. */
#include "fold/group.h"

#include <string.h>

#include "base/varint.h"
#include "fold/columns.h"

/* --- splitting --- */

void bob_content_free(struct bob_content *c)
{
	bob_array_free(&c->structure.alloc, c->number, c->capacity, sizeof(*c->number));
	bob_buffer_free(&c->structure);
	c->number = NULL;
	c->count = c->capacity = 0;
}

int bob_content_add(struct bob_content *c, uint64_t number)
{
	if (c->count == c->capacity &&
	    !bob_array_grow(&c->structure.alloc, &c->number, &c->capacity, c->count, 1,
			    sizeof(*c->number))) {
		c->structure.failed = 1;
		return 0;
	}
	c->number[c->count++] = number;
	return 1;
}

uint32_t bob_element_make(const struct bob_piece *p, uint8_t *structure, uint64_t *number,
			  uint32_t *numbers)
{
	unsigned pairs = bob_piece_pair(0, p->dims);
	uint64_t mask = 0;
	uint32_t n = 0;

	for (unsigned i = 0; i < pairs; i++)
		mask |= (uint64_t)(p->grow[i] != 0) << i;
	structure[0] = (uint8_t)(p->dims | (mask ? 8u : 0u));
	number[n++] = p->base;
	for (unsigned d = 0; d < p->dims; d++) {
		number[n++] = p->count[d];
		number[n++] = p->step[d];
	}
	for (unsigned i = 0; i < pairs; i++)
		if (p->grow[i])
			number[n++] = p->grow[i];
	*numbers = n;
	return 1 + (mask ? (uint32_t)bob_varint_put(structure + 1, mask) : 0);
}

static void put_piece(struct bob_content *c, const struct bob_piece *p, uint64_t before)
{
	uint8_t structure[BOB_ELEMENT_BYTES_MAX];
	uint64_t number[BOB_ELEMENT_NUMBERS_MAX];
	uint32_t n, bytes = bob_element_make(p, structure, number, &n);

	number[0] -= before;
	bob_buffer_put(&c->structure, structure, bytes);
	for (uint32_t i = 0; i < n; i++)
		bob_content_add(c, number[i]);
}

/* Reads a pattern: its structure, then its numbers. */
static bob_status get_pattern(struct bob_content *c, const uint8_t **at, const uint8_t *end,
			      uint64_t *before)
{
	const uint8_t *structure = *at;
	uint32_t numbers;
	uint64_t z = 0;

	if (bob_element_skip(at, end, &numbers) != BOB_OK || numbers > (uint64_t)(end - *at))
		return BOB_ERR_CORRUPT;
	bob_buffer_put(&c->structure, structure, (size_t)(*at - structure));
	for (uint32_t i = 0; i < numbers; i++) {
		if (bob_varint_get(at, end, &z) != BOB_OK)
			return BOB_ERR_CORRUPT;
		bob_content_add(c, (uint64_t)bob_unzigzag(z));
		if (!i)
			*before += (uint64_t)bob_unzigzag(z);
	}
	return BOB_OK;
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
		if (*at > BOB_PATTERN_MARK) {
			if (get_pattern(c, &at, end, &before) != BOB_OK)
				return BOB_ERR_CORRUPT;
			continue;
		}
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

/* --- encoding --- */

/* Writes a group of one member: all rows are constant. */
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

bob_status bob_group_put_alone(struct bob_buffer *b, const struct bob_content *c)
{
	bob_buffer_varint(b, c->structure.len);
	bob_buffer_put(b, c->structure.at, c->structure.len);
	bob_buffer_varint(b, c->count);
	put_alone(b, c);
	return b->failed ? BOB_ERR_NOMEM : BOB_OK;
}
