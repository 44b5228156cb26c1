/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks expressions from outside in; the context of an lvalue decides about its use. libclang shows
 * an implicit conversion as an unexposed expression with one operand: it converts an array to a
 * pointer, and any other lvalue to its value, which is a read. So an lvalue that is the direct
 * operand of an operator is written, updated, or has its address taken; the operator itself is not
 * needed for that. */
#include <string.h>

#include "source/c/allocators.h"
#include "source/c/copies.h"
#include "source/c/given.h"
#include "source/c/nest.h"

bool bob_c_enter(struct bob_c_unit *u, CXCursor c)
{
	if (u->ancestors.count >= BOB_SOURCE_C_DEPTH_MAX) {
		bob_c_refuse(u, BOB_SOURCE_C_DEEP);
		return false;
	}
	if (BOB_VEC_ADD(&u->ancestors, c) != BOB_OK) {
		u->is_failed = true;
		return false;
	}
	return true;
}

void bob_c_leave(struct bob_c_unit *u)
{
	u->ancestors.count--;
}

static bool is_transparent(struct bob_c_unit *u, CXCursor c)
{
	const enum CXCursorKind k = u->clang->getCursorKind(c);
	CXCursor child[1];

	return k == CXCursor_ParenExpr ||
	       (k == CXCursor_UnexposedExpr && bob_c_children(u, c, child, 1) == 1);
}

bool bob_c_is_editable(struct bob_c_unit *u, const struct bob_c_span *s)
{
	struct bob_c_span outer;
	size_t i = u->ancestors.count - 1;

	if (s->is_plain)
		return true;
	if (!s->is_ours || !s->is_macro)
		return false;
	/* An expression in a macro has the place of the use. It is the whole expansion if no other
	 * expression around it has the same place. */
	while (i > 0 && is_transparent(u, u->ancestors.at[i - 1]))
		i--;
	if (!i)
		return false;
	outer = bob_c_span(u, u->ancestors.at[i - 1]);
	return outer.start != s->start || outer.end != s->end;
}

static const enum bob_c_probe probe_of[] = {
	[BOB_C_READ] = BOB_C_PROBE_READ,
	[BOB_C_WRITE] = BOB_C_PROBE_WRITE,
	[BOB_C_UPDATE] = BOB_C_PROBE_UPDATE,
};

uint32_t bob_c_site_of(struct bob_c_unit *u, CXCursor c, const struct bob_c_lvalue *lv,
		       const struct bob_c_span *s, enum bob_c_use use, enum bob_c_verdict verdict)
{
	const long long bytes = lv->bits_bytes ?
					lv->bits_bytes :
					u->clang->Type_getSizeOf(u->clang->getCursorType(c));
	const struct bob_c_site site = {
		.line = s->line,
		.column = s->column,
		.unit = bob_c_unit_number(u, u->function_name),
		.bytes = bob_c_type_kind(u, c) == CXType_Pointer ? sizeof(void *) : (uint32_t)bytes,
		.kind = probe_of[use],
	};

	if (bytes == 0)
		return UINT32_MAX;
	if (bytes < 0 || bytes > BOB_C_ACCESS_MAX) {
		bob_c_refuse(u, BOB_SOURCE_C_LARGE);
		return UINT32_MAX;
	}
	u->counts.probes++;
	if (verdict == BOB_C_PROVED)
		u->counts.proved++;
	else
		u->counts.filtered++;
	if (lv->variable && lv->variable->is_wanted)
		bob_c_rows(u, lv->variable);
	return bob_c_site(u, &site);
}

/* The reason why there can be no probe; BOB_SOURCE_C_REFUSALS: there can be one. */
static enum bob_source_c_refusal obstacle(const struct bob_c_unit *u, const struct bob_c_lvalue *lv,
					  const struct bob_c_span *s)
{
	const struct bob_c_variable *v = lv->is_through ? NULL : lv->variable;

	if (u->blocked >= 0)
		return (enum bob_source_c_refusal)u->blocked;
	if (!s->is_ours)
		return BOB_SOURCE_C_INCLUDED;
	if (lv->is_vector)
		return BOB_SOURCE_C_VECTOR;
	if (v && v->is_register)
		return BOB_SOURCE_C_REGISTER;
	if (v && v->is_thread)
		return BOB_SOURCE_C_THREAD;
	if (v && v->is_jumped)
		return BOB_SOURCE_C_JUMP;
	return lv->is_odd ? BOB_SOURCE_C_BITS : BOB_SOURCE_C_REFUSALS;
}

bool bob_c_is_clear(const struct bob_c_unit *u, const struct bob_c_lvalue *lv,
		    const struct bob_c_span *s)
{
	return obstacle(u, lv, s) == BOB_SOURCE_C_REFUSALS;
}

