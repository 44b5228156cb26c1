/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of groups. The bytes are not trusted: the count of numbers in an element's structure is
 * checked against the remaining rows before memory is allocated. */
#include "fold/folded.h"

#include <string.h>

#include "base/varint.h"
#include "fold/columns.h"

bob_status bob_group_split(const struct bob_fold_bytes *group, struct bob_fold_bytes *structure,
			   struct bob_row_reader *rows)
{
	const uint8_t *at = group->at, *end = at + group->len;
	uint64_t len, count;

	if (bob_varint_get(&at, end, &len) || len > (uint64_t)(end - at))
		return BOB_ERR_CORRUPT;
	*structure = (struct bob_fold_bytes){ at, (size_t)len };
	at += len;
	if (bob_varint_get(&at, end, &count) || count > UINT32_MAX ||
	    (count + 3) / 4 > (uint64_t)(end - at))
		return BOB_ERR_CORRUPT;
	*rows = (struct bob_row_reader){ at, at + (count + 3) / 4, end, (uint32_t)count, 0 };
	return BOB_OK;
}

bob_status bob_group_open_alone(struct bob_group_reader *r, const struct bob_alloc *alloc,
				const struct bob_fold_bytes *group)
{
	struct bob_fold_bytes structure;
	bob_status st;

	memset(r, 0, sizeof(*r));
	r->alloc = *alloc;
	st = bob_group_split(group, &structure, &r->rows);
	if (st != BOB_OK)
		return st;
	r->structure = structure.at;
	r->structure_end = structure.at + structure.len;
	return BOB_OK;
}

bob_status bob_group_open(struct bob_group_reader *r, const struct bob_folded *f,
			  const struct bob_fold_sharing *group, uint32_t member)
{
	const struct bob_list *set = &f->set[group->set];
	bob_status st = bob_group_open_alone(r, &f->tables.blocks.alloc, &group->bytes);

	r->folded = f;
	r->set = group->set;
	r->member = member;
	r->place = (uint32_t)(bob_list_at(set, member) - bob_list_at(set, 0));
	return st;
}

void bob_group_close(struct bob_group_reader *r)
{
	bob_array_free(&r->alloc, r->vector, r->vector_capacity, sizeof(*r->vector));
	r->vector = NULL;
	r->vector_capacity = 0;
}

static bob_status get_signed(struct bob_row_reader *r, uint64_t *v)
{
	uint64_t z = 0;
	bob_status st = bob_varint_get(&r->row, r->end, &z);

	*v = (uint64_t)bob_unzigzag(z);
	return st;
}

bob_status bob_row_next(struct bob_row_reader *r, struct bob_row *row)
{
	uint64_t profile = 0;
	bob_status st = BOB_OK;

	if (!r->left)
		return BOB_ERR_CORRUPT;
	row->kind = *r->kind >> r->shift & 3;
	row->step = 0;
	r->left--;
	r->shift = (r->shift + 2) & 7;
	r->kind += !r->shift;
	if (row->kind == BOB_ROW_PROFILE)
		st = bob_varint_get(&r->row, r->end, &profile);
	row->profile = profile < UINT32_MAX ? (uint32_t)profile : UINT32_MAX;
	if (st == BOB_OK)
		st = get_signed(r, &row->first);
	if (st == BOB_OK && row->kind == BOB_ROW_AFFINE)
		st = get_signed(r, &row->step);
	return row->kind > BOB_ROW_PROFILE ? BOB_ERR_CORRUPT : st;
}

static bob_status get_number(struct bob_group_reader *r, uint64_t *v)
{
	struct bob_row row;
	bob_status st = bob_row_next(&r->rows, &row);

	*v = 0;
	if (st == BOB_OK && row.kind == BOB_ROW_PROFILE) {
		if (!r->folded || row.profile >= r->folded->profile_count ||
		    r->folded->profile[row.profile].set != r->set)
			return BOB_ERR_CORRUPT;
		st = bob_profile_value(r->folded, row.profile, r->member, v);
	}
	*v += row.first + r->place * row.step;
	return st;
}

/* --- elements --- */

