/* SPDX-License-Identifier: BSD-3-Clause */
/* Nests of all depths, reported at random: nests SEED COUNT, or nests KERNEL. The program finds the
 * expected records access by access, as the loops would run. See oracle.h. */
#define ORACLE_MAIN
#include "oracle.h"

#define DEPTHS BOB_PROBE_NEST_DEPTH_MAX
#define MOST BOB_PROBE_NEST_LAID_MAX
#define OWN 6 /* steps of the accesses that are like others */
#define SHARED 96 /* the first of them */
#define SITES (SHARED + MOST)
#define NESTS 26

enum variable { V_A, V_B, V_BOX, V_CUBE, V_SCALAR, VARIABLES };
static double a[400];
static float b[20][30];
static int16_t box[18][25];
static int32_t cube[8][9][10];
static int64_t scalar;
static char untraced[4096];

static const int64_t bounds_a[][2] = { { 1, 400 } }, bounds_b[][2] = { { 0, 30 }, { 0, 20 } };
static const int64_t bounds_box[][2] = { { 1, 25 }, { 1, 18 } },
		     wanted_box[][2] = { { 4, 21 }, { -2, 12 } };
static const int64_t bounds_cube[][2] = { { 0, 10 }, { -4, 9 }, { 0, 8 } },
		     wanted_cube[][2] = { { 2, 9 }, { -4, 4 }, { 3, 6 } };
static const struct bob_probe_variable variables[] = {
	[V_A] = { .name = "a", .element = 8, .rank = 1, .bounds = bounds_a },
	[V_B] = { .name = "b", .element = 4, .rank = 2, .bounds = bounds_b },
	[V_BOX] = { .name = "box", .element = 2, .rank = 2, .bounds = bounds_box,
		    .wanted = wanted_box },
	[V_CUBE] = { .name = "cube", .element = 4, .rank = 3, .bounds = bounds_cube,
		     .wanted = wanted_cube },
	[V_SCALAR] = { .name = "scalar", .element = 8 },
};
static const struct {
	char *at;
	uint64_t bytes;
} place[VARIABLES] = {
	[V_A] = { (char *)a, sizeof(a) },	[V_B] = { (char *)b, sizeof(b) },
	[V_BOX] = { (char *)box, sizeof(box) }, [V_CUBE] = { (char *)cube, sizeof(cube) },
	[V_SCALAR] = { (char *)&scalar, 8 },
};

static const char *const units[] = { "nests" };
static struct bob_probe_site sites[SITES];
static struct bob_probe_nest nests[NESTS];
static struct bob_probe_file bob_probe_here = {
	.size = sizeof(bob_probe_here), .path = "nests.f", .digest = 77, .unit = units,
	.variable = variables, .site = sites, .nest = nests,
	.units = 1, .variables = VARIABLES, .sites = SITES, .nests = NESTS,
};

static uint64_t state;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

/* Nest k has depth 1 + k % 8; the numbers of accesses vary. One nest has most accesses with their
 * own steps, the last two most accesses. */
__attribute__((constructor)) static void begin(void)
{
	for (uint32_t i = 0; i < SITES; i++)
		sites[i] = (struct bob_probe_site){ .line = 100 + i,
						    .kind = (uint8_t)(i * 7 % 5 % 3),
						    .size = (uint16_t)(1u << (i * 3 % 4)),
						    .like = i < SHARED + OWN ? 0 : OWN };
	for (uint32_t i = 0; i < NESTS; i++) {
		nests[i].depth = 1 + i % DEPTHS;
		nests[i].count = i == 8 ? BOB_PROBE_NEST_ACCESSES_MAX : 1 + i * 5 % 7;
		nests[i].first = i * 11 % (SHARED - nests[i].count + 1);
		if (i + 2 >= NESTS) {
			nests[i].count = MOST;
			nests[i].first = SHARED;
		}
	}
	bob_probe_begin(&bob_probe_here);
	for (uint32_t v = 0; v < VARIABLES; v++)
		bob_probe_declare(&bob_probe_here, v, place[v].at, NULL);
}

static int is_wanted(enum variable v, uint64_t offset)
{
	uint64_t e = offset / variables[v].element;

	for (uint32_t d = 0; d < variables[v].rank && variables[v].wanted; d++) {
		int64_t s = (int64_t)(e % (uint64_t)variables[v].bounds[d][1]) +
			    variables[v].bounds[d][0];

		if (s < variables[v].wanted[d][0] || s > variables[v].wanted[d][1])
			return 0;
		e /= (uint64_t)variables[v].bounds[d][1];
	}
	return 1;
}

static void access_at(const char *at, uint32_t site)
{
	for (uint32_t v = 0; v < VARIABLES; v++) {
		uint64_t offset = (uint64_t)(at - place[v].at);

		if (offset < place[v].bytes && is_wanted(v, offset)) {
			oracle_want(0, sites, (int)v, offset, site);
			return;
		}
	}
	oracle_outside++;
}

struct run {
	uint32_t nest;
	int64_t trips[DEPTHS];
	const volatile void *at[MOST];
	int64_t step[MOST * DEPTHS];
	/* trips are those of a loop whose outer loops are all in their first iterations */
	int is_uneven;
	int64_t slope[DEPTHS * DEPTHS], by[DEPTHS];
};

