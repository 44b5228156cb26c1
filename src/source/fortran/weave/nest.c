/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds nests of loops that can be reported before they run: counted DO loops whose reported
 * accesses are all in the innermost one (or in short loops there: lay.c), unconditional, at
 * addresses that are affine in the counters. Other code in them must call nothing, jump nowhere,
 * and change neither bounds nor subscripts. The probe precedes the outermost DO, sets its counter
 * to the value that the DO assigns anyway, and passes the addresses of the first and the second
 * trip of each loop: only these are certain to be evaluated. If the conditions cannot be proved,
 * each access has a probe, and the inner loops are tried. */
#include "source/fortran/weave/nest.h"
#include "source/fortran/weave/lines.h"
#include "source/fortran/weave/memory.h"

#include <string.h>

static const struct bob_fortran_statement *at(const struct bob_weave_nest *n, uint32_t statement)
{
	return &n->w->file->statements[statement];
}

static bool is_touched(const struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_use *u)
{
	return (u->role == BOB_ROLE_READ || u->role == BOB_ROLE_WRITE ||
		u->role == BOB_ROLE_LOOP) &&
	       bob_weave_touches(n->w, statement, u) > BOB_TOUCH_DROPPED;
}

/* --- loops --- */

/* A variable that only its loop changes, and that no other name aliases. */
static bool is_plain_counter(const struct bob_fortran_symbol *s)
{
	return s && s->class == BOB_NAME_VARIABLE && s->type == BOB_T_INTEGER && s->kind >= 1 &&
	       s->kind <= 8 && s->shape == BOB_SHAPE_SCALAR &&
	       !(s->flags & (BOB_SYMBOL_POINTER | BOB_SYMBOL_ALLOCATABLE | BOB_SYMBOL_VOLATILE |
			     BOB_SYMBOL_COARRAY | BOB_SYMBOL_ASSOCIATE | BOB_SYMBOL_CRAY_POINTEE |
			     BOB_SYMBOL_INTENT_IN));
}

bool bob_weave_read_loop(const struct bob_weave *w, uint32_t statement,
			 struct bob_weave_nest_loop *loop)
{
	const struct bob_fortran_item *item;
	const struct bob_fortran_expr *e[4] = { NULL };
	uint32_t count = 0, bad;

	if (w->file->statements[statement].kind != BOB_F_DO ||
	    bob_fortran_items(w->arena, &w->file->statements[statement], &item, &bad) != BOB_OK ||
	    bad)
		return false;
	for (; item && count < 4; item = item->next)
		e[count++] = item->expr;
	if (item || count < 3) /* low, high, the counter, optionally the step */
		return false;
	*loop = (struct bob_weave_nest_loop){ .statement = statement, .low = e[0], .high = e[1],
					      .step = count == 4 ? e[2] : NULL };
	loop->counter = bob_weave_symbol(w, statement, e[count - 1]);
	return is_plain_counter(loop->counter) && !e[count - 1]->child->next;
}

static bool add_loop(struct bob_weave_nest *n, uint32_t statement)
{
	struct bob_weave_nest_loop *loop = &n->loop[n->depth];

	if (n->depth == BOB_PROBE_NEST_DEPTH_MAX || !bob_weave_read_loop(n->w, statement, loop))
		return false;
	for (uint32_t d = 0; d < n->depth; d++)
		if (n->loop[d].counter == loop->counter)
			return false;
	n->depth++;
	return true;
}

/* The loop in whose trips the statement runs unconditionally; BOB_FORTRAN_NO: it is conditional. A
 * DO itself runs in the trips of the loop around. */
static uint32_t loop_of(const struct bob_weave_nest *n, uint32_t statement)
{
	uint32_t i = at(n, statement)->construct;
	const struct bob_fortran_construct *c = bob_weave_construct(n, i);

	if (c && c->first == statement) {
		i = c->parent;
		c = bob_weave_construct(n, i);
	}
	return c && c->kind == BOB_CONSTRUCT_DO ? i : BOB_FORTRAN_NO;
}

/* Adds the loops from the nest's outermost to the innermost. */
static bool add_loops(struct bob_weave_nest *n)
{
	uint32_t chain[BOB_PROBE_NEST_DEPTH_MAX], count = 0;
	const struct bob_fortran_construct *c;

	for (c = bob_weave_construct(n, n->innermost); c; c = bob_weave_construct(n, c->parent)) {
		if (c->kind != BOB_CONSTRUCT_DO || count == BOB_PROBE_NEST_DEPTH_MAX)
			return false;
		chain[count++] = c->first;
		if (c->first == n->first)
			break;
	}
	while (c && count--)
		if (!add_loop(n, chain[count]))
			return false;
	return c != NULL;
}

