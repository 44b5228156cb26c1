/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of memory accesses, of code that did not fold, and of synchronisation. */
#include "analysis/memory/tables.h"

#include <inttypes.h>

#include "analysis/memory/rows.h"
#include "analysis/memory/sync_rows.h"
#include "analysis/place_cells.h"
#include "table/numbers.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The exact footprint, or a bound. */
static void put_footprint(struct bob_table *t, const struct bob_memory_row *r)
{
	if (r->unknown == bob_memory_accesses(r))
		bob_table_unknown(t);
	else if (r->irregular == bob_memory_accesses(r))
		bob_table_none(t);
	else if (r->unknown || r->irregular)
		bob_table_bound(t, BOB_CELL_AT_LEAST, r->footprint);
	else
		bob_table_bound(
			t, r->footprint_most > r->footprint ? BOB_CELL_AT_MOST : BOB_CELL_EXACT,
			r->footprint_most);
}

/* The most frequent stride, and its share if there are others. */
static void put_stride(struct bob_table *t, const struct bob_memory_row *r)
{
	const struct bob_memory_stride *s = &r->stride[0];
	char share[BOB_NUMBER_MAX];

	if (!s->accesses) {
		for (int i = 0; i < 3; i++)
			bob_table_none(t);
		return;
	}
	if (200 * s->accesses >= 199 * bob_memory_accesses(r))
		bob_table_textf(t, "%+" PRId64, s->bytes);
	else
		bob_table_textf(t, "%+" PRId64 " %s", s->bytes,
				bob_format_share(share, s->accesses, bob_memory_accesses(r)));
	bob_table_number(t, s->bytes);
	bob_table_share(t, s->accesses, bob_memory_accesses(r));
}

static void put_irregular(struct bob_table *t, const struct bob_memory_row *r)
{
	if (r->unknown)
		bob_table_unknown(t);
	else
		bob_table_share(t, r->irregular, bob_memory_accesses(r));
	bob_table_count(t, r->irregular);
	bob_table_count(t, r->unknown);
}

static void put_place(struct bob_table *t, enum bob_memory_by by, const struct bob_memory_row *r,
		      const struct bob_naming *names)
{
	const char *function = names->symbol(names->ctx, r->function);

	if (by == BOB_MEMORY_LINE && r->line)
		bob_table_textf(t, "%s:%" PRIu32 "%s%s", bob_base_name(r->file), r->line,
				*function ? "  " : "", function);
	else if (by == BOB_MEMORY_VARIABLE)
		bob_table_textf(t, "%s%s%s", bob_variable_text(&r->variable),
				*function ? "  in " : "", function);
	else if (*function && r->offset)
		bob_table_textf(t, "%s+0x%" PRIx64, function, r->offset);
	else if (*function)
		bob_table_textf(t, "%s%s", function,
				by == BOB_MEMORY_LINE ? "  (no line known)" : "");
	else if (r->addr)
		bob_table_textf(t, "0x%" PRIx64, r->addr);
	else
		bob_table_text(t, "?");
	bob_text_cell(t, by == BOB_MEMORY_VARIABLE ? bob_variable_text(&r->variable) : "");
	bob_place_cells(t, function, r->line ? r->file : "", r->line, r->addr);
}

struct bob_table *bob_memory_table(const struct bob_memory *m, const struct bob_naming *names)
{
	static const char *const kinds[] = { "function", "instruction", "line", "variable" };
	const struct bob_column columns[] = {
		{ "accesses", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_ADDS,
		  "loads, stores and atomics" },
		{ "share", NULL, BOB_COLUMN_SHARE, 0, "of all accesses in the table" },
		{ "loads", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "stores", NULL, BOB_COLUMN_COUNT, 0, "stores and atomics" },
		{ "atomics", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_EXTRA, "read and write at once" },
		{ "bytes", NULL, BOB_COLUMN_BYTES, 0, "moved" },
		{ "footprint_bytes", "footprint", BOB_COLUMN_BYTES, BOB_COLUMN_BOUNDS,
		  "different bytes touched" },
		{ "stride", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_RIGHT | BOB_COLUMN_FILLED,
		  "from one access of an instruction to its next, the most frequent one" },
		{ "stride_bytes", NULL, BOB_COLUMN_NUMBER, BOB_COLUMN_EXTRA, "the same as number" },
		{ "stride_share", NULL, BOB_COLUMN_SHARE, BOB_COLUMN_EXTRA,
		  "accesses with this stride" },
		{ "irregular", NULL, BOB_COLUMN_SHARE, 0, "addresses that follow no rule" },
		{ "irregular_accesses", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_EXTRA, "how many" },
		{ "unknown_accesses", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_EXTRA,
		  "of which neither footprint nor stride is known" },
		{ "image", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_FILLED, "executable or library" },
		{ "place", kinds[m->by], BOB_COLUMN_FUNCTION, BOB_COLUMN_SUBJECT,
		  "what the row is about" },
		{ "variable", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_EXTRA, "of rows by variable" },
		BOB_PLACE_COLUMNS,
	};
	struct bob_table *t = bob_table_create("accesses", kinds[m->by], columns, COUNT(columns));
	uint64_t total = 0;
	size_t count;
	const struct bob_memory_row *row = bob_memory_rows(m, &count);

