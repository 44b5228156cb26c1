/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of variables of all kinds: truth KERNEL. See oracle.h. */
#define ORACLE_MAIN
#include "oracle.h"

enum { MAIN, SCALARS, DIMENSIONS, BOXES, STRUCTS, ALIASES, RECURSION, HEAP };
static const char *const units[] = { "main",	"scalars", "dimensions", "boxes",
				     "structs", "aliases", "recursion",	 "heap" };

/* One each in its line, from 10 on. */
enum site {
	I_READ,
	I_WRITE,
	I_UPDATE,
	D_READ,
	D_WRITE,
	C_UPDATE,
	UNTRACED,
	DIM1,
	DIM2,
	DIM3,
	DIM4,
	DIM5,
	DIM6,
	DIM7,
	DIM7_READ,
	BOX_READ,
	BOX_WRITE,
	CUBE_UPDATE,
	LINE_READ,
	S_ID,
	S_X,
	S_TAG,
	S_WHOLE,
	DUMMY_READ,
	DUMMY_WRITE,
	EQUIVALENT,
	BRIDGE,
	PART,
	LOCAL_WRITE,
	LOCAL_READ,
	TEMP_WRITE,
	TEMP_READ,
	VLA,
	HEAP_WRITE,
	HEAP_READ,
	SITES
};
#define SITE(k, kind_, unit_, size_) \
	[k] = { .line = 10 + (k), .column = 3, .kind = BOB_PROBE_##kind_, .unit = unit_, \
		.size = size_ }
static const struct bob_probe_site sites[] = {
	SITE(I_READ, READ, SCALARS, 4), SITE(I_WRITE, WRITE, SCALARS, 4),
	SITE(I_UPDATE, UPDATE, SCALARS, 4), SITE(D_READ, READ, SCALARS, 8),
	SITE(D_WRITE, WRITE, SCALARS, 8), SITE(C_UPDATE, UPDATE, SCALARS, 1),
	SITE(UNTRACED, UPDATE, SCALARS, 4),
	SITE(DIM1, WRITE, DIMENSIONS, 8), SITE(DIM2, UPDATE, DIMENSIONS, 8),
	SITE(DIM3, READ, DIMENSIONS, 8), SITE(DIM4, WRITE, DIMENSIONS, 8),
	SITE(DIM5, READ, DIMENSIONS, 8), SITE(DIM6, UPDATE, DIMENSIONS, 8),
	SITE(DIM7, WRITE, DIMENSIONS, 8), SITE(DIM7_READ, READ, DIMENSIONS, 8),
	SITE(BOX_READ, READ, BOXES, 4), SITE(BOX_WRITE, WRITE, BOXES, 4),
	SITE(CUBE_UPDATE, UPDATE, BOXES, 2), SITE(LINE_READ, READ, BOXES, 8),
	SITE(S_ID, WRITE, STRUCTS, 4), SITE(S_X, UPDATE, STRUCTS, 8),
	SITE(S_TAG, READ, STRUCTS, 1), SITE(S_WHOLE, WRITE, STRUCTS, 48),
	SITE(DUMMY_READ, READ, ALIASES, 8), SITE(DUMMY_WRITE, WRITE, ALIASES, 8),
	SITE(EQUIVALENT, UPDATE, ALIASES, 4), SITE(BRIDGE, READ, ALIASES, 1),
	SITE(PART, WRITE, ALIASES, 8),
	SITE(LOCAL_WRITE, WRITE, RECURSION, 8), SITE(LOCAL_READ, READ, RECURSION, 8),
	SITE(TEMP_WRITE, WRITE, RECURSION, 4), SITE(TEMP_READ, READ, RECURSION, 4),
	SITE(VLA, UPDATE, HEAP, 8), SITE(HEAP_WRITE, WRITE, HEAP, 4),
	SITE(HEAP_READ, READ, HEAP, 4),
};

struct body {
	int32_t id;
	double x[4];
	char tag[8];
};

static int32_t i;
static double d;
static char c;
static int32_t untraced;
static double a1[9], a2[3][4], a3[2][3][4], a4[3][1][2][5], a5[2][2][2][2][2], a6[2][1][3][1][2][2],
	a7[2][3][1][2][2][1][3];