/* --- contents --- */

static bool is_plain_statement(const struct bob_fortran_statement *s)
{
	switch (s->kind) {
	case BOB_F_IF:
		return s->body_kind == BOB_F_ASSIGN || s->body_kind == BOB_F_CONTINUE;
	case BOB_F_ASSIGN:
	case BOB_F_CONTINUE:
	case BOB_F_EMPTY:
	case BOB_F_DO:
	case BOB_F_END_DO:
	case BOB_F_IF_THEN:
	case BOB_F_ELSE_IF:
	case BOB_F_ELSE:
	case BOB_F_END_IF:
		return !s->body;
	default:
		return false;
	}
}

/* A scalar that is followed by parentheses is a function, whatever its type. */
static bool is_called(const struct bob_fortran_use *u)
{
	return u->flags & BOB_USE_ELEMENT && !(u->flags & BOB_USE_COMPONENT) &&
	       u->symbol->shape == BOB_SHAPE_SCALAR;
}

bool bob_weave_is_plain_use(const struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_use *u)
{
	const struct bob_fortran_symbol *last = bob_weave_last(w, statement, u->ref);
	const uint32_t bad = BOB_USE_CALLS | BOB_USE_UNSURE | BOB_USE_COARRAY;

	if (u->role == BOB_ROLE_INQUIRE)
		return true;
	if ((u->role != BOB_ROLE_READ && u->role != BOB_ROLE_WRITE && u->role != BOB_ROLE_LOOP) ||
	    u->flags & bad || is_called(u) || !last)
		return false;
	if (last->type == BOB_T_DERIVED || last->type == BOB_T_CLASS || last->type == BOB_T_ANY ||
	    last->type == BOB_T_NONE) /* a defined operator or assignment */
		return false;
	/* an allocated variable may move */
	return u->role != BOB_ROLE_WRITE || !(last->flags & BOB_SYMBOL_ALLOCATABLE) ||
	       u->flags & (BOB_USE_ELEMENT | BOB_USE_SECTION);
}

static bool note(struct bob_weave_nest *n, uint32_t statement, const struct bob_fortran_use *u)
{
	struct bob_weave_nest_written x;
	uint32_t i = 0;

	if (!bob_weave_is_plain_use(n->w, statement, u))
		return false;
	if (u->role != BOB_ROLE_WRITE && u->role != BOB_ROLE_LOOP)
		return true;
	x = bob_weave_way_of(n->w, statement, u->ref, u->symbol);
	while (i < n->written_count &&
	       (n->written[i].symbol != x.symbol || n->written[i].first != x.first ||
		n->written[i].last != x.last || n->written[i].leads != x.leads))
		i++;
	if (i == BOB_WEAVE_NEST_WRITTEN_MAX)
		return false;
	if (i == n->written_count)
		n->written[n->written_count++] = x;
	n->written[i].places++;
	n->written[i].heads += u->role == BOB_ROLE_LOOP;
	return true;
}

/* Exactly one access in each trip, for any values: no array, no part of a character, no evaluation
 * that a condition may skip. */
static bool is_one_access(const struct bob_weave_nest *n, uint32_t statement,
			  const struct bob_fortran_use *u)
{
	const uint32_t many = BOB_USE_WHOLE | BOB_USE_SECTION | BOB_USE_VECTOR |
			      BOB_USE_IMPLIED_DO | BOB_USE_SUBSTRING;
	const uint32_t perhaps = BOB_USE_CONDITIONAL | BOB_USE_BODY | BOB_USE_MASKED;
	const struct bob_fortran_symbol *last = bob_weave_last(n->w, statement, u->ref);
	const struct bob_fortran_symbols *names = at(n, statement)->names;
	const uint64_t bytes = last && names ? bob_fortran_element_bytes(names, last) : 0;

	return !(u->flags & (many | perhaps)) && !(u->symbol->flags & BOB_SYMBOL_OPTIONAL) &&
	       bytes && bytes <= UINT16_MAX;
}

