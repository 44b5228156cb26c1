/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds nests of loops that can be reported before they run. Such `for` loops are perfectly nested
 * and counted by local variables, with bounds that do not change in them. The innermost body has
 * expressions without calls, jumps and conditions, and loops that are unrolled (lay.c). All
 * requested accesses have addresses that are affine in the counters. The probe precedes the
 * outermost loop. It computes the addresses of the first iteration and, with each counter moved by
 * one step, the strides. It evaluates only what the first iteration evaluates, and only if there is
 * one. If the conditions cannot be proved, the inner loops are tried.
 *
 * Accesses are collected by the common walk (walk.c), which calls bob_c_nest_note where it would
 * insert a probe. */
#include "source/c/nest.h"

#include <string.h>

#define TEXT_MAX 1000u

/* --- collected accesses --- */

void bob_c_nest_note(struct bob_c_unit *u, CXCursor c, const struct bob_c_lvalue *lv,
		     enum bob_c_use use)
{
	struct bob_c_nest *n = u->nest;
	const struct bob_c_span s = bob_c_span(u, c);
	const enum bob_c_verdict verdict = bob_c_judge(u, lv, c, s.line);
	const long long bytes = u->clang->Type_getSizeOf(u->clang->getCursorType(c));

	if (use == BOB_C_ADDRESS)
		return;
	if (use == BOB_C_WRITE || use == BOB_C_UPDATE) {
		const uint32_t classes = bob_c_classes(u, u->clang->getCursorType(c));

		n->stored |= classes;
		if (lv->is_through || !lv->variable)
			n->stored_through |= classes;
		else if (n->written_count < BOB_C_NEST_WRITTEN_MAX)
			n->written[n->written_count++] = lv->variable;
		else
			n->is_bad = true;
	}
	if (verdict == BOB_C_DROPPED)
		n->dropped++;
	if (verdict == BOB_C_NOT_ASKED || verdict == BOB_C_DROPPED)
		return;
	if (!bob_c_nest_has_space(n, 1, 1) || !bob_c_is_clear(u, lv, &s) ||
	    !bob_c_is_editable(u, &s) || lv->bits_bytes || bytes <= 0 || bytes > BOB_C_ACCESS_MAX) {
		n->is_bad = true;
		return;
	}
	n->access[n->count] = (struct bob_c_nest_access){ c,	   s,	 *lv,	    use, verdict,
							  NULL, n->within, "", n->count };
	n->count++;
	n->places++;
}

/* --- loops --- */

const char *bob_c_nest_text(struct bob_c_unit *u, const struct bob_c_span *s)
{
	char *to;

	if ((!s->is_plain && !s->is_macro) || s->end - s->start > TEXT_MAX ||
	    memchr(u->bytes + s->start, '#', s->end - s->start))
		return NULL;
	to = bob_arena_text(&u->arena, u->bytes + s->start, s->end - s->start);
	if (!to) {
		u->is_failed = true;
		return NULL;
	}
	if (strstr(to, "//") || strchr(to, '\\'))
		return NULL;
	for (char *p = to; *p; p++)
		if (*p == '\n' || *p == '\r')
			*p = ' ';
	return to;
}

static bool read_init(struct bob_c_unit *u, CXCursor c, struct bob_c_nest_loop *to)
{
	CXCursor child[2];

	if (u->clang->getCursorKind(c) == CXCursor_DeclStmt) {
		if (bob_c_children(u, c, child, 2) != 1)
			return false;
		to->counter = bob_c_variable(u, child[0]);
		to->low = u->clang->Cursor_getVarDeclInitializer(child[0]);
		return to->counter && !u->clang->Cursor_isNull(to->low);
	}
	if (u->clang->getCursorKind(c) != CXCursor_BinaryOperator ||
	    bob_c_children(u, c, child, 2) != 2 || !bob_c_is_lvalue(u, child[0]))
		return false;
	to->counter = bob_c_nest_variable(u, child[0]);
	to->low = child[1];
	return to->counter != NULL;
}

bool bob_c_nest_condition(struct bob_c_unit *u, CXCursor c, struct bob_c_nest_loop *to)
{
	const struct bob_c_operator op = bob_c_operator(u, c);
	CXCursor child[2];

	if (to->counter->canonical.kind != CXType_Pointer &&
	    bob_c_nest_variable(u, c) == to->counter) {
		to->is_until = to->is_to_zero = true;
		return true;
	}
	if (u->clang->getCursorKind(c) != CXCursor_BinaryOperator ||
	    bob_c_children(u, c, child, 2) != 2)
		return false;
	to->is_until = !strcmp(op.text, "!=");
	if (!to->is_until &&
	    ((op.text[0] != '<' && op.text[0] != '>') || (op.text[1] && op.text[1] != '=')))
		return false;
	to->is_down = op.text[0] == '>';
	to->is_closed = !to->is_until && op.text[1] == '=';
	to->high = child[1];
	return bob_c_nest_variable(u, child[0]) == to->counter;
}