/* True if the reference gets no probe; counts the reason. */
static bool is_out(struct bob_c_unit *u, CXCursor c, const struct bob_c_lvalue *lv,
		   const struct bob_c_span *s, enum bob_c_verdict verdict)
{
	if (verdict == BOB_C_NOT_ASKED)
		return true;
	if (verdict == BOB_C_DROPPED) {
		u->counts.dropped++;
		return true;
	}
	if (bob_c_is_clear(u, lv, s))
		return false;
	if (obstacle(u, lv, s) == BOB_SOURCE_C_REGISTER)
		bob_c_refuse_in_register(u, lv->variable);
	else if (obstacle(u, lv, s) == BOB_SOURCE_C_INCLUDED)
		bob_c_refuse_included(u, c);
	else
		bob_c_refuse(u, obstacle(u, lv, s));
	return true;
}

/* A bit-field, or a packed member, has no usable address: the probe is around the containing
 * struct, up to s->end. */
static void open_bits(struct bob_c_unit *u, CXCursor c, const struct bob_c_lvalue *lv,
		      uint32_t site, struct bob_c_span *s)
{
	const CXCursor of = bob_c_member_of(u, c);

	*s = bob_c_span(u, of);
	bob_c_open_at(u, s->start,
		      bob_c_before_bits(u, site, lv->bits_at,
					bob_c_type_kind(u, of) == CXType_Pointer));
}

/* Opens the probe of the current reference. True: `after` must be closed at s->end. */
static bool open_reference(struct bob_c_unit *u, CXCursor c, enum bob_c_use use,
			   struct bob_c_span *s, struct bob_c_lvalue *lv)
{
	enum bob_c_verdict verdict;
	uint32_t site;

	bob_c_lvalue_find(u, c, lv);
	if (u->is_scan) {
		if (use == BOB_C_ADDRESS && lv->variable && !lv->is_through)
			lv->variable->is_exposed = true;
		if (use != BOB_C_ADDRESS)
			bob_c_predict_own(u);
		(void)bob_c_path_note(u, c, false);
		return false;
	}
	if (use == BOB_C_ADDRESS)
		return false;
	*s = bob_c_span(u, c);
	verdict = bob_c_judge(u, lv, c, s->line);
	if (is_out(u, c, lv, s, verdict))
		return false;
	if (!bob_c_is_editable(u, s)) {
		bob_c_refuse_in_macro(u, s);
		return false;
	}
	lv->is_by_member &= bob_c_span(u, bob_c_member_of(u, c)).is_plain;
	if (lv->bits_bytes && !lv->is_by_member) {
		bob_c_refuse_in_macro(u, s);
		return false;
	}
	if (!bob_c_claim(u, s->start, s->end))
		return false;
	site = bob_c_site_of(u, c, lv, s, use, verdict);
	if (site == UINT32_MAX)
		return false;
	bob_c_predict_site(u, c, lv, use);
	if (lv->is_by_member)
		open_bits(u, c, lv, site, s);
	else
		bob_c_open_at(u, s->start,
			      lv->is_packed ? bob_c_before_packed(u, site) :
					      bob_c_before_access(u, site));
	return true;
}

static void walk_parts(struct bob_c_unit *u, CXCursor c)
{
	const enum CXCursorKind kind = u->clang->getCursorKind(c);
	CXCursor child[2];
	const uint32_t n = bob_c_children(u, c, child, 2);

	if (kind == CXCursor_DeclRefExpr)
		return;
	for (uint32_t i = 0; i < n && i < 2; i++) {
		const bool is_index = kind == CXCursor_ArraySubscriptExpr &&
				      bob_c_type_kind(u, child[i]) != CXType_Pointer &&
				      bob_c_type_kind(u, child[i]) != CXType_Vector;

		bob_c_walk(u, child[i], is_index ? BOB_C_VALUE : BOB_C_PATH);
	}
}

static void walk_lvalue(struct bob_c_unit *u, CXCursor c, enum bob_c_use use)
{
	struct bob_c_lvalue lv;
	struct bob_c_span s;
	const bool is_used = use != BOB_C_VALUE && use != BOB_C_PATH;
	const bool is_open = is_used && !u->nest && open_reference(u, c, use, &s, &lv);

	walk_parts(u, c);
	if (is_open)
		bob_c_close_at(u, s.end, bob_c_after_access(u));
	if (is_used && u->nest) {
		bob_c_lvalue_find(u, c, &lv);
		bob_c_nest_note(u, c, &lv, use);
	}
}

static bool begins_with(const struct bob_c_unit *u, CXCursor c, const char *word)
{
	const struct bob_c_span s = bob_c_span(u, c);

	return s.is_ours && !strncmp(u->bytes + s.start, word, strlen(word));
}