static int32_t box[12][10];
static int16_t cube[6][5][4];
static double line[40];
static struct body bodies[7];
static double block[30];
/* first lies in [0,64), second in [100,164), bridge in [32,132) */
static char storage[200];
static double some[20];

enum variable {
	V_I,
	V_D,
	V_C,
	V_A1,
	V_A2,
	V_A3,
	V_A4,
	V_A5,
	V_A6,
	V_A7,
	V_BOX,
	V_CUBE,
	V_LINE,
	V_BODIES,
	V_BLOCK,
	V_DUMMY,
	V_FIRST,
	V_SECOND,
	V_BRIDGE,
	V_SOME,
	V_ALL,
	V_LOCAL,
	V_TEMP,
	V_VLA,
	V_HEAP,
	V_BELOW,
	VARIABLES
};
#define BOUNDS(...)                                                                                \
	(const int64_t[][2])                                                                       \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define ARRAY(v, name_, element_, rank_, ...) \
	[v] = { .name = name_, .element = element_, .rank = rank_, .bounds = BOUNDS(__VA_ARGS__), \
		.rows_first = 1 }
#define BOX(v, name_, element_, rank_, wanted_, ...) \
	[v] = { .name = name_, .element = element_, .rank = rank_, .bounds = BOUNDS(__VA_ARGS__), \
		.wanted = wanted_, .rows_first = 1 }
static const struct bob_probe_variable variables[] = {
	[V_I] = { .name = "i", .element = 4 },
	[V_D] = { .name = "d", .element = 8 },
	[V_C] = { .name = "c", .element = 1 },
	ARRAY(V_A1, "a1", 8, 1, { -3, 9 }),
	ARRAY(V_A2, "a2", 8, 2, { 0, 4 }, { 0, 3 }),
	ARRAY(V_A3, "a3", 8, 3, { 1, 4 }, { 1, 3 }, { 5, 2 }),
	ARRAY(V_A4, "a4", 8, 4, { 0, 5 }, { 0, 2 }, { 0, 1 }, { 0, 3 }),
	ARRAY(V_A5, "a5", 8, 5, { 0, 2 }, { 0, 2 }, { 0, 2 }, { 0, 2 }, { 0, 2 }),
	ARRAY(V_A6, "a6", 8, 6, { 0, 2 }, { 0, 2 }, { 0, 1 }, { 0, 3 }, { 0, 1 }, { 0, 2 }),
	ARRAY(V_A7, "a7", 8, 7, { 0, 3 }, { 0, 1 }, { 0, 2 }, { 0, 2 }, { 0, 1 }, { 0, 3 },
	      { 0, 2 }),
	BOX(V_BOX, "box", 4, 2, BOUNDS({ 3, 6 }, { 2, 9 }), { 1, 10 }, { 1, 12 }),
	BOX(V_CUBE, "cube", 2, 3, BOUNDS({ 1, 2 }, { 0, 99 }, { 3, 4 }), { 0, 4 }, { 0, 5 },
	    { 0, 6 }),
	BOX(V_LINE, "line", 8, 1, BOUNDS({ 10, 14 }), { 0, 40 }),
	ARRAY(V_BODIES, "bodies", sizeof(struct body), 1, { 0, 7 }),
	ARRAY(V_BLOCK, "/blk/block", 8, 1, { 1, 30 }),
	[V_DUMMY] = { .name = "x in twice", .element = 8, .rank = 2 },
	ARRAY(V_FIRST, "first", 4, 1, { 0, 16 }),
	ARRAY(V_SECOND, "second", 4, 1, { 0, 16 }),
	ARRAY(V_BRIDGE, "bridge", 1, 1, { 0, 100 }),
	BOX(V_SOME, "some", 8, 1, BOUNDS({ 2, 5 }), { 0, 20 }),
	BOX(V_ALL, "all", 4, 1, BOUNDS({ 20, 23 }), { 0, 40 }),
	ARRAY(V_LOCAL, "local in recursion", 8, 1, { 0, 3 }),
	[V_TEMP] = { .name = "temp in recursion", .element = 4 },
	[V_VLA] = { .name = "vla in heap", .element = 8, .rank = 2 },
	[V_HEAP] = { .name = "p in heap", .element = 4, .rank = 1 },
	BOX(V_BELOW, "below", 8, 1, BOUNDS({ -9, -5 }), { 0, 40 }),
};