/* Population count. __builtin_popcountll would be a call into libgcc here. */
static unsigned bits_of(uint64_t mask)
{
	unsigned n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

static bob_status skip(const uint8_t **at, const uint8_t *end, uint32_t depth, uint32_t *numbers)
{
	const uint8_t *q = *at;
	uint64_t mask = 0, n = 0;
	uint8_t byte;

	if (q == end)
		return BOB_ERR_CORRUPT;
	byte = *q++;
	if (byte > BOB_PATTERN_MARK && byte <= BOB_PATTERN_MARK + BOB_PATTERN_MAX) {
		for (unsigned i = byte - BOB_PATTERN_MARK; i; i--) {
			uint32_t child;

			if (!depth || skip(&q, end, depth - 1, &child) != BOB_OK)
				return BOB_ERR_CORRUPT;
			n += child;
		}
		n = 2 * n + 1;
	} else {
		unsigned dims = byte & 7u;

		if (byte > 15 || dims > BOB_PIECE_DIMS ||
		    (byte & 8 &&
		     (bob_varint_get(&q, end, &mask) || mask >> bob_piece_pair(0, dims))))
			return BOB_ERR_CORRUPT;
		n = 1 + 2 * dims + bits_of(mask);
	}
	if (n > UINT32_MAX / 4)
		return BOB_ERR_CORRUPT;
	*numbers = (uint32_t)n;
	*at = q;
	return BOB_OK;
}

bob_status bob_element_skip(const uint8_t **at, const uint8_t *end, uint32_t *numbers)
{
	return skip(at, end, BOB_PATTERN_DEPTH, numbers);
}

/* The structure is valid: bob_element_skip has checked it. */
void bob_element_piece(const uint8_t *structure, size_t len, const uint64_t *v, struct bob_piece *p)
{
	const uint8_t *end = structure + len;
	uint64_t mask = 0;
	uint8_t byte = *structure++;

	memset(p, 0, sizeof(*p));
	p->dims = byte & 7u;
	if (byte & 8)
		(void)bob_varint_get(&structure, end, &mask);
	p->base = *v++;
	for (unsigned d = 0; d < p->dims; d++) {
		p->count[d] = *v++;
		p->step[d] = *v++;
	}
	for (unsigned i = 0; mask >> i; i++)
		if (mask >> i & 1)
			p->grow[i] = *v++;
}

static uint64_t *make_vector(struct bob_group_reader *r, uint32_t n)
{
	if (!bob_array_grow(&r->alloc, &r->vector, &r->vector_capacity, r->vector_count, n,
			    sizeof(*r->vector)))
		return NULL;
	r->vector_count += n;
	return r->vector + r->vector_count - n;
}

/* Reads the next element of the column. Its numbers are pushed onto the vector. */
static bob_status get_element(struct bob_group_reader *r, const uint8_t **structure)
{
	uint32_t n;
	uint64_t *v;

	*structure = r->structure;
	if (bob_element_skip(&r->structure, r->structure_end, &n) != BOB_OK || n > r->rows.left)
		return BOB_ERR_CORRUPT;
	v = make_vector(r, n);
	if (!v)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (get_number(r, &v[i]) != BOB_OK)
			return BOB_ERR_CORRUPT;
	r->base = v[0] += r->base;
	return BOB_OK;
}

/* Computes the next element of the innermost pattern in its current repetition. */
static bob_status get_child(struct bob_group_reader *r, const uint8_t **structure)
{
	struct bob_pattern_frame *f = &r->frame[r->depth - 1];
	uint32_t n = 0;
	uint64_t *v;

	*structure = f->at;
	(void)bob_element_skip(&f->at, r->structure_end, &n);
	v = make_vector(r, n);
	if (!v)
		return BOB_ERR_NOMEM;
	const uint64_t *now = r->vector + f->vector, *step = now + f->half + 1;
	for (uint32_t i = 0; i < n; i++)
		v[i] = now[f->next + i] + f->index * step[f->next + i];
	if (f->next)
		v[0] += now[0] + f->index * step[0];
	f->next += n;
	f->child++;
	return BOB_OK;
}

/* Enters the pattern at `structure`, whose numbers are the last `n` of the vector. */
static bob_status enter(struct bob_group_reader *r, const uint8_t *structure, uint32_t n)
{
	struct bob_pattern_frame *f = &r->frame[r->depth];
	uint32_t vector = r->vector_count - n, half = (n - 1) / 2;

	*f = (struct bob_pattern_frame){
		.structure = structure + 1,
		.at = structure + 1,
		.vector = vector,
		.half = half,
		.children = *structure - BOB_PATTERN_MARK,
		.left = r->vector[vector + half],
	};
	r->depth++; /* bounded by bob_element_skip */
	return f->left ? BOB_OK : BOB_ERR_CORRUPT;
}

/* Starts the next repetition of the innermost pattern, or leaves it and returns 0. */
static int repeat(struct bob_group_reader *r)
{
	struct bob_pattern_frame *f = &r->frame[r->depth - 1];

	if (f->child < f->children)
		return 1;
	if (!--f->left) {
		r->vector_count = f->vector;
		r->depth--;
		return 0;
	}
	f->index++;
	f->at = f->structure;
	f->child = 0;
	f->next = 0;
	return 1;
}

bob_status bob_group_piece(struct bob_group_reader *r, struct bob_piece *p, int *given_up)
{
	const uint8_t *structure;
	bob_status st;

	*given_up = 0;
	for (;;) {
		uint32_t before = r->vector_count;

		if (r->depth && !repeat(r))
			continue;
		if (r->depth) {
			st = get_child(r, &structure);
		} else {
			if (r->structure == r->structure_end)
				return BOB_END;
			if (*r->structure == BOB_COLUMN_GIVEN_UP) {
				r->structure++;
				*given_up = 1;
				return BOB_END;
			}
			st = get_element(r, &structure);
		}
		if (st != BOB_OK)
			return st;
		if (*structure <= BOB_PATTERN_MARK)
			break;
		st = enter(r, structure, r->vector_count - before);
		if (st != BOB_OK)
			return st;
	}
	uint32_t n = 0;
	const uint8_t *next = structure;
	(void)bob_element_skip(&next, r->structure_end, &n);
	r->vector_count -= n;
	bob_element_piece(structure, (size_t)(next - structure), r->vector + r->vector_count, p);
	r->last = p->base;
	return BOB_OK;
}
