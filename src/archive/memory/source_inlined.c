/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunk INLINED: three tables, which have the inlined calls, the texts of these, and the
 * innermost call of each row of the SOURCE chunk. Neighbouring rows mostly have the same one: a row
 * of `inlined_rows` is a run of them. */
#include "archive/memory/source_info.h"

#include <stdlib.h>
#include <string.h>

#include "archive/columns/columns.h"

#define NO_CALL UINT32_MAX

struct text_row {
	struct bob_cell_bytes text;
};

/* `rows` further rows of SOURCE have this innermost call. */
struct run_row {
	uint64_t rows;
	uint32_t inlined, reserved;
};

static const struct bob_schema_column inlined_columns[] = {
	BOB_SCHEMA_COLUMN(struct bob_source_inlined, parent, BOB_STORED_REFERENCE,
			  BOB_STORED_INLINED),
	BOB_SCHEMA_COLUMN(struct bob_source_inlined, function, BOB_STORED_REFERENCE,
			  BOB_STORED_INLINED_TEXTS),
	BOB_SCHEMA_COLUMN(struct bob_source_inlined, file, BOB_STORED_REFERENCE,
			  BOB_STORED_INLINED_TEXTS),
	BOB_SCHEMA_COLUMN(struct bob_source_inlined, line, BOB_STORED_UNSIGNED, 0),
};
static const struct bob_schema inlined_table =
	BOB_SCHEMA(BOB_STORED_INLINED, "inlined", struct bob_source_inlined, inlined_columns);

static const struct bob_schema_column runs_columns[] = {
	BOB_SCHEMA_COLUMN(struct run_row, rows, BOB_STORED_UNSIGNED, 0),
	BOB_SCHEMA_COLUMN(struct run_row, inlined, BOB_STORED_REFERENCE, BOB_STORED_INLINED),
};
static const struct bob_schema runs_table =
	BOB_SCHEMA(BOB_STORED_INLINED_ROWS, "inlined_rows", struct run_row, runs_columns);

static const struct bob_schema_column texts_columns[] = {
	BOB_SCHEMA_COLUMN(struct text_row, text, BOB_STORED_TEXT, 0),
};
static const struct bob_schema texts_table =
	BOB_SCHEMA(BOB_STORED_INLINED_TEXTS, "inlined_texts", struct text_row, texts_columns);

/* --- encoding --- */

static size_t make_runs(const struct bob_source *s, struct run_row *run)
{
	size_t n = 0;

	for (size_t i = 0; i < s->rows; i++) {
		const uint32_t inlined = s->row[i].inlined - 1;

		if (!n || run[n - 1].inlined != inlined)
			run[n++] = (struct run_row){ .inlined = inlined };
		run[n - 1].rows++;
	}
	return n;
}

bob_status bob_source_put_inlined(const struct bob_source *s, bob_fold_write_fn write, void *ctx)
{
	struct run_row *run;
	struct text_row *text;
	size_t runs;

	if (!s->inlined_count)
		return BOB_OK;
	run = malloc((s->rows + 1) * sizeof(*run));
	text = malloc((s->texts + 1) * sizeof(*text));
	if (run && text) {
		runs = make_runs(s, run);
		for (size_t i = 0; i < s->texts; i++)
			text[i].text = (struct bob_cell_bytes){ (const uint8_t *)s->text[i],
								strlen(s->text[i]) };
		bob_rows_write(&inlined_table, s->inlined, s->inlined_count, write, ctx);
		bob_rows_write(&runs_table, run, runs, write, ctx);
		bob_rows_write(&texts_table, text, s->texts, write, ctx);
	}
	free(text);
	free(run);
	return run && text ? BOB_OK : BOB_ERR_NOMEM;
}

/* --- decoding --- */

/* A table of the payload in arena memory. A missing table is corrupt. */
static bob_status get_table(const uint8_t *bytes, size_t len, const struct bob_schema *t,
			    struct bob_arena *arena, void **rows, size_t *count)
{
	void *found, *kept;
	bob_status st = bob_rows_read(bytes, len, t, &found, count);

	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_ERR_CORRUPT : st;
	kept = bob_arena_alloc(arena, *count * t->row_bytes + 1);
	if (kept)
		memcpy(kept, found, *count * t->row_bytes);
	free(found);
	*rows = kept;
	return kept ? BOB_OK : BOB_ERR_NOMEM;
}

static bob_status get_texts(const uint8_t *bytes, size_t len, struct bob_arena *arena,
			    struct bob_source *s)
{
	void *rows;
	bob_status st = get_table(bytes, len, &texts_table, arena, &rows, &s->texts);
	const struct text_row *text = rows;
	uint64_t sum = 0;

	if (st != BOB_OK)
		return st;
	s->text = bob_arena_alloc(arena, s->texts * sizeof(*s->text) + 1);
	if (!s->text)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < s->texts; i++) {
		sum += text[i].text.len;
		if (sum > len)	/* a text many times: each would be copied */
			return BOB_ERR_CORRUPT;
		s->text[i] = bob_arena_name(arena, text[i].text.at, text[i].text.len);
		if (!s->text[i])
			return BOB_ERR_NOMEM;
	}
	return BOB_OK;
}

