/* SPDX-License-Identifier: BSD-3-Clause */
/* Generates the probe of a nest. The procedures that it calls (companion.c) collect the trips and
 * addresses. The outermost counter is the program's own: it gets the value that its loop assigns
 * next. The other counters are separate names in a BLOCK: the program's variables keep their
 * values, which may be read before their loops run. Inner bounds are evaluated only if the loops
 * around run.
 *
 * Unrolled loops (lay.c) are loops in the probe, too; their counters determine the reported
 * address.
 *
 * If bounds depend on outer loops (runtime/uneven.c), the probe passes the bounds, and then the
 * addresses in the iterations that it is asked for. The outermost counter is a separate name there,
 * too. */
#include "source/fortran/weave/nest.h"
#include "source/fortran/weave/lines.h"

#include <string.h>

static void put(const struct bob_weave_nest *n, uint32_t at, const char *text)
{
	bob_weave_put(n->w, at, BOB_RANK_NEST, n->first, text);
}

static const char *slice(const struct bob_weave_nest *n, uint32_t statement,
			 const struct bob_fortran_expr *e)
{
	return bob_weave_text(n->w, "%.*s", (int)(e->to - e->from),
			      n->w->file->statements[statement].text + e->from);
}

static const char *step_of(const struct bob_weave_nest *n, const struct bob_weave_nest_loop *l)
{
	return l->step ? slice(n, l->statement, l->step) : "1";
}

static void put_loop(const struct bob_weave_nest *n, uint32_t at,
		     const struct bob_weave_nest_loop *l)
{
	const char *i = l->counter->name;

	put(n, at, bob_weave_text(n->w, "%s=%s", i, slice(n, l->statement, l->low)));
	put(n, at,
	    bob_weave_text(n->w, "if (%sc(%s+0_8,(%s)+0_8,(%s)+0_8)/=0_4) then", n->w->id, i,
			   slice(n, l->statement, l->high), step_of(n, l)));
}

/* Does the counter of loop `d` move its address? The address of the counter itself is constant. */
static bool is_moved(const struct bob_weave_nest *n, uint32_t access, uint32_t d)
{
	const struct bob_weave_nest_access *a = &n->access[access];
	const struct bob_fortran_expr *first = a->use.ref->child;

	return (first->child || first->next) &&
	       bob_weave_names(n->w, a->statement, first, n->loop[d].counter);
}

/* Passes addresses of the accesses that loop `by` moves (BOB_FORTRAN_NO: of all): access k of an
 * iteration is in slot k * stride + which. The lines go to byte `at`. */
struct places {
	uint32_t at, by, stride, which;
	/* only in the first trips of unrolled loops: the others have the same strides */
	bool is_first;
};

static void put_place(const struct bob_weave_nest *n, const struct places *p, uint32_t k)
{
	const struct bob_weave_nest_access *a = &n->access[k];
	const char *place = slice(n, a->statement, a->use.ref), *slot = "";
	const struct bob_weave_nest_laid *l = bob_weave_laid_in(n, n->innermost, k);

	if (!l || p->is_first) {
		put(n, p->at,
		    bob_weave_text(n->w, "call %sw(%u_4,%s)", n->w->id,
				   a->first * p->stride + p->which, place));
		return;
	}
	for (; l; l = bob_weave_laid_in(n, l->construct, k))
		slot = bob_weave_text(n->w, "%s+(%s-(%lld))/(%lld)*%u", slot, l->counter->name,
				      (long long)l->low, (long long)l->step, l->width * p->stride);
	put(n, p->at, bob_weave_text(n->w, "bobbin_s=%u%s", a->first * p->stride + p->which, slot));
	put(n, p->at, bob_weave_text(n->w, "call %sw(bobbin_s,%s)", n->w->id, place));
}

/* Is one of accesses from..to-1 passed? */
static bool is_meant(const struct bob_weave_nest *n, const struct places *p, uint32_t from,
		     uint32_t to)
{
	while (p->by != BOB_FORTRAN_NO && from < to && !is_moved(n, from, p->by))
		from++;
	return from < to;
}

