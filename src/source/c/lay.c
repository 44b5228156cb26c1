/* SPDX-License-Identifier: BSD-3-Clause */
/* Unrolls loops with constant trips in the innermost body of a nest: three coordinates, five
 * components. Their accesses become accesses of one iteration of the loop around, repeated in
 * execution order. So a nest may have such loops next to statements, and its rows are as long as
 * the loop around, not three. */
#include "source/c/nest.h"

/* --- repetition --- */

/* Repeats the accesses from index `first` on for each iteration of loop l. False: too many. */
static bool repeat(struct bob_c_nest *n, const struct bob_c_nest_laid *l, uint32_t first)
{
	struct bob_c_unit *u = n->u;
	const char *type = bob_c_text(u, u->clang->getTypeSpelling(l->loop.counter->canonical));
	const uint32_t count = n->count - first;

	if (l->trips && !bob_c_nest_has_space(n, count * (l->trips - 1), 0))
		return false;
	for (uint32_t k = first; k < n->count && !l->trips; k++)
		n->places -= n->access[k].of == k;
	n->count = first + count * l->trips;
	for (uint32_t k = n->count; k-- > first;) {
		const uint32_t t = (k - first) / count;
		struct bob_c_nest_access *a = &n->access[k];

		*a = n->access[first + (k - first) % count];
		a->with = bob_c_printf(u, "%s %s=%lld;(void)%s;%s", type, l->loop.counter->name,
				       (long long)(l->low + t * l->loop.step),
				       l->loop.counter->name, a->with);
		if (!a->with)
			return false;
	}
	return true;
}

/* The loop's counter values; false: it cannot be unrolled. */
static bool measure(struct bob_c_nest *n, const struct bob_c_nest_loop *loop,
		    struct bob_c_nest_laid *out)
{
	out->loop = *loop;
	if (!(loop->trips >= 0 && loop->trips <= BOB_PROBE_NEST_LAID_MAX) ||
	    !bob_c_nest_value(n->u, loop->low, &out->low))
		return false;
	out->trips = (uint32_t)loop->trips;
	return out->low >= 0 || bob_c_is_signed(loop->counter->canonical.kind);
}

/* --- body of an iteration --- */

static bool lay(struct bob_c_nest *n, CXCursor c)
{
	struct bob_c_nest_laid *l = &n->laid[n->laid_count];
	const uint32_t first = n->count, written = n->written_count, stored = n->stored,
		       through = n->stored_through;
	struct bob_c_nest_loop loop;
	CXCursor body;
	bool ok;

	n->around = n->depth;
	if (n->laid_count == BOB_C_NEST_LAID_MAX ||
	    bob_c_is_asked(n->u, BOB_SOURCE_C_LOOPS, bob_c_span(n->u, c).line) ||
	    !bob_c_nest_head(n, c, &loop, &body) || !measure(n, &loop, l) ||
	    bob_c_nest_counts_around(n, loop.counter))
		return false;
	/* The loop's own update of its counter does not count as a store. */
	n->written_count = written;
	n->stored = stored;
	n->stored_through = through;
	n->laid_count++;
	l->outer = n->within;
	n->within = l;
	ok = bob_c_nest_body(n, body);
	n->within = l->outer;
	return ok && repeat(n, l, first);
}

bool bob_c_nest_body(struct bob_c_nest *n, CXCursor c)
{
	const enum CXCursorKind k = n->u->clang->getCursorKind(c);
	struct bob_c_list l;
	bool ok = true;

	if (k == CXCursor_ForStmt)
		return lay(n, c);
	if (k != CXCursor_CompoundStmt) {
		if (!bob_c_nest_is_straight(n, c))
			return false;
		bob_c_nest_collect(n, c);
		return !n->is_bad;
	}
	l = bob_c_all_children(n->u, c);
	for (size_t i = 0; i < l.count && ok; i++)
		ok = bob_c_nest_body(n, l.at[i]);
	bob_c_list_free(&l);
	return ok;
}

/* --- loops of the nest itself --- */

/* Unrolls the innermost loop into the iteration of the loop around. */
static bool lay_last(struct bob_c_nest *n)
{
	struct bob_c_nest_laid *l = &n->laid[n->laid_count];

	if (n->depth < 2 || n->laid_count == BOB_C_NEST_LAID_MAX ||
	    !measure(n, &n->loop[n->depth - 1], l) || !l->trips || !repeat(n, l, 0))
		return false;
	l->outer = NULL;
	for (uint32_t i = 0; i < n->laid_count; i++)
		if (!n->laid[i].outer)
			n->laid[i].outer = l;
	for (uint32_t k = 0; k < n->count; k++)
		if (!n->access[k].laid)
			n->access[k].laid = l;
	n->laid_count++;
	n->depth--;
	return true;
}

void bob_c_nest_lay_inner(struct bob_c_nest *n)
{
	while (lay_last(n))
		;
}
