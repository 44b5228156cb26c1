/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables in the form of 4.1 to 4.3 in chapter 4 of ScalaJack: one block per concern with the
 * components as columns, then one per component with the concerns as columns. Columns of a second
 * map follow those of the first. */
#include "cli/concerns_tables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/concerns/tables.h"
#include "table/numbers.h"
#include "table/json.h"

#define LABEL_MAX 128
#define VALUE_MAX 32

/* A value of a map: of the concern or component `row` and, where it depends on both, of
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
	uint32_t row[2];	/* its number in each map, or BOB_CONCERNS_NONE */
	struct bob_table *table;
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

/* The change of a degree: the decrease of DOS as a percentage, the increase of DOF as a
 * difference. */
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

/* A row with a value per column or, with `once`, one for the whole map. */
static void add_row(struct block *b, const char *label, value_fn value, int once, int digits)
{
	char text[VALUE_MAX];

	bob_table_text(b->table, label);
	for (int k = 0; k < b->n; k++) {
		uint32_t columns;

		names_of(&b->maps[k], !b->by_component, &columns);
		for (uint32_t i = 0; i < columns; i++) {
			double v = NAN;

			if (b->row[k] != BOB_CONCERNS_NONE && !(once && i))
				v = value(&b->maps[k].counts, b->row[k], i);
			snprintf(text, sizeof(text), "%.*f", digits, v);
			bob_table_text(b->table, !isnan(v) ? text : once && i ? "" : "-");
		}
	}
	if (b->n == 2)
		bob_table_text(b->table, once ? change_text(b, value, text) : "");
}

/* With two maps, the first column of each names the map. */
static struct bob_table *create_block(const struct block *b)
{
	const unsigned right = BOB_COLUMN_RIGHT;
	struct bob_column c = { .name = "label", .title = NULL, .type = BOB_COLUMN_TEXT };
	struct bob_table *t = bob_table_create("block", "measure", NULL, 0);
	char title[LABEL_MAX];

	c.title = title;
	snprintf(title, LABEL_MAX, "%s %.80s", b->by_component ? "component" : "concern", b->name);
	bob_table_add_column(t, &c);
	for (int k = 0; k < b->n; k++) {
		uint32_t count;
		const struct bob_concerns_name *names =
			names_of(&b->maps[k], !b->by_component, &count);

		for (uint32_t i = 0; i < count; i++) {
			snprintf(title, LABEL_MAX, "%s%.80s",
				 b->n == 1 || i ? "" : (k ? "2: " : "1: "), names[i].name);
			c = (struct bob_column){ names[i].name, title, BOB_COLUMN_TEXT, right,
						 NULL };
			bob_table_add_column(t, &c);
		}
	}
	c = (struct bob_column){ "change", NULL, BOB_COLUMN_TEXT, right, NULL };
	if (b->n == 2)
		bob_table_add_column(t, &c);
	return t;
}

static int print_block(struct cli_answer *a, struct block *b)
{
	b->table = create_block(b);
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
	fputc('\n', a->text);
	return cli_answer_whole_table(a, b->table);
}

static int print_blocks(struct cli_answer *a, const struct cli_concerns *maps, int n,
			int components)
{
	int status = 0;

	for (int k = 0; k < n; k++) {
		uint32_t count;
		const struct bob_concerns_name *names = names_of(&maps[k], components, &count);

		for (uint32_t i = 0; i < count && !status; i++) {
			struct block b = { .maps = maps,
					   .n = n,
					   .by_component = components,
					   .name = names[i].name };

			if (k && find(&maps[0], components, b.name) != BOB_CONCERNS_NONE)
				continue; /* already printed */
			for (int m = 0; m < n; m++)
				b.row[m] = find(&maps[m], components, b.name);
			status = print_block(a, &b);
		}
	}
	return status;
}

static void sums_of(const struct cli_concerns *c, uint64_t *lines, uint64_t *marks)
{
	*lines = *marks = 0;
	for (uint32_t t = 0; t < c->map->components; t++) {
		*lines += bob_concerns_of_component(&c->counts, t);
		*marks += c->counts.annotations[t];
	}
}

static int print_text(struct cli_answer *a, const struct cli_concerns *maps, int n)
{
	int status;

	for (int k = 0; k < n; k++) {
		uint64_t lines, marks;

		sums_of(&maps[k], &lines, &marks);
		if (n == 2)
			fprintf(a->text, "%d: ", k + 1);
		fprintf(a->text,
			"%s: %" PRIu64 " line%s of code, %" PRIu64
			" annotation%s left out, in %" PRIu32 " file%s\n",
			maps[k].map->name, lines, bob_plural(lines), marks, bob_plural(marks),
			maps[k].map->files, bob_plural(maps[k].map->files));
	}
	status = print_blocks(a, maps, n, 0);
	return status ? status : print_blocks(a, maps, n, 1);
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

static void print_json(const struct cli_concerns *maps, int n, FILE *out)
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

int cli_concerns_print(struct cli_answer *a, const struct cli_concerns *maps, int n)
{
	struct bob_table *t;

	if (!a->view.columns && !a->view.sort && a->view.format == BOB_TABLE_TEXT)
		return print_text(a, maps, n);
	if (!cli_answer_is_help(a) && a->view.format == BOB_TABLE_JSON) {
		print_json(maps, n, a->out);
		return 0;
	}
	t = bob_concerns_table();
	for (int k = 0; k < n; k++)
		bob_concerns_rows(t, maps[k].map, &maps[k].counts);
	return cli_answer_table(a, t);
}
