/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI_COMM_WORLDs of a trace, and which world started which (MPI_Comm_spawn). */
#include <stdlib.h>
#include <string.h>

#include "archive/reader.h"
#include "base/order.h"

#define RANKS_MOST (1 << 24) /* per world */

/* One process's record of a spawn. A side consists of all records with the same token and
 * direction. */
struct bob_spawn_side {
	uint64_t token;
	uint32_t started, me;
	uint32_t process, others;
};

/* --- worlds --- */

struct found {
	uint64_t number;
	uint64_t start_ns;	/* of its first process */
	int32_t size;
	uint32_t index;
};

BOB_COMPARE(by_number, struct found, BOB_UP(number))

BOB_COMPARE(by_start, struct found, BOB_UP(start_ns) BOB_UP(number))

static struct found found_of(const struct bob_process *p)
{
	const int32_t size = p->info.world_size;
	const int is_size = size > p->info.rank && size <= RANKS_MOST;

	return (struct found){ .number = p->world,
			       .start_ns = p->info.start_real_ns,
			       .size = is_size ? size : p->info.rank + 1 };
}

static int has_rank(const struct bob_process *p)
{
	return p->info.rank >= 0 && p->info.rank < RANKS_MOST;
}

/* Lists the worlds of all processes, unique and by number. */
static size_t find_worlds(const struct bob_trace *t, struct found *world)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < t->process_count; i++)
		if (has_rank(t->processes[i]))
			world[n++] = found_of(t->processes[i]);
	if (n)
		qsort(world, n, sizeof(*world), by_number);
	for (size_t i = 0; i < n; i++) {
		struct found *last = kept ? &world[kept - 1] : NULL;

		if (!last || last->number != world[i].number) {
			world[kept++] = world[i];
			continue;
		}
		last->size = world[i].size > last->size ? world[i].size : last->size;
		last->start_ns = world[i].start_ns < last->start_ns ? world[i].start_ns :
								      last->start_ns;
	}
	return kept;
}

/* Assigns ranks in the trace. Worlds whose ranks would overflow are omitted. */
static void number_worlds(struct bob_trace *t, struct found *world, size_t count)
{
	uint64_t first = 0;

	if (count)
		qsort(world, count, sizeof(*world), by_start);
	for (size_t i = 0; i < count; i++) {
		t->worlds[i] = (struct bob_world_info){ (uint32_t)first, (uint32_t)world[i].size };
		world[i].index = (uint32_t)i;
		if (first + (uint64_t)world[i].size > INT32_MAX)
			break;
		first += (uint64_t)world[i].size;
		t->world_count = i + 1;
	}
	if (count)
		qsort(world, count, sizeof(*world), by_number);
}

static void number_process(struct bob_trace *t, struct bob_process *p, const struct found *world,
			   size_t count)
{
	const struct found key = { .number = p->world }, *w;

	if (p->info.rank < 0)
		return;
	w = has_rank(p) ? bsearch(&key, world, count, sizeof(*world), by_number) : NULL;
	if (!w || w->index >= t->world_count) {
		bob_problem_add(t, p->file, 0, "its MPI rank is impossible", 1);
		p->info.rank = -1;
		return;
	}
	p->info.world = (int32_t)w->index;
	p->info.rank += (int32_t)t->worlds[w->index].first;
}

bob_status bob_worlds_build(struct bob_trace *t)
{
	struct found *world = malloc((t->process_count + 1) * sizeof(*world));
	size_t count;

	t->worlds = calloc(t->process_count + 1, sizeof(*t->worlds));
	if (!world || !t->worlds) {
		free(world);
		return BOB_ERR_NOMEM;
	}
	count = find_worlds(t, world);
	number_worlds(t, world, count);
	for (size_t i = 0; i < t->process_count; i++)
		number_process(t, t->processes[i], world, count);
	free(world);
	return BOB_OK;
}

uint32_t bob_trace_world_count(const struct bob_trace *t)
{
	return (uint32_t)t->world_count;
}

