/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads all calls of a process once, in runs (runs.h), and keeps those that create objects. There
 * are few handles; they are found by binary search. */
#include "analysis/mpi/objects.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/mpi/call_bytes.h"
#include "analysis/mpi/runs.h"
#include "base/host/vec.h"
#include "base/order.h"

struct pair {
	uint64_t key, value;
};

/* Array of rows of `size` bytes, each beginning with its 64-bit key. */
struct rows {
	uint8_t *at;
	size_t count, cap, size;
	/* keys are not ascending (several threads): sort before lookup */
	int mixed;
};

struct bob_mpi_objects {
	const struct bob_trace *trace;
	uint32_t process;
	uint32_t rank;		/* in the trace */
	uint32_t first, world;	/* first rank and size of its world */
	struct rows comms, types, windows, persistents;
	BOB_VEC(uint32_t *) lists; /* members of communicators, owned */
	uint32_t *all;		/* ranks 0, 1, ..., the members of MPI_COMM_WORLD */
	int no_memory;
};

static void *add(struct bob_mpi_objects *o, struct rows *r, uint64_t key)
{
	if (bob_vec_reserve(&r->at, r->count, &r->cap, r->size, 1) != BOB_OK) {
		o->no_memory = 1;
		return NULL;
	}
	if (r->count && bob_compare_u64(r->at + (r->count - 1) * r->size, &key) >= 0)
		r->mixed = 1;
	memset(r->at + r->count * r->size, 0, r->size);
	memcpy(r->at + r->count * r->size, &key, sizeof(key));
	return r->at + r->count++ * r->size;
}

static void *find(const struct rows *r, uint64_t key)
{
	if (!r->mixed)
		return r->count ? bsearch(&key, r->at, r->count, r->size, bob_compare_u64) : NULL;
	for (size_t i = r->count; i-- > 0;)
		if (!bob_compare_u64(r->at + i * r->size, &key))
			return r->at + i * r->size;
	return NULL;
}

static void sort(struct rows *r)
{
	if (r->count)
		qsort(r->at, r->count, r->size, bob_compare_u64);
	r->mixed = 0;
}

/* --- communicators --- */

static void set_members(struct bob_mpi_objects *o, struct bob_mpi_comm *c,
			const struct bob_value_vector *v)
{
	uint32_t *list = malloc((v->count + 1) * sizeof(*list));

	if (!list || BOB_VEC_ADD(&o->lists, list)) {
		free(list);
		o->no_memory = 1;
		return;
	}
	for (uint64_t i = 0; i < v->count; i++) {
		list[i] = bob_trace_member(o->trace, o->process, v->at[i]);
		if (list[i] == o->rank)
			c->me = (uint32_t)i;
	}
	c->member = list;
	c->members = (uint32_t)v->count;
}

/* Number of destinations in the topology that the call creates. */
static uint32_t neighbours_of(const struct bob_mpi_call *c)
{
	const struct bob_mpi_function *f = c->function;
	uint64_t n = 0;

	if (!strcmp(f->name, "Cart_create"))
		return (uint32_t)(2 * bob_mpi_in(c, bob_mpi_param_named(f, "ndims")));
	if (!strcmp(f->name, "Dist_graph_create_adjacent"))
		return (uint32_t)bob_mpi_in(c, bob_mpi_param_named(f, "outdegree"));
	if (strcmp(f->name, "Cart_sub") != 0)
		return ~0u;
	const struct bob_value_vector *v =
		&c->event.vector[bob_mpi_vector_of(f, bob_mpi_param_named(f, "remain_dims"))];
	if (bob_mpi_is_cut(v->at, v->count, &n))
		return ~0u;
	for (uint64_t i = 0; i < v->count; i++)
		n += v->at[i] != 0;
	return (uint32_t)(2 * n);
}

static int is_dup(const struct bob_mpi_function *f)
{
	return !strncmp(f->name, "Comm_", 5) && strstr(f->name, "dup");
}

/* Sets the own group of an intercommunicator created from `from`. */
static void set_local(struct bob_mpi_comm *c, const struct bob_mpi_comm *from)
{
	if (!strcmp(c->made_by->name, "Intercomm_create") && from->me != ~0u) {
		c->local = from->member;
		c->locals = from->member ? from->members : 0;
	} else if (is_dup(c->made_by)) {
		c->local = from->local;
		c->locals = from->locals;
	}
}

