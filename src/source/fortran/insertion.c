/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes insertion points by the rules of docs/source-fortran.md, statement by statement. Nothing
 * is inserted here: the results are offsets and needs. */
#include "source/fortran/insertion.h"

#include <string.h>

#include "source/fortran/directives.h"
#include "source/fortran/parse.h"
#include "source/fortran/split.h"

static uint32_t before_of(const struct bob_fortran_file *f, uint32_t statement)
{
	const struct bob_fortran_statement *s = &f->statements[statement];
	uint32_t i = bob_fortran_first_directive(f, statement);

	if (i == BOB_FORTRAN_NO)
		return i;
	if (i == statement && statement && f->statements[statement - 1].line_last == s->line)
		return s->first;
	return bob_fortran_line_at(f, f->statements[i].line);
}

static uint32_t after_of(const struct bob_fortran_file *f, uint32_t statement)
{
	uint32_t i;

	if (statement + 1 < f->count &&
	    f->statements[statement + 1].line == f->statements[statement].line_last)
		return f->statements[statement + 1].first;
	i = bob_fortran_last_directive(f, statement);
	return i == BOB_FORTRAN_NO ? i : bob_fortran_line_at(f, f->statements[i].line_last + 1);
}

/* The number in parentheses after the word, as in `collapse(2)`; 0: there is none. */
static uint32_t levels_of(const char *text, const char *word)
{
	const char *p = strstr(text, word);
	uint32_t n = 0;

	if (!p)
		return 0;
	for (p += strlen(word); *p == ' ' || *p == '('; p++)
		;
	for (; bob_is_digit(*p) && n < 100; p++)
		n = n * 10 + (uint32_t)(*p - '0');
	return n;
}

/* The number of loops that a directive before the loop combines. */
static uint32_t collapsed(const struct bob_fortran_file *f, uint32_t loop)
{
	uint32_t first = f->constructs[loop].first, levels = 1;

	for (uint32_t i = first; i && (f->statements[i - 1].kind == BOB_F_DIRECTIVE ||
				       f->statements[i - 1].kind == BOB_F_CPP);
	     i--) {
		const char *text = f->statements[i - 1].text;
		const uint32_t n = levels_of(text, "collapse"), m = levels_of(text, "ordered");

		levels = n > levels ? n : levels;
		levels = m > levels ? m : levels;
	}
	return levels;
}

/* Does a directive combine the loop with the one inside it? */
static bool is_tight(const struct bob_fortran_file *f, uint32_t loop)
{
	uint32_t levels = 2;

	for (; loop != BOB_FORTRAN_NO; loop = f->constructs[loop].parent) {
		if (f->constructs[loop].kind != BOB_CONSTRUCT_DO)
			return false;
		if (collapsed(f, loop) >= levels)
			return true;
		levels++;
	}
	return false;
}

/* The outermost masking construct around the statement; BOB_FORTRAN_NO: none. */
static uint32_t mask_around(const struct bob_fortran_file *f, uint32_t statement)
{
	uint32_t c = f->statements[statement].construct, found = BOB_FORTRAN_NO;

	for (; c != BOB_FORTRAN_NO; c = f->constructs[c].parent)
		if (f->constructs[c].kind == BOB_CONSTRUCT_WHERE ||
		    f->constructs[c].kind == BOB_CONSTRUCT_FORALL)
			found = c;
	return found;
}

#define ATOMIC_MAX 8u /* statements of an atomic block */

/* `!$omp atomic` around the statement: up to its end, or the two statements of a capture. No lines
 * can be inserted within. */
static bool atomic_block(const struct bob_fortran_file *f, uint32_t statement, uint32_t *first,
			 uint32_t *last)
{
	uint32_t i = statement;

	while (i && statement - i < ATOMIC_MAX && f->statements[i].kind != BOB_F_DIRECTIVE)
		i--;
	*first = i;
	if (f->statements[i].kind != BOB_F_DIRECTIVE ||
	    !bob_fortran_directive_has(&f->statements[i], "atomic") ||
	    bob_fortran_directive_ends(&f->statements[i]))
		return false;
	for (i = statement + 1; i < f->count && i - statement < ATOMIC_MAX; i++)
		if (f->statements[i].kind == BOB_F_DIRECTIVE)
			break;
	*last = i;
	if (i < f->count && bob_fortran_directive_ends(&f->statements[i]) &&
	    bob_fortran_directive_has(&f->statements[i], "atomic"))
		return true;
	*last = *first + 2; /* two, without an end */
	return bob_fortran_directive_has(&f->statements[*first], "capture") && statement <= *last &&
	       *last < f->count;
}

