/* SPDX-License-Identifier: BSD-3-Clause */
/* A single `for` with accesses in its head: of the counter, or of its bound. They are reported with
 * those of the body, in the order of an iteration (condition, body, step), and those of the
 * condition once more at the end. The probe is at the end of the first part of the head, whose
 * accesses have separate probes. So the counter may have any initial value. The step may change
 * other variables and pointers, too, by loop-invariant amounts; their targets are affine. Otherwise
 * it is as in nest.c. */
#include "source/c/nest.h"

#include <string.h>

/* --- the head --- */

/* The first semicolon at or after `at`, outside of parentheses; 0: not found. */
static uint32_t semicolon(const struct bob_c_unit *u, uint32_t at)
{
	int depth = 0;

	for (; at < u->len; at = bob_c_skip_blanks(u, at + 1)) {
		const char c = u->bytes[at];

		if (!depth && c == ';')
			return at;
		if (c == '"' || c == '\'' || c == '#')
			return 0;
		depth += c == '(' || c == '[' || c == '{';
		depth -= c == ')' || c == ']' || c == '}';
		if (depth < 0)
			return 0;
	}
	return 0;
}

void bob_c_head_find(struct bob_c_unit *u, CXCursor loop, struct bob_c_head *out)
{
	const struct bob_c_span s = bob_c_span(u, loop);
	uint32_t at = bob_c_skip_blanks(u, s.start + 3), second;
	CXCursor child[4];
	const uint32_t count = bob_c_children(u, loop, child, 4);
	const CXCursor none = u->clang->getNullCursor();

	*out = (struct bob_c_head){ none, none, none, none,
				     0,	   s.line, bob_c_trips(u, loop) };
	if (!s.is_plain || strncmp(u->bytes + s.start, "for", 3) != 0 || u->bytes[at] != '(' ||
	    !count || count > 4)
		return;
	at = semicolon(u, bob_c_skip_blanks(u, at + 1));
	second = at ? semicolon(u, bob_c_skip_blanks(u, at + 1)) : 0;
	if (!second)
		return;
	for (uint32_t i = 0; i + 1 < count; i++) {
		const uint32_t start = bob_c_span(u, child[i]).start;

		if (start < at)
			out->first = child[i];
		else if (start < second)
			out->condition = child[i];
		else
			out->step = child[i];
	}
	out->body = child[count - 1];
	out->first_end = at;
}

/* --- the step --- */

static bool add_mover(struct bob_c_nest *n, CXCursor c)
{
	struct bob_c_unit *u = n->u;
	struct bob_c_nest_mover *m = &n->mover[n->mover_count];
	const struct bob_c_operator op = bob_c_operator(u, c);
	const enum CXCursorKind k = u->clang->getCursorKind(c);
	CXCursor child[2];

	if (n->mover_count == BOB_C_NEST_MOVERS_MAX || !bob_c_children(u, c, child, 2))
		return false;
	memset(m, 0, sizeof(*m));
	m->variable = bob_c_nest_variable(u, child[0]);
	m->is_down = op.text[0] == '-';
	if (!m->variable || bob_c_nest_counts(n, m->variable))
		return false;
	if (k == CXCursor_CompoundAssignOperator) {
		m->has_by = true;
		m->by = child[1];
	}
	n->mover_count++;
	if (k == CXCursor_UnaryOperator)
		return !strcmp(op.text, "++") || !strcmp(op.text, "--");
	return m->has_by && (!strcmp(op.text, "+=") || !strcmp(op.text, "-="));
}

/* `i++`, `i += 2, p++`, ... */
static bool read_moves(struct bob_c_nest *n, CXCursor c)
{
	CXCursor child[2];

	while (n->u->clang->getCursorKind(c) == CXCursor_ParenExpr &&
	       bob_c_children(n->u, c, child, 1) == 1)
		c = child[0];
	if (n->u->clang->getCursorKind(c) != CXCursor_BinaryOperator)
		return add_mover(n, c);
	return !strcmp(bob_c_operator(n->u, c).text, ",") &&
	       bob_c_children(n->u, c, child, 2) == 2 && read_moves(n, child[0]) &&
	       read_moves(n, child[1]);
}

/* It changes by an invariant amount, in arithmetic that cannot wrap. */
static bool is_mover_even(struct bob_c_nest *n, struct bob_c_nest_mover *m)
{
	const struct bob_c_variable *v = m->variable;
	const enum CXTypeKind k = v->canonical.kind;
	struct bob_c_span s;

	if (v->is_exposed || v->is_static || v->is_thread || bob_c_nest_writes(n, v) ||
	    bob_c_is_shared(n->u, v->decl))
		return false;
	if (k != CXType_Pointer && !bob_c_is_signed(k) && v != n->loop[0].counter)
		return false;
	if (!m->has_by)
		return true;
	s = bob_c_span(n->u, m->by);
	m->by_text = bob_c_nest_text(n->u, &s);
	return m->by_text && bob_c_is_same_always(n, m->by) &&
	       (k == CXType_Pointer || bob_c_is_signed(bob_c_type_kind(n->u, m->by)));
}

