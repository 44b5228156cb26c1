/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the measures directly from their definitions. */
#include <math.h>

#include "analysis/concerns/concerns.h"

uint64_t bob_concerns_of_concern(const struct bob_concerns_counts *c, uint32_t concern)
{
	uint64_t sum = 0;

	for (uint32_t t = 0; t < c->components; t++)
		sum += c->sloc[t][concern];
	return sum;
}

uint64_t bob_concerns_of_component(const struct bob_concerns_counts *c, uint32_t component)
{
	uint64_t sum = 0;

	for (uint32_t s = 0; s < c->concerns; s++)
		sum += c->sloc[component][s];
	return sum;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : NAN;
}

double bob_concerns_conc(const struct bob_concerns_counts *c, uint32_t concern, uint32_t component,
			 enum bob_concerns_reading reading)
{
	uint64_t whole = reading == BOB_CONCERNS_DEFINED ? bob_concerns_of_concern(c, concern) :
							   c->sloc[c->home[concern]][concern];

	return share(c->sloc[component][concern], whole);
}

double bob_concerns_dedi(const struct bob_concerns_counts *c, uint32_t component, uint32_t concern)
{
	return share(c->sloc[component][concern], bob_concerns_of_component(c, component));
}

/* n / (n - 1) times the sum of (x - 1/n)^2: 1 if everything is in one of n, 0 if all are equal. */
static double unevenness(const double *x, uint32_t n)
{
	double sum = 0;

	if (n < 2)
		return NAN;
	for (uint32_t i = 0; i < n; i++)
		sum += (x[i] - 1.0 / n) * (x[i] - 1.0 / n);
	return n * sum / (n - 1);
}

double bob_concerns_dos(const struct bob_concerns_counts *c, uint32_t concern,
			enum bob_concerns_reading reading)
{
	double conc[BOB_CONCERNS_MAX];

	for (uint32_t t = 0; t < c->components; t++)
		conc[t] = bob_concerns_conc(c, concern, t, reading);
	return 1 - unevenness(conc, c->components);
}

double bob_concerns_dof(const struct bob_concerns_counts *c, uint32_t component)
{
	double dedi[BOB_CONCERNS_MAX];

	for (uint32_t s = 0; s < c->concerns; s++)
		dedi[s] = bob_concerns_dedi(c, component, s);
	return unevenness(dedi, c->concerns);
}