static void want_row(const struct run *t, const int64_t *i)
{
	const struct bob_probe_nest *n = &nests[t->nest];

	for (uint32_t k = 0; k < n->count; k++) {
		const char *at = (const char *)(uintptr_t)t->at[k];

		for (uint32_t d = 0; d < n->depth; d++)
			at += i[d] * t->step[k * n->depth + d];
		access_at(at, n->first + k);
	}
}

static void run(const struct run *t, uint32_t d, int64_t *i)
{
	const uint32_t depth = nests[t->nest].depth;
	int64_t span = t->trips[d];

	for (uint32_t e = 0; e < d; e++)
		span += i[e] * t->slope[d * depth + e];
	for (i[d] = 0; i[d] * t->by[d] < span; i[d]++) {
		if (d + 1 < depth)
			run(t, d + 1, i);
		else
			want_row(t, i);
	}
}

/* Addresses are only reported: no variable need be there. */
static void report(const struct run *t)
{
	const struct bob_probe_nest *n = &nests[t->nest];
	int64_t i[DEPTHS] = { 0 };
	uint32_t d;

	if (t->is_uneven) {
		bob_probe_uneven(&bob_probe_here, t->nest, t->trips, t->slope, t->by, t->at,
				 t->step);
		run(t, 0, i);
		return;
	}
	bob_probe_nest(&bob_probe_here, t->nest, t->trips, t->at, t->step);
	for (d = 0; d < n->depth; d++)
		if (t->trips[d] <= 0)
			return;
	do {
		want_row(t, i);
		for (d = n->depth; d-- > 0;) {
			if (++i[d] < t->trips[d])
				break;
			i[d] = 0;
		}
	} while (d != ~0u);
}

/* One of three, if that does not make it large. */
static void make_uneven(struct run *t, uint32_t depth)
{
	t->is_uneven = depth > 1 && depth < 5 && !below(3);
	for (uint32_t d = 0; d < depth && t->is_uneven; d++) {
		t->by[d] = 1 + below(3);
		t->trips[d] = t->trips[d] * t->by[d] - below(2);
		for (uint32_t e = 0; e < d; e++)
			t->slope[d * depth + e] = (int64_t)below(5) - 2;
	}
}

static void random_nest(void)
{
	struct run t = { .nest = below(NESTS) };
	const struct bob_probe_nest *n = &nests[t.nest];
	uint32_t limit = 300 / n->count + 1;

	for (uint32_t d = n->depth; d-- > 0;) {
		t.trips[d] = 1 + below(limit < 20 ? limit : 20);
		limit /= (uint32_t)t.trips[d];
		limit += !limit;
	}
	if (!below(12))
		t.trips[below(n->depth)] = -(int64_t)below(3);
	for (uint32_t k = 0; k < n->count; k++) {
		uint32_t v = below(VARIABLES + 1);

		t.at[k] = v == VARIABLES ? untraced + 2000 :
					   place[v].at + below((uint32_t)place[v].bytes);
		if (v < VARIABLES && below(4)) /* mostly elements */
			t.at[k] = place[v].at +
				  below((uint32_t)(place[v].bytes / variables[v].element)) *
					  variables[v].element;
		for (uint32_t d = 0; d < n->depth; d++) {
			static const int64_t some[] = {
				0, 1, -1, 2, 10, -10, 25, 24, -26, 30, 90, 3
			};
			int64_t step = some[below(12)];

			t.step[k * n->depth + d] =
				below(9) ? step * (v < VARIABLES ? variables[v].element : 4) : step;
			if (sites[n->first + k].like)
				t.step[k * n->depth + d] = t.step[(k - OWN) * n->depth + d];
		}
	}
	make_uneven(&t, n->depth);
	report(&t);
}

/* A typical stencil: c(i,j) of the box from b(i-1,j), b(i+1,j), a(j); large, to measure the size of
 * the trace. */
static void stencil(int64_t n)
{
	for (int64_t turn = 0; turn < n; turn++) {
		struct run t = { .nest = 1, .trips = { 10, 18 } };

		t.at[0] = &b[1][2];
		t.at[1] = &b[1][4];
		t.at[2] = &a[3];
		t.at[3] = &box[1][3];
		t.at[4] = untraced;
		t.at[5] = &scalar;
		for (uint32_t k = 0; k < 2; k++) {
			t.step[2 * k] = 120;
			t.step[2 * k + 1] = 4;
		}
		t.step[4] = 8;
		t.step[6] = 50;
		t.step[7] = 2;
		report(&t);
	}
}

int main(int argc, char **argv)
{
	oracle_thread();
	if (argc == 3 && !strcmp(argv[1], "stencil"))
		stencil(atoi(argv[2]));
	else if (argc == 3) {
		state = strtoull(argv[1], NULL, 10);
		for (int k = 0; k < atoi(argv[2]); k++)
			random_nest();
	}
	oracle_write("");
	printf("outside %llu\n", (unsigned long long)oracle_outside);
	return 0;
}
