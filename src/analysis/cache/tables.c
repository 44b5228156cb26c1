/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of cache simulations: counts by level and by place, and lines shared between cores. */
#define _GNU_SOURCE
#include "analysis/cache/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/place_cells.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct bob_table *bob_cache_levels_table(const struct bob_cache_rows *r)
{
	static const struct bob_column columns[] = {
		{ "level", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_SUBJECT, "L1 to L4" },
		{ "accesses", NULL, BOB_COLUMN_COUNT, 0, "lines looked up" },
		{ "misses", NULL, BOB_COLUMN_COUNT, 0, "for all of these causes" },
		{ "share", NULL, BOB_COLUMN_SHARE, 0, "of accesses that missed" },
		{ "cold", NULL, BOB_COLUMN_COUNT, 0,
		  "misses of lines that were never in the cache" },
		{ "replaced", NULL, BOB_COLUMN_COUNT, 0, "misses: the line was evicted" },
		{ "coherence", NULL, BOB_COLUMN_COUNT, 0,
		  "misses: another core wrote to the line" },
		{ "evictions", NULL, BOB_COLUMN_COUNT, 0, "lines replaced by others" },
		{ "write_backs", "write-backs", BOB_COLUMN_COUNT, 0,
		  "changed lines that left for the next level" },
	};
	struct bob_table *t = bob_table_create("levels", "level", columns, COUNT(columns));

	for (uint32_t k = 0; k < r->config->levels; k++) {
		const struct bob_cache_counts *c = &r->total.level[k];
		const uint64_t misses = bob_cache_misses(c);

		bob_table_textf(t, "L%" PRIu32, k + 1);
		bob_table_count(t, c->accesses[0] + c->accesses[1]);
		bob_table_count(t, misses);
		bob_table_share(t, misses, c->accesses[0] + c->accesses[1]);
		for (int i = 0; i < BOB_CACHE_CAUSES; i++)
			bob_table_count(t, c->misses[0][i] + c->misses[1][i]);
		bob_table_count(t, c->evictions);
		bob_table_count(t, c->write_backs);
	}
	return t;
}

/* --- rows --- */

static void add_level_columns(struct bob_table *t, uint32_t levels, int evictions)
{
	char name[32], title[32];

	for (uint32_t k = 0; k < levels; k++) {
		snprintf(name, sizeof(name), "L%" PRIu32 "%s", k + 1,
			 evictions ? "_evictions" : "");
		snprintf(title, sizeof(title), "L%" PRIu32 " %s", k + 1,
			 evictions ? "evicts" : "misses");
		bob_table_add_column(t, &(struct bob_column){
						name, title, BOB_COLUMN_COUNT,
						evictions && k + 1 < levels ? BOB_COLUMN_EXTRA : 0,
						evictions ? "lines replaced for this" :
							    "misses of this level" });
	}
}

static struct bob_table *create(const struct bob_cache_rows *r)
{
	static const char *const kinds[] = { "function", "instruction", "line", "variable", "row" };
	static const struct bob_column first[] = {
		{ "accesses", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_ADDS,
		  "loads, stores and atomics" },
		{ "share", NULL, BOB_COLUMN_SHARE, 0, "of all accesses" },
		{ "loads", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_EXTRA, NULL },
		{ "stores", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_EXTRA, NULL },
		{ "atomics", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_EXTRA, "read and write at once" },
	};
	const struct bob_column last[] = {
		{ "sharing", NULL, BOB_COLUMN_COUNT, 0, "misses after another core's store" },
		{ "true_sharing", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_EXTRA,
		  "of these, it wrote bytes that are accessed here" },
		{ "false_sharing", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_EXTRA,
		  "of these, it wrote others of the line" },
		{ "image", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_FILLED, "executable or library" },
		{ "place", kinds[r->by], BOB_COLUMN_FUNCTION, BOB_COLUMN_SUBJECT,
		  "what the row is about" },
		{ "variable", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_EXTRA, "of rows by variable" },
		BOB_PLACE_COLUMNS,
	};
	struct bob_table *t = bob_table_create("cache", kinds[r->by], first, COUNT(first));

