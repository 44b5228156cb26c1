/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of times on disk: the tables `times` and `bins` (docs/format.md, "Times"). Columns are
 * stored relative to the minimum, so most are zero for a pair that occurred once. Rows of version 1
 * are converted to the same columns. */
#include "archive/events/times.h"

#include <stdlib.h>
#include <string.h>

#include "archive/columns/columns.h"
#include "archive/merge/merging.h"
#include "base/varint.h"

typedef unsigned __int128 wide;

struct side {
	uint64_t min, spread;		/* spread: max - min */
	uint64_t rest;			/* sum - count * min */
	uint64_t square[2];		/* sum of squares - count * min * min */
	uint32_t min_of, max_of;
	uint32_t first;			/* first nonempty bin, relative to the bin of min */
	uint32_t bins;			/* bins from there on, without the last one, which has the
					 * remaining count */
};

struct cells {
	uint64_t count;
	struct side before, duration;
	uint32_t to, from;
};

struct bin {
	uint64_t count;
};

#define SIDE(x)                                                                                    \
	BOB_SCHEMA_COLUMN(struct cells, x.min, BOB_STORED_UNSIGNED, 0),                            \
		BOB_SCHEMA_COLUMN(struct cells, x.min_of, BOB_STORED_REFERENCE,                    \
				  BOB_STORED_PARTICIPANTS),                                        \
		BOB_SCHEMA_COLUMN(struct cells, x.spread, BOB_STORED_UNSIGNED, 0),                 \
		BOB_SCHEMA_COLUMN(struct cells, x.max_of, BOB_STORED_REFERENCE,                    \
				  BOB_STORED_PARTICIPANTS),                                        \
		BOB_SCHEMA_COLUMN(struct cells, x.rest, BOB_STORED_UNSIGNED, 0),                   \
		BOB_SCHEMA_COLUMN(struct cells, x.square[0], BOB_STORED_UNSIGNED, 0),              \
		BOB_SCHEMA_COLUMN(struct cells, x.square[1], BOB_STORED_UNSIGNED, 0),              \
		BOB_SCHEMA_COLUMN(struct cells, x.first, BOB_STORED_UNSIGNED, 0),                  \
		BOB_SCHEMA_COLUMN(struct cells, x.bins, BOB_STORED_COUNT, BOB_STORED_BINS)

static const struct bob_schema_column times_columns[] = {
	BOB_SCHEMA_COLUMN(struct cells, to, BOB_STORED_REFERENCE, BOB_STORED_SHAPES),
	BOB_SCHEMA_COLUMN(struct cells, from, BOB_STORED_REFERENCE, BOB_STORED_SHAPES),
	BOB_SCHEMA_COLUMN(struct cells, count, BOB_STORED_UNSIGNED, 0),
	SIDE(before),
	SIDE(duration),
};
static const struct bob_schema times =
	BOB_SCHEMA(BOB_STORED_TIMES, "times", struct cells, times_columns);

static const struct bob_schema_column bins_columns[] = {
	BOB_SCHEMA_COLUMN(struct bin, count, BOB_STORED_UNSIGNED, 0),
};
static const struct bob_schema bins = BOB_SCHEMA(BOB_STORED_BINS, "bins", struct bin, bins_columns);

/* --- sums as columns, and back --- */

static wide squares_of_min(uint64_t count, uint64_t min)
{
	return (wide)min * min * count;
}

static void set_squares(uint64_t square[2], wide v)
{
	square[0] = (uint64_t)v;
	square[1] = (uint64_t)(v >> 64);
}

static wide get_squares(const uint64_t square[2])
{
	return (wide)square[1] << 64 | square[0];
}

