/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait states of collective calls: computed when all members have entered the call. */
#include "analysis/mpi/late_calls.h"

#include <stdlib.h>

/* Numbers in functions.txt. */
enum {
	BARRIER = 84,
	BCAST,
	GATHER,
	GATHERV,
	SCATTER,
	SCATTERV,
	REDUCE = 95,
	SCAN = 99,
	EXSCAN,
	LARGE = 1024
};

struct instance {
	uint32_t members, came;
	uint64_t root;		/* rank in the communicator; BOB_MPI_UNKNOWN: no root */
	struct bob_late_call call[]; /* by rank in the communicator */
};

enum rule { WAIT_FOR_ALL, WAIT_FOR_ROOT, ROOT_WAITS, WAIT_FOR_LOWER };

static enum rule rule_of(const struct bob_mpi_function *f)
{
	const uint32_t n = f->number >= LARGE ? f->number - LARGE : f->number;

	switch (n) {
	case BCAST:
	case SCATTER:
	case SCATTERV:
		return WAIT_FOR_ROOT;
	case GATHER:
	case GATHERV:
	case REDUCE:
		return ROOT_WAITS;
	case SCAN:
	case EXSCAN:
		return WAIT_FOR_LOWER;
	default:
		return WAIT_FOR_ALL;
	}
}

static void judge(struct bob_mpi_late *l, const struct instance *x, uint32_t who, uint32_t last)
{
	struct bob_late_wait w = { .call = x->call[who] };

	if (w.call.end_ns == UINT64_MAX)
		return; /* it did not return, so its waiting time is unknown */
	bob_late_judge(l, &w, &x->call[last].site, x->call[last].begin_ns);
	bob_late_done(l, &w);
}

static void all_came(struct bob_mpi_late *l, const struct instance *x)
{
	const enum rule rule = rule_of(x->call[0].site.function);
	const uint32_t root = x->root < x->members ? (uint32_t)x->root : 0;
	uint32_t last = 0;

	for (uint32_t i = 1; i < x->members; i++) {
		if (rule == WAIT_FOR_LOWER)
			judge(l, x, i, last);
		if (x->call[i].begin_ns > x->call[last].begin_ns)
			last = i;
	}
	if (rule == WAIT_FOR_LOWER)
		judge(l, x, 0, 0);
	for (uint32_t i = 0; i < x->members && rule == WAIT_FOR_ALL; i++)
		judge(l, x, i, last);
	for (uint32_t i = 0; i < x->members && rule == WAIT_FOR_ROOT; i++)
		judge(l, x, i, root);
	for (uint32_t i = 0; i < x->members && rule == ROOT_WAITS; i++)
		judge(l, x, i, i == root ? last : i);
}

static void arrive(struct bob_mpi_late *l, const struct bob_late_call *c, uint32_t comm,
		   const struct bob_mpi_comm *members, uint64_t index, uint64_t root)
{
	struct instance *x = bob_late_map_get(&l->instances, comm, index);

	if (!x) {
		x = calloc(1, sizeof(*x) + members->members * sizeof(x->call[0]));
		if (!x || !bob_late_map_put(&l->instances, comm, index, x)) {
			free(x);
			l->no_memory = 1;
			return;
		}
		x->members = members->members;
		x->root = root;
	}
	if (members->me >= x->members || x->call[members->me].site.function)
		return;
	x->call[members->me] = *c;
	if (++x->came < x->members)
		return;
	all_came(l, x);
	bob_late_map_drop(&l->instances, comm, index);
	free(x);
}

void bob_late_collective(struct bob_mpi_late *l, const struct bob_late_event *e, uint32_t n)
{
	const struct bob_mpi_param *root = bob_mpi_param_of(e->call->function, BOB_MPI_ROLE_ROOT);
	const struct bob_mpi_comm *own;
	const struct bob_late_comm *c = bob_late_comm_of_call(l, e, &own);
	uint64_t *count;

	if (!c || c->local)
		return;
	for (uint32_t i = 0; i < c->members; i++)
		if (bob_late_peer(l, c, i) == ~0u) {
			l->sum.unmatched++;
			return;
		}
	count = bob_late_map_get(&l->collectives, e->at.site.process, c->number);
	if (!count) {
		count = calloc(1, sizeof(*count));
		if (!count ||
		    !bob_late_map_put(&l->collectives, e->at.site.process, c->number, count)) {
			free(count);
			l->no_memory = 1;
			return;
		}
	}
	if (n >= BARRIER && n <= EXSCAN) /* only blocking functions */
		arrive(l, &e->at, c->number, own, *count,
		       root ? bob_mpi_in(e->call, root) : BOB_MPI_UNKNOWN);
	++*count;
}

void bob_late_all_end(struct bob_mpi_late *l)
{
	for (size_t i = 0; i < l->instances.count; i++)
		l->sum.unmatched += ((struct instance *)l->instances.at[i].value)->came;
}