static void add_comm(struct bob_mpi_objects *o, const struct bob_mpi_call *c,
		     const struct bob_mpi_param *p, uint32_t thread)
{
	uint64_t number = bob_mpi_out(c, p);
	const struct bob_value_vector *v = &c->event.vector[bob_mpi_vector_of(c->function, p)];
	const struct bob_mpi_comm *old;
	struct bob_mpi_comm *to, from = { 0 };

	if (number < BOB_MPI_FIRST_NEW || number == BOB_MPI_UNKNOWN || find(&o->comms, number))
		return;
	old = find(&o->comms, bob_mpi_in(c, bob_mpi_param_of(c->function, BOB_MPI_ROLE_COMM)));
	if (old)
		from = *old;
	to = add(o, &o->comms, number);
	if (!to)
		return;
	to->made_by = c->function;
	to->thread = thread;
	to->me = ~0u;
	to->neighbours = neighbours_of(c);
	if (v->count) {
		set_members(o, to, v);
	} else { /* not yet complete: only Comm_idup */
		to->member = from.member;
		to->members = from.members;
		to->me = from.member ? from.me : ~0u;
	}
	set_local(to, &from);
	if (to->neighbours == ~0u && from.members && is_dup(c->function))
		to->neighbours = from.neighbours;
}

static int predefine(struct bob_mpi_objects *o)
{
	struct bob_mpi_comm *world = add(o, &o->comms, 1), *self;
	const uint32_t n = o->world, me = o->rank - o->first;

	o->all = malloc(((n == ~0u ? 0 : n) + 1ull) * sizeof(*o->all));
	if (!world || !o->all)
		return -1;
	for (uint32_t i = 0; n != ~0u && i < n; i++)
		o->all[i] = o->first + i;
	*world = (struct bob_mpi_comm){ 1, NULL, n == ~0u ? NULL : o->all, n == ~0u ? 0 : n,
					o->rank == ~0u ? ~0u : me, ~0u, 0, NULL, 0 };
	self = add(o, &o->comms, 2);
	if (!self)
		return -1;
	*self = (struct bob_mpi_comm){ 2, NULL, me < n && n != ~0u ? &o->all[me] : NULL,
				       me < n && n != ~0u, 0, ~0u, 0, NULL, 0 };
	return 0;
}

/* --- reading --- */

static void put_pair(struct bob_mpi_objects *o, struct rows *r, uint64_t key, uint64_t value)
{
	struct pair *to;

	if (key < BOB_MPI_FIRST_NEW || key == BOB_MPI_UNKNOWN || find(r, key))
		return;
	to = add(o, r, key);
	if (to)
		to->value = value;
}

static void add_persistent(struct bob_mpi_objects *o, const struct bob_mpi_call *c, uint64_t id)
{
	struct bob_mpi_persistent *to = add(o, &o->persistents, id);

	if (!to)
		return;
	to->function = c->function;
	to->comm = bob_mpi_comm_of(o, c);
	to->peer = bob_mpi_destination(c);
	to->sent = bob_mpi_sent(o, c);
}

static int is_persistent(const struct bob_mpi_function *f)
{
	size_t n = strlen(f->name);

	return (n > 5 && !strcmp(f->name + n - 5, "_init")) ||
	       (n > 7 && !strcmp(f->name + n - 7, "_init_c"));
}

static int makes_window(const struct bob_mpi_param *p)
{
	return p->role == BOB_MPI_ROLE_WIN && p->flags == BOB_MPI_COMES_OUT;
}

static enum bob_mpi_want want(void *ctx, const struct bob_mpi_function *f)
{
	int makes = is_persistent(f);

	(void)ctx;
	for (uint32_t i = 0; i < f->count; i++)
		makes |= bob_mpi_has_members(&f->params[i]) || bob_mpi_has_size(&f->params[i]) ||
			 makes_window(&f->params[i]);
	return makes ? BOB_MPI_WANT_EACH : BOB_MPI_WANT_NONE;
}

static enum bob_mpi_depends depends(void *ctx, const struct bob_mpi_function *f,
				    const struct bob_mpi_param *p)
{
	(void)ctx, (void)f, (void)p;
	return BOB_MPI_DEPENDS;
}

struct reading {
	struct bob_mpi_objects *objects;
	uint32_t number;	/* of the thread in the process */
};

static bob_status take(void *ctx, const struct bob_mpi_run *run)
{
	const struct reading *r = ctx;
	const struct bob_mpi_call *c = &run->call;
	struct bob_mpi_objects *o = r->objects;

	if (c->event.open || bob_mpi_result(c))
		return BOB_OK;
	for (uint32_t i = 0; i < c->function->count; i++) {
		const struct bob_mpi_param *p = &c->function->params[i];

		if (bob_mpi_has_members(p))
			add_comm(o, c, p, r->number);
		else if (bob_mpi_has_size(p))
			put_pair(o, &o->types, bob_mpi_out(c, p), c->event.word[p->out + 1]);
		else if (makes_window(p))
			put_pair(o, &o->windows, bob_mpi_out(c, p), bob_mpi_comm_of(o, c));
	}
	if (is_persistent(c->function) && bob_mpi_requests_made(c))
		add_persistent(o, c, (uint64_t)(r->number + 1) << 32 | (uint32_t)run->made);
	return o->no_memory ? BOB_ERR_NOMEM : BOB_OK;
}