static bool add_access(struct bob_weave_nest *n, uint32_t statement,
		       const struct bob_fortran_use *u, uint32_t loop)
{
	if (loop == BOB_FORTRAN_NO || n->count == BOB_PROBE_NEST_ACCESSES_MAX ||
	    !is_one_access(n, statement, u) || bob_weave_unfit(n->w, statement, u))
		return false;
	n->access[n->count++] = (struct bob_weave_nest_access){
		.statement = statement,
		.use = *u,
		.kind = u->role == BOB_ROLE_READ ? BOB_PROBE_READ : BOB_PROBE_WRITE,
		.loop = loop,
	};
	return true;
}

/* Adds the accesses of each trip: the loop's own variable first, then in text order. */
static bool add_uses(struct bob_weave_nest *n, uint32_t statement,
		     const struct bob_fortran_uses *uses)
{
	const bool is_head = statement == n->first;
	const uint32_t loop = is_head ? at(n, statement)->construct : loop_of(n, statement);

	for (uint32_t i = 0; i < uses->count; i++) {
		const struct bob_fortran_use *u = &uses->at[i];
		const bool is_counter = u->role == BOB_ROLE_LOOP;

		if (!note(n, statement, u))
			return false;
		if (!is_touched(n, statement, u)) {
			n->dropped += !is_head &&
				      bob_weave_touches(n->w, statement, u) == BOB_TOUCH_DROPPED;
			continue;
		}
		if (is_head && !is_counter)
			continue; /* bounds are evaluated before the loop */
		if ((is_counter && !is_head) || !add_access(n, statement, u, loop))
			return false;
	}
	return true;
}

/* Collects everything from the DO on. *ok: all conditions hold so far. */
static bob_status gather(struct bob_weave_nest *n, bool *ok)
{
	struct bob_fortran_uses uses;
	bob_status st = BOB_OK;

	*ok = true;
	for (uint32_t i = n->first; i <= n->last && *ok && st == BOB_OK; i++) {
		const struct bob_fortran_statement *s = at(n, i);

		*ok = is_plain_statement(s) &&
		      (i == n->first ||
		       (!s->is_branch_target &&
			(s->kind != BOB_F_DO ||
			 !bob_weave_is_requested(n->w, BOB_REQUEST_LOOPS, s->line))));
		if (!*ok)
			break;
		st = bob_fortran_uses(n->w->arena, n->w->file, i, &uses);
		*ok = st == BOB_OK && !uses.bad_count && !bob_weave_calls_operator(n->w, i) &&
		      add_uses(n, i, &uses);
	}
	*ok &= n->count > 0;
	return st;
}

/* --- affine conditions --- */

static bool are_bounds_same(const struct bob_weave_nest *n, const struct bob_weave_nest_loop *l)
{
	return bob_weave_is_same(n, l->statement, l->low) &&
	       bob_weave_is_same(n, l->statement, l->high) &&
	       (!l->step || bob_weave_is_same(n, l->statement, l->step));
}

/* Can bounds that depend on outer loops be computed before these run? */
static bool are_bounds_safe(const struct bob_weave_nest *n, uint32_t d)
{
	const struct bob_weave_nest_loop *l = &n->loop[d];

	return bob_weave_is_safe(n, l->statement, l->low, d) &&
	       bob_weave_is_safe(n, l->statement, l->high, d) &&
	       (!l->step || bob_weave_is_safe(n, l->statement, l->step, 0));
}

/* The probe of an uneven nest uses separate counters, so the program's cannot be reported. */
static bool is_counter_reported(const struct bob_weave_nest *n)
{
	for (uint32_t d = 0; d < n->depth; d++)
		for (uint32_t k = 0; k < n->count; k++)
			if (n->access[k].use.symbol == n->loop[d].counter)
				return true;
	return false;
}

static bool is_even(struct bob_weave_nest *n)
{
	for (uint32_t d = 0; d < n->depth; d++) {
		n->is_uneven |= !are_bounds_same(n, &n->loop[d]);
		if (bob_weave_writes(n, n->loop[d].counter) != 1) /* by its DO */
			return false;
	}
	if (n->is_uneven && (n->depth > BOB_WEAVE_UNEVEN_MAX || is_counter_reported(n)))
		return false;
	/* those of the first two loops are evaluated if the first one runs, as in the program */
	for (uint32_t d = 0; d < n->depth && n->is_uneven; d++)
		if (!(d < 2 && are_bounds_same(n, &n->loop[d])) && !are_bounds_safe(n, d))
			return false;
	for (uint32_t k = 0; k < n->count; k++)
		if (!bob_weave_is_even(n, n->access[k].statement, n->access[k].use.ref))
			return false;
	return true;
}

/* --- place --- */