/* Parents precede their children, so there are no cycles; a call's depth is bounded. */
static bob_status check_calls(const struct bob_source *s)
{
	uint8_t *depth = malloc(s->inlined_count + 1);
	bob_status st = depth ? BOB_OK : BOB_ERR_NOMEM;

	for (size_t i = 0; i < s->inlined_count && st == BOB_OK; i++) {
		const struct bob_source_inlined *c = &s->inlined[i];
		const unsigned above = c->parent != NO_CALL && c->parent < i ? depth[c->parent] : 0;

		if ((c->parent != NO_CALL && c->parent >= i) ||
		    (c->function != NO_CALL && c->function >= s->texts) ||
		    (c->file != NO_CALL && c->file >= s->texts) ||
		    above >= BOB_SOURCE_INLINED_DEPTH)
			st = BOB_ERR_CORRUPT;
		depth[i] = (uint8_t)(above + 1);
	}
	free(depth);
	return st;
}

static bob_status get_runs(const uint8_t *bytes, size_t len, struct bob_source *s)
{
	struct run_row *run = NULL;
	void *rows;
	size_t runs, at = 0;
	bob_status st = bob_rows_read(bytes, len, &runs_table, &rows, &runs);

	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_ERR_CORRUPT : st;
	run = rows;
	for (size_t i = 0; i < runs && st == BOB_OK; i++) {
		if (run[i].rows > s->rows - at ||
		    (run[i].inlined != NO_CALL && run[i].inlined >= s->inlined_count))
			st = BOB_ERR_CORRUPT;
		for (uint64_t k = 0; k < run[i].rows && st == BOB_OK; k++)
			s->row[at++].inlined = run[i].inlined + 1;
	}
	free(rows);
	return st == BOB_OK && at != s->rows ? BOB_ERR_CORRUPT : st;
}

bob_status bob_source_get_inlined(const uint8_t *bytes, size_t len, struct bob_arena *arena,
				  struct bob_source *s)
{
	struct bob_source all = *s;
	void *calls = NULL;
	bob_status st = get_table(bytes, len, &inlined_table, arena, &calls, &all.inlined_count);

	all.inlined = calls;
	if (st == BOB_OK)
		st = get_texts(bytes, len, arena, &all);
	if (st == BOB_OK)
		st = check_calls(&all);
	if (st == BOB_OK)
		st = get_runs(bytes, len, &all);
	if (st == BOB_OK)
		*s = all;
	for (size_t i = 0; i < s->rows && st != BOB_OK; i++)
		s->row[i].inlined = 0;
	return st;
}

/* --- calls in use --- */

/* Marks what rows need. Children follow their parents, so one pass backwards is enough. */
static void mark_used(const struct bob_source *s, uint32_t *call, uint32_t *text)
{
	for (size_t i = 0; i < s->rows; i++)
		if (s->row[i].inlined)
			call[s->row[i].inlined - 1] = 1;
	for (size_t i = s->inlined_count; i-- > 0;) {
		const struct bob_source_inlined *c = &s->inlined[i];

		if (!call[i])
			continue;
		if (c->parent != NO_CALL)
			call[c->parent] = 1;
		if (c->function != NO_CALL)
			text[c->function] = 1;
		if (c->file != NO_CALL)
			text[c->file] = 1;
	}
}

/* Replaces marks by new numbers + 1. Returns how many there are. */
static size_t number_used(uint32_t *used, size_t count)
{
	uint32_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (used[i])
			used[i] = ++n;
	return n;
}

static uint32_t new_number(const uint32_t *used, uint32_t old)
{
	return old == NO_CALL ? NO_CALL : used[old] - 1;
}

bob_status bob_source_drop_inlined(struct bob_source *s)
{
	uint32_t *call = calloc(s->inlined_count + 1, sizeof(*call));
	uint32_t *text = calloc(s->texts + 1, sizeof(*text));

	if (!call || !text) {
		free(call);
		free(text);
		return BOB_ERR_NOMEM;
	}
	mark_used(s, call, text);
	const size_t calls = number_used(call, s->inlined_count),
		     texts = number_used(text, s->texts);
	for (size_t i = 0; i < s->inlined_count; i++) {
		const struct bob_source_inlined c = s->inlined[i];

		if (call[i])
			s->inlined[call[i] - 1] = (struct bob_source_inlined){
				new_number(call, c.parent), new_number(text, c.function),
				new_number(text, c.file), c.line
			};
	}
	for (size_t i = 0; i < s->texts; i++)
		if (text[i])
			s->text[text[i] - 1] = s->text[i];
	for (size_t i = 0; i < s->rows; i++)
		if (s->row[i].inlined)
			s->row[i].inlined = call[s->row[i].inlined - 1];
	s->inlined_count = calls;
	s->texts = texts;
	free(call);
	free(text);
	return BOB_OK;
}
