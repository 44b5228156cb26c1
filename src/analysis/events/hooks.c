/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of hook results. Sets with the same hook, event, phase and place are united. User-defined
 * data belongs to one process and is a row of its own. */
#define _GNU_SOURCE
#include "analysis/events/hooks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/whole_numbers.h"
#include "analysis/place_cells.h"
#include "archive/events/hook_sets.h"
#include "base/host/arena.h"
#include "base/order.h"
#include "base/plain.h"
#include "table/numbers.h"

#define TEXT_SHOWN 400u		/* bytes */
#define CALLERS_SHOWN 3u

/* One hook at one event, possibly at one place; user-defined sets are those of one process. */
struct row {
	char *event, *hook, *text;
	char *place;		/* its place as text; "": none */
	uint32_t process;	/* the first one with such a set */
	struct bob_set_call *call;
	uint32_t depth;
	uint32_t phase, processes;
	int is_numbers;
	struct bob_value_numbers numbers;
	size_t bytes;
};

struct gathering {
	const struct bob_trace *trace;
	const struct bob_naming *names;
	struct row *row;
	size_t count, cap;
	int failed;		/* no memory */
	int has_places;
	uint32_t damaged;
};

/* Replaces control characters, which must not reach a terminal. */
static char *text_of(const uint8_t *bytes, size_t len)
{
	char *text = malloc(len + 1);

	if (!text)
		return NULL;
	memcpy(text, bytes, len);
	text[len] = 0;
	bob_text_make_plain(text, len);
	return text;
}

static int same(const char *text, const uint8_t *bytes, size_t len)
{
	return strlen(text) == len && !memcmp(text, bytes, len);
}

/* --- places --- */

/* Finds the image by key, in the given process first. */
static int find_image(const struct bob_trace *t, uint64_t key, uint32_t *process, uint32_t *image)
{
	const uint32_t count = bob_trace_process_count(t), first = *process;

	for (uint32_t i = 0; i < count; i++) {
		*process = (first + i) % count;
		*image = bob_hook_image(t, *process, key);
		if (*image != BOB_SET_NO_IMAGE)
			return 1;
	}
	return 0;
}

static void print_caller(const struct gathering *g, uint32_t process,
			 const struct bob_set_call *call, FILE *out)
{
	const struct bob_trace *t = g->trace;
	uint32_t image;
	const int known = find_image(t, call->image, &process, &image);
	struct bob_source_line line;
	struct bob_function_info f;

	if (known && bob_trace_function_at(t, process, image, call->address, &f) == BOB_OK &&
	    *f.name)
		fputs(g->names->symbol(g->names->ctx, f.name), out);
	else
		fprintf(out, "0x%" PRIx64, call->address);
	if (known && bob_trace_source(t, process, image, call->address, &line) == BOB_OK &&
	    line.line)
		fprintf(out, ":%" PRIu32, line.line);
}

/* "exchange  ring.c:12, of step:40, main:77" */
static char *place_of(const struct gathering *g, uint32_t process, const struct bob_set_call *call,
		      uint32_t depth)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	uint32_t own = process, image = BOB_SET_NO_IMAGE;

	if (!out)
		return NULL;
	if (depth) {
		find_image(g->trace, call[depth - 1].image, &own, &image);
		fputs(g->names->place(g->names->ctx, g->trace, own, image, call[depth - 1].address),
		      out);
	}
	for (uint32_t i = 1; i < depth; i++) {
		fputs(i == 1 ? ", of " : ", ", out);
		if (i > CALLERS_SHOWN) {
			fputs("...", out);
			break;
		}
		print_caller(g, process, &call[depth - 1 - i], out);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static int take_place(struct gathering *g, uint32_t process, const struct bob_set *s,
		      struct row *to)
{
	to->depth = s->depth;
	to->call = malloc((s->depth + 1u) * sizeof(*to->call));
	if (!to->call)
		return 0;
	bob_set_calls(s, to->call);
	to->process = process;
	to->place = place_of(g, process, to->call, to->depth);
	g->has_places |= to->depth != 0;
	return to->place != NULL;
}

static int same_place(const struct row *row, const struct bob_set *s)
{
	struct bob_set_call call[BOB_SET_DEPTH_MAX];

	if (row->depth != s->depth)
		return 0;
	bob_set_calls(s, call);
	return !s->depth || !memcmp(row->call, call, s->depth * sizeof(*call));
}

/* --- rows --- */

static struct row *find(struct gathering *g, const struct bob_set *s)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->row[i].phase == s->phase && g->row[i].is_numbers &&
		    same_place(&g->row[i], s) && same(g->row[i].hook, s->hook, s->hook_len) &&
		    same(g->row[i].event, s->event, s->event_len))
			return &g->row[i];
	return NULL;
}

