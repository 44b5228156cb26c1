/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks statements and declarations. Compile-time constants (initial values of static objects, case
 * labels, widths, fixed bounds) are not evaluated at run time and get no probes. */
#include <string.h>

#include "source/c/copies.h"
#include "source/c/nest.h"

static CXCursor initial_value(struct bob_c_unit *u, CXCursor decl)
{
	return u->clang->Cursor_getVarDeclInitializer(decl);
}

static bool has_variable_size(struct bob_c_unit *u, CXType t)
{
	for (int depth = 0; depth < 16; depth++) {
		t = u->clang->getCanonicalType(t);
		if (t.kind == CXType_VariableArray)
			return true;
		if (!bob_c_is_array(t.kind))
			return false;
		t = u->clang->getArrayElementType(t);
	}
	return false;
}

/* Walks the bounds of a variable-length array. */
static void walk_bounds(struct bob_c_unit *u, CXCursor decl, CXCursor init)
{
	struct bob_c_list l = bob_c_all_children(u, decl);
	CXFile file;
	unsigned line, column, name;

	u->clang->getExpansionLocation(u->clang->getCursorLocation(decl), &file, &line, &column,
				       &name);
	for (size_t i = 0; i < l.count; i++)
		if (!u->clang->equalCursors(l.at[i], init) && bob_c_span(u, l.at[i]).start > name)
			bob_c_walk(u, l.at[i], BOB_C_VALUE);
	bob_c_list_free(&l);
}

/* The end of a declarator with its attributes: the comma, semicolon or parenthesis after it. 0: not
 * found. */
static uint32_t declarator_end(const struct bob_c_unit *u, uint32_t at)
{
	int depth = 0;

	while (at < u->len) {
		const char c = u->bytes[at];

		if (!depth && (c == ',' || c == ';'))
			return at;
		if (c == '"' || c == '\'' || c == '#' || c == '{')
			return 0;
		depth += c == '(' || c == '[';
		depth -= c == ')' || c == ']';
		if (depth < 0)
			return 0;
		at = bob_c_skip_blanks(u, at + 1);
	}
	return 0;
}

/* The site of the initialization. -1: it was not requested. */
static int write_site(struct bob_c_unit *u, CXCursor decl, const struct bob_c_span *s,
		      struct bob_c_variable *v)
{
	const long long bytes = u->clang->Type_getSizeOf(u->clang->getCursorType(decl));
	const struct bob_c_site site = {
		.line = s->line,
		.column = s->column,
		.unit = bob_c_unit_number(u, u->function_name),
		.bytes = (uint32_t)bytes,
		.kind = BOB_C_PROBE_WRITE,
	};
	struct bob_c_lvalue lv = { .is_known = true, .variable = v };
	const enum bob_c_verdict verdict = bob_c_judge(u, &lv, decl, s->line);

	if (verdict != BOB_C_PROVED && verdict != BOB_C_FILTERED)
		return -1;
	if (bytes <= 0 || bytes > BOB_C_ACCESS_MAX) {
		bob_c_refuse(u, BOB_SOURCE_C_LARGE);
		return -1;
	}
	u->counts.probes++;
	if (verdict == BOB_C_PROVED)
		u->counts.proved++;
	else
		u->counts.filtered++;
	bob_c_predict_site(u, decl, &lv, BOB_C_WRITE);
	return (int)bob_c_site(u, &site);
}

