/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/whole_numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/search.h"
#include "cli/report_hooks.h"
#include "cli/terminal/text_table.h"

#define SIGN (1ull << 63)
#define DIGITS_MAX 48u		/* of 128 bits, with sign and zero */

void cli_whole_add(struct cli_whole_numbers *w, int64_t v)
{
	const uint64_t key = (uint64_t)v ^ SIGN;
	const size_t at = BOB_COUNT_BELOW(w->value, w->values, struct cli_whole_value, key, key);

	w->min = !w->count || v < w->min ? v : w->min;
	w->max = !w->count || v > w->max ? v : w->max;
	w->sum += v;
	w->count++;
	if (at < w->values && w->value[at].key == key) {
		w->value[at].count++;
	} else if (w->values == CLI_WHOLE_VALUES) {
		w->is_more = 1;
	} else {
		memmove(w->value + at + 1, w->value + at, (w->values - at) * sizeof(*w->value));
		w->value[at] = (struct cli_whole_value){ key, 1 };
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

void cli_whole_cells(struct cli_table *t, const struct cli_whole_numbers *w)
{
	char text[DIGITS_MAX];

	cli_table_cell(t, decimal(text + sizeof(text), w->sum));
	cli_table_cell(t, decimal(text + sizeof(text), w->min));
	cli_cell_number(t, (double)w->sum / (double)w->count);
	cli_table_cell(t, decimal(text + sizeof(text), w->max));
}

void cli_whole_values_cell(struct cli_table *t, const struct cli_whole_numbers *w)
{
	char text[512] = "";
	size_t at = 0;

	for (uint32_t i = 0; i < w->values && at < sizeof(text); i++) {
		char times[48] = "";

		if (i == CLI_VALUES_SHOWN) {
			snprintf(text + at, sizeof(text) - at, ", ... %" PRIu32 " in all",
				 w->values);
			break;
		}
		if (w->value[i].count > 1)
			snprintf(times, sizeof(times), " (%" PRIu64 " times)", w->value[i].count);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%" PRId64 "%s",
				       i ? ", " : "", (int64_t)(w->value[i].key ^ SIGN), times);
	}
	cli_table_cell(t, text);
}
