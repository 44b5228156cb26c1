/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes each item of a nest of events (archive/events/event_nests.h) separately. An enclosing
 * loop in which no relevant value changes becomes a factor; other loops are expanded. A request's
 * name is the number of requests that the thread has created since. So if a loop creates as many
 * requests per iteration as the names grow by, the requests are the same. */
#include "analysis/mpi/runs.h"

#include <string.h>

#include "analysis/mpi/objects.h"
#include "archive/events/event_nests.h"

#define ITEMS_MAX 512u

struct reporter {
	const struct bob_trace *trace;
	const struct bob_mpi_question *q;
	struct bob_error *err;
	bob_status damage;
	uint64_t made;		/* before the nest */
	/* the current nest */
	struct bob_event_nest *nest;
	const struct bob_event_nest_item *item;
	uint32_t count;
	const struct bob_mpi_function *function[ITEMS_MAX]; /* NULL: a loop, or unknown */
	/* requests created in the nest before the item first occurs; for loops: per iteration */
	uint64_t before[ITEMS_MAX];
	uint64_t trips[BOB_EVENT_NEST_DEPTH], made_by[BOB_EVENT_NEST_DEPTH]; /* by depth */
};

static bob_status report(struct reporter *t, const struct bob_mpi_function *f,
			 const struct bob_value_event *e, uint64_t times, uint64_t made)
{
	const struct bob_mpi_run run = { { f, *e }, times, made };

	return t->q->take(t->q->ctx, &run);
}

/* --- single events --- */

static bob_status take_one(void *ctx, uint32_t item, const struct bob_value_event *e)
{
	struct reporter *t = ctx;
	const struct bob_mpi_function *f = t->function[item];
	const struct bob_mpi_call c = { f, *e };
	uint64_t made = t->made;

	if (!f)
		return BOB_OK;
	t->made += bob_mpi_requests_made(&c);
	return t->q->want(t->q->ctx, f) == BOB_MPI_WANT_NONE ? BOB_OK : report(t, f, e, 1, made);
}

/* --- requests created by a nest --- */

static const uint64_t at_first[BOB_EVENT_NEST_DEPTH];

/* Requests created per event of the item. *same is set to 0 if the number varies. */
static bob_status made_by_item(const struct reporter *t, uint32_t item, uint64_t *made, int *same)
{
	const struct bob_mpi_function *f = t->function[item];
	struct bob_mpi_call c = { .function = f };
	bob_status st = BOB_OK;
	int makes = 0;

	*made = 0;
	for (uint32_t i = 0; f && i < f->count; i++) {
		const struct bob_mpi_param *p = &f->params[i];

		if (p->role != BOB_MPI_ROLE_REQUEST ||
		    (p->flags & (BOB_MPI_GOES_IN | BOB_MPI_COMES_OUT)) != BOB_MPI_COMES_OUT)
			continue;
		makes = 1;
		for (uint32_t d = 0; d < t->item[item].depth; d++)
			*same &= !bob_event_nest_step(t->nest, item, p->out, d);
	}
	if (makes)
		st = bob_event_nest_get(t->nest, item, at_first, &c.event);
	if (makes && st == BOB_OK)
		*made = bob_mpi_requests_made(&c);
	return st;
}

/* Sets t->before for [from, to) and adds to *made. */
static bob_status count_made(struct reporter *t, uint32_t from, uint32_t to, uint64_t *made,
			     int *same)
{
	bob_status st = BOB_OK;

	for (uint32_t i = from; i < to && st == BOB_OK; i += 1 + t->item[i].items) {
		uint64_t n = *made;

		if (!t->item[i].items) {
			t->before[i] = *made;
			st = made_by_item(t, i, &n, same);
			*made += n;
			continue;
		}
		st = count_made(t, i + 1, i + 1 + t->item[i].items, &n, same);
		t->before[i] = n - *made;
		*made += t->before[i] * t->item[i].trips;
	}
	return st;
}

/* --- variation --- */

static uint32_t word_varies(const struct reporter *t, uint32_t item, uint32_t word)
{
	uint32_t mask = 0;

	for (uint32_t d = 0; word != BOB_MPI_NOWHERE && d < t->item[item].depth; d++)
		mask |= (uint32_t)(bob_event_nest_step(t->nest, item, word, d) != 0) << d;
	return mask;
}