/* The constant step of the counter; 0: unknown. */
static long long step_of(struct bob_c_nest *n)
{
	const struct bob_c_nest_loop *loop = &n->loop[0];
	long long by = 0;

	for (uint32_t i = 0; i < n->mover_count; i++) {
		const struct bob_c_nest_mover *m = &n->mover[i];
		CXEvalResult r;

		if (m->variable != loop->counter)
			continue;
		by = 1;
		if (m->has_by) {
			r = n->u->clang->Cursor_Evaluate(m->by);
			by = r && n->u->clang->EvalResult_getKind(r) == CXEval_Int ?
				     n->u->clang->EvalResult_getAsLongLong(r) :
				     0;
			if (r)
				n->u->clang->EvalResult_dispose(r);
		}
		by = m->is_down ? -by : by;
	}
	return by;
}

/* --- the loop --- */

/* Can another variable be declared, or another expression be evaluated, at the end of the first
 * part? (No second declarator is allowed after __auto_type.) */
static bool has_space(struct bob_c_unit *u, const struct bob_c_head *head)
{
	static const char word[] = "__auto_type";
	const struct bob_c_span s = bob_c_span(u, head->first);

	if (u->clang->Cursor_isNull(head->first) ||
	    u->clang->isExpression(u->clang->getCursorKind(head->first)))
		return true;
	for (uint32_t i = s.start; s.is_plain && i < s.end; i++)
		if (!strncmp(u->bytes + i, word, sizeof(word) - 1))
			return false;
	return s.is_plain;
}

static bool read_head(struct bob_c_nest *n, const struct bob_c_head *head)
{
	struct bob_c_nest_loop *loop = &n->loop[0];
	struct bob_c_unit *u = n->u;
	CXCursor child[2];

	if (!has_space(u, head) || u->clang->Cursor_isNull(head->condition) ||
	    u->clang->Cursor_isNull(head->step))
		return false;
	loop->line = head->line;
	loop->trips = head->trips;
	loop->counter = bob_c_nest_variable(u, head->condition);
	if (!loop->counter && bob_c_children(u, head->condition, child, 2) == 2)
		loop->counter = bob_c_nest_variable(u, child[0]);
	if (!loop->counter || !bob_c_nest_condition(u, head->condition, loop) ||
	    !bob_c_is_plain_counter(u, loop))
		return false;
	if (!read_moves(n, head->step))
		return false;
	loop->step = step_of(n);
	n->depth = n->around = 1;
	return loop->step != 0 && bob_c_nest_direction(u, loop, false);
}

/* Collects the accesses of an iteration, in order. */
static bool gather(struct bob_c_nest *n, const struct bob_c_head *head)
{
	if (!bob_c_nest_is_straight(n, head->condition) || !bob_c_nest_is_straight(n, head->body) ||
	    !bob_c_nest_is_straight(n, head->step))
		return false;
	bob_c_nest_collect(n, head->condition);
	n->tested = n->count;
	bob_c_nest_collect(n, head->body);
	return !n->is_bad;
}

/* Collects the step: it stores to the movers only, and everything else was examined before. */
static bool gather_step(struct bob_c_nest *n, const struct bob_c_head *head)
{
	const uint32_t written = n->written_count, stored = n->stored, through = n->stored_through;

	bob_c_nest_collect(n, head->step);
	n->written_count = written;
	n->stored = stored;
	n->stored_through = through;
	return !n->is_bad && n->count;
}

static bool is_even(struct bob_c_nest *n)
{
	struct bob_c_nest_loop *loop = &n->loop[0];

	loop->high_text = bob_c_nest_high_text(n->u, loop);
	if (!loop->high_text || !bob_c_is_high_same(n, loop))
		return false;
	for (uint32_t i = 0; i < n->mover_count; i++)
		if (!is_mover_even(n, &n->mover[i]))
			return false;
	return true;
}

static bool are_places_affine(struct bob_c_nest *n)
{
	for (uint32_t k = 0; k < n->count; k++) {
		n->access[k].text = bob_c_nest_text(n->u, &n->access[k].span);
		if (!n->access[k].text || !bob_c_is_place_affine(n, n->access[k].c))
			return false;
	}
	return true;
}

bool bob_c_nest_one_try(struct bob_c_unit *u, const struct bob_c_head *head)
{
	const struct bob_c_span body = bob_c_span(u, head->body);
	struct bob_c_nest n = { .u = u, .from = body.start, .to = body.end };

	if (u->is_scan || u->nest || u->options->is_flat || u->blocked >= 0 || !head->first_end ||
	    !read_head(&n, head) || !gather(&n, head) || !is_even(&n) || !gather_step(&n, head) ||
	    !are_places_affine(&n))
		return false;
	u->counts.dropped += n.dropped;
	bob_c_emit_one(u, &n, head);
	return true;
}
