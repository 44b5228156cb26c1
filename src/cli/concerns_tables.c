/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables as 4.1 to 4.3 of ScalaJack's chapter 4: a block for each concern with the components
 * across, then one for each component with the concerns across; a second map's columns stand to the
 * right of the first one's. */
#include "cli/concerns_tables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "table/numbers.h"
#include "cli/terminal/text_table.h"
#include "table/csv.h"
#include "table/json.h"

#define LABEL_MAX 128
#define VALUE_MAX 32

/* A value of a map: of the concern or component `row`, and where that makes sense of the other one,
 * `column`. */
typedef double (*value_fn)(const struct bob_concerns_counts *c, uint32_t row, uint32_t column);

static double conc(const struct bob_concerns_counts *c, uint32_t s, uint32_t t)
{
	return bob_concerns_conc(c, s, t, BOB_CONCERNS_DEFINED);
}

static double conc_of_home(const struct bob_concerns_counts *c, uint32_t s, uint32_t t)
{
	return bob_concerns_conc(c, s, t, BOB_CONCERNS_OF_HOME);
}

static double dos(const struct bob_concerns_counts *c, uint32_t s, uint32_t none)
{
	(void)none;
	return bob_concerns_dos(c, s, BOB_CONCERNS_DEFINED);
}

static double dos_of_home(const struct bob_concerns_counts *c, uint32_t s, uint32_t none)
{
	(void)none;
	return bob_concerns_dos(c, s, BOB_CONCERNS_OF_HOME);
}

static double dedi(const struct bob_concerns_counts *c, uint32_t t, uint32_t s)
{
	return bob_concerns_dedi(c, t, s);
}

static double dof(const struct bob_concerns_counts *c, uint32_t t, uint32_t none)
{
	(void)none;
	return bob_concerns_dof(c, t);
}

static double lines_of_concern(const struct bob_concerns_counts *c, uint32_t s, uint32_t t)
{
	return (double)c->sloc[t][s];
}

static double lines_of_component(const struct bob_concerns_counts *c, uint32_t t, uint32_t s)
{
	return (double)c->sloc[t][s];
}

/* --- blocks of text --- */

struct block {
	const struct cli_concerns *maps;
	int n;
	int by_component;	/* else by concern */
	const char *name;	/* of the row */
	uint32_t row[2];	/* its number in each map, or NONE */
	struct cli_table table;
};

static const struct bob_concerns_name *names_of(const struct cli_concerns *c, int components,
						uint32_t *count)
{
	*count = components ? c->map->components : c->map->concerns;
	return components ? c->map->component : c->map->concern;
}

static uint32_t find(const struct cli_concerns *c, int components, const char *name)
{
	uint32_t count;
	const struct bob_concerns_name *names = names_of(c, components, &count);

	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(names[i].name, name))
			return i;
	return BOB_CONCERNS_NONE;
}

/* How a degree changed: what is hoped for, the fall of DOS, as a share; the rise of DOF as it
 * is. */
static const char *change_text(const struct block *b, value_fn value, char text[VALUE_MAX])
{
	double from, to;

	if (b->row[0] == BOB_CONCERNS_NONE || b->row[1] == BOB_CONCERNS_NONE)
		return "";
	from = value(&b->maps[0].counts, b->row[0], 0);
	to = value(&b->maps[1].counts, b->row[1], 0);
	if (isnan(from) || isnan(to) || (!b->by_component && from <= 0))
		return "-";
	if (b->by_component)
		snprintf(text, VALUE_MAX, "%+.4f", to - from);
	else
		snprintf(text, VALUE_MAX, "%+.1f %%", 100 * (to - from) / from);
	return text;
}

/* A row with a value for each column, or (`once`) one for the whole map. */
static void add_row(struct block *b, const char *label, value_fn value, int once, int digits)
{
	char text[VALUE_MAX];

	cli_table_cell(&b->table, label);
	for (int k = 0; k < b->n; k++) {
		uint32_t columns;

		names_of(&b->maps[k], !b->by_component, &columns);
		for (uint32_t i = 0; i < columns; i++) {
			double v = NAN;

			if (b->row[k] != BOB_CONCERNS_NONE && !(once && i))
				v = value(&b->maps[k].counts, b->row[k], i);
			snprintf(text, sizeof(text), "%.*f", digits, v);
			cli_table_cell(&b->table, !isnan(v) ? text : once && i ? "" : "-");
		}
	}
	if (b->n == 2)
		cli_table_cell(&b->table, once ? change_text(b, value, text) : "");
}