/* Lines can precede the DO, and no directive divides the loop among threads. */
static bool has_place(const struct bob_weave_nest *n)
{
	const uint32_t bad = BOB_NEED_NO_CALL | BOB_NEED_SPLIT | BOB_NEED_TIGHT;
	struct bob_fortran_place p;

	if (bob_fortran_is_after_directive(n->w->file, n->first) ||
	    bob_fortran_is_pure(bob_weave_unit(n->w, n->first)))
		return false;
	return bob_fortran_place(n->w->file, n->first, &p) == BOB_OK &&
	       p.before != BOB_FORTRAN_NO && !(p.needs & bad) &&
	       !(at(n, n->first)->is_branch_target && at(n, n->first)->ends_loops);
}

/* Only a single loop may have a reported counter: in nests counters are assigned between the
 * rows. */
static bool is_head_reported(const struct bob_weave_nest *n)
{
	for (uint32_t k = 0; k < n->count; k++)
		if (n->access[k].use.role == BOB_ROLE_LOOP)
			return true;
	return false;
}

static bob_status take(struct bob_weave_nest *n)
{
	struct bob_weave *w = n->w;
	uint32_t before;

	if (BOB_VEC_RESERVE(&w->nests, 1) != BOB_OK)
		return BOB_ERR_NOMEM;
	if (!bob_weave_before(w, n->first, &before))
		return BOB_OK;
	w->nests.at[w->nests.count] =
		(struct bob_weave_nest_row){ .first = (uint32_t)w->sites.count,
					     .count = n->reported_count, .depth = n->depth,
					     .loop = n->innermost };
	for (uint32_t k = 0; k < n->reported_count; k++) {
		const struct bob_weave_nest_access *a = &n->access[n->reported[k]];

		if (a->first == k)
			(void)bob_weave_site(w, a->statement, &a->use, a->kind);
		else
			bob_weave_site_again(w, a->statement, &a->use, a->kind,
					     n->is_alike ? k - a->first : 0);
	}
	if (n->is_uneven)
		bob_weave_emit_uneven(n, before);
	else
		bob_weave_emit_nest(n, before);
	w->has_uneven |= n->is_uneven;
	w->nests.count++;
	w->counts.nests++;
	w->counts.nest_references += n->count;
	w->counts.dropped += n->dropped;
	for (uint32_t i = n->first + 1; i <= n->last; i++)
		w->reported[i] = BOB_REPORTED_IN_NEST;
	if (is_head_reported(n))
		w->reported[n->first] = BOB_REPORTED_HEAD;
	return w->is_failed ? BOB_ERR_NOMEM : BOB_OK;
}

bob_status bob_weave_nest(struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	struct bob_weave_nest n = { .w = w, .first = statement };
	const struct bob_fortran_construct *c;
	bob_status st;
	bool ok;

	if (w->is_flat || !(w->variables.count + w->passed.count) || s->kind != BOB_F_DO ||
	    s->unit == BOB_FORTRAN_NO || w->reported[statement] != BOB_REPORTED_NOT)
		return BOB_OK;
	c = bob_weave_construct(&n, s->construct);
	if (!c || c->kind != BOB_CONSTRUCT_DO || c->first != statement || !c->is_ended ||
	    !has_place(&n))
		return BOB_OK;
	n.last = c->last;
	st = gather(&n, &ok);
	if (st != BOB_OK || !ok || !bob_weave_lay_out(&n) || !add_loops(&n) ||
	    (is_head_reported(&n) && n.depth > 1) || !is_even(&n) ||
	    (w->shares_locals && bob_weave_has_block(&n)))
		return st;
	return take(&n);
}

void bob_weave_box(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u)
{
	const struct bob_fortran_symbol *last = bob_weave_last(w, statement, u->ref);
	uint32_t depth = last && last->rank > u->symbol->rank ? last->rank : u->symbol->rank;

	if (w->is_flat || !depth || !w->sites.count || BOB_VEC_RESERVE(&w->nests, 1) != BOB_OK)
		return;
	depth = depth < BOB_PROBE_NEST_DEPTH_MAX ? depth : BOB_PROBE_NEST_DEPTH_MAX;
	w->nests.at[w->nests.count++] =
		(struct bob_weave_nest_row){ .first = (uint32_t)w->sites.count - 1, .count = 1,
					     .depth = depth, .loop = BOB_FORTRAN_NO };
	w->sites.at[w->sites.count - 1].box = (uint32_t)w->nests.count;
}