static uint32_t vector_varies(const struct reporter *t, uint32_t item, uint32_t vector,
			      uint32_t word)
{
	uint32_t mask = 0;
	uint64_t step;

	for (uint32_t d = 0; d < t->item[item].depth; d++)
		mask |= (uint32_t)(!bob_event_nest_element_step(t->nest, item, vector, word, d,
								&step) ||
				   step)
			<< d;
	return mask;
}

/* Is the sign the same in all iterations? */
static int sign_stays(const struct reporter *t, uint32_t item, uint32_t word, int64_t first)
{
	__extension__ typedef __int128 wide;
	wide least = first, most = first;

	for (uint32_t d = 0; d < t->item[item].depth; d++) {
		wide step = (int64_t)bob_event_nest_step(t->nest, item, word, d);

		if (t->trips[d] - 1 > INT64_MAX || step > INT32_MAX || step < INT32_MIN)
			return 0;
		*(step < 0 ? &least : &most) += step * (wide)(t->trips[d] - 1);
	}
	return (least >= 0 && most <= INT64_MAX) || (most < 0 && least >= INT64_MIN);
}

/* Are the requests the same in all iterations of loop `d`, in which their names change by
 * `step`? */
static int requests_stay(const struct reporter *t, const uint64_t *name, uint64_t count,
			 uint64_t step, uint32_t d)
{
	uint64_t made = t->made_by[d];

	for (uint64_t i = 0; i < count; i++) {
		int relative = name[i] >= 2 && name[i] % 2 == 0;

		if (step != (relative ? 2 * made : 0))
			return 0;
	}
	return 1;
}

static uint32_t requests_vary(const struct reporter *t, uint32_t item,
			      const struct bob_mpi_param *p, const struct bob_value_event *e)
{
	uint32_t v = bob_mpi_vector_of(t->function[item], p), mask = 0;

	for (uint32_t d = 0; d < t->item[item].depth; d++) {
		uint64_t step = 0;
		int stay;

		if (v == BOB_MPI_NO_VECTOR) {
			step = bob_event_nest_step(t->nest, item, p->in, d);
			stay = requests_stay(t, &e->word[p->in], 1, step, d);
		} else {
			stay = bob_event_nest_element_step(t->nest, item, v, 0, d, &step) &&
			       requests_stay(t, e->vector[v].at, e->vector[v].count, step, d);
		}
		mask |= (uint32_t)!stay << d;
	}
	return mask;
}

/* Bit set of the enclosing loops in which the relevant value may change. */
static uint32_t param_varies(const struct reporter *t, uint32_t item, const struct bob_mpi_param *p,
			     const struct bob_value_event *e)
{
	const struct bob_mpi_function *f = t->function[item];
	enum bob_mpi_depends depends = t->q->depends(t->q->ctx, f, p);
	int is_status = p->role == BOB_MPI_ROLE_STATUS || p->role == BOB_MPI_ROLE_IOSTATUS;
	uint32_t bytes = p->role == BOB_MPI_ROLE_STATUS ? 2 : 0;
	const int is_trailing = is_status || (f->flags & BOB_MPI_USER && p->in == BOB_MPI_NOWHERE);
	uint32_t word = is_trailing ? p->out : p->in;

	if (depends == BOB_MPI_DEPENDS_NOT || word == BOB_MPI_NOWHERE)
		return 0;
	if (p->role == BOB_MPI_ROLE_REQUEST)
		return requests_vary(t, item, p, e);
	if (p->flags & BOB_MPI_VECTOR)
		return vector_varies(t, item, bob_mpi_vector_of(f, p), bytes);
	if (depends == BOB_MPI_DEPENDS_ON_SIGN && sign_stays(t, item, word, (int64_t)e->word[word]))
		return 0;
	return word_varies(t, item, word + bytes);
}