/* Passes accesses from..to-1, which are in construct `in`. */
static void put_places(const struct bob_weave_nest *n, const struct places *p, uint32_t in,
		       uint32_t from, uint32_t to)
{
	for (uint32_t k = from, end; k < to; k = end) {
		const struct bob_weave_nest_laid *l = bob_weave_laid_in(n, in, k);

		end = k + 1;
		while (l && end < to && bob_weave_laid_in(n, in, end) == l)
			end++;
		if (!is_meant(n, p, k, end))
			continue;
		if (!l) {
			put_place(n, p, k);
			continue;
		}
		if (p->is_first) {
			put(n, p->at,
			    bob_weave_text(n->w, "%s=%lld", l->counter->name, (long long)l->low));
			put_places(n, p, l->construct, k, end);
			continue;
		}
		put(n, p->at,
		    bob_weave_text(
			    n->w, "do %s=%lld,%lld,%lld", l->counter->name, (long long)l->low,
			    (long long)(l->low + l->step * (l->trips - 1)), (long long)l->step));
		put_places(n, p, l->construct, k, end);
		put(n, p->at, "end do");
	}
}

/* Passes the addresses of the first iteration. */
static void put_first(const struct bob_weave_nest *n, uint32_t at, uint32_t stride)
{
	const struct places p = { .at = at, .by = BOB_FORTRAN_NO, .stride = stride };

	put_places(n, &p, n->innermost, 0, n->count);
}

/* Passes the addresses of the second trip of loop `d`, if it exists, for accesses that it moves. */
static void put_step(const struct bob_weave_nest *n, uint32_t at, uint32_t d)
{
	const struct bob_weave_nest_loop *l = &n->loop[d];
	const struct places p = {
		.at = at, .by = d, .stride = n->depth + 1, .which = d + 1, .is_first = n->is_alike
	};
	const char *i = l->counter->name, *low = slice(n, l->statement, l->low);

	if (!is_meant(n, &p, 0, n->count))
		return;
	put(n, at, bob_weave_text(n->w, "if (%sg(%u_4)/=0_4) then", n->w->id, d));
	put(n, at, bob_weave_text(n->w, "%s=%s+(%s)", i, i, step_of(n, l)));
	put_places(n, &p, n->innermost, 0, n->count);
	put(n, at, bob_weave_text(n->w, "%s=%s", i, low));
	put(n, at, "end if");
}

bool bob_weave_has_block(const struct bob_weave_nest *n)
{
	return n->is_uneven || n->depth > 1 || n->laid_count;
}

/* Opens a BLOCK with the counters of loops `from` and following, and of unrolled loops. */
static void put_counters(const struct bob_weave_nest *n, uint32_t at, uint32_t from)
{
	put(n, at, "block");
	for (uint32_t d = from; d < n->depth; d++)
		put(n, at, bob_weave_text(n->w, "integer(8)::%s", n->loop[d].counter->name));
	if (n->laid_count)
		put(n, at, "integer(4)::bobbin_s");
	for (uint32_t l = 0; l < n->laid_count; l++) {
		const struct bob_fortran_symbol *s = n->laid[l].counter;
		uint32_t before = 0;

		while (n->laid[before].counter != s)
			before++;
		if (before == l)
			put(n, at, bob_weave_text(n->w, "integer(%d)::%s", s->kind, s->name));
	}
}

/* --- in a loop with hoisted caches --- */

/* A constant that is not 0: the trips can be divided by it. */
static bool is_step_known(const struct bob_weave_nest *n, const struct bob_weave_nest_loop *l)
{
	const char *step = step_of(n, l);

	step += *step == '-';
	return *step && strspn(step, "0123456789") == strlen(step) &&
	       strspn(step, "0") < strlen(step);
}

/* Tests whether an access is outside of its cached range for this value of the counter. After a
 * step, only accesses that it moves are tested. */
static void put_tests(const struct bob_weave_nest *n, uint32_t at, bool goes_on)
{
	const uint32_t first = n->w->nests.at[n->w->nests.count].first;

	for (uint32_t k = 0; k < n->count; k++) {
		const struct bob_weave_nest_access *a = &n->access[k];
		const char *text = slice(n, a->statement, a->use.ref);

		if (!goes_on || is_moved(n, k, 0))
			put(n, at,
			    bob_weave_text(n->w, "%sbobbin_m=%s",
					   k || goes_on ? "if (.not.bobbin_m) " : "",
					   bob_weave_beyond(n->w, first + k, text)));
	}
}

/* Counts an untraced nest without a call: the first and the last access of each site are in its
 * cached range, so all accesses between are. */