/* The first column of a map says which map, if there are two. */
static int add_titles(struct block *b, char titles[2 * BOB_CONCERNS_MAX + 2][LABEL_MAX])
{
	int n = 0;

	snprintf(titles[n++], LABEL_MAX, "%s %.80s", b->by_component ? "component" : "concern",
		 b->name);
	for (int k = 0; k < b->n; k++) {
		uint32_t count;
		const struct bob_concerns_name *names =
			names_of(&b->maps[k], !b->by_component, &count);

		for (uint32_t i = 0; i < count; i++)
			snprintf(titles[n++], LABEL_MAX, ">%s%.80s",
				 b->n == 1 || i ? "" : (k ? "2: " : "1: "), names[i].name);
	}
	if (b->n == 2)
		snprintf(titles[n++], LABEL_MAX, ">change");
	return n;
}

static int print_block(struct block *b, FILE *out)
{
	char titles[2 * BOB_CONCERNS_MAX + 2][LABEL_MAX];
	const char *pointers[2 * BOB_CONCERNS_MAX + 2];
	int n = add_titles(b, titles);

	for (int i = 0; i < n; i++)
		pointers[i] = titles[i];
	cli_table_begin(&b->table, n, pointers);
	if (b->by_component) {
		add_row(b, "SLOC", lines_of_component, 0, 0);
		add_row(b, "DEDI", dedi, 0, 4);
		add_row(b, "DOF", dof, 1, 4);
	} else {
		add_row(b, "SLOC", lines_of_concern, 0, 0);
		add_row(b, "CONC", conc, 0, 4);
		add_row(b, "DOS", dos, 1, 4);
		add_row(b, "CONC of home", conc_of_home, 0, 4);
		add_row(b, "DOS of home", dos_of_home, 1, 4);
	}
	fputc('\n', out);
	return cli_table_end(&b->table, 0, out);
}

static int print_blocks(const struct cli_concerns *maps, int n, int components, FILE *out)
{
	int failed = 0;

	for (int k = 0; k < n; k++) {
		uint32_t count;
		const struct bob_concerns_name *names = names_of(&maps[k], components, &count);

		for (uint32_t i = 0; i < count; i++) {
			struct block b = { .maps = maps,
					   .n = n,
					   .by_component = components,
					   .name = names[i].name };

			if (k && find(&maps[0], components, b.name) != BOB_CONCERNS_NONE)
				continue; /* was printed */
			for (int m = 0; m < n; m++)
				b.row[m] = find(&maps[m], components, b.name);
			failed |= print_block(&b, out);
		}
	}
	return failed;
}

static void sums_of(const struct cli_concerns *c, uint64_t *lines, uint64_t *marks)
{
	*lines = *marks = 0;
	for (uint32_t t = 0; t < c->map->components; t++) {
		*lines += bob_concerns_of_component(&c->counts, t);
		*marks += c->counts.annotations[t];
	}
}

int cli_concerns_text(const struct cli_concerns *maps, int n, FILE *out)
{
	for (int k = 0; k < n; k++) {
		uint64_t lines, marks;

		sums_of(&maps[k], &lines, &marks);
		if (n == 2)
			fprintf(out, "%d: ", k + 1);
		fprintf(out,
			"%s: %" PRIu64 " line%s of code, %" PRIu64
			" annotation%s left out, in %" PRIu32 " file%s\n",
			maps[k].map->name, lines, bob_plural(lines), marks, bob_plural(marks),
			maps[k].map->files, bob_plural(maps[k].map->files));
	}
	return print_blocks(maps, n, 0, out) | print_blocks(maps, n, 1, out) ? -1 : 0;
}

/* --- csv --- */

/* What is not defined is an empty field. */
static void csv_value(double v, FILE *out)
{
	fputc(',', out);
	if (!isnan(v))
		fprintf(out, "%.6f", v);
}

static void csv_line(const struct cli_concerns *c, const char *measure, const char *concern,
		     const char *component, uint64_t lines, FILE *out)
{
	bob_csv_text(c->map->name, out);
	fprintf(out, ",%s,", measure);
	bob_csv_text(concern, out);
	fputc(',', out);
	bob_csv_text(component, out);
	fprintf(out, ",%" PRIu64, lines);
}

