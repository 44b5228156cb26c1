/* SPDX-License-Identifier: BSD-3-Clause */
#include "library.h"
#include "oracle.h"

static const char *const units[] = { "library_work" };
static const struct bob_probe_site sites[] = {
	{ .line = 3, .kind = BOB_PROBE_UPDATE, .size = 2 },
	{ .line = 4, .kind = BOB_PROBE_READ, .size = 2 },
};
static int16_t table[10];
static const int64_t bounds[][2] = { { 0, 10 } };
static const struct bob_probe_variable variables[] = {
	{ .name = "not here", .element = 1 },
	{ .name = "table", .element = 2, .rank = 1, .bounds = bounds },
};
static struct bob_probe_file bob_probe_here = {
	.size = sizeof(bob_probe_here), .path = "library.c", .digest = 6, .unit = units,
	.variable = variables, .site = sites, .units = 1, .variables = 2, .sites = 2,
};

__attribute__((constructor)) static void begin(void)
{
	bob_probe_begin(&bob_probe_here);
	bob_probe_declare(&bob_probe_here, 1, table, NULL);
}

__attribute__((destructor)) static void end(void)
{
	bob_probe_forget(&bob_probe_here, 1, table);
}

void library_work(int n)
{
	oracle_want(0, sites, 1, 2u * (unsigned)(n % 10), 0);
	BOB_PROBE_X(0, table[n % 10]) += 1;
	oracle_want(0, sites, 1, 2u * (unsigned)(n % 7), 1);
	if (BOB_PROBE_X(1, table[n % 7]) < 0)
		abort();
}