/* Registers a variable of this block. `scope_end`: end of its lifetime. */
static void declare_local(struct bob_c_unit *u, CXCursor decl, struct bob_c_variable *v,
			  bool has_init, uint32_t scope_end)
{
	const struct bob_c_span s = bob_c_span(u, decl);
	const bool is_auto = s.is_ours && !strncmp(u->bytes + s.start, "__auto_type", 11);
	uint32_t at = s.is_plain && !is_auto && u->blocked < 0 ?
			      declarator_end(u, bob_c_skip_blanks(u, s.end)) :
			      0;

	if (!at && s.is_ours && !is_auto)
		bob_c_refuse_in_macro(u, &s);
	else if (!at && s.is_ours)
		bob_c_refuse(u, BOB_SOURCE_C_UNCLEAR);
	else if (!at)
		bob_c_refuse_included(u, decl);
	v->is_jumped = !at || (!v->is_static && bob_c_is_jumped_into(u, at, scope_end));
	while (v->is_static && at && u->bytes[at] == ',')
		at = declarator_end(u, at + 1);
	if (v->is_jumped || !at)
		return;
	if (v->is_static) {
		bob_c_close_at(u, at + 1, bob_c_static(u, v));
		return;
	}
	v->has_scope = true;
	bob_c_predict_declare(u);
	bob_c_close_at(u, at, bob_c_local(u, v, has_init ? write_site(u, decl, &s, v) : -1));
}

static void walk_local(struct bob_c_unit *u, CXCursor decl, uint32_t scope_end)
{
	struct bob_c_variable *v = bob_c_variable(u, decl);
	const CXCursor init = initial_value(u, decl);
	const bool has_init = !u->clang->Cursor_isNull(init);
	const struct bob_c_block block = u->block;
	struct bob_c_span s;

	if (!v)
		return;
	if (u->clang->Cursor_getStorageClass(decl) == CX_SC_Extern)
		return;
	if (has_variable_size(u, u->clang->getCursorType(decl)))
		walk_bounds(u, decl, init);
	if (has_init && u->is_scan)
		bob_c_value_note(u, v, init);
	if (has_init && (!v->is_static || u->is_scan)) {
		const bool is_block = bob_c_block_of_variable(u, v, init, &s);

		bob_c_walk(u, init, BOB_C_VALUE);
		if (is_block)
			bob_c_close_at(u, s.end, bob_c_after_access(u));
		u->block = block;
	}
	if (u->is_scan || u->nest || !v->is_wanted)
		return;
	if (!v->is_register && !v->is_thread)
		declare_local(u, decl, v, has_init, scope_end);
}

static void walk_declarations(struct bob_c_unit *u, CXCursor c)
{
	struct bob_c_list l = bob_c_all_children(u, c);
	uint32_t end = u->len;

	/* Its scope is the enclosing statement: a block, or a loop with a declaration in its
	 * head. */
	if (u->ancestors.count > 1)
		end = bob_c_span(u, u->ancestors.at[u->ancestors.count - 2]).end;
	for (size_t i = 0; i < l.count; i++)
		if (u->clang->getCursorKind(l.at[i]) == CXCursor_VarDecl &&
		    bob_c_enter(u, l.at[i])) {
			walk_local(u, l.at[i], end);
			bob_c_leave(u);
		}
	bob_c_list_free(&l);
}

static void walk_children(struct bob_c_unit *u, CXCursor c, bool last_only)
{
	struct bob_c_list l = bob_c_all_children(u, c);

	for (size_t i = last_only && l.count ? l.count - 1 : 0; i < l.count; i++)
		bob_c_walk_statement(u, l.at[i]);
	bob_c_list_free(&l);
}

/* Operands of asm have no probes; requested ones are counted. */
static void walk_assembler(struct bob_c_unit *u, CXCursor c)
{
	struct bob_c_list l = bob_c_all_children(u, c);
	const int blocked = u->blocked;

	u->blocked = BOB_SOURCE_C_ASSEMBLER;
	bob_c_value_blur(u, c);
	for (size_t i = 0; i < l.count; i++)
		bob_c_walk(u, l.at[i], BOB_C_READ);
	u->blocked = blocked;
	bob_c_list_free(&l);
}

/* The statement below `omp atomic` must keep its form. */
static bool is_below_atomic(const struct bob_c_unit *u, CXCursor c)
{
	const struct bob_c_span s = bob_c_span(u, c);

	return s.is_ours && bob_c_is_after_pragma(u, s.start, "atomic");
}

