/* SPDX-License-Identifier: BSD-3-Clause */
/* Distribution of concerns over components: source lines of code of each concern in each component.
 * From these: concentration (CONC), degree of scattering (DOS), dedication (DEDI) and degree of
 * focus (DOF), as defined by Eaddy, Aho and Murphy and used in ScalaJack's chapter 4.
 * docs/concerns.md. Pure functions over texts; any thread. */
#ifndef BOB_ANALYSIS_CONCERNS_CONCERNS_H
#define BOB_ANALYSIS_CONCERNS_CONCERNS_H

#include "analysis/concerns/concern_map.h"

/* Annotations are counted separately, unless they count as code. */
struct bob_concerns_counts {
	uint32_t components, concerns;
	/* by concern: its home component; see bob_concerns_conc */
	uint32_t home[BOB_CONCERNS_MAX];
	uint64_t sloc[BOB_CONCERNS_MAX][BOB_CONCERNS_MAX]; /* [component][concern] */
	uint64_t annotations[BOB_CONCERNS_MAX];	/* by component; not included in sloc */
};

struct bob_concerns_text {
	const char *text;	/* borrowed */
	size_t len;
};

/* Counts the lines of `files`, the texts of map->file in that order. With `count_marks` annotations
 * are code. *out is changed only on BOB_OK. Errors: BOB_ERR_CORRUPT, with the place in `why` (or
 * NULL): a range that is not in its file, a line with two claims, a line without a claim;
 * BOB_ERR_NOMEM. */
bob_status bob_concerns_count(const struct bob_concerns_map *map,
			      const struct bob_concerns_text *files, int count_marks,
			      struct bob_concerns_counts *out, struct bob_concerns_complaint *why);

/* The denominator of CONC. By definition it is all lines of the concern, so that its CONC sum up to
 * 1. The tables of ScalaJack's chapter 4 fit only the other reading: the concern's lines in its
 * home component, whose CONC is therefore 1. */
enum bob_concerns_reading { BOB_CONCERNS_DEFINED, BOB_CONCERNS_OF_HOME };

/* Undefined values are NaN: shares of nothing, degrees over a single component or concern. Degrees
 * are 0 to 1, except that DOS by the other reading can be negative with more than two
 * components. */
double bob_concerns_conc(const struct bob_concerns_counts *c, uint32_t concern, uint32_t component,
			 enum bob_concerns_reading reading);
double bob_concerns_dos(const struct bob_concerns_counts *c, uint32_t concern,
			enum bob_concerns_reading reading);
double bob_concerns_dedi(const struct bob_concerns_counts *c, uint32_t component, uint32_t concern);
double bob_concerns_dof(const struct bob_concerns_counts *c, uint32_t component);

uint64_t bob_concerns_of_concern(const struct bob_concerns_counts *c, uint32_t concern);
uint64_t bob_concerns_of_component(const struct bob_concerns_counts *c, uint32_t component);

#endif