bool bob_c_nest_value(struct bob_c_unit *u, CXCursor c, int64_t *value)
{
	CXEvalResult r = u->clang->Cursor_Evaluate(c);
	const bool ok = r && u->clang->EvalResult_getKind(r) == CXEval_Int;

	if (ok)
		*value = u->clang->EvalResult_getAsLongLong(r);
	if (r)
		u->clang->EvalResult_dispose(r);
	return ok;
}

static bool high_value(struct bob_c_unit *u, const struct bob_c_nest_loop *loop, int64_t *value)
{
	*value = 0;
	return loop->is_to_zero || bob_c_nest_value(u, loop->high, value);
}

bool bob_c_nest_direction(struct bob_c_unit *u, struct bob_c_nest_loop *loop, bool has_low)
{
	int64_t end;

	if (!loop->is_until)
		return loop->is_down ? loop->step < 0 : loop->step > 0;
	/* Signed numbers and pointers cannot wrap around, so they must approach it from their
	 * side. */
	loop->is_down = loop->step < 0;
	if (loop->step != 1 && loop->step != -1)
		return false;
	if (!bob_c_is_unsigned(loop->counter->canonical.kind))
		return !bob_c_is_unsigned(bob_c_nest_compared(u, loop).kind);
	return loop->is_down ? high_value(u, loop, &end) && !end :
			       has_low && bob_c_nest_value(u, loop->low, &end) && !end;
}

CXType bob_c_nest_compared(const struct bob_c_unit *u, const struct bob_c_nest_loop *loop)
{
	return loop->is_to_zero ? loop->counter->canonical :
				  u->clang->getCanonicalType(u->clang->getCursorType(loop->high));
}

const char *bob_c_nest_far(const struct bob_c_unit *u, const struct bob_c_nest_loop *loop)
{
	const enum CXTypeKind k = bob_c_nest_compared(u, loop).kind;

	return k == CXType_ULong || k == CXType_ULongLong ? "bobbin_far" : "(int64_t)";
}

const char *bob_c_nest_high_text(struct bob_c_unit *u, const struct bob_c_nest_loop *loop)
{
	struct bob_c_span s;

	if (loop->is_to_zero)
		return "0";
	s = bob_c_span(u, loop->high);
	return bob_c_nest_text(u, &s);
}

bool bob_c_is_high_same(struct bob_c_nest *n, const struct bob_c_nest_loop *loop)
{
	return loop->is_to_zero || bob_c_is_same_always(n, loop->high);
}

static bool read_step(struct bob_c_unit *u, CXCursor c, struct bob_c_nest_loop *to)
{
	const struct bob_c_operator op = bob_c_operator(u, c);
	CXCursor child[2];
	CXEvalResult r;

	if (!bob_c_children(u, c, child, 2) || bob_c_nest_variable(u, child[0]) != to->counter)
		return false;
	if (u->clang->getCursorKind(c) == CXCursor_UnaryOperator) {
		to->step = !strcmp(op.text, "++") ? 1 : !strcmp(op.text, "--") ? -1 : 0;
	} else if (u->clang->getCursorKind(c) == CXCursor_CompoundAssignOperator) {
		r = u->clang->Cursor_Evaluate(child[1]);
		if (r && u->clang->EvalResult_getKind(r) == CXEval_Int)
			to->step = u->clang->EvalResult_getAsLongLong(r);
		if (r)
			u->clang->EvalResult_dispose(r);
		if (!strcmp(op.text, "-="))
			to->step = -to->step;
		else if (strcmp(op.text, "+="))
			return false;
	}
	return bob_c_nest_direction(u, to, true);
}

/* In an unsigned comparison, a negative constant is greater than all values. */
static bool is_high_above_all(struct bob_c_unit *u, const struct bob_c_nest_loop *loop)
{
	int64_t high;

	return high_value(u, loop, &high) && high < 0 &&
	       bob_c_is_unsigned(bob_c_nest_compared(u, loop).kind);
}

bool bob_c_is_plain_counter(struct bob_c_unit *u, const struct bob_c_nest_loop *loop)
{
	const struct bob_c_variable *v = loop->counter;
	const enum CXTypeKind k = v->canonical.kind;
	const enum CXTypeKind other = loop->is_to_zero ? k : bob_c_type_kind(u, loop->high);
	const bool is_pointer = k == CXType_Pointer;

	if (v->is_exposed || v->is_static || v->is_thread || bob_c_is_shared(u, v->decl))
		return false;
	if (is_pointer)
		return other == CXType_Pointer;
	if ((!bob_c_is_signed(k) && !bob_c_is_unsigned(k)) ||
	    (!bob_c_is_signed(other) && !bob_c_is_unsigned(other)) || is_high_above_all(u, loop))
		return false;
	return !loop->is_down || !loop->is_closed || (bob_c_is_signed(k) && bob_c_is_signed(other));
}