	add_level_columns(t, r->config->levels, 0);
	add_level_columns(t, r->config->levels, 1);
	for (size_t i = 0; i < COUNT(last); i++)
		bob_table_add_column(t, &last[i]);
	return t;
}

static void put_place(struct bob_table *t, enum bob_cache_by by, const struct bob_cache_row *row,
		      const struct bob_naming *names)
{
	const char *name = row->known ? names->function(names->ctx, row->number) : "";

	if (by == BOB_CACHE_BY_INSTRUCTION)
		bob_table_textf(t, "0x%" PRIx64 "%s%s", row->pc, *name ? "  " : "", name);
	else if (by == BOB_CACHE_BY_LINE && row->line)
		bob_table_textf(t, "%s:%" PRIu32 "  %s", bob_base_name(row->file), row->line, name);
	else if (by == BOB_CACHE_BY_VARIABLE)
		bob_table_textf(t, "%s%s%s", bob_variable_text(&row->variable),
				*name ? "  in " : "", name);
	else
		bob_table_text(t, *name ? name : "?");
	bob_text_cell(t, by == BOB_CACHE_BY_VARIABLE ? bob_variable_text(&row->variable) : "");
	bob_place_cells(t, name, row->file, row->line, row->pc);
}

static void put_row(struct bob_table *t, const struct bob_cache_rows *r,
		    const struct bob_cache_row *row, const struct bob_naming *names)
{
	const struct bob_cache_site *c = &row->c;

	bob_table_count(t, bob_cache_accesses(c));
	bob_table_share(t, bob_cache_accesses(c), bob_cache_accesses(&r->total));
	for (int i = 0; i < 3; i++)
		bob_table_count(t, c->accesses[i]);
	for (uint32_t k = 0; k < r->config->levels; k++)
		bob_table_count(t, bob_cache_misses(&c->level[k]));
	for (uint32_t k = 0; k < r->config->levels; k++)
		bob_table_count(t, c->level[k].evictions);
	bob_table_count(t, c->true_sharing + c->false_sharing);
	bob_table_count(t, c->true_sharing);
	bob_table_count(t, c->false_sharing);
	bob_text_cell(t, row->image);
	put_place(t, r->by, row, names);
}

struct bob_table *bob_cache_rows_table(const struct bob_cache_rows *r,
				       const struct bob_naming *names)
{
	static const char *const keys[] = { "function", "accesses", "L1", "L2", "L3", "L4" };
	struct bob_table *t = create(r);
	bob_status st = t ? BOB_OK : BOB_ERR_NOMEM;

	for (size_t i = 0; i < r->count; i++)
		put_row(t, r, &r->row[i], names);
	for (uint32_t i = 0; i < 2 + r->config->levels && st == BOB_OK; i++)
		st = bob_table_sort(t, bob_table_find(t, keys[i], strlen(keys[i])), false);
	if (st == BOB_OK)
		return t;
	bob_table_destroy(t);
	return NULL;
}

/* --- sharing --- */

/* Does a core use any of the bytes [from, to) of the line? */
static int is_used(uint64_t mask, uint32_t granule, uint64_t from, uint64_t to)
{
	for (uint64_t at = from / granule; at < 64 && at * granule < to; at++)
		if (mask >> at & 1)
			return 1;
	return 0;
}

/* Heap: prints the pointer of the instruction, for any type of access. */
static void print_pointer(const struct bob_trace *t, uint32_t process,
			  const struct bob_cache_place *p, FILE *out)
{
	struct bob_variable_access a = { .process = process, .image = p->image, .pc = p->pc };
	struct bob_variable v;

	for (int type = BOB_ACCESS_LOAD; type <= BOB_ACCESS_STORE; type++) {
		a.type = (uint8_t)type;
		bob_variable_of(t, &a, &v);
		if (v.kind < BOB_VARIABLE_STATIC)
			continue;
		fputs(v.name, out);
		return;
	}
}

