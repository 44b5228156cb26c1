/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of concern measures: CONC, DOS, DEDI and DOF. */
#include "analysis/concerns/tables.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct bob_table *bob_concerns_table(void)
{
	static const struct bob_column columns[] = {
		{ "map", NULL, BOB_COLUMN_TEXT, 0, "its file" },
		{ "measure", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_SUBJECT, "CONC, DOS, DEDI or DOF" },
		{ "concern", NULL, BOB_COLUMN_TEXT, 0, "none: of all" },
		{ "component", NULL, BOB_COLUMN_TEXT, 0, "none: of all" },
		{ "sloc", NULL, BOB_COLUMN_COUNT, 0, "lines of code of these" },
		{ "value", NULL, BOB_COLUMN_SHARE, 0, "as defined" },
		{ "value_of_home", NULL, BOB_COLUMN_SHARE, 0,
		  "as a share of the lines in the home component" },
	};

	return bob_table_create("concerns", "value", columns, COUNT(columns));
}

static void name_cell(struct bob_table *t, const struct bob_concerns_name *name)
{
	if (name)
		bob_table_text(t, name->name);
	else
		bob_table_none(t);
}

static void put(struct bob_table *t, const struct bob_concerns_map *map, const char *measure,
		const struct bob_concerns_name *concern, const struct bob_concerns_name *component,
		uint64_t sloc)
{
	bob_table_text(t, map->name);
	bob_table_text(t, measure);
	name_cell(t, concern);
	name_cell(t, component);
	bob_table_count(t, sloc);
}

static void put_concern(struct bob_table *t, const struct bob_concerns_map *map,
			const struct bob_concerns_counts *n, uint32_t s)
{
	for (uint32_t k = 0; k < n->components; k++) {
		put(t, map, "CONC", &map->concern[s], &map->component[k], n->sloc[k][s]);
		bob_table_real(t, bob_concerns_conc(n, s, k, BOB_CONCERNS_DEFINED));
		bob_table_real(t, bob_concerns_conc(n, s, k, BOB_CONCERNS_OF_HOME));
	}
	put(t, map, "DOS", &map->concern[s], NULL, bob_concerns_of_concern(n, s));
	bob_table_real(t, bob_concerns_dos(n, s, BOB_CONCERNS_DEFINED));
	bob_table_real(t, bob_concerns_dos(n, s, BOB_CONCERNS_OF_HOME));
}

static void put_component(struct bob_table *t, const struct bob_concerns_map *map,
			  const struct bob_concerns_counts *n, uint32_t k)
{
	for (uint32_t s = 0; s < n->concerns; s++) {
		put(t, map, "DEDI", &map->concern[s], &map->component[k], n->sloc[k][s]);
		bob_table_real(t, bob_concerns_dedi(n, k, s));
		bob_table_none(t);
	}
	put(t, map, "DOF", NULL, &map->component[k], bob_concerns_of_component(n, k));
	bob_table_real(t, bob_concerns_dof(n, k));
	bob_table_none(t);
}

void bob_concerns_rows(struct bob_table *t, const struct bob_concerns_map *map,
		       const struct bob_concerns_counts *counts)
{
	for (uint32_t s = 0; s < counts->concerns; s++)
		put_concern(t, map, counts, s);
	for (uint32_t k = 0; k < counts->components; k++)
		put_component(t, map, counts, k);
}
