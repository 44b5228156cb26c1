/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries that describe a nest of loops with constant bounds: o begins it, c gives the trips of
 * a loop, w the address of an access in the first iteration (slot 0) or in the second one of a
 * loop (its slot), n ends it. Signal handlers may describe another nest meanwhile, so there are
 * NESTS of them in each thread. */

#define NESTS 4
#define SLOTS (BOB_PROBE_NEST_DEPTH_MAX + 1)
#define LOOPS 4 /* of one whose bounds change with the loops around */
static __thread struct nest {
	uint32_t nest, depth;
	int64_t trips[BOB_PROBE_NEST_DEPTH_MAX];
	const void *at[BOB_PROBE_NEST_LAID_MAX * SLOTS];
	int base, points, visiting, way, pair[LOOPS][2];
	int64_t point[2 * LOOPS + 1][LOOPS], low[LOOPS][LOOPS + 1], span[LOOPS][LOOPS + 1],
		step[LOOPS];
} begun[NESTS];
static __thread int begun_count;

int32_t BOBBIN(o)(int32_t nest);
int32_t BOBBIN(o)(int32_t nest)
{
	const uint32_t count = nests[nest].count * (nests[nest].depth + 1);

	if (!here.recorder || begun_count == NESTS)
		return 0;
	begun_count++;
	begun[begun_count - 1].nest = (uint32_t)nest;
	begun[begun_count - 1].depth = 0;
	begun[begun_count - 1].base = 0;
	for (uint32_t i = 0; i < count; i++)
		begun[begun_count - 1].at[i] = NULL;
	return 1;
}

/* False: the loop has no iterations, and the nest ends. */
int32_t BOBBIN(c)(int64_t low, int64_t high, int64_t step);
int32_t BOBBIN(c)(int64_t low, int64_t high, int64_t step)
{
	uint64_t by = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
	uint64_t way = step < 0 ? (uint64_t)low - (uint64_t)high : (uint64_t)high - (uint64_t)low;

	if (!step || (step < 0 ? low < high : high < low)) {
		begun_count--;
		return 0;
	}
	begun[begun_count - 1].trips[begun[begun_count - 1].depth++] = (int64_t)(way / by + 1);
	return 1;
}

/* Has the loop a second iteration? */
int32_t BOBBIN(g)(int32_t loop);
int32_t BOBBIN(g)(int32_t loop)
{
	return begun[begun_count - 1].trips[loop] > 1;
}

void BOBBIN(w)(int32_t slot, const void *at);
void BOBBIN(w)(int32_t slot, const void *at)
{
	begun[begun_count - 1].at[begun[begun_count - 1].base + slot] = at;
}

void BOBBIN(n)(int32_t nest);
void BOBBIN(n)(int32_t nest)
{
	const uint32_t count = nests[nest].count, depth = nests[nest].depth;
	const volatile void *at[BOB_PROBE_NEST_LAID_MAX];
	int64_t step[BOB_PROBE_NEST_LAID_MAX * BOB_PROBE_NEST_DEPTH_MAX];

	for (uint32_t k = 0; k < count; k++) {
		const uint32_t like = sites[nests[nest].first + k].like;
		const void *const *slot = &begun[begun_count - 1].at[k * (depth + 1)];

		at[k] = slot[0];
		for (uint32_t d = 0; d < depth; d++)
			step[k * depth + d] = like	  ? step[(k - like) * depth + d] :
					      slot[1 + d] ? (int64_t)((uintptr_t)slot[1 + d] -
								      (uintptr_t)slot[0]) :
							    0;
	}
	bob_probe_nest(&here, (uint32_t)nest, begun[begun_count - 1].trips, at, step);
	begun_count--;
}