static struct bob_probe_file bob_probe_here = {
	.size = sizeof(bob_probe_here), .path = "here/truth.c", .digest = 0x1234567890abcdef,
	.unit = units, .variable = variables, .site = sites,
	.units = sizeof(units) / sizeof(units[0]), .variables = VARIABLES, .sites = SITES,
};
#define X(site, lvalue) BOB_PROBE_X(site, lvalue)

static void want(enum variable v, uint64_t offset, enum site site)
{
	oracle_want(0, sites, v, offset, site);
}

__attribute__((constructor)) static void begin(void)
{
	const void *base[VARIABLES] = {
		[V_I] = &i,	[V_D] = &d,	[V_C] = &c,	[V_A1] = a1,	[V_A2] = a2,
		[V_A3] = a3,	[V_A4] = a4,	[V_A5] = a5,	[V_A6] = a6,	[V_A7] = a7,
		[V_BOX] = box,	[V_CUBE] = cube, [V_LINE] = line, [V_BODIES] = bodies,
		[V_BLOCK] = block,
	};

	bob_probe_begin(&bob_probe_here);
	for (uint32_t v = 0; v < VARIABLES; v++)
		if (base[v])
			bob_probe_declare(&bob_probe_here, v, base[v], NULL);
}

static void scalars(void)
{
	for (int k = 0; k < 50; k++) {
		want(V_I, 0, I_WRITE);
		X(I_WRITE, i) = k;
		want(V_I, 0, I_READ);
		want(V_D, 0, D_WRITE);
		X(D_WRITE, d) = 0.5 * X(I_READ, i);
		oracle_outside++;
		X(UNTRACED, untraced) += k;
		want(V_I, 0, I_UPDATE);
		X(I_UPDATE, i)++;
		want(V_D, 0, D_READ);
		untraced += (int)X(D_READ, d);
		want(V_C, 0, C_UPDATE);
		X(C_UPDATE, c) ^= 5;
	}
}

static void dimensions(void)
{
	for (int p = 0; p < 9; p++) {
		want(V_A1, 8u * p, DIM1);
		X(DIM1, a1[p]) = p;
	}
	for (int p = 0; p < 3; p++)
		for (int q = 3; q >= 0; q--) {
			want(V_A2, 8u * (4 * p + q), DIM2);
			X(DIM2, a2[p][q]) += q;
		}
	for (int q = 0; q < 3; q++)
		for (int p = 0; p < 2; p++)
			for (int r = 0; r < 4; r++) {
				want(V_A3, 8u * ((3 * p + q) * 4 + r), DIM3);
				d += X(DIM3, a3[p][q][r]);
			}
	for (int k = 0; k < 30; k++) {
		want(V_A4, 8u * k, DIM4);
		X(DIM4, a4[k / 10][0][k / 5 % 2][k % 5]) = k;
	}
	for (int k = 0; k < 200; k++) {
		int e = k * k % 32;

		want(V_A5, 8u * e, DIM5);
		d += X(DIM5, a5[e >> 4][e >> 3 & 1][e >> 2 & 1][e >> 1 & 1][e & 1]);
		e = k * 7 % 24;
		want(V_A6, 8u * e, DIM6);
		X(DIM6, a6[e / 12][0][e / 4 % 3][0][e >> 1 & 1][e & 1]) *= 2;
	}
	for (int k = 71; k >= 0; k--) {
		want(V_A7, 8u * k, DIM7);
		X(DIM7, a7[k / 36][k / 12 % 3][0][k / 6 % 2][k / 3 % 2][0][k % 3]) = k;
		want(V_A7, 8u * (71 - k), DIM7_READ);
		d += X(DIM7_READ, (&a7[0][0][0][0][0][0][0])[71 - k]);
	}
}

/* Subscripts are 1 too small in C. */
static void reported(int row, int column, enum site site)
{
	if (row >= 1 && row <= 8 && column >= 2 && column <= 5)
		want(V_BOX, 4u * (row * 10 + column), site);
	else
		oracle_outside++;
}