/* The head of a loop below a pragma must keep its form, so it has no probes. */
static void walk_for(struct bob_c_unit *u, CXCursor c)
{
	const struct bob_c_span s = bob_c_span(u, c);
	const bool is_ruled = s.is_ours && bob_c_is_below_pragma(u, &s);
	struct bob_c_list l = bob_c_all_children(u, c);
	const int blocked = u->blocked;
	const struct bob_c_often often = u->often;
	struct bob_c_head head;
	struct bob_c_hold hold;
	size_t first = 0;

	bob_c_head_find(u, c, &head);
	if (head.first_end && !is_ruled) {
		first = !u->clang->Cursor_isNull(head.first);
		if (first)
			bob_c_walk_statement(u, head.first);
		if (bob_c_nest_one_try(u, &head))
			first = l.count;
	}
	bob_c_hold_open(u, c, &hold);
	bob_c_times(u, c);
	for (size_t i = first; i < l.count; i++) {
		if (is_ruled && i + 1 < l.count)
			u->blocked = BOB_SOURCE_C_ATOMIC_PRAGMA;
		bob_c_walk_statement(u, l.at[i]);
		u->blocked = blocked;
	}
	u->often = often;
	bob_c_hold_close(u, &hold);
	bob_c_list_free(&l);
}

static void walk_loop(struct bob_c_unit *u, CXCursor c)
{
	const struct bob_c_loop loop = bob_c_loop_open(u, c);
	const bool is_for = u->clang->getCursorKind(c) == CXCursor_ForStmt;
	const struct bob_c_often often = u->often;
	struct bob_c_hold hold;

	if (!is_for) {
		bob_c_hold_open(u, c, &hold);
		bob_c_times(u, c);
		walk_children(u, c, false);
		u->often = often;
		bob_c_hold_close(u, &hold);
	} else if (!bob_c_nest_try(u, c)) {
		walk_for(u, c);
	}
	bob_c_loop_close(u, &loop);
}

/* The condition is always evaluated; its branches are not. */
static void walk_condition(struct bob_c_unit *u, CXCursor c)
{
	struct bob_c_list l = bob_c_all_children(u, c);
	const struct bob_c_often often = u->often;

	for (size_t i = 0; i < l.count; i++) {
		if (i == 1)
			bob_c_times(u, c);
		bob_c_walk_statement(u, l.at[i]);
	}
	u->often = often;
	bob_c_list_free(&l);
}

void bob_c_walk_statement(struct bob_c_unit *u, CXCursor c)
{
	const enum CXCursorKind k = u->clang->getCursorKind(c);
	const int blocked = u->blocked;

	if (u->clang->isExpression(k)) {
		if (is_below_atomic(u, c))
			u->blocked = BOB_SOURCE_C_ATOMIC_PRAGMA;
		bob_c_walk(u, c, BOB_C_VALUE);
		u->blocked = blocked;
		return;
	}
	if (!u->clang->isStatement(k) || !bob_c_enter(u, c))
		return;
	switch (k) {
	case CXCursor_ForStmt:
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt:
		walk_loop(u, c);
		break;
	case CXCursor_DeclStmt:
		walk_declarations(u, c);
		break;
	case CXCursor_AsmStmt:
		walk_assembler(u, c);
		break;
	case CXCursor_IfStmt:
	case CXCursor_SwitchStmt:
		walk_condition(u, c);
		break;
	case CXCursor_CaseStmt:
	case CXCursor_LabelStmt:
		walk_children(u, c, true);
		break;
	case CXCursor_ReturnStmt:
		bob_c_return_note(u, c);
		walk_children(u, c, false);
		break;
	default:
		walk_children(u, c, false);
	}
	bob_c_leave(u);
}

static void declare_parameter(struct bob_c_unit *u, struct bob_c_variable *v, uint32_t at)
{
	bob_c_predict_declare(u);
	bob_c_close_at(u, at, bob_c_parameter(u, v));
}