	for (size_t i = 0; i < count; i++)
		total += bob_memory_accesses(&row[i]);
	for (size_t i = 0; i < count; i++) {
		const struct bob_memory_row *r = &row[i];

		bob_table_count(t, bob_memory_accesses(r));
		bob_table_share(t, bob_memory_accesses(r), total);
		bob_table_count(t, r->loads);
		bob_table_count(t, r->stores + r->atomics);
		bob_table_count(t, r->atomics);
		bob_table_count(t, r->bytes);
		put_footprint(t, r);
		put_stride(t, r);
		put_irregular(t, r);
		bob_text_cell(t, r->image);
		put_place(t, m->by, r, names);
	}
	return t;
}

/* --- code that did not fold --- */

static void put_reason(struct bob_table *t, const struct bob_memory_unfolded *u,
		       const struct bob_trace *trace)
{
	static const char *const types[] = { "load", "store", "atomic" };
	struct bob_source_line line;
	const struct bob_place *p;
	char a[BOB_NUMBER_MAX];

	(void)bob_trace_source(trace, u->process, u->image, u->pc, &line);
	p = u->type == BOB_ACCESS_LOAD ? &line.load : &line.store;
	switch (u->reason) {
	case BOB_MEMORY_ADDRESSES:
		bob_table_textf(t, "%s%s%s: %s of its addresses follow no rule", types[u->type],
				*p->name ? " of " : "", p->name,
				bob_format_share(a, u->values, u->all));
		return;
	case BOB_MEMORY_PIECES:
		bob_table_textf(t,
				"%s%s%s: a rule for its addresses holds for %" PRIu64
				" accesses, on average",
				types[u->type], *p->name ? " of " : "", p->name,
				u->all / u->values);
		return;
	case BOB_MEMORY_TRIPS:
		bob_table_text(t, "loop: its trip counts follow no rule");
		return;
	default:
		bob_table_text(t, "the order of what happens does not repeat");
	}
}

struct bob_table *bob_memory_unfolded_table(const struct bob_memory *m,
					    const struct bob_naming *names)
{
	static const struct bob_column columns[] = {
		{ "values", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_ADDS, "kept one by one" },
		{ "where", NULL, BOB_COLUMN_FUNCTION, BOB_COLUMN_SUBJECT, "instruction or loop" },
		BOB_PLACE_COLUMNS,
		{ "why", "why it did not fold", BOB_COLUMN_TEXT, 0, NULL },
	};
	struct bob_table *t = bob_table_create("unfolded", "place", columns, COUNT(columns));
	size_t count;
	const struct bob_memory_unfolded *u = bob_memory_unfolded(m, &count);

	for (size_t i = 0; i < count; i++) {
		bob_table_count(t, u[i].values);
		bob_place_cells_at(t, names, m->trace, u[i].process, u[i].image, u[i].pc);
		put_reason(t, &u[i], m->trace);
	}
	return t;
}

/* --- synchronisation --- */

static const char *object_text(const struct bob_sync_row *r, const struct bob_naming *names)
{
	switch ((enum bob_sync_where)r->where) {
	case BOB_SYNC_STACK:
		return "(stack)";
	case BOB_SYNC_ELSEWHERE:
		return "(heap or mapping)";
	case BOB_SYNC_NOWHERE:
		return "";
	default:
		return names->symbol(names->ctx, r->name);
	}
}

struct bob_table *bob_syncs_table(const struct bob_sync_table *s, const struct bob_naming *names)
{
	static const struct bob_column columns[] = {
		{ "marks", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_ADDS, "how often" },
		{ "threads", NULL, BOB_COLUMN_COUNT, 0, "how many threads" },
		{ "objects", NULL, BOB_COLUMN_COUNT, 0,
		  "how many different ones; each process has its own" },
		{ "kind", NULL, BOB_COLUMN_TEXT, 0, "mutex, barrier, ..." },
		{ "object", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_SUBJECT | BOB_COLUMN_FILLED,
		  "variable, or where the object is" },
		{ "operation", "what threads do", BOB_COLUMN_TEXT, 0, NULL },
		{ "site", "call site", BOB_COLUMN_FUNCTION, BOB_COLUMN_FILLED,
		  "call in the recorded code" },
		BOB_PLACE_COLUMNS,
	};
	struct bob_table *t = bob_table_create("syncs", "row", columns, COUNT(columns));
	size_t count;
	const struct bob_sync_row *r = bob_sync_table_rows(s, &count);

	for (size_t i = 0; i < count; i++) {
		bob_table_count(t, r[i].count);
		bob_table_count(t, r[i].threads);
		bob_table_count(t, r[i].objects);
		bob_table_text(t, r[i].what);
		bob_text_cell(t, object_text(&r[i], names));
		bob_table_text(t, bob_sync_name(r[i].kind));
		bob_place_cells_at(t, names, s->trace, r[i].process, r[i].site_image, r[i].site);
	}
	return t;
}