static void boxes(void)
{
	for (int p = 0; p < 12; p++)
		for (int q = 0; q < 10; q++) {
			reported(p, q, BOX_WRITE);
			X(BOX_WRITE, box[p][q]) = p;
		}
	for (int q = 9; q >= 0; q--)
		for (int p = 0; p < 12; p++) {
			reported(p, q, BOX_READ);
			untraced += X(BOX_READ, box[p][q]);
		}
	for (int k = 0; k < 500; k++) {
		int e = k * 7 % 120;

		if (e % 4 >= 1 && e % 4 <= 2 && e / 20 >= 3 && e / 20 <= 4)
			want(V_CUBE, 2u * e, CUBE_UPDATE);
		else
			oracle_outside++;
		X(CUBE_UPDATE, cube[e / 20][e / 4 % 5][e % 4]) ^= 1;
		e = k * 11 % 40;
		if (e >= 10 && e <= 14)
			want(V_LINE, 8u * e, LINE_READ);
		else
			oracle_outside++;
		d += X(LINE_READ, line[e]);
	}
}

static void structs(void)
{
	struct body other = { .id = 3 };

	for (unsigned k = 0; k < 7; k++) {
		const uint64_t at = k * sizeof(struct body);

		want(V_BODIES, at, S_ID);
		X(S_ID, bodies[k].id) = (int)k;
		for (unsigned m = 0; m < 4; m++) {
			want(V_BODIES, at + offsetof(struct body, x) + 8 * m, S_X);
			X(S_X, bodies[k].x[m]) += 1;
		}
		want(V_BODIES, at + offsetof(struct body, tag) + k, S_TAG);
		c ^= X(S_TAG, (&bodies[k])->tag[k]);
		want(V_BODIES, at, S_WHOLE);
		X(S_WHOLE, bodies[k]) = other;
	}
}

/* A dummy argument that is traced, too: what it is already called stays. */
NOINLINE static void twice(double *x, int n, int m, enum variable v, uint64_t offset)
{
	const int64_t bounds[2][2] = { { 1, n }, { 1, m } };

	bob_probe_declare(&bob_probe_here, V_DUMMY, x, bounds);
	for (int k = 0; k < n * m; k++) {
		want(v, offset + 8u * k, DUMMY_READ);
		want(v, offset + 8u * k, DUMMY_WRITE);
		X(DUMMY_WRITE, x[k]) = 2 * X(DUMMY_READ, x[k]);
	}
	bob_probe_forget(&bob_probe_here, V_DUMMY, x);
}

static void aliases(void)
{
	double own[12] = { 0 };

	twice(block, 5, 6, V_BLOCK, 0);
	twice(block + 10, 4, 3, V_BLOCK, 80);
	twice(own, 4, 3, V_DUMMY, 0);
	twice(own + 6, 2, 1, V_DUMMY, 0);
	oracle_outside += 2;
	c ^= X(BRIDGE, *(char *)own) ^ X(BRIDGE, *(char *)(own + 7));
	bob_probe_declare(&bob_probe_here, V_FIRST, storage, NULL);
	for (unsigned k = 0; k < 16; k++) {
		want(V_FIRST, 4 * k, EQUIVALENT);
		X(EQUIVALENT, ((int32_t *)(void *)storage)[k])++;
	}
	bob_probe_declare(&bob_probe_here, V_BRIDGE, storage + 32, NULL);
	bob_probe_declare(&bob_probe_here, V_SECOND, storage + 100, NULL);
	/* bridge follows first, second follows bridge: one */
	for (int k = 0; k < 164; k++) {
		want(V_FIRST, (uint64_t)k, BRIDGE);
		c ^= X(BRIDGE, storage[k]);
	}
	bob_probe_forget(&bob_probe_here, V_BRIDGE, storage + 32);
	bob_probe_forget(&bob_probe_here, V_SECOND, storage + 100);
	/* Two known variables, then one that overlaps both: each byte belongs to the variable that
	 * was known first, for accesses from either end. */
	bob_probe_declare(&bob_probe_here, V_SECOND, storage + 100, NULL);
	bob_probe_declare(&bob_probe_here, V_BRIDGE, storage + 32, NULL);
	for (int k = 0; k < 164; k++) {
		want(k < 100 ? V_FIRST : V_SECOND, (uint64_t)(k < 100 ? k : k - 100), BRIDGE);
		c ^= X(BRIDGE, storage[k]);
	}
	for (int k = 163; k >= 0; k--) {
		want(k < 100 ? V_FIRST : V_SECOND, (uint64_t)(k < 100 ? k : k - 100), BRIDGE);
		c ^= X(BRIDGE, storage[k]);
	}
	/* one box, another one, and one that nothing lies in */
	bob_probe_declare(&bob_probe_here, V_SOME, some, NULL);
	bob_probe_declare(&bob_probe_here, V_ALL, some, NULL);
	bob_probe_declare(&bob_probe_here, V_BELOW, line, NULL);
	for (int turn = 0; turn < 3; turn++)
		for (unsigned k = 0; k < 20; k++) {
			unsigned e = turn ? 19 - k : k;

			if ((e >= 2 && e <= 5) || (e >= 10 && e <= 11))
				want(V_SOME, 8 * e, PART);
			else
				oracle_outside++;
			X(PART, some[e]) = k;
			if (e >= 10 && e <= 14)
				want(V_LINE, 8 * e, LINE_READ);
			else
				oracle_outside++;
			d += X(LINE_READ, line[e]);
		}
}