static bob_status what_varies(struct reporter *t, uint32_t item, enum bob_mpi_want want,
			      uint32_t *mask)
{
	const struct bob_mpi_function *f = t->function[item];
	struct bob_value_event e;
	bob_status st;

	*mask = (1u << t->item[item].depth) - 1;
	if (want == BOB_MPI_WANT_EACH || !*mask)
		return BOB_OK;
	st = bob_event_nest_get(t->nest, item, at_first, &e);
	if (st != BOB_OK)
		return st;
	*mask = word_varies(t, item, f->result);
	for (uint32_t i = 0; i < f->count; i++)
		*mask |= param_varies(t, item, &f->params[i], &e);
	return BOB_OK;
}

/* --- nests --- */

/* Reports the item for all iterations of the loops in `mask`, outermost first; `times` is the
 * product of the other loops. */
static bob_status report_item(struct reporter *t, uint32_t item, uint32_t mask)
{
	uint64_t at[BOB_EVENT_NEST_DEPTH] = { 0 }, times = t->item[item].times;
	uint32_t depth = t->item[item].depth, d = 0;
	bob_status st;

	for (uint32_t i = 0; i < depth; i++)
		times /= mask >> i & 1 ? t->trips[i] : 1;
	do {
		struct bob_value_event e;
		uint64_t made = t->made + t->before[item];

		for (uint32_t i = 0; i < depth; i++)
			made += at[i] * t->made_by[i];
		st = bob_event_nest_get(t->nest, item, at, &e);
		if (st == BOB_OK)
			st = report(t, t->function[item], &e, times, made);
		for (d = depth; d > 0; d--) {
			if (!(mask >> (d - 1) & 1))
				continue;
			if (++at[d - 1] < t->trips[d - 1])
				break;
			at[d - 1] = 0;
		}
	} while (d && st == BOB_OK);
	return st;
}

static bob_status report_items(struct reporter *t)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < t->count && st == BOB_OK; i++) {
		enum bob_mpi_want want;
		uint32_t mask;

		if (t->item[i].items) {
			t->trips[t->item[i].depth] = t->item[i].trips;
			t->made_by[t->item[i].depth] = t->before[i];
			continue;
		}
		want = t->function[i] ? t->q->want(t->q->ctx, t->function[i]) : BOB_MPI_WANT_NONE;
		if (want == BOB_MPI_WANT_NONE)
			continue;
		st = what_varies(t, i, want, &mask);
		if (st == BOB_OK)
			st = report_item(t, i, mask);
	}
	return st;
}

/* Looks up the functions; items of unknown ones are omitted. *each: number of items that must be
 * reported in call order. */
static void know_functions(struct reporter *t, uint32_t *each)
{
	*each = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct bob_event_nest_item *it = &t->item[i];

		t->function[i] = NULL;
		if (it->items)
			continue;
		t->function[i] = bob_mpi_function_fitting(t->trace, it->key, it->key_len, it->words,
							  it->vectors, it->open);
		if (!t->function[i]) {
			t->damage = bob_mpi_unknown_function(t->err);
			continue;
		}
		*each += t->q->want(t->q->ctx, t->function[i]) == BOB_MPI_WANT_EACH;
	}
}

static bob_status visit(void *ctx, struct bob_event_nest *nest)
{
	struct reporter *t = ctx;
	uint64_t made = 0;
	uint32_t each;
	int same = 1;
	bob_status st;

	t->nest = nest;
	t->item = bob_event_nest_items(nest, &t->count);
	if (t->count > ITEMS_MAX)
		return BOB_ERR_INVAL;
	know_functions(t, &each);
	if (t->count == 1)
		return bob_event_nest_each(nest, take_one, t);
	st = count_made(t, 0, t->count, &made, &same);
	if (st == BOB_OK && (!same || each > 1))
		return bob_event_nest_each(nest, take_one, t);
	if (st == BOB_OK)
		st = report_items(t);
	t->made += made;
	return st;
}

bob_status bob_mpi_runs(const struct bob_trace *t, uint32_t thread,
			const struct bob_mpi_question *q, struct bob_error *err)
{
	struct reporter reporter = { .trace = t, .q = q, .err = err };
	bob_status st = bob_event_nests_visit(t, thread, BOB_VALUES_MPI, visit, &reporter, err);

	if (st == BOB_NONE)
		return BOB_OK;
	return st == BOB_OK ? reporter.damage : st;
}