const struct bob_world_info *bob_trace_world(const struct bob_trace *t, uint32_t index)
{
	return index < t->world_count ? &t->worlds[index] : NULL;
}

/* --- spawns --- */

BOB_COMPARE(by_side, struct bob_spawn_side, BOB_UP(token) BOB_UP(started) BOB_UP(me))

static size_t count_records(const struct bob_trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->process_count; i++)
		n += t->processes[i]->spawn_count;
	return n;
}

static void put_sides(struct bob_trace *t)
{
	for (size_t i = 0; i < t->process_count; i++) {
		const struct bob_process *p = t->processes[i];

		for (size_t k = 0; k < p->spawn_count; k++)
			t->sides[t->side_count++] =
				(struct bob_spawn_side){ p->spawns[k].token, p->spawns[k].started,
							 p->spawns[k].me, (uint32_t)i,
							 p->spawns[k].others };
	}
	if (t->side_count)
		qsort(t->sides, t->side_count, sizeof(*t->sides), by_side);
}

/* Lists one spawn per token that a calling process has, and counts the started processes that have
 * it. */
static void put_spawns(struct bob_trace *t)
{
	for (size_t i = 0, end; i < t->side_count; i = end) {
		const struct bob_spawn_side *side = &t->sides[i];
		struct bob_spawn_info spawn = { side->process, side->others, 0, -1 };

		for (end = i; end < t->side_count && t->sides[end].token == side->token; end++) {
			if (!t->sides[end].started)
				continue;
			spawn.found++;
			spawn.world = t->processes[t->sides[end].process]->info.world;
		}
		if (!side->started)
			t->spawns[t->spawn_count++] = spawn;
	}
}

bob_status bob_spawns_build(struct bob_trace *t)
{
	const size_t n = count_records(t);

	t->sides = calloc(n + 1, sizeof(*t->sides));
	t->spawns = calloc(n + 1, sizeof(*t->spawns));
	if (!t->sides || !t->spawns)
		return BOB_ERR_NOMEM;
	put_sides(t);
	put_spawns(t);
	return BOB_OK;
}

uint32_t bob_trace_spawn_count(const struct bob_trace *t)
{
	return (uint32_t)t->spawn_count;
}

const struct bob_spawn_info *bob_trace_spawn(const struct bob_trace *t, uint32_t index)
{
	return index < t->spawn_count ? &t->spawns[index] : NULL;
}

/* --- members --- */

static uint32_t member_of_other(const struct bob_trace *t, const struct bob_process *p,
				uint64_t member)
{
	const uint32_t slot = (uint32_t)(member - BOB_MPI_OTHER) >> BOB_MPI_OTHER_SHIFT;
	struct bob_spawn_side key = { .me = (uint32_t)member & ((1u << BOB_MPI_OTHER_SHIFT) - 1) };
	const struct bob_spawn_side *other;

	for (size_t i = 0; i < p->spawn_count; i++) {
		if (p->spawns[i].slot != slot)
			continue;
		key.token = p->spawns[i].token;
		key.started = !p->spawns[i].started;
		other = bsearch(&key, t->sides, t->side_count, sizeof(key), by_side);
		if (other && t->processes[other->process]->info.rank >= 0)
			return (uint32_t)t->processes[other->process]->info.rank;
	}
	return BOB_RANK_UNKNOWN;
}

uint32_t bob_trace_member(const struct bob_trace *t, uint32_t process, uint64_t member)
{
	const struct bob_process *p = t->processes[process];
	const struct bob_world_info *w;

	if (member >= BOB_MPI_OTHER)
		return member <= UINT32_MAX ? member_of_other(t, p, member) : BOB_RANK_UNKNOWN;
	w = bob_trace_world(t, (uint32_t)p->info.world);
	if (!w) /* started without mpirun: it is alone */
		return (uint32_t)member;
	return member < w->size ? w->first + (uint32_t)member : BOB_RANK_UNKNOWN;
}
