/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries that describe a nest whose bounds depend on the loops around. After nest.c. Bounds are
 * affine, so r passes them for the first iteration of the outer loops and for one step of each.
 * Addresses are evaluated only in iterations that the program has: p finds iterations that
 * differ in one loop, the probe sets the counters to their values there (v) and passes the
 * addresses (w); the steps follow from these. If a loop never has two iterations under the same
 * iteration of the outer loops, and varies, each row of the innermost loop is passed on its own. */

/* The value in iteration `at` of the outer loops: that of the first iteration (element LOOPS), plus
 * the steps of each loop. */
static int64_t affine(const int64_t *row, const int64_t *at, int loop)
{
	int64_t n = row[LOOPS];

	for (int e = 0; e < loop; e++)
		n += (row[e] - row[LOOPS]) * at[e];
	return n;
}

/* Values of the counter before loop `loop` begins: in the first iteration of the outer loops (point
 * LOOPS), or one step of loop `point` further. */
void BOBBIN(r)(int32_t loop, int32_t point, int64_t low, int64_t high, int64_t step);
void BOBBIN(r)(int32_t loop, int32_t point, int64_t low, int64_t high, int64_t step)
{
	struct nest *n = &begun[begun_count - 1];

	n->low[loop][point] = low;
	n->span[loop][point] = (step < 0 ? low - high : high - low) + 1;
	n->step[loop] = step;
	n->points = 0;
}

static int64_t trips_of(const struct nest *n, const int64_t *at, int loop)
{
	const int64_t span = affine(n->span[loop], at, loop),
		      by = n->step[loop] < 0 ? -n->step[loop] : n->step[loop];

	return span <= 0 || !by ? 0 : (span - 1) / by + 1;
}

/* Moves `at` to the first iteration, from this one of `loop` on, whose innermost loop runs. */
static int settle(const struct nest *n, int64_t *at, int loop, int depth)
{
	const int64_t trips = trips_of(n, at, loop);

	if (loop == depth - 1)
		return at[loop] < trips;
	for (; at[loop] < trips; at[loop]++) {
		at[loop + 1] = 0;
		if (settle(n, at, loop + 1, depth))
			return 1;
	}
	return 0;
}

/* The next row: another iteration of `loop`, or of a loop around it. */
static int go_on(const struct nest *n, int64_t *at, int loop, int depth)
{
	for (; loop >= 0; loop--) {
		at[loop]++;
		if (settle(n, at, loop, depth))
			return 1;
	}
	return 0;
}

static int add_point(struct nest *n, const int64_t *at, int depth)
{
	int p = 0;

	while (p < n->points && memcmp(n->point[p], at, (size_t)depth * sizeof(*at)) != 0)
		p++;
	if (p == n->points)
		memcpy(n->point[n->points++], at, (size_t)depth * sizeof(*at));
	return p;
}

/* Two iterations of `loop` under the same iteration of the outer loops. */
static void add_pair(struct nest *n, int loop, const int64_t *a, const int64_t *b, int depth)
{
	n->pair[loop][0] = add_point(n, a, depth);
	n->pair[loop][1] = add_point(n, b, depth);
}

static int lacks(const struct nest *n, int depth)
{
	while (depth-- > 0 && n->pair[depth][0] >= 0)
		;
	return depth;
}

/* Finds iterations whose addresses determine all others. 0: the nest does not run; 1: no such set,
 * rows are passed one by one; 2: found. */
#define ROWS_MAX 4096
static int find_points(struct nest *n, int depth)
{
	int64_t at[LOOPS] = { 0 }, first[LOOPS][LOOPS];
	int varies[LOOPS] = { 0 }, rows = 0, loop;

	for (loop = 0; loop < LOOPS; loop++)
		n->pair[loop][0] = -1;
	if (!settle(n, at, 0, depth))
		return 0;
	(void)add_point(n, at, depth);
	for (loop = 0; loop < depth; loop++)
		memcpy(first[loop], at, sizeof(at));
	do {
		for (int d = 0; d < depth - 1; d++) {
			varies[d] |= at[d] != n->point[0][d];
			if (n->pair[d][0] >= 0)
				continue;
			if (memcmp(first[d], at, (size_t)d * sizeof(*at)) != 0)
				memcpy(first[d], at, sizeof(at));
			else if (first[d][d] != at[d])
				add_pair(n, d, first[d], at, depth);
		}
		if (n->pair[depth - 1][0] < 0 && trips_of(n, at, depth - 1) > 1) {
			memcpy(first[depth - 1], at, sizeof(at));
			at[depth - 1] = 1;
			add_pair(n, depth - 1, first[depth - 1], at, depth);
			at[depth - 1] = 0;
		}
		loop = lacks(n, depth);
	} while (loop >= 0 && rows++ < ROWS_MAX &&
		 go_on(n, at, loop < depth - 1 ? loop : depth - 2, depth));
	for (int d = 0; d < depth; d++)
		if (n->pair[d][0] < 0 && (varies[d] || rows > ROWS_MAX))
			return 1;
	return 2;
}