static bob_status read_thread(struct bob_mpi_objects *o, const struct bob_trace *t, uint32_t thread)
{
	struct reading r = { o, bob_trace_thread(t, thread)->number };
	const struct bob_mpi_question q = { want, depends, take, &r };
	bob_status st = bob_mpi_runs(t, thread, &q, NULL);

	return st == BOB_ERR_CORRUPT ? BOB_OK : st;
}

bob_status bob_mpi_objects_create(const struct bob_trace *t, uint32_t process,
				  struct bob_mpi_objects **out)
{
	const struct bob_process_info *p = bob_trace_process(t, process);
	const struct bob_world_info *w = bob_trace_world(t, (uint32_t)p->world);
	struct bob_mpi_objects *o = calloc(1, sizeof(*o));
	bob_status st = BOB_OK;

	if (!o)
		return BOB_ERR_NOMEM;
	o->trace = t;
	o->process = process;
	o->rank = p->rank < 0 ? ~0u : (uint32_t)p->rank;
	o->first = w ? w->first : 0;
	o->world = w ? w->size : ~0u;
	if (p->rank < 0 && bob_trace_process_count(t) == 1) { /* started without mpirun */
		o->rank = 0;
		o->world = 1;
	}
	o->comms.size = sizeof(struct bob_mpi_comm);
	o->types.size = o->windows.size = sizeof(struct pair);
	o->persistents.size = sizeof(struct bob_mpi_persistent);
	if (predefine(o))
		st = BOB_ERR_NOMEM;
	for (uint32_t i = 0; i < p->thread_count && st == BOB_OK; i++)
		st = read_thread(o, t, p->first_thread + i);
	if (o->no_memory)
		st = BOB_ERR_NOMEM;
	if (st != BOB_OK) {
		bob_mpi_objects_destroy(o);
		return st;
	}
	sort(&o->comms);
	sort(&o->types);
	sort(&o->windows);
	sort(&o->persistents);
	*out = o;
	return BOB_OK;
}

void bob_mpi_objects_destroy(struct bob_mpi_objects *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->lists.count; i++)
		free(o->lists.at[i]);
	BOB_VEC_FREE(&o->lists);
	free(o->all);
	free(o->comms.at);
	free(o->types.at);
	free(o->windows.at);
	free(o->persistents.at);
	free(o);
}

/* --- queries --- */

uint32_t bob_mpi_objects_rank(const struct bob_mpi_objects *o)
{
	return o->rank;
}

uint32_t bob_mpi_objects_ranks(const struct bob_mpi_objects *o)
{
	return o->world == ~0u ? 0 : o->first + o->world;
}

const struct bob_mpi_comm *bob_mpi_objects_comm(const struct bob_mpi_objects *o, uint64_t number)
{
	return find(&o->comms, number);
}

const struct bob_mpi_comm *bob_mpi_objects_comms(const struct bob_mpi_objects *o, size_t *count)
{
	*count = o->comms.count;
	return (const struct bob_mpi_comm *)(const void *)o->comms.at;
}

uint32_t bob_mpi_objects_member(const struct bob_mpi_objects *o, uint64_t comm, uint64_t rank)
{
	const struct bob_mpi_comm *c = bob_mpi_objects_comm(o, comm);

	return c && c->member && rank < c->members ? c->member[rank] : ~0u;
}

uint64_t bob_mpi_objects_size(const struct bob_mpi_objects *o, uint64_t type)
{
	const struct bob_mpi_name *name;
	const struct pair *p;

	if (type >= BOB_MPI_FIRST_NEW) {
		p = find(&o->types, type);
		return p ? p->value : BOB_MPI_UNKNOWN;
	}
	name = bob_mpi_name_of(BOB_MPI_ROLE_TYPE, type);
	return name ? name->size_bytes : BOB_MPI_UNKNOWN;
}

uint64_t bob_mpi_objects_window_comm(const struct bob_mpi_objects *o, uint64_t win)
{
	const struct pair *p = find(&o->windows, win);

	return p ? p->value : BOB_MPI_UNKNOWN;
}

const struct bob_mpi_persistent *bob_mpi_objects_persistent(const struct bob_mpi_objects *o,
							    uint64_t id)
{
	return find(&o->persistents, id);
}

uint64_t bob_mpi_request_id(uint64_t word, uint32_t thread, uint64_t made)
{
	if (word < 2)
		return 0;
	if (word & 1)
		return word >> 1;
	return (uint64_t)(thread + 1) << 32 | (uint32_t)(made - 1 - (word - 2) / 2);
}

uint32_t bob_mpi_requests_made(const struct bob_mpi_call *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->function->count; i++) {
		const struct bob_mpi_param *p = &c->function->params[i];

		n += p->role == BOB_MPI_ROLE_REQUEST &&
		     (p->flags & (BOB_MPI_GOES_IN | BOB_MPI_COMES_OUT)) == BOB_MPI_COMES_OUT &&
		     bob_mpi_out(c, p);
	}
	return n;
}
