/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/memory/cache_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "table/numbers.h"
#include "analysis/place_cells.h"
#include "cli/terminal/text_table.h"
#include "cli/terminal/width.h"

#define SHARING_ROWS 4096u	/* looked at: each with those before it */
#define SHARING_PER_LINE 4u
#define CORES_PER_LINE 8u

uint64_t cli_cache_misses(const struct bob_cache_counts *c)
{
	uint64_t sum = 0;

	for (int w = 0; w < 2; w++)
		for (int i = 0; i < BOB_CACHE_CAUSES; i++)
			sum += c->misses[w][i];
	return sum;
}

static uint64_t accesses_of(const struct bob_cache_site *c)
{
	return c->accesses[0] + c->accesses[1] + c->accesses[2];
}

static char *size_text(char buf[BOB_NUMBER_MAX], uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
	unsigned u = 0;

	for (; u < 3 && bytes && bytes % 1024 == 0; u++)
		bytes /= 1024;
	snprintf(buf, BOB_NUMBER_MAX, "%" PRIu64 " %s", bytes, units[u]);
	return buf;
}

void cli_cache_print_machine(const struct bob_cache_config *c, const char *name, const char *about,
			     FILE *out)
{
	char a[BOB_NUMBER_MAX];

	fprintf(out, "machine  %s%s%s\n", name, *about ? ": " : "", about);
	fprintf(out, "         %" PRIu32 " core%s, lines of %" PRIu32 " bytes", c->cores,
		bob_plural(c->cores), c->line_bytes);
	for (uint32_t k = 0; k < c->levels; k++)
		fprintf(out, "; L%" PRIu32 " %s, %" PRIu32 " way%s%s%s", k + 1,
			size_text(a, c->level[k].size_bytes), c->level[k].ways,
			bob_plural(c->level[k].ways), c->level[k].shared ? ", shared" : "",
			c->level[k].inclusive ? ", inclusive" : "");
	fputc('\n', out);
}

/* --- rows --- */

