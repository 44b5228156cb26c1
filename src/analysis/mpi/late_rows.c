/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of the analysis of wait states: sums by call site and cause; and maps with pairs of
 * numbers as keys. */
#include "analysis/mpi/call_bytes.h"
#include "analysis/mpi/late_private.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

/* --- maps --- */

void *bob_late_map_get(const struct bob_late_map *m, uint64_t a, uint64_t b)
{
	const uint64_t key[2] = { a, b };
	const struct bob_late_entry *e = BOB_MAP_FIND(m, &key);

	return e ? e->value : NULL;
}

int bob_late_map_put(struct bob_late_map *m, uint64_t a, uint64_t b, void *value)
{
	const uint64_t key[2] = { a, b };
	struct bob_late_entry *e = BOB_MAP_PUT(m, &key);

	if (e)
		e->value = value;
	return e != NULL;
}

void bob_late_map_drop(struct bob_late_map *m, uint64_t a, uint64_t b)
{
	const uint64_t key[2] = { a, b };

	BOB_MAP_REMOVE(m, &key);
}

void bob_late_map_free(struct bob_late_map *m, void (*release)(void *value))
{
	for (size_t i = 0; i < m->count && release; i++)
		release(m->at[i].value);
	BOB_MAP_FREE(m);
}

/* --- rows --- */

/* Finds or adds the entry of a key, `size` bytes; NULL: no memory. */
static void *entry_of(struct bob_mpi_late *l, struct bob_late_map *m, uint64_t a, uint64_t b,
		      size_t size)
{
	void *e = bob_late_map_get(m, a, b);

	if (e)
		return e;
	e = calloc(1, size);
	if (!e || !bob_late_map_put(m, a, b, e)) {
		free(e);
		l->no_memory = 1;
		return NULL;
	}
	return e;
}

/* A row, and its number (from 1), to which causes refer. */
struct row {
	struct bob_mpi_late_row row;
	uint64_t number;
};

struct cause {
	struct bob_mpi_late_cause cause;
	uint64_t row;
};

static struct row *row_of(struct bob_mpi_late *l, const struct bob_late_site *s)
{
	struct row *r = entry_of(l, &l->rows, s->function->number, s->path, sizeof(*r));

	if (r && !r->number) {
		r->number = l->rows.count;
		r->row.function = s->function;
		r->row.path = s->path;
	}
	return r;
}

static uint64_t uncertainty(const struct bob_mpi_late *l, uint32_t a, uint32_t b)
{
	const uint64_t x = l->process[a].uncertainty_ns, y = l->process[b].uncertainty_ns;

	if (a == b)
		return 0;
	return x == BOB_CLOCK_UNKNOWN || y >= BOB_CLOCK_UNKNOWN - x ? BOB_CLOCK_UNKNOWN : x + y;
}

static int is_collective(const struct bob_mpi_function *f)
{
	return bob_mpi_class_of(f) == BOB_MPI_CLASS_COLLECTIVE;
}

void bob_late_judge(struct bob_mpi_late *l, struct bob_late_wait *w,
		    const struct bob_late_site *from, uint64_t from_ns)
{
	const uint64_t u = uncertainty(l, w->call.site.process, from->process);
	const uint64_t begin = w->call.begin_ns, end = w->call.end_ns;
	const uint64_t apart = from_ns > begin ? from_ns - begin : begin - from_ns;
	struct row *r = row_of(l, &w->call.site);
	uint64_t lost;

	if (!r)
		return;
	r->row.times++;
	if (u == BOB_CLOCK_UNKNOWN || (u && apart <= u)) {
		r->row.undecided++;
		return;
	}
	if (from_ns <= begin)
		return;
	r->row.late++;
	lost = from_ns < end ? apart : end - begin;
	if (lost > w->lost_ns) {
		w->lost_ns = lost;
		w->cause = *from;
	}
}

void bob_late_done(struct bob_mpi_late *l, const struct bob_late_wait *w)
{
	struct row *r = w->lost_ns ? row_of(l, &w->call.site) : NULL;
	struct cause *c;

	if (!r)
		return;
	r->row.lost_ns += w->lost_ns;
	if (w->lost_ns > r->row.most_ns) {
		r->row.most_ns = w->lost_ns;
		r->row.most_process = w->call.site.process;
	}
	c = entry_of(l, &l->causes, r->number << 16 | w->cause.function->number,
		     (uint64_t)w->cause.path << 32 | w->cause.process, sizeof(*c));
	if (!c)
		return;
	c->row = r->number;
	c->cause.function = w->cause.function;
	c->cause.path = w->cause.path;
	c->cause.process = w->cause.process;
	c->cause.calls++;
	c->cause.lost_ns += w->lost_ns;
}

/* --- results --- */

BOB_COMPARE(by_cause, struct cause,
	    BOB_UP(row) BOB_DOWN(cause.lost_ns) BOB_UP(cause.process) BOB_UP(cause.path))

BOB_COMPARE(by_lost, struct bob_mpi_late_row,
	    BOB_DOWN(lost_ns) BOB_DOWN(times) BOB_UP(function->number) BOB_UP(path))

static void add_sum(struct bob_mpi_late_sum *s, const struct bob_mpi_late_row *r)
{
	const int all = is_collective(r->function);

	s->messages += all ? 0 : r->times;
	s->late_messages += all ? 0 : r->late;
	s->collectives += all ? r->times : 0;
	s->late_collectives += all ? r->late : 0;
	s->lost_ns += r->lost_ns;
	s->undecided += r->undecided;
}

static void link_causes(struct bob_mpi_late *l, struct cause *all, size_t count,
			const uint64_t *number)
{
	for (size_t i = 0; i < count; i++)
		l->cause[i] = all[i].cause;
	for (size_t i = 0; i < l->row_count; i++) {
		size_t first = 0;

		while (first < count && all[first].row != number[i])
			first++;
		l->row[i].cause = l->cause + first;
		while (first + l->row[i].causes < count &&
		       all[first + l->row[i].causes].row == number[i])
			l->row[i].causes++;
	}
}

void bob_late_rows_finish(struct bob_mpi_late *l)
{
	struct cause *all = calloc(l->causes.count + 1, sizeof(*all));
	uint64_t *number = calloc(l->rows.count + 1, sizeof(*number));
	size_t n = 0;

	l->row = calloc(l->rows.count + 1, sizeof(*l->row));
	l->cause = calloc(l->causes.count + 1, sizeof(*l->cause));
	if (!all || !number || !l->row || !l->cause) {
		l->no_memory = 1;
		goto free_all;
	}
	for (size_t i = 0; i < l->causes.count; i++)
		all[n++] = *(struct cause *)l->causes.at[i].value;
	qsort(all, n, sizeof(*all), by_cause);
	for (size_t i = 0; i < l->rows.count; i++) {
		const struct row *r = l->rows.at[i].value;

		number[l->row_count] = r->number;
		l->row[l->row_count++] = r->row;
		add_sum(&l->sum, &r->row);
	}
	link_causes(l, all, n, number);
	qsort(l->row, l->row_count, sizeof(*l->row), by_lost);
free_all:
	free(all);
	free(number);
}