/* An unsigned comparison gives the same result as a signed one if the counter starts at 0 or
 * above. */
static bool is_low_negative(struct bob_c_unit *u, const struct bob_c_nest_loop *loop)
{
	int64_t low;

	return !bob_c_nest_value(u, loop->low, &low) || low < 0;
}

/* ... for a nest, which does not know the first value at run time. */
static bool is_counter_of_nest(struct bob_c_unit *u, const struct bob_c_nest_loop *loop)
{
	const struct bob_c_variable *v = loop->counter;

	if (v->is_wanted || v->canonical.kind == CXType_Pointer || !bob_c_is_plain_counter(u, loop))
		return false;
	return !bob_c_is_signed(v->canonical.kind) || loop->is_to_zero ||
	       !bob_c_is_unsigned(bob_c_type_kind(u, loop->high)) ||
	       (!loop->is_down && !is_low_negative(u, loop));
}

void bob_c_nest_collect(struct bob_c_nest *n, CXCursor c)
{
	n->u->nest = n;
	bob_c_walk_statement(n->u, c);
	n->u->nest = NULL;
}

static enum CXChildVisitResult see_bad(CXCursor c, CXCursor parent, CXClientData data)
{
	struct bob_c_nest *n = data;
	const struct bob_clang *l = n->u->clang;
	const enum CXCursorKind k = l->getCursorKind(c);
	struct bob_c_operator op;
	CXCursor child[1];

	(void)parent;
	switch (k) {
	case CXCursor_CompoundStmt:
	case CXCursor_NullStmt:
	case CXCursor_DeclStmt:
		return CXChildVisit_Recurse;
	case CXCursor_CallExpr:
	case CXCursor_StmtExpr:
	case CXCursor_ConditionalOperator:
	case CXCursor_GenericSelectionExpr:
	case CXCursor_InitListExpr:
		break;
	case CXCursor_UnexposedExpr:
		if (bob_c_children(n->u, c, child, 1) == 1)
			return CXChildVisit_Recurse;
		break;
	case CXCursor_BinaryOperator:
		op = bob_c_operator(n->u, c);
		if (op.text[0] && strcmp(op.text, "&&") && strcmp(op.text, "||"))
			return CXChildVisit_Recurse;
		break;
	case CXCursor_VarDecl:
		if (l->Cursor_getStorageClass(c) != CX_SC_Static &&
		    n->written_count < BOB_C_NEST_WRITTEN_MAX) {
			struct bob_c_variable *v = bob_c_variable(n->u, c);

			n->written[n->written_count++] = v;
			if (v && !v->is_wanted)
				return CXChildVisit_Recurse;
		}
		break;
	default:
		if (!l->isStatement(k))
			return CXChildVisit_Recurse;
	}
	n->is_bad = true;
	return CXChildVisit_Break;
}

bool bob_c_nest_is_straight(struct bob_c_nest *n, CXCursor c)
{
	const enum CXCursorKind k = n->u->clang->getCursorKind(c);

	if (n->u->clang->isStatement(k) && k != CXCursor_CompoundStmt && k != CXCursor_DeclStmt &&
	    k != CXCursor_NullStmt)
		return false;
	n->u->clang->visitChildren(c, see_bad, n);
	if (n->u->clang->isExpression(k))
		see_bad(c, c, n);
	return !n->is_bad;
}

static double trips_of(struct bob_c_unit *u, const struct bob_c_nest_loop *l)
{
	const int64_t open = l->is_closed ? 0 : l->is_down ? -1 : 1;
	int64_t low, high, last;

	if (!bob_c_nest_value(u, l->low, &low) || !high_value(u, l, &high) ||
	    __builtin_sub_overflow(high, open, &last))
		return -1;
	return bob_predict_span(low, last, l->step);
}

bool bob_c_nest_head(struct bob_c_nest *n, CXCursor c, struct bob_c_nest_loop *loop, CXCursor *body)
{
	struct bob_c_unit *u = n->u;
	const struct bob_c_span s = bob_c_span(u, c);
	const uint32_t count = n->count;
	CXCursor child[4];

	memset(loop, 0, sizeof(*loop));
	if (!s.is_plain || bob_c_children(u, c, child, 4) != 4 ||
	    bob_c_is_after_pragma(u, s.start, NULL) || !read_init(u, child[0], loop) ||
	    !bob_c_nest_condition(u, child[1], loop) || !read_step(u, child[2], loop) ||
	    !is_counter_of_nest(u, loop))
		return false;
	loop->line = s.line;
	loop->trips = trips_of(u, loop);
	for (int i = 0; i < 3; i++) {
		u->clang->visitChildren(child[i], see_bad, n);
		if (n->is_bad)
			return false;
		bob_c_nest_collect(n, child[i]);
	}
	*body = child[3];
	return n->count == count && !n->is_bad;
}