static void declare_parameters(struct bob_c_unit *u, const struct bob_c_list *l, CXCursor body)
{
	const struct bob_c_span s = bob_c_span(u, body);

	for (size_t i = 0; i < l->count; i++) {
		struct bob_c_variable *v;

		if (u->clang->getCursorKind(l->at[i]) != CXCursor_ParmDecl)
			continue;
		v = bob_c_variable(u, l->at[i]);
		if (u->is_scan || !v || !v->is_wanted || !*v->name || v->is_register)
			continue;
		if (!s.is_ours)
			bob_c_refuse_included(u, body);
		else if (!s.is_plain || u->bytes[s.start] != '{')
			bob_c_refuse_in_macro(u, &s);
		else if (bob_c_is_jumped_into(u, s.start, s.end))
			bob_c_refuse(u, BOB_SOURCE_C_JUMP);
		else
			declare_parameter(u, v, s.start + 1);
	}
}

static void note_function(struct bob_c_unit *u)
{
	u->is_failed |= BOB_VEC_ADD(&u->functions, u->function_name) != BOB_OK;
}

void bob_c_walk_function(struct bob_c_unit *u, CXCursor function)
{
	struct bob_c_list l = bob_c_all_children(u, function);
	const CXCursor body = l.count ? l.at[l.count - 1] : function;

	if (l.count && u->clang->getCursorKind(body) == CXCursor_CompoundStmt) {
		u->function_name = bob_c_spelling(u, function);
		bob_c_predict_function(u, function);
		if (u->is_scan)
			note_function(u);
		bob_c_jumps_find(u, body);
		declare_parameters(u, &l, body);
		bob_c_walk_statement(u, body);
		u->function_name = "";
	}
	bob_c_list_free(&l);
}

/* The headers of the probes go before the first function with a probe, or else the first function:
 * after feature macros that the file defines for system headers, and after these headers. */
static void note_top(struct bob_c_unit *u, CXCursor function, bool is_sure)
{
	const struct bob_c_span s = bob_c_span(u, function);
	uint32_t at = s.start;

	if (u->has_top || (u->top_line && !is_sure) || !s.is_ours)
		return;
	u->has_top = is_sure;
	while (at && (u->bytes[at - 1] == ' ' || u->bytes[at - 1] == '\t'))
		at--;
	u->top = !at || u->bytes[at - 1] == '\n' ? at : s.start;
	u->top_line = s.line;
}

void bob_c_walk_file(struct bob_c_unit *u)
{
	struct bob_c_list l = bob_c_all_children(u, u->clang->getTranslationUnitCursor(u->tu));

	u->blocked = -1;
	for (size_t i = 0; i < l.count && !u->is_failed; i++) {
		if (!bob_c_enter(u, l.at[i]))
			break;
		if (u->clang->getCursorKind(l.at[i]) == CXCursor_FunctionDecl)
			bob_c_function_declared(u, l.at[i]);
		if (u->clang->getCursorKind(l.at[i]) == CXCursor_FunctionDecl &&
		    u->clang->isCursorDefinition(l.at[i])) {
			const size_t before = u->edits.count;

			bob_c_copies_enter(u, l.at[i]);
			bob_c_walk_function(u, l.at[i]);
			bob_c_copies_walk(u, l.at[i]);
			note_top(u, l.at[i], u->edits.count > before);
		} else if (u->clang->getCursorKind(l.at[i]) == CXCursor_VarDecl && u->is_scan) {
			const CXCursor init = initial_value(u, l.at[i]);
			struct bob_c_variable *v = bob_c_variable(u, l.at[i]);

			if (v)
				bob_c_variable_declared(u, v, l.at[i],
							!u->clang->Cursor_isNull(init));
			if (!u->clang->Cursor_isNull(init)) {
				bob_c_value_note(u, v, init);
				bob_c_walk(u, init, BOB_C_VALUE);
			}
		}
		bob_c_leave(u);
	}
	bob_c_list_free(&l);
}