static bool leaves_early(const struct bob_fortran_statement *s)
{
	enum bob_fortran_kind kind = s->body ? s->body_kind : s->kind;
	const char *p;

	if (kind == BOB_F_CALL) {
		for (p = s->text; *p; p++)
			if ((*p == '*' || *p == '&') && bob_is_digit(p[1]) && p > s->text &&
			    (p[-1] == '(' || p[-1] == ',' || p[-1] == ' '))
				return true;
		return false;
	}
	if (kind < BOB_F_READ || kind > BOB_F_WAIT)
		return false;
	for (p = s->text; (p = strchr(p, '=')) != NULL; p++) {
		const char *end = p;

		while (end > s->text && end[-1] == ' ')
			end--;
		if (end - s->text > 3 && !bob_fortran_is_word(end[-4]) &&
		    (!memcmp(end - 3, "end", 3) || !memcmp(end - 3, "err", 3) ||
		     !memcmp(end - 3, "eor", 3)))
			return true;
	}
	return false;
}

/* Allowed insertions around kinds of statements. */
enum around {
	BOTH,
	BEFORE,		/* a jump: no lines after it are reached */
	OPENS,		/* a block begins after it */
	OPENS_TIGHT,	/* a block, but its first line is fixed (CASE, WHERE, BLOCK) */
	TURNS,		/* ELSE, CASE: a block ends and one begins */
	CLOSES_TIGHT,	/* END WHERE */
	NOWHERE
};

static enum around around(enum bob_fortran_kind kind)
{
	switch (kind) {
	case BOB_F_GOTO:
	case BOB_F_ASSIGNED_GOTO:
	case BOB_F_ARITHMETIC_IF:
	case BOB_F_RETURN:
	case BOB_F_STOP:
	case BOB_F_ERROR_STOP:
	case BOB_F_CYCLE:
	case BOB_F_EXIT:
	case BOB_F_FAIL_IMAGE:
		return BEFORE;
	case BOB_F_IF_THEN:
	case BOB_F_DO:
	case BOB_F_DO_WHILE:
	case BOB_F_DO_CONCURRENT:
	case BOB_F_DO_FOREVER:
	case BOB_F_ASSOCIATE:
	case BOB_F_CRITICAL:
	case BOB_F_CHANGE_TEAM:
		return OPENS;
	case BOB_F_SELECT_CASE:
	case BOB_F_SELECT_TYPE:
	case BOB_F_SELECT_RANK:
	case BOB_F_WHERE_CONSTRUCT:
	case BOB_F_FORALL_CONSTRUCT:
	case BOB_F_BLOCK:
		return OPENS_TIGHT;
	case BOB_F_ELSE_IF:
	case BOB_F_ELSE:
	case BOB_F_CASE:
	case BOB_F_TYPE_IS:
	case BOB_F_CLASS_IS:
	case BOB_F_RANK:
		return TURNS;
	case BOB_F_ELSEWHERE:
		return NOWHERE;
	case BOB_F_END_WHERE:
	case BOB_F_END_FORALL:
		return CLOSES_TIGHT;
	default:
		return BOTH;
	}
}

static void place_around(const struct bob_fortran_file *f, uint32_t statement,
			 struct bob_fortran_place *p)
{
	enum around a = around(f->statements[statement].kind);
	uint32_t first, last;

	if (a == BOTH || a == BEFORE || a == OPENS || a == OPENS_TIGHT)
		p->before = before_of(f, statement);
	if (a == BOTH || a == CLOSES_TIGHT)
		p->after = after_of(f, statement);
	if (a == OPENS || a == TURNS)
		p->inside = after_of(f, statement);
	if (!atomic_block(f, statement, &first, &last))
		return;
	p->before = bob_fortran_line_at(f, f->statements[first].line);
	p->after = bob_fortran_line_at(f, f->statements[last].line_last + 1);
	p->inside = BOB_FORTRAN_NO;
}

/* `do 10 i = ...`: the position of the digits. */
static void place_loop(const struct bob_fortran_file *f, uint32_t statement,
		       struct bob_fortran_place *p)
{
	const struct bob_fortran_statement *s = &f->statements[statement];
	const struct bob_fortran_construct *c;
	uint32_t i = s->from + 2;