static void walk_all(struct bob_c_unit *u, CXCursor c)
{
	struct bob_c_list l = bob_c_all_children(u, c);

	for (size_t i = 0; i < l.count; i++)
		bob_c_walk(u, l.at[i], BOB_C_VALUE);
	bob_c_list_free(&l);
}

static void walk_last(struct bob_c_unit *u, CXCursor c)
{
	struct bob_c_list l = bob_c_all_children(u, c);

	if (l.count)
		bob_c_walk(u, l.at[l.count - 1], BOB_C_VALUE);
	bob_c_list_free(&l);
}

static void walk_implicit(struct bob_c_unit *u, CXCursor c, enum bob_c_use use)
{
	CXCursor child[1];

	/* va_arg, offsetof, __builtin_choose_expr and similar builtins do not evaluate their
	 * operands normally. */
	if (begins_with(u, c, "__builtin_") || begins_with(u, c, "va_arg"))
		if (bob_c_children(u, c, child, 1) != 1 ||
		    u->clang->getCursorKind(child[0]) != CXCursor_CallExpr) {
			bob_c_value_blur(u, c);
			return;
		}
	if (bob_c_children(u, c, child, 1) != 1)
		walk_all(u, c);
	else if (!bob_c_is_lvalue(u, child[0]))
		bob_c_walk(u, child[0], use == BOB_C_PATH ? use : BOB_C_VALUE);
	else if (bob_c_is_array(bob_c_type_kind(u, child[0])))
		bob_c_walk(u, child[0], use == BOB_C_PATH ? use : BOB_C_ADDRESS);
	else
		bob_c_walk(u, child[0], BOB_C_READ);
}

/* Functions whose arguments the compiler needs in their original form. */
static bool is_odd(const char *callee)
{
	static const char *const names[] = {
		"__builtin_constant_p", "__builtin_object_size", "__builtin_dynamic_object_size",
		"__builtin_va_start",	"__builtin_va_end",	 "__builtin_va_copy",
		"__builtin_classify_type", "__builtin_ms_va_start", "__builtin_ms_va_end",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], callee))
			return true;
	return false;
}

/* Inserts `before` before it. The whole call may be in a macro. */
static void walk_reported(struct bob_c_unit *u, CXCursor call, CXCursor c, const char *before,
			  const char *after)
{
	const struct bob_c_span outer = bob_c_span(u, call), s = bob_c_span(u, c);
	const bool is_open = s.is_plain ||
			     (s.is_macro && (outer.start != s.start || outer.end != s.end));

	if (is_open)
		bob_c_open_at(u, s.start, before);
	else if (s.is_ours)
		bob_c_refuse_in_macro(u, &s);
	bob_c_walk(u, c, BOB_C_VALUE);
	if (is_open)
		bob_c_close_at(u, s.end, after);
}

static void walk_arguments(struct bob_c_unit *u, CXCursor c)
{
	struct bob_c_list l = bob_c_all_children(u, c);

	for (size_t i = 0; i < l.count; i++) {
		const char *after = "";
		const char *before =
			i ? bob_c_before_argument(u, c, l.at[i], (uint32_t)i - 1, &after) : NULL;

		if (before)
			walk_reported(u, c, l.at[i], before, after);
		else
			bob_c_walk(u, l.at[i], BOB_C_VALUE);
	}
	bob_c_list_free(&l);
}

static void walk_call(struct bob_c_unit *u, CXCursor c)
{
	const char *callee = bob_c_spelling(u, c), *to;
	bool is_event;
	uint32_t end;

	if (is_odd(callee)) {
		bob_c_value_blur(u, c);
		return;
	}
	bob_c_call_note(u, c);
	bob_c_given_call(u, c);
	bob_c_allocator_called(u, c);
	is_event = bob_c_call_open(u, c, callee, &end);
	to = bob_c_copies_redirect(u, c, callee);
	if (u->is_scan)
		bob_predict_call(u->options->predict, to, u->often.times);
	walk_arguments(u, c);
	if (is_event)
		bob_c_call_close(u, end);
}

static void walk_unary(struct bob_c_unit *u, CXCursor c, enum bob_c_use use)
{
	const struct bob_c_operator op = bob_c_operator(u, c);
	CXCursor child[1];

	if (bob_c_children(u, c, child, 1) != 1)
		return;
	if (!strcmp(op.text, "&&"))
		return;
	if (!strcmp(op.text, "__") || !bob_c_is_lvalue(u, child[0])) {
		if (bob_c_is_lvalue(u, c))
			walk_lvalue(u, c, use);
		else
			bob_c_walk(u, child[0], BOB_C_VALUE);
		return;
	}
	if (op.text[0] ?
		    op.text[0] == '&' :
		    bob_c_type_kind(u, c) != bob_c_type_kind(u, child[0]) || bob_c_is_address(u, c))
		bob_c_walk(u, child[0], use == BOB_C_PATH ? use : BOB_C_ADDRESS);
	else
		bob_c_walk(u, child[0], BOB_C_UPDATE);
}