/* Appends its bins to `to`. */
static struct side side_of(const struct bob_time_sums *s, uint64_t count,
			   const struct bob_time_extremes *of, struct bob_bytes *to)
{
	struct side x = { .min = s->min, .spread = s->max - s->min, .rest = s->sum - count * s->min,
			  .min_of = of->min, .max_of = of->max };
	uint32_t first = 0, last = BOB_TIME_BINS;

	set_squares(x.square, get_squares(s->square) - squares_of_min(count, s->min));
	while (first + 1 < BOB_TIME_BINS && !s->bin[first])
		first++;
	while (last > first + 1 && !s->bin[last - 1])
		last--;
	x.first = first - bob_time_bin(s->min);
	x.bins = last - first - 1;
	bob_bytes_take(to, s->bin + first, x.bins * sizeof(*s->bin));
	return x;
}

/* Returns 0 if the sums are invalid. */
static int sums_of(const struct side *x, uint64_t count, uint32_t participants,
		   const struct bin *bin, struct bob_time_sums *s, struct bob_time_extremes *of)
{
	const uint32_t first = bob_time_bin(x->min) + x->first;
	uint64_t left = count;

	if (x->min_of >= participants || x->max_of >= participants || first >= BOB_TIME_BINS ||
	    x->bins >= BOB_TIME_BINS - first)
		return 0;
	*s = (struct bob_time_sums){ .min = x->min, .max = x->min + x->spread,
				     .sum = count * x->min + x->rest };
	*of = (struct bob_time_extremes){ x->min_of, x->max_of };
	set_squares(s->square, get_squares(x->square) + squares_of_min(count, x->min));
	for (uint32_t i = 0; i < x->bins; i++) {
		if (bin[i].count > left)
			return 0;
		s->bin[first + i] = bin[i].count;
		left -= bin[i].count;
	}
	s->bin[first + x->bins] = left;
	return 1;
}

/* Adds the row whose bins begin at *bin, and advances *bin. Errors: BOB_ERR_CORRUPT. */
static bob_status add_row(struct bob_time_rows *r, const struct cells *c, uint32_t shapes,
			  uint32_t participants, const struct bin **bin, size_t *left)
{
	const uint64_t all = (uint64_t)c->before.bins + c->duration.bins;
	struct bob_time_row *x;

	if (r->count == BOB_TIME_ROWS_MAX || c->to >= shapes || !c->count || all > *left ||
	    (c->from >= shapes && c->from != BOB_TIME_NO_SHAPE))
		return BOB_ERR_CORRUPT;
	if (bob_array_reserve(&r->row, r->count, &r->cap, sizeof(*r->row)))
		return BOB_ERR_NOMEM;
	x = &r->row[r->count++];
	*x = (struct bob_time_row){ .from = c->from, .to = c->to, .count = c->count };
	if (!sums_of(&c->before, c->count, participants, *bin, &x->interval, &x->interval_of) ||
	    !sums_of(&c->duration, c->count, participants, *bin + c->before.bins, &x->duration,
		     &x->duration_of))
		return BOB_ERR_CORRUPT;
	*bin += all;
	*left -= all;
	return BOB_OK;
}

/* --- tables --- */

void bob_time_rows_pack(const struct bob_time_rows *r, struct bob_bytes *b)
{
	struct bob_bytes rows = { 0 }, all = { 0 };

	for (size_t i = 0; i < r->count; i++) {
		const struct bob_time_row *x = &r->row[i];
		struct cells c = { .count = x->count, .to = x->to, .from = x->from };

		c.before = side_of(&x->interval, x->count, &x->interval_of, &all);
		c.duration = side_of(&x->duration, x->count, &x->duration_of, &all);
		bob_bytes_take(&rows, &c, sizeof(c));
	}
	b->failed |= rows.failed | all.failed;
	if (!b->failed) {
		bob_rows_write(&times, rows.at, r->count, bob_bytes_take, b);
		bob_rows_write(&bins, all.at, all.len / sizeof(struct bin), bob_bytes_take, b);
	}
	free(rows.at);
	free(all.at);
}

