/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact collection of integers, and the cells of tables that show collected numbers. */
#define _GNU_SOURCE
#include "analysis/events/whole_numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "table/numbers.h"

#define SIGN (1ull << 63)
#define DIGITS_MAX 48u		/* of a 128-bit integer, with sign and terminating zero */

void bob_whole_add(struct bob_whole_numbers *w, int64_t v)
{
	const uint64_t key = (uint64_t)v ^ SIGN;
	const size_t at = BOB_COUNT_BELOW(w->value, w->values, struct bob_whole_value, key, key);

	w->min = !w->count || v < w->min ? v : w->min;
	w->max = !w->count || v > w->max ? v : w->max;
	w->sum += v;
	w->count++;
	if (at < w->values && w->value[at].key == key) {
		w->value[at].count++;
	} else if (w->values == BOB_WHOLE_VALUES) {
		w->is_more = 1;
	} else {
		memmove(w->value + at + 1, w->value + at, (w->values - at) * sizeof(*w->value));
		w->value[at] = (struct bob_whole_value){ key, 1 };
		w->values++;
	}
}

__extension__ static const char *decimal(char *end, __int128 v)
{
	__extension__ unsigned __int128 left = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;

	*--end = 0;
	do
		*--end = (char)('0' + (int)(left % 10));
	while (left /= 10);
	if (v < 0)
		*--end = '-';
	return end;
}

static void put_double(struct bob_table *t, double v)
{
	char text[BOB_NUMBER_MAX];

	bob_table_text(t, bob_format_real(text, v));
}

__extension__ static void put_whole(struct bob_table *t, __int128 v)
{
	char text[DIGITS_MAX];

	bob_table_text(t, decimal(text + sizeof(text), v));
}

static void print_values(const struct bob_value_numbers *n, const struct bob_whole_numbers *w,
			 FILE *out)
{
	const uint32_t values = w ? w->values : n->bins;

	for (uint32_t i = 0; i < values; i++) {
		const uint64_t count = w ? w->value[i].count : n->bin[i].count;

		if (i == BOB_VALUES_SHOWN) {
			fprintf(out, ", ... %" PRIu32 " in all", values);
			return;
		}
		fputs(i ? ", " : "", out);
		if (w)
			fprintf(out, "%" PRId64, (int64_t)(w->value[i].key ^ SIGN));
		else
			fprintf(out, n->shift ? "from %.6g on" : "%.6g",
				bob_value_of_bin(n->bin[i].bin, n->shift));
		if (count > 1)
			fprintf(out, " (%" PRIu64 " times)", count);
	}
}

static void put_values(struct bob_table *t, const struct bob_value_numbers *n,
		       const struct bob_whole_numbers *w)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out)
		print_values(n, w && !w->is_more ? w : NULL, out);
	if (out && !fclose(out))
		bob_table_text(t, text);
	else
		bob_table_unknown(t);
	free(text);
}

void bob_numbers_cells(struct bob_table *t, const struct bob_value_numbers *n,
		       const struct bob_whole_numbers *w)
{
	bob_table_count(t, n->count);
	if (w) {
		put_whole(t, w->sum);
		put_whole(t, w->min);
		put_double(t, (double)w->sum / (double)w->count);
		put_whole(t, w->max);
	} else {
		put_double(t, n->sum);
		put_double(t, n->min);
		put_double(t, n->sum / (double)n->count);
		put_double(t, n->max);
	}
	put_values(t, n, w);
}

void bob_texts_cells(struct bob_table *t, uint64_t count, const char *values)
{
	bob_table_bound(t, count ? BOB_CELL_EXACT : BOB_CELL_NONE, count);
	for (int i = 0; i < 4; i++)
		bob_table_none(t);
	bob_table_text(t, values);
}