/* Notes an assignment to a variable by its name, or through its address. */
static void note_value(struct bob_c_unit *u, const CXCursor child[2])
{
	const CXCursor to = bob_c_bare(u, child[0]);

	if (u->is_scan && u->clang->getCursorKind(to) == CXCursor_DeclRefExpr)
		bob_c_value_note(u, bob_c_variable(u, u->clang->getCursorReferenced(to)), child[1]);
	else if (u->is_scan)
		bob_c_store_note(u, to);
}

/* a ? b : c */
static void walk_choice(struct bob_c_unit *u, CXCursor c)
{
	struct bob_c_list l = bob_c_all_children(u, c);

	for (size_t i = 0; i < l.count; i++)
		if (i)
			bob_c_walk_perhaps(u, c, l.at[i]);
		else
			bob_c_walk(u, l.at[i], BOB_C_VALUE);
	bob_c_list_free(&l);
}

static void walk_binary(struct bob_c_unit *u, CXCursor c, enum bob_c_use on_left)
{
	bool is_late;
	CXCursor child[2];

	if (bob_c_children(u, c, child, 2) != 2)
		return;
	if (!bob_c_is_lvalue(u, child[0]))
		on_left = BOB_C_VALUE;
	if (on_left == BOB_C_WRITE)
		note_value(u, child);
	is_late = u->nest && on_left != BOB_C_VALUE;
	if (!is_late)
		bob_c_walk(u, child[0], on_left);
	if (bob_c_is_guard(u, c))
		bob_c_walk_perhaps(u, c, child[1]);
	else
		bob_c_walk(u, child[1], BOB_C_VALUE);
	/* Collected accesses are in execution order: the store is last. */
	if (is_late)
		bob_c_walk(u, child[0], on_left);
}

static void walk_assignment(struct bob_c_unit *u, CXCursor c)
{
	const struct bob_c_block block = u->block;
	struct bob_c_span s;
	const bool is_block = bob_c_block_of_assignment(u, c, &s);

	walk_binary(u, c, BOB_C_WRITE);
	if (is_block)
		bob_c_close_at(u, s.end, bob_c_after_access(u));
	u->block = block;
}

static void walk_expression(struct bob_c_unit *u, CXCursor c, enum bob_c_use use)
{
	CXCursor child[1];

	switch (u->clang->getCursorKind(c)) {
	case CXCursor_DeclRefExpr:
		bob_c_function_named(u, c);
		walk_lvalue(u, c, bob_c_is_lvalue(u, c) ? use : BOB_C_PATH);
		break;
	case CXCursor_MemberRefExpr:
	case CXCursor_ArraySubscriptExpr:
		walk_lvalue(u, c, bob_c_is_lvalue(u, c) ? use : BOB_C_PATH);
		break;
	case CXCursor_ParenExpr:
		if (bob_c_children(u, c, child, 1) == 1)
			bob_c_walk(u, child[0], use);
		break;
	case CXCursor_UnexposedExpr:
		walk_implicit(u, c, use);
		break;
	case CXCursor_UnaryOperator:
		walk_unary(u, c, use);
		break;
	case CXCursor_BinaryOperator:
		walk_assignment(u, c);
		break;
	case CXCursor_CompoundAssignOperator:
		walk_binary(u, c, BOB_C_UPDATE);
		break;
	case CXCursor_CallExpr:
		walk_call(u, c);
		break;
	case CXCursor_CStyleCastExpr:
	case CXCursor_CompoundLiteralExpr:
		walk_last(u, c);
		break;
	case CXCursor_ConditionalOperator:
		walk_choice(u, c);
		break;
	case CXCursor_GenericSelectionExpr:
		bob_c_value_blur(u, c);
		break;
	case CXCursor_UnaryExpr: /* sizeof, _Alignof */
	case CXCursor_AddrLabelExpr:
		break;
	case CXCursor_StmtExpr:
		if (bob_c_children(u, c, child, 1) == 1)
			bob_c_walk_statement(u, child[0]);
		break;
	default:
		walk_all(u, c);
	}
}

void bob_c_walk(struct bob_c_unit *u, CXCursor c, enum bob_c_use use)
{
	if (!u->clang->isExpression(u->clang->getCursorKind(c)) || !bob_c_enter(u, c))
		return;
	walk_expression(u, c, use);
	bob_c_leave(u);
}
