/* SPDX-License-Identifier: BSD-3-Clause */
/* Subscripts of addresses and bounding boxes of pieces, as text in the notation of the source
 * language. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/arrays/arrays.h"
#include "bobbin/fold.h"

#define POINTS_MAX 65536u	/* points of a piece that are examined */

__attribute__((format(printf, 4, 5))) static void add(char *text, size_t size, size_t *len,
						      const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text + *len, size - *len, format, args);
	va_end(args);
	*len += n < 0 ? 0 : (size_t)n < size - *len ? (size_t)n : size - *len - 1;
}

void bob_subscripts_of(const struct bob_shape *s, const int64_t *first, const int64_t *last,
		       char *text, size_t size)
{
	size_t len = 0;

	*text = 0;
	for (uint32_t i = 0; i < s->rank; i++) {
		uint32_t d = s->rows_first ? s->rank - 1 - i : i;

		add(text, size, &len, "%s%" PRId64, s->rows_first ? "[" : i ? "," : "(", first[d]);
		if (last && last[d] != first[d])
			add(text, size, &len, s->rows_first ? "..%" PRId64 : ":%" PRId64, last[d]);
		if (s->rows_first || i + 1 == s->rank)
			add(text, size, &len, "%s", s->rows_first ? "]" : ")");
	}
}

int bob_subscripts_text(const struct bob_trace *t, uint32_t process, uint64_t address,
			char text[BOB_SUBSCRIPTS_MAX])
{
	char subscripts[BOB_SUBSCRIPTS_MAX / 2];
	struct bob_shape s;
	size_t len = 0;

	*text = 0;
	if (bob_trace_shape(t, process, address, &s) != BOB_OK)
		return 0;
	bob_subscripts_of(&s, s.subscript, NULL, subscripts, sizeof(subscripts));
	if (s.before)
		add(text, BOB_SUBSCRIPTS_MAX, &len, "%.200s{%" PRIu64 " before}", s.name, s.number);
	else if (!s.inside)
		add(text, BOB_SUBSCRIPTS_MAX, &len, "%.200s{%" PRIu64 ", after}", s.name, s.number);
	else if (s.varies)
		add(text, BOB_SUBSCRIPTS_MAX, &len, "%.200s{%" PRIu64 "}", s.name, s.number);
	else
		add(text, BOB_SUBSCRIPTS_MAX, &len, "%.200s%s", s.name, subscripts);
	if (s.offset)
		add(text, BOB_SUBSCRIPTS_MAX, &len, " +%" PRIu32, s.offset);
	return 1;
}

/* --- boxes --- */

struct box {
	const struct bob_trace *trace;
	uint32_t process;
	struct bob_shape shape;	/* of the first point's variable */
	int64_t first[BOB_SHAPE_DIMENSIONS_MAX], last[BOB_SHAPE_DIMENSIONS_MAX];
	uint64_t points;
};

static int take_point(struct box *b, uint64_t address)
{
	const uint64_t distance = address - b->shape.address;
	uint64_t n = distance / b->shape.element;

	if (distance >= b->shape.elements * b->shape.element)
		return 0;
	for (uint32_t d = 0; d < b->shape.rank; d++) {
		const uint64_t extent = (uint64_t)b->shape.bounds[d][1];
		const int64_t at = b->shape.bounds[d][0] + (int64_t)(n % extent);

		b->first[d] = at < b->first[d] ? at : b->first[d];
		b->last[d] = at > b->last[d] ? at : b->last[d];
		n /= extent;
	}
	return 1;
}

/* Trip count of loop `d` at the indices `at` of the outer loops; 0: none. */
static uint64_t count_of(const struct bob_piece *p, uint32_t d, const uint64_t *at)
{
	uint64_t n = p->count[d];

	for (uint32_t e = d + 1; e < p->dims; e++)
		n += p->grow[bob_piece_pair(d, e)] * at[e];
	return (int64_t)n > 0 ? n : 0;
}

static int has_growth(const struct bob_piece *p, uint32_t d)
{
	uint64_t any = 0;

	for (uint32_t e = 0; e < p->dims; e++)
		if (e != d)
			any |= e < d ? p->grow[bob_piece_pair(e, d)] :
				       p->grow[bob_piece_pair(d, e)];
	return any != 0;
}

/* Visits all iterations of the loops below `d`. A loop that does not change the address, and on
 * which no other loop depends, is visited once. */
static int take_loops(struct box *b, const struct bob_piece *p, uint32_t d, uint64_t address,
		      uint64_t *at)
{
	uint64_t n;

	if (!d)
		return take_point(b, address);
	d--;
	at[d] = 0;
	n = count_of(p, d, at);
	if (n > POINTS_MAX && p->step[d])
		return 0;
	if (!p->step[d] && !has_growth(p, d))
		n = n > 0;
	for (uint64_t i = 0; i < n; i++) {
		at[d] = i;
		if (b->points++ > POINTS_MAX || !take_loops(b, p, d, address, at))
			return 0;
		address += p->step[d];
	}
	return 1;
}

int bob_box_text(const struct bob_trace *t, uint32_t process, const struct bob_piece *p,
		 uint64_t offset, char text[BOB_SUBSCRIPTS_MAX])
{
	uint64_t at[BOB_PIECE_DIMS] = { 0 };
	struct box b = { .trace = t, .process = process };
	char subscripts[BOB_SUBSCRIPTS_MAX / 2];

	*text = 0;
	if (bob_trace_shape(t, process, p->base + offset, &b.shape) != BOB_OK || !b.shape.inside ||
	    b.shape.varies)
		return 0;
	memcpy(b.first, b.shape.subscript, sizeof(b.first));
	memcpy(b.last, b.shape.subscript, sizeof(b.last));
	if (!take_loops(&b, p, p->dims, p->base + offset, at))
		return 0;
	bob_subscripts_of(&b.shape, b.first, b.last, subscripts, sizeof(subscripts));
	snprintf(text, BOB_SUBSCRIPTS_MAX, "%.200s%s", b.shape.name, subscripts);
	return 1;
}