static void csv_map(const struct cli_concerns *c, FILE *out)
{
	const struct bob_concerns_counts *n = &c->counts;

	for (uint32_t s = 0; s < n->concerns; s++) {
		const char *name = c->map->concern[s].name;

		for (uint32_t t = 0; t < n->components; t++) {
			csv_line(c, "CONC", name, c->map->component[t].name, n->sloc[t][s], out);
			csv_value(conc(n, s, t), out);
			csv_value(conc_of_home(n, s, t), out);
			fputc('\n', out);
		}
		csv_line(c, "DOS", name, "", bob_concerns_of_concern(n, s), out);
		csv_value(dos(n, s, 0), out);
		csv_value(dos_of_home(n, s, 0), out);
		fputc('\n', out);
	}
	for (uint32_t t = 0; t < n->components; t++) {
		const char *name = c->map->component[t].name;

		for (uint32_t s = 0; s < n->concerns; s++) {
			csv_line(c, "DEDI", c->map->concern[s].name, name, n->sloc[t][s], out);
			csv_value(dedi(n, t, s), out);
			fputs(",\n", out);
		}
		csv_line(c, "DOF", "", name, bob_concerns_of_component(n, t), out);
		csv_value(dof(n, t, 0), out);
		fputs(",\n", out);
	}
}

void cli_concerns_csv(const struct cli_concerns *maps, int n, FILE *out)
{
	fputs("map,measure,concern,component,sloc,value,value_of_home\n", out);
	for (int k = 0; k < n; k++)
		csv_map(&maps[k], out);
}

/* --- json --- */

static void json_shares(struct bob_json *j, const struct cli_concerns *c, int by_component,
			uint32_t row)
{
	uint32_t count;
	const struct bob_concerns_name *names = names_of(c, !by_component, &count);

	bob_json_array(j, by_component ? "dedi" : "conc");
	for (uint32_t i = 0; i < count; i++) {
		bob_json_object(j, NULL);
		bob_json_string(j, by_component ? "concern" : "component", names[i].name);
		if (by_component) {
			bob_json_uint(j, "sloc", c->counts.sloc[row][i]);
			bob_json_real(j, "value", dedi(&c->counts, row, i));
		} else {
			bob_json_uint(j, "sloc", c->counts.sloc[i][row]);
			bob_json_real(j, "value", conc(&c->counts, row, i));
			bob_json_real(j, "value_of_home", conc_of_home(&c->counts, row, i));
		}
		bob_json_end(j, '}');
	}
	bob_json_end(j, ']');
}

static void json_map(struct bob_json *j, const struct cli_concerns *c)
{
	const struct bob_concerns_map *m = c->map;

	bob_json_object(j, NULL);
	bob_json_string(j, "map", m->name);
	bob_json_array(j, "concerns");
	for (uint32_t s = 0; s < m->concerns; s++) {
		bob_json_object(j, NULL);
		bob_json_string(j, "concern", m->concern[s].name);
		bob_json_string(j, "home", m->component[c->counts.home[s]].name);
		bob_json_uint(j, "sloc", bob_concerns_of_concern(&c->counts, s));
		bob_json_real(j, "dos", dos(&c->counts, s, 0));
		bob_json_real(j, "dos_of_home", dos_of_home(&c->counts, s, 0));
		json_shares(j, c, 0, s);
		bob_json_end(j, '}');
	}
	bob_json_end(j, ']');
	bob_json_array(j, "components");
	for (uint32_t t = 0; t < m->components; t++) {
		bob_json_object(j, NULL);
		bob_json_string(j, "component", m->component[t].name);
		bob_json_uint(j, "sloc", bob_concerns_of_component(&c->counts, t));
		bob_json_uint(j, "annotations", c->counts.annotations[t]);
		bob_json_real(j, "dof", dof(&c->counts, t, 0));
		json_shares(j, c, 1, t);
		bob_json_end(j, '}');
	}
	bob_json_end(j, ']');
	bob_json_end(j, '}');
}

void cli_concerns_json(const struct cli_concerns *maps, int n, FILE *out)
{
	struct bob_json j = { .out = out };

	bob_json_object(&j, NULL);
	bob_json_array(&j, "maps");
	for (int k = 0; k < n; k++)
		json_map(&j, &maps[k]);
	bob_json_end(&j, ']');
	bob_json_end(&j, '}');
	fputc('\n', out);
}