	if (s->construct == BOB_FORTRAN_NO || f->constructs[s->construct].first != statement)
		return;
	c = &f->constructs[s->construct];
	p->after_loop = after_of(f, c->last);
	if (is_tight(f, s->construct)) {
		p->inside = BOB_FORTRAN_NO;
		p->needs |= BOB_NEED_TIGHT;
	}
	if (c->parent != BOB_FORTRAN_NO && f->constructs[c->parent].kind == BOB_CONSTRUCT_DO &&
	    f->constructs[c->parent].first + 1 == statement && is_tight(f, c->parent)) {
		p->before = p->after_loop = BOB_FORTRAN_NO;
		p->needs |= BOB_NEED_TIGHT;
	}
	if (!s->target)
		return;
	while (i < s->len && !bob_is_digit(s->text[i]))
		i++;
	p->target_at = s->at[i];
	while (i < s->len && bob_is_digit(s->text[i]))
		i++;
	p->target_len = s->at[i - 1] + 1 - p->target_at;
}

/* The END DO of loops that a directive combines: no lines between them. */
static void place_loop_end(const struct bob_fortran_file *f, uint32_t statement,
			   struct bob_fortran_place *p)
{
	uint32_t loop = f->statements[statement].construct, parent;

	if (f->statements[statement].kind != BOB_F_END_DO || loop == BOB_FORTRAN_NO ||
	    f->constructs[loop].last != statement)
		return;
	parent = f->constructs[loop].parent;
	if (is_tight(f, loop)) {
		p->before = BOB_FORTRAN_NO;
		p->needs |= BOB_NEED_TIGHT;
	}
	if (parent != BOB_FORTRAN_NO && is_tight(f, parent)) {
		p->after = BOB_FORTRAN_NO;
		p->needs |= BOB_NEED_TIGHT;
	}
}

static void place_one_line_if(const struct bob_fortran_statement *s, struct bob_fortran_place *p)
{
	uint32_t end = s->body;

	while (end > s->from && s->text[end - 1] == ' ')
		end--;
	bob_fortran_bytes(s, s->from, end, &p->header, &p->header_end);
	bob_fortran_bytes(s, s->body, s->len, &p->body, &p->body_end);
}

static bool is_plain_end(enum bob_fortran_kind kind)
{
	return kind == BOB_F_CONTINUE || kind == BOB_F_END_DO;
}

bob_status bob_fortran_place(const struct bob_fortran_file *f, uint32_t statement,
			     struct bob_fortran_place *out)
{
	struct bob_fortran_place p = { .before = BOB_FORTRAN_NO,
				       .after = BOB_FORTRAN_NO,
				       .inside = BOB_FORTRAN_NO,
				       .after_loop = BOB_FORTRAN_NO };
	const struct bob_fortran_statement *s;
	uint32_t mask, loop;

	if (statement >= f->count)
		return BOB_ERR_INVAL;
	s = &f->statements[statement];
	p.label = s->label;
	p.label_at = s->label_at;
	p.label_len = s->label_len;
	if (!s->is_executable || s->unit == BOB_FORTRAN_NO) {
		*out = p;
		return BOB_OK;
	}
	place_around(f, statement, &p);
	if (s->shares_line)
		p.needs |= BOB_NEED_SPLIT;
	if (s->ends_loops && !is_plain_end(s->kind))
		p.needs |= BOB_NEED_TERMINAL;
	if (s->is_branch_target && !(s->ends_loops && is_plain_end(s->kind)))
		p.needs |= BOB_NEED_LABEL;
	if (leaves_early(s))
		p.needs |= BOB_NEED_EARLY;
	if (!s->is_in_workshare) {
		place_loop(f, statement, &p);
		place_loop_end(f, statement, &p);
	}
	if (s->kind == BOB_F_IF)
		place_one_line_if(s, &p);
	mask = mask_around(f, statement);
	if (s->is_in_workshare) {
		p.before = p.after = p.inside = BOB_FORTRAN_NO;
	} else if (mask != BOB_FORTRAN_NO) {
		p.needs |= BOB_NEED_ONE_SECTION;
		p.before = before_of(f, f->constructs[mask].first);
		p.after = after_of(f, f->constructs[mask].last);
	} else if (s->kind == BOB_F_WHERE || s->kind == BOB_F_FORALL) {
		p.needs |= BOB_NEED_ONE_SECTION;
	}
	if (bob_fortran_is_pure(&f->units[s->unit]))
		p.needs |= BOB_NEED_NO_CALL;
	for (loop = s->construct; loop != BOB_FORTRAN_NO; loop = f->constructs[loop].parent)
		if (f->statements[f->constructs[loop].first].kind == BOB_F_DO_CONCURRENT &&
		    f->constructs[loop].first != statement && f->constructs[loop].last != statement)
			p.needs |= BOB_NEED_NO_CALL;
	*out = p;
	return BOB_OK;
}

