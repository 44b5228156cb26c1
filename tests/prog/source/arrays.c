/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays in loops, instrumented by hand: rows, columns, triangle, gather, scalar, changing bounds.
 *     arrays          prints nothing
 *     arrays many     the array that is allocated has 20 different sizes
 *     arrays fork     a child does the half of it; prints its process id
 *     arrays long     two million accesses more
 *     arrays kill     ends by SIGKILL */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bobbin/probe.h"

#define ROWS 6
#define COLUMNS 10

enum { FILL, COLUMN_SUM, TRIANGLE, GATHER, TOTAL, GROW };
static const char *const units[] = { "fill", "column_sum", "triangle", "gather", "main", "grow" };

enum { V_A, V_F, V_LIST, V_S, V_V, V_NEVER, VARIABLES };
static const int64_t a_bounds[][2] = { { 0, COLUMNS }, { 0, ROWS } },
		     f_bounds[][2] = { { -1, 4 }, { 1, 3 } }, list_bounds[][2] = { { 0, 60 } },
		     v_bounds[][2] = { { 1, 0 }, { 1, 0 } };
static const struct bob_probe_variable variables[VARIABLES] = {
	[V_A] = { .name = "a", .element = 8, .rank = 2, .bounds = a_bounds, .rows_first = 1 },
	[V_F] = { .name = "f", .element = 4, .rank = 2, .bounds = f_bounds },
	[V_LIST] = { .name = "list", .element = 4, .rank = 1, .bounds = list_bounds,
		     .rows_first = 1 },
	[V_S] = { .name = "s in main", .element = 8, .rows_first = 1 },
	[V_V] = { .name = "v in grow", .element = 8, .rank = 2, .bounds = v_bounds },
	[V_NEVER] = { .name = "never", .element = 8, .rank = 1, .bounds = list_bounds },
};

enum { A_WRITE, A_DOWN, S_ADD, A_LOW, F_HIGH, LIST_READ, A_ANY, F_WRITE, V_WRITE, SITES };
#define SITE(k, kind_, unit_, size_) \
	[k] = { .line = 10 + (k), .column = 3, .kind = BOB_PROBE_##kind_, .unit = unit_, \
		.size = size_ }
static const struct bob_probe_site sites[SITES] = {
	SITE(A_WRITE, WRITE, FILL, 8),	     SITE(A_DOWN, READ, COLUMN_SUM, 8),
	SITE(S_ADD, UPDATE, COLUMN_SUM, 8),  SITE(A_LOW, UPDATE, TRIANGLE, 8),
	SITE(F_HIGH, READ, TRIANGLE, 4),     SITE(LIST_READ, READ, GATHER, 4),
	SITE(A_ANY, READ, GATHER, 8),	     SITE(F_WRITE, WRITE, TOTAL, 4),
	SITE(V_WRITE, WRITE, GROW, 8),
};
static struct bob_probe_file bob_probe_here = {
	.size = sizeof(bob_probe_here), .path = "arrays.c", .digest = 77, .unit = units,
	.variable = variables, .site = sites, .units = 6, .variables = VARIABLES, .sites = SITES,
};

static double a[ROWS][COLUMNS];
static float f[3][4]; /* f(-1:2, 3) */
static int32_t list[60];

static void begin(void)
{
	bob_probe_begin(&bob_probe_here);
	bob_probe_declare(&bob_probe_here, V_A, a, NULL);
	bob_probe_declare(&bob_probe_here, V_F, f, NULL);
	bob_probe_declare(&bob_probe_here, V_LIST, list, NULL);
}

static void fill(void)
{
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			BOB_PROBE_X(A_WRITE, a[i][j]) = i + j;
}

static void column_sum(double *sum)
{
	for (int j = 0; j < COLUMNS; j += 3)
		for (int i = 0; i < ROWS; i++)
			BOB_PROBE_X(S_ADD, *sum) += BOB_PROBE_X(A_DOWN, a[i][j]);
}

static void triangle(void)
{
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j <= i; j++)
			BOB_PROBE_X(A_LOW, a[i][j]) += BOB_PROBE_X(F_HIGH, f[j % 3][i % 4]);
}

static double gather(void)
{
	double sum = 0;

	for (int k = 0; k < 60; k++)
		sum += BOB_PROBE_X(A_ANY, (&a[0][0])[BOB_PROBE_X(LIST_READ, list[k])]);
	return sum;
}

/* v(n, m): columns first. */
static void grow(int64_t n, int64_t m)
{
	const int64_t bounds[][2] = { { 1, n }, { 1, m } };
	double *v = malloc((size_t)(n * m) * sizeof(*v));

	if (!v)
		exit(1);
	bob_probe_declare(&bob_probe_here, V_V, v, bounds);
	for (int64_t j = 0; j < m; j++)
		for (int64_t i = 0; i < n; i++)
			BOB_PROBE_X(V_WRITE, v[j * n + i]) = 1;
	bob_probe_forget(&bob_probe_here, V_V, v);
	free(v);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	double s = 0;

	begin();
	for (int k = 0; k < 60; k++)
		list[k] = (k * 37 + k * k % 7) % 60;
	bob_probe_declare(&bob_probe_here, V_S, &s, NULL);
	for (int j = 0; j < 3; j++)
		for (int i = 0; i < 4; i++)
			BOB_PROBE_X(F_WRITE, f[j][i]) = 1;
	for (int k = 0; k < (strcmp(how, "long") ? 1 : 33333); k++)
		fill();
	if (!strcmp(how, "fork")) {
		pid_t child = fork();

		if (child) {
			printf("%ld\n", (long)child);
			waitpid(child, NULL, 0);
			return 0;
		}
	}
	column_sum(&s);
	triangle();
	s += gather();
	for (int64_t k = 0; k < (strcmp(how, "many") ? 3 : 20); k++)
		grow(!strcmp(how, "many") ? 1 + k : 5, 2 + k);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	bob_probe_forget(&bob_probe_here, V_S, &s);
	return 0;
}