void bob_cache_line_variables(const struct bob_trace *t, uint32_t process,
			      const struct bob_cache_replay *replay,
			      const struct bob_cache_sharing *row, uint32_t line_bytes, FILE *out)
{
	struct bob_cache_use use[BOB_CACHE_CORES_SHOWN];
	uint64_t at = row->line, end = row->line + line_bytes, lo, hi, used = 0;
	uint32_t granule,
		n = bob_cache_line_use(replay->cache, row->line, use, COUNT(use), &granule);
	struct bob_object o;
	int any = 0;

	for (uint32_t i = 0; i < n && i < COUNT(use); i++)
		used |= use[i].read | use[i].written;
	for (; at < end && at >= row->line; at = hi) {
		bob_trace_object_span(t, process, at, &lo, &hi);
		if (bob_trace_object(t, process, at, &o) != BOB_OK || o.is_section ||
		    !is_used(used, granule, at - row->line, hi - row->line))
			continue;
		fprintf(out, "%s%s", any++ ? ", " : "", o.name);
		if (at > o.address)
			fprintf(out, "+%" PRIu64, at - o.address);
	}
	if (!any)
		print_pointer(t, process, &replay->places[row->site], out);
}

struct bob_table *bob_cache_sharing_table(void)
{
	static const struct bob_column columns[] = {
		{ "misses", NULL, BOB_COLUMN_COUNT, BOB_COLUMN_ADDS,
		  "after the other core's store" },
		{ "false_sharing", "false", BOB_COLUMN_COUNT, 0,
		  "it wrote other bytes of the line" },
		{ "true_sharing", "true", BOB_COLUMN_COUNT, 0,
		  "it wrote bytes that are accessed here" },
		{ "cache_line", "line", BOB_COLUMN_ADDRESS, 0, "its first byte" },
		{ "variables", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_FILLED, "in use in the line" },
		{ "thread", NULL, BOB_COLUMN_TEXT, 0, "that misses" },
		{ "miss_at", NULL, BOB_COLUMN_FUNCTION, BOB_COLUMN_SUBJECT | BOB_COLUMN_FILLED,
		  "where it misses" },
		{ "by_thread", NULL, BOB_COLUMN_TEXT, 0, "that stores" },
		{ "store_at", NULL, BOB_COLUMN_FUNCTION, BOB_COLUMN_FILLED, "where it stores" },
	};

	return bob_table_create("sharing", "row", columns, COUNT(columns));
}

static void put_variables(struct bob_table *t, const struct bob_cache_rows *r, uint32_t process,
			  const struct bob_cache_replay *replay,
			  const struct bob_cache_sharing *row)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f) {
		bob_cache_line_variables(r->trace, process, replay, row, r->config->line_bytes, f);
		fclose(f);
	}
	bob_text_cell(t, text ? text : "");
	free(text);
}

static void put_access(struct bob_table *t, const struct bob_trace *trace, uint32_t thread,
		       const struct bob_cache_place *p, const struct bob_naming *names)
{
	const struct bob_thread_info *th = bob_trace_thread(trace, thread);

	bob_table_textf(t, "%" PRIu32 ".%" PRIu32, th->process, th->number);
	bob_table_text(t, names->place(names->ctx, trace, th->process, p->image, p->pc));
}

void bob_cache_sharing_rows(struct bob_table *t, const struct bob_cache_rows *r,
			    const struct bob_cache_replay *replay, const uint32_t *threads,
			    const struct bob_naming *names)
{
	const struct bob_cache_sharing *s;
	uint64_t lost;
	size_t count;

	bob_cache_sharing(replay->cache, &s, &count, &lost);
	for (size_t i = 0; i < count; i++) {
		const uint32_t victim = threads[s[i].thread];

		bob_table_count(t, s[i].false_misses + s[i].true_misses);
		bob_table_count(t, s[i].false_misses);
		bob_table_count(t, s[i].true_misses);
		bob_table_count(t, s[i].line);
		put_variables(t, r, bob_trace_thread(r->trace, victim)->process, replay, &s[i]);
		put_access(t, r->trace, victim, &replay->places[s[i].site], names);
		put_access(t, r->trace, threads[s[i].by_thread], &replay->places[s[i].by_site],
			   names);
	}
}