/* Adds the loop `c` to the nest; *body is its body. */
static bool add_loop(struct bob_c_nest *n, CXCursor c, CXCursor *body)
{
	/* Accesses of an inner loop that is an event would be recorded outside of it. */
	if (n->depth == BOB_PROBE_NEST_DEPTH_MAX ||
	    (n->depth && bob_c_is_asked(n->u, BOB_SOURCE_C_LOOPS, bob_c_span(n->u, c).line)) ||
	    !bob_c_nest_head(n, c, &n->loop[n->depth], body) ||
	    bob_c_nest_counts(n, n->loop[n->depth].counter))
		return false;
	n->depth++;
	return true;
}

CXCursor bob_c_nest_only(const struct bob_c_unit *u, CXCursor c)
{
	CXCursor child[1];

	while (u->clang->getCursorKind(c) == CXCursor_CompoundStmt &&
	       bob_c_children(u, c, child, 1) == 1)
		c = child[0];
	return c;
}

static bool gather(struct bob_c_nest *n, CXCursor c)
{
	CXCursor body = c;

	while (n->u->clang->getCursorKind(bob_c_nest_only(n->u, body)) == CXCursor_ForStmt)
		if (!add_loop(n, bob_c_nest_only(n->u, body), &body))
			return false;
	/* The loops' own updates of their counters do not count as stores. */
	n->written_count = 0;
	n->stored = n->stored_through = 0;
	if (!bob_c_nest_body(n, body) || !n->count)
		return false;
	bob_c_nest_lay_inner(n);
	return true;
}

static bool are_places_even(struct bob_c_nest *n)
{
	for (uint32_t i = 0; i < n->laid_count; i++)
		if (bob_c_nest_writes(n, n->laid[i].loop.counter))
			return false;
	for (uint32_t k = 0; k < n->count; k++) {
		struct bob_c_nest_access *a = &n->access[k];

		n->within = a->laid;
		a->text = bob_c_nest_text(n->u, &a->span);
		if (!a->text || (a->of == k && !bob_c_is_place_affine(n, a->c)))
			return false;
	}
	n->within = NULL;
	return true;
}

static bool is_even(struct bob_c_nest *n)
{
	for (uint32_t i = 0; i < n->depth; i++) {
		struct bob_c_nest_loop *loop = &n->loop[i];
		const struct bob_c_span low = bob_c_span(n->u, loop->low);

		loop->low_text = bob_c_nest_text(n->u, &low);
		loop->high_text = bob_c_nest_high_text(n->u, loop);
		n->around = i;
		if (bob_c_nest_writes(n, loop->counter) || !loop->low_text || !loop->high_text ||
		    !bob_c_has_even_bounds(n, loop))
			return false;
	}
	n->around = n->depth;
	return are_places_even(n);
}

/* do ... while (0), common in macros, runs once. */
static bool is_once(struct bob_c_unit *u, CXCursor c)
{
	CXCursor child[2];
	int64_t value;

	return u->clang->getCursorKind(c) == CXCursor_DoStmt &&
	       bob_c_children(u, c, child, 2) == 2 && bob_c_nest_value(u, child[1], &value) &&
	       !value;
}

double bob_c_trips(struct bob_c_unit *u, CXCursor c)
{
	struct bob_c_nest_loop l = { .step = 0 };
	CXCursor child[4];

	if (is_once(u, c))
		return 1;
	if (u->clang->getCursorKind(c) != CXCursor_ForStmt || bob_c_children(u, c, child, 4) != 4 ||
	    !read_init(u, child[0], &l) || !bob_c_nest_condition(u, child[1], &l) ||
	    !read_step(u, child[2], &l))
		return -1;
	return trips_of(u, &l);
}

bool bob_c_nest_try(struct bob_c_unit *u, CXCursor c)
{
	const struct bob_c_span s = bob_c_span(u, c);
	struct bob_c_nest n = { .u = u, .from = s.start, .to = s.end };
	uint32_t end;

	if (u->is_scan || u->nest || u->options->is_flat || u->blocked >= 0 || !gather(&n, c) ||
	    !is_even(&n))
		return false;
	end = s.end;
	if (u->bytes[end - 1] != '}' && u->bytes[end - 1] != ';') {
		end = bob_c_skip_blanks(u, end);
		if (u->bytes[end++] != ';')
			return false;
	}
	u->counts.dropped += n.dropped;
	bob_c_emit_nest(u, &n, s.start, end);
	return true;
}