static struct row *add(struct gathering *g, uint32_t process, const struct bob_set *s)
{
	struct row *to;

	if (bob_array_reserve(&g->row, g->count, &g->cap, sizeof(*g->row)))
		return NULL;
	to = &g->row[g->count];
	memset(to, 0, sizeof(*to));
	to->hook = text_of(s->hook, s->hook_len);
	to->event = text_of(s->event, s->event_len);
	to->text = text_of(s->text, s->text_len < TEXT_SHOWN ? s->text_len : TEXT_SHOWN);
	to->phase = s->phase;
	to->is_numbers = s->kind == BOB_SET_NUMBERS;
	to->bytes = s->len;
	g->count++;
	return take_place(g, process, s, to) && to->hook && to->event && to->text ? to : NULL;
}

static int take(void *ctx, uint32_t process, const struct bob_set *s)
{
	struct gathering *g = ctx;
	struct bob_value_numbers n;
	struct row *to;

	if (s->kind == BOB_SET_NUMBERS && bob_value_unpack(s->bytes, s->len, &n) != BOB_OK) {
		g->damaged++;
		return 0;
	}
	to = s->kind == BOB_SET_NUMBERS ? find(g, s) : NULL;
	to = to ? to : add(g, process, s);
	if (!to) {
		g->failed = 1;
		return 1;
	}
	to->processes++;
	if (to->is_numbers)
		bob_value_unite(&to->numbers, &n);
	return 0;
}

BOB_COMPARE(by_name, struct row, BOB_TEXT(event) BOB_TEXT(hook) BOB_UP(phase) BOB_TEXT(place))

/* The innermost place, as text and as cells. */
static void put_place(struct bob_table *t, const struct gathering *g, const struct row *row)
{
	uint32_t process = row->process, image = BOB_SET_NO_IMAGE;

	if (row->depth)
		find_image(g->trace, row->call[row->depth - 1].image, &process, &image);
	bob_place_cells_at(t, g->names, g->trace, process, image,
			   row->depth ? row->call[row->depth - 1].address : 0);
}

static void put_row(struct bob_table *t, const struct gathering *g, const struct row *row)
{
	static const char *const phases[] = { "before", "in" };
	char a[BOB_NUMBER_MAX];

	bob_table_text(t, row->event);
	bob_table_text(t, phases[row->phase]);
	bob_table_text(t, row->hook);
	bob_text_cell(t, row->place);
	if (row->is_numbers)
		bob_numbers_cells(t, &row->numbers, NULL);
	else
		bob_texts_cells(t, 0, *row->text ? row->text : bob_format_bytes(a, row->bytes));
	bob_table_count(t, row->processes);
	bob_table_count(t, row->bytes);
	put_place(t, g, row);
}

static struct bob_table *make_table(const struct gathering *g)
{
	const struct bob_column columns[] = {
		{ "event", NULL, BOB_COLUMN_TEXT, 0, "name of the event" },
		{ "phase", "", BOB_COLUMN_TEXT, 0, "before the event, or in it" },
		{ "hook", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_SUBJECT, "name of the hook" },
		{ "place", NULL, BOB_COLUMN_TEXT, g->has_places ? 0 : BOB_COLUMN_EXTRA,
		  "where the event is, and who called" },
		BOB_NUMBERS_COLUMNS,
		{ "processes", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_EXTRA,
		  "whose sets were read; those that ranks united are one" },
		{ "bytes", NULL, BOB_COLUMN_BYTES, BOB_COLUMN_EXTRA, "of the first set" },
		{ "innermost", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_EXTRA, "where the event is" },
		BOB_PLACE_COLUMNS,
	};
	struct bob_table *t =
		bob_table_create("hooks", "row", columns, sizeof(columns) / sizeof(columns[0]));

	for (size_t i = 0; i < g->count; i++)
		put_row(t, g, &g->row[i]);
	return t;
}

static void free_rows(struct gathering *g)
{
	for (size_t i = 0; i < g->count; i++) {
		free(g->row[i].event);
		free(g->row[i].hook);
		free(g->row[i].text);
		free(g->row[i].place);
		free(g->row[i].call);
	}
	free(g->row);
}

struct bob_table *bob_hooks_table(const struct bob_trace *t, const struct bob_naming *names,
				  uint32_t *damaged)
{
	struct gathering g = { .trace = t, .names = names };
	struct bob_table *table = NULL;

	if (bob_hook_sets_visit(t, take, &g) != BOB_OK)
		g.damaged++;
	if (!g.failed) {
		if (g.count)
			qsort(g.row, g.count, sizeof(*g.row), by_name);
		table = make_table(&g);
	}
	*damaged = g.damaged;
	free_rows(&g);
	return table;
}
