/* SPDX-License-Identifier: BSD-3-Clause */
/* Distribution of concerns over components: source lines of code of each concern in each component,
 * and from these concentration (CONC), degree of scattering (DOS), dedication (DEDI) and degree of
 * focus (DOF), as Eaddy, Aho and Murphy define them and ScalaJack's chapter 4 uses them.
 * docs/concerns.md. Pure functions over texts; any thread. */
#ifndef BOB_ANALYSIS_CONCERNS_CONCERNS_H
#define BOB_ANALYSIS_CONCERNS_CONCERNS_H

#include "analysis/concerns/map.h"

/* Annotations are counted apart, unless they are asked for as code. */
struct bob_concerns_counts {
	uint32_t components, concerns;
	/* of each concern: a component; see bob_concerns_conc */
	uint32_t home[BOB_CONCERNS_MAX];
	uint64_t sloc[BOB_CONCERNS_MAX][BOB_CONCERNS_MAX]; /* [component][concern] */
	uint64_t annotations[BOB_CONCERNS_MAX];	/* of each component, in no sloc */
};

struct bob_concerns_text {
	const char *text;	/* borrowed */
	size_t len;
};

/* `files` are the texts of map->file, in that order. With `count_marks` annotations are code. *out
 * is changed only on BOB_OK. Errors: BOB_ERR_CORRUPT, and `why` (or NULL) says where: a range that
 * is not in its file, a line with two claims, a line without a claim; BOB_ERR_NOMEM. */
bob_status bob_concerns_count(const struct bob_concerns_map *map,
			      const struct bob_concerns_text *files, int count_marks,
			      struct bob_concerns_counts *out, struct bob_concerns_complaint *why);

/* What CONC is a share of. By definition it is all lines of the concern, so that its CONC sum to 1.
 * The tables of ScalaJack's chapter 4 fit the other reading only: the lines in the component that
 * is the concern's home, whose CONC is 1 therefore. */
enum bob_concerns_reading { BOB_CONCERNS_DEFINED, BOB_CONCERNS_OF_HOME };

/* A value that is not defined is NaN: shares of nothing, degrees over a single component or
 * concern. Degrees are from 0 to 1, but DOS by the other reading can be below 0 where there are
 * more than two components. */
double bob_concerns_conc(const struct bob_concerns_counts *c, uint32_t concern, uint32_t component,
			 enum bob_concerns_reading reading);
double bob_concerns_dos(const struct bob_concerns_counts *c, uint32_t concern,
			enum bob_concerns_reading reading);
double bob_concerns_dedi(const struct bob_concerns_counts *c, uint32_t component, uint32_t concern);
double bob_concerns_dof(const struct bob_concerns_counts *c, uint32_t component);

uint64_t bob_concerns_of_concern(const struct bob_concerns_counts *c, uint32_t concern);
uint64_t bob_concerns_of_component(const struct bob_concerns_counts *c, uint32_t component);

#endif
