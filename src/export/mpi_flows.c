/* SPDX-License-Identifier: BSD-3-Clause */
/* Message matching within one process (the algorithm is in mpi_flows.h): a hash table of channels
 * with their message counts, and the list of posted receives. */
#include "export/mpi_flows.h"

#include <stdlib.h>
#include <string.h>

#include "export/mpi_comms.h"

#define COUNTS_MAX (1u << 20)	/* channels of a process */

struct count {
	uint64_t key;		/* hash of the channel and direction; 0: free */
	uint64_t count;
	uint32_t thread;	/* that sends, or posts the receives */
	int mixed;		/* another thread does so, too */
};

struct posted {
	uint64_t request;	/* 0: blocking receive */
	uint64_t comm;		/* bob_mpi_comms_id */
	int64_t source,
		tag; /* as requested (-1: any); once complete, as received. `source` is a rank in
		      * MPI_COMM_WORLD. */
	uint32_t thread;	/* that posted it */
	int complete;
	struct bob_mpi_arrival at;
};

struct bob_mpi_flows {
	bob_mpi_flow_fn arrived;
	void *ctx;
	struct bob_mpi_comms *comms;
	const struct bob_mpi_objects *objects;
	uint32_t rank;
	struct count *count;
	size_t counts, count_capacity;
	int learning;		/* first pass: `arrived` is not called */
	struct posted *posted;	/* of each thread in the order of posting */
	size_t posted_count, posted_capacity;
	uint64_t lost;
};

bob_status bob_mpi_flows_create(bob_mpi_flow_fn arrived, void *ctx, struct bob_mpi_flows **out)
{
	struct bob_mpi_flows *f = calloc(1, sizeof(*f));

	if (!f)
		return BOB_ERR_NOMEM;
	f->arrived = arrived;
	f->ctx = ctx;
	*out = f;
	return BOB_OK;
}

void bob_mpi_flows_destroy(struct bob_mpi_flows *f)
{
	if (!f)
		return;
	bob_mpi_comms_destroy(f->comms);
	free(f->count);
	free(f->posted);
	free(f);
}

bob_status bob_mpi_flows_begin(struct bob_mpi_flows *f, const struct bob_mpi_objects *o)
{
	bob_mpi_comms_destroy(f->comms);
	f->comms = NULL;
	f->objects = o;
	f->rank = bob_mpi_objects_rank(o);
	f->counts = f->posted_count = 0;
	if (f->count_capacity)
		memset(f->count, 0, f->count_capacity * sizeof(*f->count));
	return bob_mpi_comms_create(o, &f->comms);
}

void bob_mpi_flows_learn(struct bob_mpi_flows *f, int learning)
{
	f->learning = learning;
}

uint64_t bob_mpi_flows_lost(const struct bob_mpi_flows *f)
{
	return f->lost;
}

/* --- channels --- */

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static struct count *place_of(const struct bob_mpi_flows *f, uint64_t key)
{
	size_t i = (size_t)(key >> 20) & (f->count_capacity - 1);

	while (f->count[i].key && f->count[i].key != key)
		i = (i + 1) & (f->count_capacity - 1);
	return &f->count[i];
}

static int grow(struct bob_mpi_flows *f)
{
	size_t old_capacity = f->count_capacity;
	struct count *old = f->count;

	f->count_capacity = old_capacity ? 2 * old_capacity : 256;
	f->count = calloc(f->count_capacity, sizeof(*f->count));
	if (!f->count) {
		f->count = old;
		f->count_capacity = old_capacity;
		return 0;
	}
	for (size_t i = 0; i < old_capacity; i++)
		if (old[i].key)
			*place_of(f, old[i].key) = old[i];
	free(old);
	return 1;
}

/* Number of the next message of a channel; `sends` selects the direction. *id is 0 if there are too
 * many channels or several threads use this one. */
static bob_status next_id(struct bob_mpi_flows *f, uint32_t thread, uint64_t comm, uint64_t from,
			  uint64_t to, int64_t tag, int sends, uint64_t *id)
{
	uint64_t key = mix(mix(mix(mix(1, comm), from), to), (uint64_t)tag) | 1;
	uint64_t own = mix(key, (uint64_t)sends) | 1;
	struct count *c;

	*id = 0;
	if (2 * (f->counts + 1) > f->count_capacity && !grow(f))
		return BOB_ERR_NOMEM;
	c = place_of(f, own);
	if (!c->key && f->counts == COUNTS_MAX) {
		f->lost += !f->learning;
		return BOB_OK;
	}
	if (!c->key)
		c->thread = thread;
	f->counts += !c->key;
	c->key = own;
	c->mixed |= c->thread != thread;
	if (c->mixed && !f->learning)
		f->lost++;
	else if (!f->learning)
		*id = mix(key, ++c->count) | 1;
	return BOB_OK;
}