bob_status bob_time_rows_unpack(const uint8_t *bytes, size_t len, uint32_t shapes,
				uint32_t participants, struct bob_time_rows *r)
{
	void *rows = NULL, *all = NULL;
	size_t count = 0, left = 0;
	const struct bin *bin;
	bob_status st = bob_rows_read(bytes, len, &times, &rows, &count);

	memset(r, 0, sizeof(*r));
	if (st == BOB_OK)
		st = bob_rows_read(bytes, len, &bins, &all, &left);
	bin = all;
	for (size_t i = 0; i < count && st == BOB_OK; i++)
		st = add_row(r, (const struct cells *)rows + i, shapes, participants, &bin, &left);
	free(rows);
	free(all);
	st = st == BOB_NONE || (st == BOB_OK && left) ? BOB_ERR_CORRUPT : st;
	if (st != BOB_OK)
		bob_time_rows_free(r);
	return st;
}

/* --- version 1 --- */

struct input {
	const uint8_t *at, *end;
	int bad;
};

static uint64_t get(struct input *in)
{
	uint64_t v = 0;

	in->bad |= bob_varint_get(&in->at, in->end, &v) != BOB_OK;
	return v;
}

static uint32_t get_below(struct input *in, uint64_t limit)
{
	uint64_t v = get(in);

	in->bad |= v >= limit;
	return in->bad ? 0 : (uint32_t)v;
}

/* Capacity of `bin`: BOB_TIME_BINS. */
static struct side get_side(struct input *in, uint64_t count, struct bin *bin)
{
	struct side x = { .min = get(in) };
	uint32_t first, bins_all;

	x.min_of = x.max_of = get_below(in, UINT32_MAX);
	if (count == 1)
		return x;
	x.spread = get(in);
	x.max_of = get_below(in, UINT32_MAX);
	x.rest = get(in);
	x.square[0] = get(in);
	x.square[1] = get(in);
	set_squares(x.square, get_squares(x.square) - squares_of_min(count, x.min));
	first = get_below(in, BOB_TIME_BINS);
	bins_all = get_below(in, BOB_TIME_BINS + 1ull - first);
	in->bad |= !bins_all;
	x.first = first - bob_time_bin(x.min);
	x.bins = in->bad ? 0 : bins_all - 1;
	for (uint32_t i = 0; i < x.bins; i++)
		bin[i].count = get(in);
	return x;
}

static bob_status get_row(struct input *in, uint32_t *to, uint32_t shapes, uint32_t participants,
			  struct bob_time_rows *r)
{
	struct bin all[2 * BOB_TIME_BINS] = { { 0 } };
	const struct bin *bin = all;
	size_t left = 2 * BOB_TIME_BINS;
	struct cells c;

	*to += get_below(in, (uint64_t)shapes - *to + 1);
	c.to = *to;
	c.from = get_below(in, shapes + 1ull) - 1;
	c.count = get(in);
	c.before = get_side(in, c.count, all);
	c.duration = get_side(in, c.count, all + c.before.bins);
	return in->bad ? BOB_ERR_CORRUPT : add_row(r, &c, shapes, participants, &bin, &left);
}

bob_status bob_time_rows_unpack_v1(const uint8_t *bytes, size_t len, uint32_t shapes,
				   uint32_t participants, struct bob_time_rows *r)
{
	struct input in = { bytes, bytes + len, 0 };
	bob_status st = get(&in) == 1 ? BOB_OK : BOB_ERR_CORRUPT;
	uint64_t count = get(&in);
	uint32_t to = 0;

	memset(r, 0, sizeof(*r));
	for (; count && st == BOB_OK && !in.bad; count--)
		st = get_row(&in, &to, shapes, participants, r);
	if (st == BOB_OK && (in.bad || in.at != in.end))
		st = BOB_ERR_CORRUPT;
	if (st != BOB_OK)
		bob_time_rows_free(r);
	return st;
}
