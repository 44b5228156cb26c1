/* SPDX-License-Identifier: BSD-3-Clause */
/* Schemas of the tables of value sets; conversion between sets and rows. */
#include "archive/events/sets_table.h"

static const struct bob_schema_column sets_columns[] = {
	BOB_SCHEMA_COLUMN(struct bob_set_row, hook, BOB_STORED_TEXT, 0),
	BOB_SCHEMA_COLUMN(struct bob_set_row, event, BOB_STORED_TEXT, 0),
	BOB_SCHEMA_COLUMN(struct bob_set_row, phase, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct bob_set_row, depth, BOB_STORED_COUNT, BOB_STORED_CALLS),
	BOB_SCHEMA_COLUMN(struct bob_set_row, kind, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct bob_set_row, bytes, BOB_STORED_BYTES, 0),
	BOB_SCHEMA_COLUMN(struct bob_set_row, text, BOB_STORED_TEXT, 0),
};
const struct bob_schema bob_sets_table =
	BOB_SCHEMA(BOB_STORED_SETS, "sets", struct bob_set_row, sets_columns);

static const struct bob_schema_column calls_columns[] = {
	BOB_SCHEMA_COLUMN(struct bob_set_call, image, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct bob_set_call, address, BOB_STORED_UNSIGNED, 0),
};
const struct bob_schema bob_set_calls_table =
	BOB_SCHEMA(BOB_STORED_CALLS, "calls", struct bob_set_call, calls_columns);

static const struct bob_schema_column names_columns[] = {
	BOB_SCHEMA_COLUMN(struct bob_set_name, name, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct bob_set_name, times, BOB_STORED_UNSIGNED, 0),
};
const struct bob_schema bob_set_names_table =
	BOB_SCHEMA(BOB_STORED_SET_NAMES, "set_names", struct bob_set_name, names_columns);

struct bob_set_row bob_set_row_of(const struct bob_set *s)
{
	return (struct bob_set_row){
		.hook = { s->hook, s->hook_len },
		.event = { s->event, s->event_len },
		.bytes = { s->bytes, s->len },
		.text = { s->text, s->text_len },
		.phase = s->phase,
		.depth = s->depth,
		.kind = s->kind,
	};
}

int bob_set_of_row(const struct bob_set_row *row, const struct bob_set_call *call, size_t left,
		   struct bob_set *s)
{
	*s = (struct bob_set){
		.hook = row->hook.at,
		.hook_len = row->hook.len,
		.event = row->event.at,
		.event_len = row->event.len,
		.bytes = row->bytes.at,
		.len = row->bytes.len,
		.text = row->text.at,
		.text_len = row->text.len,
		.call = call,
		.depth = row->depth,
		.phase = row->phase,
		.kind = row->kind,
	};
	return row->depth <= BOB_SET_DEPTH_MAX && row->depth <= left && row->phase <= 1 &&
	       row->kind < BOB_SET_KINDS;
}