static void begin_held(const struct bob_weave_nest *n, uint32_t at)
{
	const struct bob_weave_nest_loop *l = &n->loop[0];
	const char *i = l->counter->name, *step = step_of(n, l);

	put(n, at, bob_weave_text(n->w, "%s=%s", i, slice(n, l->statement, l->low)));
	put(n, at,
	    bob_weave_text(n->w, "bobbin_t=((%s)+0_8-%s+(%s))/(%s)",
			   slice(n, l->statement, l->high), i, step, step));
	put(n, at, "if (bobbin_t>0_8) then");
	put_tests(n, at, false);
	put(n, at, bob_weave_text(n->w, "%s=%s+(bobbin_t-1_8)*(%s)", i, i, step));
	put_tests(n, at, true);
	put(n, at, "if (bobbin_m) then");
}

static void end_held(const struct bob_weave_nest *n, uint32_t at)
{
	const uint32_t first = n->w->nests.at[n->w->nests.count].first;

	for (uint32_t k = first; k < first + n->count; k++)
		put(n, at, bob_weave_text(n->w, "bobbin_g%u=%si(%u_4)", k, n->w->id, k));
	put(n, at, "else");
	put(n, at, bob_weave_text(n->w, "bobbin_n=bobbin_n+bobbin_t*%u_8", n->count));
	put(n, at, "end if");
	put(n, at, "end if");
}

void bob_weave_emit_nest(const struct bob_weave_nest *n, uint32_t at)
{
	struct bob_weave_nest_row *row = &n->w->nests.at[n->w->nests.count];
	const bool has_block = bob_weave_has_block(n);

	row->is_held = n->depth == 1 && !n->laid_count && is_step_known(n, &n->loop[0]) &&
		       bob_weave_hold_nest(n->w, row->first, row->count);
	if (row->is_held)
		begin_held(n, at);
	put(n, at, bob_weave_text(n->w, "if (%so(%zu_4)/=0_4) then", n->w->id, n->w->nests.count));
	if (has_block)
		put_counters(n, at, 1);
	for (uint32_t d = 0; d < n->depth; d++)
		put_loop(n, at, &n->loop[d]);
	put_first(n, at, n->depth + 1);
	for (uint32_t d = 0; d < n->depth; d++)
		put_step(n, at, d);
	put(n, at, bob_weave_text(n->w, "call %sn(%zu_4)", n->w->id, n->w->nests.count));
	for (uint32_t d = 0; d < n->depth; d++)
		put(n, at, "end if");
	if (has_block)
		put(n, at, "end block");
	put(n, at, "end if");
	if (row->is_held)
		end_held(n, at);
}

/* --- bounds that depend on outer loops --- */

/* Passes the bounds in the first iteration of the outer loops, or one step of loop `point`
 * further. */
static void put_bounds(const struct bob_weave_nest *n, uint32_t at, uint32_t point)
{
	for (uint32_t d = 0; d < n->depth; d++) {
		const struct bob_weave_nest_loop *l = &n->loop[d];
		const char *low = slice(n, l->statement, l->low);

		put(n, at,
		    bob_weave_text(n->w, "call %sr(%u_4,%u_4,(%s)+0_8,(%s)+0_8,(%s)+0_8)", n->w->id,
				   d, point, low, slice(n, l->statement, l->high), step_of(n, l)));
		put(n, at,
		    d == point ? bob_weave_text(n->w, "%s=(%s)+0_8+(%s)", l->counter->name, low,
						step_of(n, l)) :
				 bob_weave_text(n->w, "%s=%s", l->counter->name, low));
	}
}

void bob_weave_emit_uneven(const struct bob_weave_nest *n, uint32_t at)
{
	const struct bob_weave_nest_loop *first = &n->loop[0];
	const size_t nest = n->w->nests.count;

	put(n, at, bob_weave_text(n->w, "if (%so(%zu_4)/=0_4) then", n->w->id, nest));
	put_counters(n, at, 0);
	put(n, at,
	    bob_weave_text(n->w, "if (%sc((%s)+0_8,(%s)+0_8,(%s)+0_8)/=0_4) then", n->w->id,
			   slice(n, first->statement, first->low),
			   slice(n, first->statement, first->high), step_of(n, first)));
	for (uint32_t d = 0; d + 1 < n->depth; d++)
		put_bounds(n, at, d);
	put_bounds(n, at, BOB_WEAVE_UNEVEN_MAX);
	put(n, at, bob_weave_text(n->w, "do while (%sp(%zu_4)/=0_4)", n->w->id, nest));
	for (uint32_t d = 0; d < n->depth; d++)
		put(n, at,
		    bob_weave_text(n->w, "%s=%sv(%u_4)", n->loop[d].counter->name, n->w->id, d));
	put_first(n, at, 1);
	put(n, at, "end do");
	put(n, at, "end if");
	put(n, at, "end block");
	put(n, at, "end if");
}