/* May two names share storage, by the declarations of one unit? */
static bool may_be_same(const struct bob_fortran_symbol *a, const struct bob_fortran_symbol *b)
{
	const uint32_t aliased = BOB_SYMBOL_POINTER | BOB_SYMBOL_TARGET;

	return a == b || (a->class_id && a->class_id == b->class_id) ||
	       (a->common && a->common == b->common && (a->class_id || b->class_id)) ||
	       ((a->flags & aliased) && (b->flags & aliased));
}

/* May the statement change the operands of a subscript: by a write, or by a function that it
 * calls? */
static bool may_move(const struct bob_fortran_file *f, uint32_t statement,
		     const struct bob_fortran_use *u)
{
	struct bob_arena arena = { .blocks = NULL };
	struct bob_fortran_uses uses;
	bool calls = false, reads = false, is_own = false;

	if (bob_fortran_uses(&arena, f, statement, &uses) != BOB_OK) {
		bob_arena_free(&arena);
		return true;
	}
	for (uint32_t i = 0; i < uses.count; i++) {
		const struct bob_fortran_use *v = &uses.at[i];

		calls = calls ||
			(v->role == BOB_ROLE_CALL && v->symbol->class != BOB_NAME_INTRINSIC);
		if (v->role != BOB_ROLE_READ || v->from < u->from || v->to > u->to ||
		    v->from == u->from)
			continue;
		reads = true;
		is_own = is_own || may_be_same(v->symbol, u->symbol);
	}
	bob_arena_free(&arena);
	return is_own || (reads && calls);
}

bob_status bob_fortran_place_use(const struct bob_fortran_file *f, uint32_t statement,
				 const struct bob_fortran_use *u, struct bob_fortran_place *out)
{
	const struct bob_fortran_statement *s;
	bob_status st = bob_fortran_place(f, statement, out);
	const uint32_t moving = BOB_SYMBOL_ALLOCATABLE;

	if (st != BOB_OK)
		return st;
	s = &f->statements[statement];
	if ((u->flags & BOB_USE_BODY) && s->kind == BOB_F_IF)
		out->needs |= BOB_NEED_EXPAND;
	if (s->kind == BOB_F_ELSE_IF || (u->flags & BOB_USE_CALLS))
		out->needs |= BOB_NEED_WRAPPER;
	if (s->kind == BOB_F_DO_WHILE)
		out->needs |= BOB_NEED_BACK_EDGE;
	if (u->role == BOB_ROLE_LOOP && s->kind == BOB_F_DO)
		out->needs |= BOB_NEED_LOOP_BODY;
	if (u->flags & BOB_USE_IMPLIED_DO)
		out->needs |= BOB_NEED_IMPLIED_DO;
	if (u->flags & BOB_USE_MASKED)
		out->needs |= BOB_NEED_ONE_SECTION;
	if (u->role == BOB_ROLE_ALLOCATE || u->role == BOB_ROLE_POINT)
		out->needs |= BOB_NEED_REGISTER;
	if (u->role == BOB_ROLE_RELEASE)
		out->needs |= BOB_NEED_UNREGISTER;
	if (u->role == BOB_ROLE_WRITE && (u->symbol->flags & moving) && (u->flags & BOB_USE_WHOLE))
		out->needs |= BOB_NEED_REGISTER | BOB_NEED_UNREGISTER;
	if ((u->role == BOB_ROLE_WRITE || u->role == BOB_ROLE_POINT) &&
	    (s->kind == BOB_F_ASSIGN || s->kind == BOB_F_POINTER_ASSIGN ||
	     (u->flags & BOB_USE_BODY)) &&
	    (u->flags & (BOB_USE_ELEMENT | BOB_USE_SECTION | BOB_USE_VECTOR | BOB_USE_SUBSTRING |
			 BOB_USE_COMPONENT)) &&
	    may_move(f, statement, u))
		out->needs |= BOB_NEED_SAVE;
	return BOB_OK;
}