static int by_place(const void *a, const void *b)
{
	const struct cli_cache_row *x = a, *y = b;
	int image = strcmp(x->image, y->image);

	int text = strcmp(x->variable.name, y->variable.name);

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (image)
		return image;
	if (text || x->variable.kind != y->variable.kind)
		return text ? text : x->variable.kind < y->variable.kind ? -1 : 1;
	text = strcmp(x->file, y->file);
	if (text || x->line != y->line)
		return text ? text : x->line < y->line ? -1 : 1;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

/* Equal places become one row. */
static void unite(struct cli_cache_tables *t)
{
	size_t n = 0;

	if (!t->count)
		return;
	qsort(t->rows, t->count, sizeof(*t->rows), by_place);
	for (size_t i = 1; i < t->count; i++)
		if (by_place(&t->rows[n], &t->rows[i]) == 0)
			bob_cache_add(&t->rows[n].c, &t->rows[i].c);
		else
			t->rows[++n] = t->rows[i];
	t->count = n + 1;
}

/* Without a known line: the rest of the function. */
static void set_line(const struct cli_cache_tables *t, uint32_t process,
		     const struct bob_cache_place *p, struct cli_cache_row *row)
{
	struct bob_source_line line;

	row->pc = 0;
	if (bob_trace_source(t->s->trace, process, p->image, p->pc, &line) != BOB_OK || !line.line)
		return;
	row->file = line.file;
	row->line = line.line;
}

static int set_variable(const struct bob_cache_replay *r, const struct bob_cache_place *p,
			struct cli_cache_row *row)
{
	if (p->variable == ~0u)
		return 0;
	row->variable = r->variables[p->variable];
	row->image = row->variable.image;
	row->pc = 0;
	if (!*row->variable.function) { /* wherever it is accessed */
		row->known = 0;
		row->number = ~0u;
	}
	return 1;
}

int cli_cache_tables_add(struct cli_cache_tables *t, const struct bob_cache_replay *r,
			 uint32_t process)
{
	struct bob_cache_site total;

	if (t->count + r->sites > t->room) {
		size_t room = t->count + r->sites;
		struct cli_cache_row *rows = realloc(t->rows, room * sizeof(*rows));

		if (!rows)
			return -1;
		t->rows = rows;
		t->room = room;
	}
	for (uint32_t i = 0; i < r->sites; i++) {
		const struct bob_cache_place *p = &r->places[i];
		const struct bob_image_info *im = bob_trace_image(t->s->trace, process, p->image);
		struct cli_cache_row *row = &t->rows[t->count++];

		*row = (struct cli_cache_row){ .number = p->number,
					       .known = p->id != ~0u,
					       .image = im ? im->soname : "",
					       .pc = p->pc,
					       .file = "",
					       .variable = { .name = "", .function = "" } };
		bob_cache_site(r->cache, i, &row->c);
		if (t->by == CLI_CACHE_LINE)
			set_line(t, process, p, row);
		if (t->by == CLI_CACHE_VARIABLE && !set_variable(r, p, row))
			t->count--; /* the instruction as such has no accesses */
	}
	unite(t);		/* the same instruction in several processes */
	bob_cache_total(r->cache, &total);
	bob_cache_add(&t->total, &total);
	return 0;
}

void cli_cache_tables_unite(struct cli_cache_tables *t)
{
	int known = 0;

	for (size_t i = 0; i < t->count; i++)
		known |= t->rows[i].known;
	if (t->by == CLI_CACHE_ANY)
		t->by = known ? CLI_CACHE_FUNCTION : CLI_CACHE_PC;
	for (size_t i = 0; i < t->count && t->by == CLI_CACHE_FUNCTION; i++)
		t->rows[i].pc = 0;
	unite(t);
}

/* qsort has no context argument: the keys travel with the rows. */
#define KEYS                                                                                       \
	(BOB_CACHE_LEVELS + 2) /* the chosen one, then misses from the last level up, accesses */

struct order {
	uint64_t key[KEYS];
	const char *name;
	const struct cli_cache_row *row;
};

static int by_key(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	int name = strcmp(x->name, y->name);

	for (unsigned i = 0; i < KEYS; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] > y->key[i] ? -1 : 1;
	return name ? name : by_place(x->row, y->row);
}

static void set_keys(const struct cli_cache_tables *t, const struct cli_cache_row *row,
		     uint64_t key[KEYS])
{
	uint64_t misses[BOB_CACHE_LEVELS];

	for (unsigned k = 0; k < BOB_CACHE_LEVELS; k++)
		misses[k] = key[BOB_CACHE_LEVELS - k] = cli_cache_misses(&row->c.level[k]);
	key[KEYS - 1] = accesses_of(&row->c);
	key[0] = key[KEYS - 1];
	if (t->sort < CLI_CACHE_ACCESSES)
		key[0] = misses[t->sort];
	else if (t->sort == CLI_CACHE_SHARING)
		key[0] = row->c.true_sharing + row->c.false_sharing;
	else if (t->sort == CLI_CACHE_NAME)
		memset(key, 0, KEYS * sizeof(*key));
}

static struct order *sorted(const struct cli_cache_tables *t)
{
	struct order *o = calloc(t->count + 1, sizeof(*o));

	for (size_t i = 0; o && i < t->count; i++) {
		o[i].name = cli_names_get(t->s->names, t->rows[i].number);
		o[i].row = &t->rows[i];
		set_keys(t, &t->rows[i], o[i].key);
	}
	if (o && t->count)
		qsort(o, t->count, sizeof(*o), by_key);
	return o;
}

static void count_cell(struct cli_table *table, uint64_t v)
{
	char a[BOB_NUMBER_MAX];

	cli_table_cell(table, bob_format_count(a, v));
}

static void share_cell(struct cli_table *table, uint64_t part, uint64_t whole)
{
	char a[BOB_NUMBER_MAX];

	cli_table_cell(table, whole ? bob_format_share(a, part, whole) : "-");
}

int cli_cache_print_levels(struct cli_cache_tables *t)
{
	static const char *const titles[] = { "level", ">accesses", ">misses", ">share", ">cold",
					      ">replaced", ">coherence", ">evictions",
					      ">write-backs" };
	struct cli_table table;
	char name[4] = "L?";

	cli_table_begin(&table, 9, titles);
	for (uint32_t k = 0; k < t->config.levels; k++) {
		const struct bob_cache_counts *c = &t->total.level[k];
		uint64_t misses = cli_cache_misses(c), accesses = c->accesses[0] + c->accesses[1];

		name[1] = (char)('1' + k);
		cli_table_cell(&table, name);
		count_cell(&table, accesses);
		count_cell(&table, misses);
		share_cell(&table, misses, accesses);
		for (int i = 0; i < BOB_CACHE_CAUSES; i++)
			count_cell(&table, c->misses[0][i] + c->misses[1][i]);
		count_cell(&table, c->evictions);
		count_cell(&table, c->write_backs);
	}
	return cli_table_end(&table, 0, t->out);
}

static void place_text(const struct cli_cache_tables *t, const struct cli_cache_row *row,
		       const char *name, char *text, size_t size)
{
	name = row->known ? name : "";
	switch (t->by) {
	case CLI_CACHE_PC:
		snprintf(text, size, "0x%" PRIx64 "%s%s", row->pc, *name ? "  " : "", name);
		return;
	case CLI_CACHE_LINE:
		if (!row->line)
			break;
		snprintf(text, size, "%.160s:%" PRIu32 "  %.160s", bob_base_name(row->file),
			 row->line, name);
		return;
	case CLI_CACHE_VARIABLE:
		snprintf(text, size, "%.160s%s%.160s", bob_variable_text(&row->variable),
			 *name ? "  in " : "", name);
		return;
	default:
		break;
	}
	snprintf(text, size, "%.200s", *name ? name : "?");
}

int cli_cache_print_rows(struct cli_cache_tables *t)
{
	static const char *const misses[] = { ">L1 misses", ">L2 misses", ">L3 misses",
					      ">L4 misses" };
	static const char *const evictions[] = { ">L1 evicts", ">L2 evicts", ">L3 evicts",
						 ">L4 evicts" };
	static const char *const kinds[] = { "function", "instruction", "line", "variable" };
	const char *titles[CLI_TABLE_COLUMNS_MAX] = { ">accesses", ">share" };
	uint32_t evicting = t->sort < (int)t->config.levels ? (uint32_t)t->sort :
							      t->config.levels - 1;
	struct order *order = sorted(t);
	uint64_t all = accesses_of(&t->total),
		 shown = t->limit && t->limit < t->count ? t->limit : t->count;
	struct cli_table table;
	int columns = 2, status;

	if (!order)
		return -1;
	for (uint32_t k = 0; k < t->config.levels; k++)
		titles[columns++] = misses[k];
	titles[columns++] = evictions[evicting];
	titles[columns++] = ">sharing";
	titles[columns++] = "image";
	titles[columns++] = kinds[t->by];
	cli_table_begin(&table, columns, titles);
	for (uint64_t i = 0; i < shown; i++) {
		const struct cli_cache_row *row = order[i].row;
		char text[512];

		count_cell(&table, accesses_of(&row->c));
		share_cell(&table, accesses_of(&row->c), all);
		for (uint32_t k = 0; k < t->config.levels; k++)
			count_cell(&table, cli_cache_misses(&row->c.level[k]));
		count_cell(&table, row->c.level[evicting].evictions);
		count_cell(&table, row->c.true_sharing + row->c.false_sharing);
		cli_table_cell(&table, row->image);
		place_text(t, row, order[i].name, text, sizeof(text));
		cli_table_cell(&table, text);
	}
	free(order);
	status = cli_table_end(&table, cli_terminal_width(), t->out);
	if (shown < t->count)
		fprintf(t->out, "... and %zu more; --limit=0 shows all\n",
			t->count - (size_t)shown);
	return status;
}

/* --- sharing --- */

static void who(const struct cli_cache_tables *t, const struct bob_cache_replay *r, uint32_t thread,
		uint32_t site, char *text, size_t size)
{
	const struct bob_thread_info *th = bob_trace_thread(t->s->trace, thread);
	const struct bob_cache_place *p = &r->places[site];
	const char *function = p->id != ~0u ? cli_names_get(t->s->names, p->number) : "";
	struct bob_source_line line;
	size_t n = (size_t)snprintf(text, size, "%" PRIu32 ".%" PRIu32 " %.100s%s", th->process,
				    th->number, function, *function ? " " : "");

	if (bob_trace_source(t->s->trace, th->process, p->image, p->pc, &line) == BOB_OK &&
	    line.line)
		snprintf(text + n, size - n, "%.80s:%" PRIu32, bob_base_name(line.file), line.line);
	else
		snprintf(text + n, size - n, "0x%" PRIx64, p->pc);
}

/* Does a core use bytes of the line from `from` to before `to`? */
static int is_used(uint64_t mask, uint32_t granule, uint64_t from, uint64_t to)
{
	for (uint64_t at = from / granule; at < 64 && at * granule < to; at++)
		if (mask >> at & 1)
			return 1;
	return 0;
}

/* The variables in a line that are used, with their offsets if they do not begin there. */
static void print_variables(const struct cli_cache_tables *t, const struct bob_cache_replay *r,
			    const struct bob_cache_sharing *row, uint32_t thread, uint64_t used,
			    uint32_t granule)
{
	uint32_t process = bob_trace_thread(t->s->trace, thread)->process;
	uint64_t at = row->line, end = row->line + t->config.line_bytes, lo, hi;
	const struct bob_cache_place *p = &r->places[row->site];
	struct bob_variable_access a = { .process = process, .image = p->image, .pc = p->pc };
	struct bob_variable v;
	struct bob_object o;
	int any = 0;

	for (; at < end && at >= row->line; at = hi) {
		bob_trace_object_span(t->s->trace, process, at, &lo, &hi);
		if (bob_trace_object(t->s->trace, process, at, &o) != BOB_OK || o.is_section ||
		    !is_used(used, granule, at - row->line, hi - row->line))
			continue;
		fprintf(t->out, "%s%s", any++ ? ", " : "   ", o.name);
		if (at > o.address)
			fprintf(t->out, "+%" PRIu64, at - o.address);
	}
	if (any)
		return;
	/* the heap: what the instruction says, whichever kind of access it is */
	for (int type = BOB_ACCESS_LOAD; type <= BOB_ACCESS_STORE; type++) {
		a.type = (uint8_t)type;
		bob_variable_of(t->s->trace, &a, &v);
		if (v.kind < BOB_VARIABLE_STATIC)
			continue;
		fprintf(t->out, "   %s", v.name);
		return;
	}
}

/* Bytes, as ranges: "0-7 16-23". */
static void ranges(uint64_t mask, uint32_t granule, char *text, size_t size)
{
	size_t n = 0;

	text[0] = 0;
	for (unsigned i = 0; i < 64 && n < size; i++) {
		unsigned first = i;

		if (!(mask >> i & 1))
			continue;
		while (i < 63 && (mask >> (i + 1) & 1))
			i++;
		n += (size_t)snprintf(text + n, size - n, "%s%u-%u", n ? " " : "", first * granule,
				      (i + 1) * granule - 1);
	}
}

/* Under the first row of a line: which bytes of it each core used. */
static void print_use(const struct cli_cache_tables *t, const struct bob_cache_replay *r,
		      const struct bob_cache_sharing *row, uint32_t thread)
{
	uint64_t line = row->line, used = 0;
	struct bob_cache_use use[CORES_PER_LINE];
	uint32_t granule, n = bob_cache_line_use(r->cache, line, use, CORES_PER_LINE, &granule);
	char read[256], written[256];

	for (uint32_t i = 0; i < n && i < CORES_PER_LINE; i++)
		used |= use[i].read | use[i].written;
	fprintf(t->out, "line 0x%" PRIx64, line);
	print_variables(t, r, row, thread, used, granule);
	fputc('\n', t->out);
	for (uint32_t i = 0; i < n && i < CORES_PER_LINE; i++) {
		ranges(use[i].read, granule, read, sizeof(read));
		ranges(use[i].written, granule, written, sizeof(written));
		fprintf(t->out, "    core %" PRIu32 "%s%s%s%s\n", use[i].core,
			*read ? "  reads bytes " : "", read, *written ? "  writes bytes " : "",
			written);
	}
	if (n > CORES_PER_LINE)
		fprintf(t->out, "    and %" PRIu32 " cores more\n", n - CORES_PER_LINE);
}

int cli_cache_print_sharing(struct cli_cache_tables *t, const struct bob_cache_replay *r,
			    const uint32_t *threads)
{
	const struct bob_cache_sharing *rows;
	char victim[256], writer[256], a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];
	uint64_t lost, lines = 0;
	size_t count;

	bob_cache_sharing(r->cache, &rows, &count, &lost);
	if (!count)
		return 0;
	count = count < SHARING_ROWS ? count : SHARING_ROWS;
	fprintf(t->out, "\nlines that one core's stores took from another, most misses first\n");
	for (size_t i = 0; i < count; i++) {
		int known = 0;

		for (size_t k = 0; k < i && !known; k++)
			known = rows[k].line == rows[i].line;
		if (known)
			continue;
		if (t->limit && lines++ == t->limit)
			break;
		print_use(t, r, &rows[i], threads[rows[i].thread]);
		for (size_t k = i, shown = 0; k < count && shown < SHARING_PER_LINE; k++) {
			if (rows[k].line != rows[i].line)
				continue;
			shown++;
			who(t, r, threads[rows[k].thread], rows[k].site, victim, sizeof(victim));
			who(t, r, threads[rows[k].by_thread], rows[k].by_site, writer,
			    sizeof(writer));
			fprintf(t->out, "    %s false, %s true  %s  after a store by %s\n",
				bob_format_count(a, rows[k].false_misses),
				bob_format_count(b, rows[k].true_misses), victim, writer);
		}
	}
	if (lost)
		fprintf(t->out, "%s more miss%s, not told apart\n", bob_format_count(a, lost),
			lost == 1 ? "" : "es");
	return ferror(t->out) ? -1 : 0;
}