static uintptr_t place(const struct nest *n, int point, uint32_t access)
{
	return (uintptr_t)n->at[(uint32_t)point * BOB_PROBE_NEST_LAID_MAX + access];
}

/* Steps of inner loops come first, because two iterations of an outer loop may differ in these. */
static void pass_all(const struct nest *n, int depth)
{
	const uint32_t count = nests[n->nest].count;
	const volatile void *at[BOB_PROBE_NEST_LAID_MAX];
	int64_t step[BOB_PROBE_NEST_LAID_MAX * LOOPS], span[LOOPS], slope[LOOPS * LOOPS] = { 0 },
										  by[LOOPS];

	for (uint32_t k = 0; k < count; k++) {
		int64_t *own = &step[k * (uint32_t)depth];
		uintptr_t origin = place(n, 0, k);

		for (int d = depth - 1; d >= 0; d--) {
			const int64_t *a = n->point[n->pair[d][0] < 0 ? 0 : n->pair[d][0]];
			const int64_t *b = n->point[n->pair[d][0] < 0 ? 0 : n->pair[d][1]];
			int64_t way = n->pair[d][0] < 0 ? 0 :
							  (int64_t)(place(n, n->pair[d][1], k) -
								    place(n, n->pair[d][0], k));

			for (int e = d + 1; e < depth; e++)
				way -= own[e] * (b[e] - a[e]);
			own[d] = b[d] == a[d] ? 0 : way / (b[d] - a[d]);
			origin -= (uintptr_t)(own[d] * n->point[0][d]);
		}
		at[k] = (const void *)origin;
	}
	for (int d = 0; d < depth; d++) {
		span[d] = n->span[d][LOOPS];
		by[d] = n->step[d] < 0 ? -n->step[d] : n->step[d];
		for (int e = 0; e < d; e++)
			slope[d * depth + e] = n->span[d][e] - n->span[d][LOOPS];
	}
	bob_probe_uneven(&here, n->nest, span, slope, by, at, step);
}

/* The row whose first iterations are points 0 and, if it has more than one, 1. */
static void pass_row(const struct nest *n, int depth)
{
	const uint32_t count = nests[n->nest].count;
	const volatile void *at[BOB_PROBE_NEST_LAID_MAX];
	int64_t trips[LOOPS], step[BOB_PROBE_NEST_LAID_MAX * LOOPS] = { 0 };

	for (int d = 0; d < depth; d++)
		trips[d] = d < depth - 1 ? 1 : trips_of(n, n->point[0], d);
	for (uint32_t k = 0; k < count; k++) {
		at[k] = (const void *)place(n, 0, k);
		if (n->points > 1)
			step[k * (uint32_t)depth + (uint32_t)depth - 1] =
				(int64_t)(place(n, 1, k) - place(n, 0, k));
	}
	bob_probe_nest(&here, n->nest, trips, at, step);
}

static void take_row(struct nest *n, int64_t *at, int depth)
{
	n->points = 0;
	(void)add_point(n, at, depth);
	if (trips_of(n, at, depth - 1) > 1) {
		at[depth - 1] = 1;
		(void)add_point(n, at, depth);
	}
}

/* Selects the next iteration whose addresses the probe passes; 0: the nest is complete. */
int32_t BOBBIN(p)(int32_t nest);
int32_t BOBBIN(p)(int32_t nest)
{
	struct nest *n = &begun[begun_count - 1];
	const int depth = (int)nests[nest].depth;
	int64_t at[LOOPS] = { 0 };

	if (!n->points) {
		n->way = find_points(n, depth);
		n->visiting = -1;
		if (n->way == 1 && settle(n, at, 0, depth))
			take_row(n, at, depth);
	}
	if (n->way && ++n->visiting == n->points) {
		if (n->way == 2) {
			pass_all(n, depth);
			n->way = 0;
		} else {
			pass_row(n, depth);
			memcpy(at, n->point[0], sizeof(at));
			n->way = go_on(n, at, depth - 2, depth);
			if (n->way)
				take_row(n, at, depth);
			n->visiting = 0;
		}
	}
	n->base = n->visiting * (int)BOB_PROBE_NEST_LAID_MAX;
	begun_count -= !n->way;
	return n->way != 0;
}

/* The value of the counter of `loop` in the selected iteration. */
int64_t BOBBIN(v)(int32_t loop);
int64_t BOBBIN(v)(int32_t loop)
{
	const struct nest *n = &begun[begun_count - 1];
	const int64_t *at = n->point[n->visiting];

	return affine(n->low[loop], at, loop) + n->step[loop] * at[loop];
}