NOINLINE static double recursion(int depth)
{
	double local[3];
	int32_t temp;

	bob_probe_declare(&bob_probe_here, V_LOCAL, local, NULL);
	bob_probe_declare(&bob_probe_here, V_TEMP, &temp, NULL);
	want(V_TEMP, 0, TEMP_WRITE);
	X(TEMP_WRITE, temp) = depth;
	for (unsigned k = 0; k < 3; k++) {
		double below = depth > 0 && k < 2 ? recursion(depth - 1) : 1;

		want(V_LOCAL, 8 * k, LOCAL_WRITE);
		X(LOCAL_WRITE, local[k]) = below;
	}
	want(V_TEMP, 0, TEMP_READ);
	d += X(TEMP_READ, temp);
	bob_probe_forget(&bob_probe_here, V_TEMP, &temp);
	want(V_LOCAL, 8, LOCAL_READ);
	d += X(LOCAL_READ, local[1]);
	bob_probe_forget(&bob_probe_here, V_LOCAL, local);
	oracle_outside++;
	return X(LOCAL_READ, local[2]);
}

NOINLINE static void vla(int n, int m)
{
	double x[n][m];
	const int64_t bounds[2][2] = { { 0, m }, { 0, n } };

	memset(x, 0, sizeof(x));
	bob_probe_declare(&bob_probe_here, V_VLA, x, bounds);
	for (int p = 0; p < n; p++)
		for (int q = 0; q < m; q++) {
			want(V_VLA, 8u * (p * m + q), VLA);
			X(VLA, x[p][q]) += q;
		}
	bob_probe_forget(&bob_probe_here, V_VLA, x);
}

static void heap(void)
{
	int32_t *p = NULL;

	for (int n = 0; n < 40; n++) {
		const int64_t bounds[1][2] = { { 0, n } };

		vla(1 + n % 5, 1 + n % 7);
		bob_probe_forget(&bob_probe_here, V_HEAP, p);
		p = realloc(p, 4u * (n ? n : 1));
		bob_probe_declare(&bob_probe_here, V_HEAP, p, bounds);
		for (int k = 0; k < n; k++) {
			want(V_HEAP, 4u * k, HEAP_WRITE);
			X(HEAP_WRITE, p[k]) = k;
		}
		if (!n) { /* without elements it lies nowhere */
			oracle_outside++;
			X(HEAP_WRITE, p[0]) = 0;
			continue;
		}
		want(V_HEAP, 4u * (n - 1), HEAP_READ);
		untraced += X(HEAP_READ, p[n - 1]);
	}
	bob_probe_forget(&bob_probe_here, V_HEAP, p);
	oracle_outside++;
	untraced += X(HEAP_READ, p[0]);
	free(p);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kernel[] = { { "scalars", scalars }, { "dimensions", dimensions }, { "boxes", boxes },
		       { "structs", structs }, { "aliases", aliases },	     { "heap", heap } };

	oracle_thread();
	for (unsigned k = 0; k < sizeof(kernel) / sizeof(kernel[0]); k++)
		if (argc < 2 || !strcmp(argv[1], kernel[k].name))
			kernel[k].run();
	if (argc < 2 || !strcmp(argv[1], "recursion"))
		recursion(6);
	oracle_write("");
	printf("%d %g %d outside %llu\n", i, d, c + untraced, (unsigned long long)oracle_outside);
	return 0;
}