/* --- receives --- */

static int may_be(const struct posted *early, const struct posted *got)
{
	return early->thread == got->thread && early->comm == got->comm &&
	       (early->source < 0 || early->source == got->source) &&
	       (early->tag < 0 || early->tag == got->tag);
}

/* Reports and removes complete receives that no earlier incomplete receive could have matched. */
static bob_status settle(struct bob_mpi_flows *f)
{
	bob_status st = BOB_OK;
	size_t kept = 0;

	for (size_t i = 0; i < f->posted_count; i++) {
		struct posted *p = &f->posted[i];
		int waits = !p->complete || st != BOB_OK;
		uint64_t id;

		for (size_t k = 0; k < kept && !waits; k++)
			waits = may_be(&f->posted[k], p);
		if (waits) {
			f->posted[kept++] = *p;
			continue;
		}
		st = next_id(f, p->thread, p->comm, (uint64_t)p->source, f->rank, p->tag, 0, &id);
		if (st == BOB_OK && id)
			f->arrived(f->ctx, id, &p->at);
	}
	f->posted_count = kept;
	return st;
}

static bob_status post(struct bob_mpi_flows *f, const struct bob_mpi_act *a, uint32_t thread,
		       uint64_t comm)
{
	struct posted *p;

	if (f->posted_count == f->posted_capacity) {
		size_t capacity = f->posted_capacity ? 2 * f->posted_capacity : 64;

		p = realloc(f->posted, capacity * sizeof(*p));
		if (!p)
			return BOB_ERR_NOMEM;
		f->posted = p;
		f->posted_capacity = capacity;
	}
	p = &f->posted[f->posted_count++];
	*p = (struct posted){ .request = a->request, .comm = comm, .source = -1, .tag = a->tag,
			      .thread = thread };
	if (a->peer >= 0)
		p->source = bob_mpi_objects_member(f->objects, a->comm, (uint64_t)a->peer);
	return BOB_OK;
}

static struct posted *find_posted(const struct bob_mpi_flows *f, uint64_t request)
{
	for (size_t i = 0; i < f->posted_count; i++)
		if (f->posted[i].request == request && !f->posted[i].complete)
			return &f->posted[i];
	return NULL;
}

static bob_status arrive(struct bob_mpi_flows *f, const struct bob_mpi_act *a,
			 const struct bob_mpi_arrival *at)
{
	struct posted *p = find_posted(f, a->request);

	if (!p)
		return BOB_OK;
	p->source = bob_mpi_objects_member(f->objects, a->comm, (uint64_t)a->peer);
	p->tag = a->tag;
	p->complete = 1;
	p->at = *at;
	return settle(f);
}

static bob_status drop(struct bob_mpi_flows *f, uint64_t request)
{
	struct posted *p = find_posted(f, request);
	size_t i = p ? (size_t)(p - f->posted) : 0;

	if (!p)
		return BOB_OK;
	memmove(p, p + 1, (f->posted_count - i - 1) * sizeof(*p));
	f->posted_count--;
	return settle(f);
}

bob_status bob_mpi_flows_act(struct bob_mpi_flows *f, const struct bob_mpi_act *a,
			     const struct bob_mpi_arrival *at, uint64_t *id)
{
	uint64_t comm = bob_mpi_comms_id(f->comms, a->comm);
	struct bob_mpi_act whole = *a;
	bob_status st;

	*id = 0;
	switch (a->kind) {
	case BOB_MPI_ACT_SEND:
	case BOB_MPI_ACT_ISEND:
		if (comm)
			return next_id(f, at->thread, comm, f->rank,
				       bob_mpi_objects_member(f->objects, a->comm,
							      (uint64_t)a->peer),
				       a->tag, 1, id);
		f->lost += !f->learning;
		return BOB_OK;
	case BOB_MPI_ACT_IRECV:
		if (!a->probed && !comm)
			f->lost += !f->learning;
		return a->probed || !comm ? BOB_OK : post(f, a, at->thread, comm);
	case BOB_MPI_ACT_IRECV_DONE:
		return a->probed || !comm ? BOB_OK : arrive(f, a, at);
	case BOB_MPI_ACT_RECV:
	case BOB_MPI_ACT_MATCHED:
		if (a->probed || !comm)
			return BOB_OK;
		whole.request = 0; /* blocking: at most one per thread is posted */
		st = post(f, &whole, at->thread, comm);
		return st == BOB_OK ? arrive(f, &whole, at) : st;
	case BOB_MPI_ACT_DROPPED:
		return drop(f, a->request);
	default:
		return BOB_OK;
	}
}

void bob_mpi_flows_end(struct bob_mpi_flows *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->posted_count; i++)
		if (f->posted[i].complete)
			f->posted[kept++] = f->posted[i];
	f->posted_count = kept;
	(void)settle(f);
	f->posted_count = 0;
}
