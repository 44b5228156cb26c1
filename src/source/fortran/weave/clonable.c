/* SPDX-License-Identifier: BSD-3-Clause */
/* Reasons against copies of procedures. The analysis is conservative: if the text does not show
 * that a copy is safe, there is none. */
#include "source/fortran/weave/clones.h"

#include <ctype.h>
#include <string.h>

#include "base/ascii.h"
#include "source/fortran/scope.h"
#include "source/fortran/weave/reached.h"

/* Compilers make a procedure's local arrays of this size and more static (gfortran:
 * -fmax-stack-var-size). */
#define LARGE_BYTES 32768u

static bool is_module(const struct bob_fortran_unit *u)
{
	return u->kind == BOB_UNIT_MODULE || u->kind == BOB_UNIT_SUBMODULE;
}

/* --- names --- */

static bool is_within(const struct bob_weave *w, uint32_t unit, uint32_t outer)
{
	while (unit != outer && unit != BOB_FORTRAN_NO)
		unit = w->file->units[unit].parent;
	return unit == outer;
}

static bool is_incomplete(const struct bob_fortran_symbols *t)
{
	while (t && !t->is_incomplete)
		t = t->host;
	return t != NULL;
}

static bool is_procedure_name(const struct bob_fortran_symbol *s)
{
	return s->class == BOB_NAME_SUBROUTINE || s->class == BOB_NAME_FUNCTION;
}

bool bob_weave_is_sure(const struct bob_weave *w, uint32_t unit,
		       const struct bob_fortran_symbol *called, const struct bob_weave_procedure *p)
{
	const struct bob_fortran_unit *u = &p->w->file->units[p->unit];
	const uint32_t own = BOB_SYMBOL_DUMMY | BOB_SYMBOL_EXTERNAL;
	const bool is_used = called->flags & BOB_SYMBOL_USED;

	if (called->flags & (BOB_SYMBOL_DUMMY | BOB_SYMBOL_RESULT | BOB_SYMBOL_POINTER))
		return false;
	if (u->parent == BOB_FORTRAN_NO)
		return !is_used &&
		       (is_procedure_name(called) || called->class == BOB_NAME_PROCEDURE ||
			called->class == BOB_NAME_UNKNOWN) &&
		       (called->flags & BOB_SYMBOL_EXTERNAL ||
			!is_incomplete(w->file->units[unit].symbols));
	if (!is_procedure_name(called) || called->flags & own)
		return false;
	if (is_used)
		return u->parent < p->w->file->unit_count &&
		       p->w->file->units[u->parent].kind == BOB_UNIT_MODULE && called->origin &&
		       !strcmp(called->origin, u->name);
	return w == p->w && (is_module(&w->file->units[u->parent]) ?
				     is_within(w, unit, u->parent) :
				     unit == u->parent || w->file->units[unit].parent == u->parent);
}

/* Intrinsic procedures: compilers decide which of both a call without EXTERNAL refers to. The list
 * has the standard's and gfortran's additional subroutines. */
static bool is_intrinsic(const char *name)
{
	static const char *const more[] = {
		"abort",  "alarm", "backtrace", "chdir",  "chmod",  "ctime",  "dtime",	"exit",
		"fdate",  "fgetc", "fget",	"flush",  "fput",   "fputc",  "free",	"fseek",
		"fstat",  "ftell", "gerror",	"getarg", "getcwd", "getenv", "getlog", "gmtime",
		"hostnm", "idate", "itime",	"kill",	  "link",   "lstat",  "ltime",	"perror",
		"rename", "secnds", "signal",	"sleep",  "srand",  "stat",   "symlnk", "system",
		"time",	  "ttynam", "umask",	"unlink"
	};

	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		if (!strcmp(more[i], name))
			return true;
	return bob_fortran_intrinsic(name, (uint32_t)strlen(name)) != NULL;
}

/* --- text of the procedure --- */

static bool needs_interface(const struct bob_fortran_symbol *s)
{
	const uint32_t bad = BOB_SYMBOL_OPTIONAL | BOB_SYMBOL_ALLOCATABLE | BOB_SYMBOL_POINTER |
			     BOB_SYMBOL_TARGET | BOB_SYMBOL_VALUE | BOB_SYMBOL_VOLATILE |
			     BOB_SYMBOL_COARRAY;

	return s->flags & bad || s->shape == BOB_SHAPE_ASSUMED ||
	       s->shape == BOB_SHAPE_ASSUMED_RANK || s->shape == BOB_SHAPE_DEFERRED ||
	       s->type == BOB_T_CLASS || s->type == BOB_T_ANY;
}

/* Does it keep state between calls? */
static const char *keeps(const struct bob_weave *w, const struct bob_fortran_unit *u,
			 const struct bob_fortran_symbol *s)
{
	const uint32_t elsewhere = BOB_SYMBOL_DUMMY | BOB_SYMBOL_USED | BOB_SYMBOL_COMMON;
	const uint32_t moves = BOB_SYMBOL_ALLOCATABLE | BOB_SYMBOL_POINTER;
	const bool is_kept = s->class == BOB_NAME_VARIABLE ||
			     (s->class == BOB_NAME_PROCEDURE && s->flags & BOB_SYMBOL_POINTER);
	uint64_t bytes;

	if (!is_kept || s->flags & elsewhere || s->common)
		return NULL;
	if (s->flags & BOB_SYMBOL_SAVE || s->init || w->keeps_locals)
		return "it keeps variables from one call to the next";
	if (s->flags & moves || u->flags & BOB_UNIT_RECURSIVE)
		return NULL;
	bytes = bob_fortran_symbol_bytes(u->symbols, s);
	if (bytes >= LARGE_BYTES || (!bytes && is_incomplete(u->symbols)))
		return "it has an array that compilers keep where it is from one call to the next";
	return NULL;
}

/* gfortran 12 takes an undeclared result name for the original procedure of that name. */
static bool is_result_untyped(const struct bob_fortran_unit *u)
{
	const struct bob_fortran_symbol *s =
		u->kind == BOB_UNIT_FUNCTION && u->parent != BOB_FORTRAN_NO && u->result ?
			bob_fortran_own(u->symbols, u->result, (uint32_t)strlen(u->result)) :
			NULL;

	return s && !strcmp(u->result, u->name) && !(s->flags & BOB_SYMBOL_TYPED);
}

static const char *look_at_names(const struct bob_weave_procedure *p)
{
	const struct bob_fortran_unit *u = &p->w->file->units[p->unit];
	const char *why = NULL;

	for (const struct bob_fortran_symbols *t = u->symbols ? u->symbols->inner : NULL; t && !why;
	     t = t->inner)
		for (const struct bob_fortran_symbol *s = t->first; s && !why; s = s->next)
			why = keeps(p->w, u, s);
	for (const struct bob_fortran_symbol *s = u->symbols ? u->symbols->first : NULL; s && !why;
	     s = s->next) {
		why = keeps(p->w, u, s);
		if (!why && u->parent == BOB_FORTRAN_NO &&
		    s->flags & (BOB_SYMBOL_DUMMY | BOB_SYMBOL_RESULT) && needs_interface(s))
			why = "who calls it needs its interface";
	}
	if (!why && u->symbols && is_result_untyped(u))
		why = "nothing declares the type of what it gives";
	return u->symbols ? why : "its names are not known";
}

static const char *look_at_header(const struct bob_weave_procedure *p)
{
	const struct bob_fortran_file *f = p->w->file;
	const struct bob_fortran_unit *u = &f->units[p->unit];
	const struct bob_fortran_statement *first = &f->statements[u->first];
	const size_t n = strlen(u->name);

	if (u->flags & BOB_UNIT_ENTRIES)
		return "it has an ENTRY";
	if (u->flags & BOB_UNIT_BIND_C || (p->w->c->is_there && u->parent == BOB_FORTRAN_NO))
		return "C may call it";
	if (u->flags & BOB_UNIT_MODULE_PREFIX)
		return "its interface is another module's";
	if (u->contains != BOB_FORTRAN_NO)
		return "it contains procedures";
	if (u->dummy_count > BOB_WEAVE_CLONE_DUMMIES_MAX)
		return "it has too many arguments";
	if (first->shares_line || f->statements[u->last].shares_line)
		return "it shares a line with something else";
	if (u->name_at == BOB_FORTRAN_NO || n > f->len - u->name_at)
		return "its first statement is not understood";
	for (size_t i = 0; i < n; i++)
		if (tolower((unsigned char)f->bytes[u->name_at + i]) != u->name[i])
			return "its name is in pieces";
	for (uint32_t i = u->first; i <= u->last; i++)
		if (f->statements[i].kind == BOB_F_CPP)
			return "the preprocessor has lines in it";
	return NULL;
}

const char *bob_weave_result_type(struct bob_weave *w, const struct bob_weave_procedure *p)
{
	static const char *const types[] = { [BOB_T_INTEGER] = "integer",
					     [BOB_T_REAL] = "real",
					     [BOB_T_COMPLEX] = "complex",
					     [BOB_T_LOGICAL] = "logical",
					     [BOB_T_ANY] = NULL };
	const struct bob_fortran_unit *u = &p->w->file->units[p->unit];
	const struct bob_fortran_symbol *s;

	if (u->kind != BOB_UNIT_FUNCTION)
		return "";
	s = u->result && u->symbols ?
		    bob_fortran_own(u->symbols, u->result, (uint32_t)strlen(u->result)) :
		    NULL;
	if (!s || !types[s->type] || s->kind <= 0 || s->rank || s->shape != BOB_SHAPE_SCALAR)
		return NULL;
	return bob_weave_text(w, "%s(%d)", types[s->type], (int)s->kind);
}

/* --- references to the name --- */

/* Declarations of the name that apply to its copies, too. */
static bool only_declares(const struct bob_fortran_statement *s, uint32_t to)
{
	switch (s->kind) {
	case BOB_F_DECLARATION:
		return s->text[to] != '(';
	case BOB_F_USE:
		return !strstr(s->text, "=>");
	case BOB_F_EXTERNAL:
	case BOB_F_ATTRIBUTE:
	case BOB_F_IMPORT:
	case BOB_F_FORMAT:
		return true;
	default:
		return false;
	}
}

/* Does the name denote something else in this table? */
static bool is_another(const struct bob_fortran_symbols *names, const char *name)
{
	const struct bob_fortran_symbol *y =
		names ? bob_fortran_lookup(names, name, (uint32_t)strlen(name)) : NULL;

	if (!y)
		return false;
	switch (y->class) {
	case BOB_NAME_VARIABLE:
	case BOB_NAME_CONSTANT:
	case BOB_NAME_STATEMENT_FUNCTION:
	case BOB_NAME_TYPE:
	case BOB_NAME_NAMELIST:
		return true;
	default:
		return y->flags & BOB_SYMBOL_DUMMY;
	}
}

static bool is_call_at(const struct bob_fortran_uses *uses, uint32_t at)
{
	for (uint32_t i = 0; i < uses->count; i++)
		if (uses->at[i].role == BOB_ROLE_CALL && uses->at[i].ref->child &&
		    uses->at[i].ref->child->from == at)
			return true;
	return false;
}

/* In fixed form a keyword may directly precede the name. */
static bool is_glued(const struct bob_weave *w, const struct bob_fortran_statement *s)
{
	return w->file->form == BOB_FORTRAN_FIXED &&
	       (s->kind == BOB_F_PROCEDURE || s->kind == BOB_F_MODULE_PROCEDURE ||
		s->kind == BOB_F_GENERIC || s->kind == BOB_F_INTERFACE ||
		s->kind == BOB_F_END_INTERFACE || s->kind == BOB_F_DIRECTIVE);
}

static bool may_begin(const struct bob_weave *w, const struct bob_fortran_statement *s, uint32_t at)
{
	return !at || is_glued(w, s) || (!bob_is_word(s->text[at - 1]) && s->text[at - 1] != '%');
}

/* The position after `at` where the statement refers to the procedure in a way that a copy cannot
 * replace; s->len: none. Character constants are skipped. */
static uint32_t named_at(const struct bob_weave *w, const struct bob_fortran_statement *s,
			 const char *name, uint32_t at)
{
	const size_t n = strlen(name);
	char quote = 0;

	for (uint32_t i = 0; i + n <= s->len; i++) {
		const char c = s->text[i];

		if (quote || c == '\'' || c == '"') {
			quote = !quote ? c : c == quote ? 0 : quote;
			continue;
		}
		if (i >= at && !memcmp(s->text + i, name, n) && !bob_is_word(s->text[i + n]) &&
		    may_begin(w, s, i))
			return i;
	}
	return s->len;
}

static bob_status look_at_statement(struct bob_weave_calls *c, struct bob_weave *w, uint32_t number,
				    struct bob_weave_procedure *p)
{
	const struct bob_fortran_statement *s = &w->file->statements[number];
	const struct bob_fortran_unit *u = &p->w->file->units[p->unit];
	const size_t n = strlen(u->name);
	struct bob_fortran_uses uses = { 0 };
	uint32_t at;

	if (p->why || (w == p->w && (number == u->first || number == u->last)))
		return BOB_OK;
	at = named_at(w, s, u->name, 0);
	if (at == s->len)
		return BOB_OK;
	if (s->kind == BOB_F_DIRECTIVE && w == p->w && s->unit == p->unit)
		bob_weave_rule_out(p, "a directive names it");
	if (is_another(s->names, u->name))
		return BOB_OK;
	if (s->is_executable) {
		bob_status st = bob_fortran_uses(&c->arena, w->file, number, &uses);

		if (st != BOB_OK)
			return st;
	}
	for (; at < s->len; at = named_at(w, s, u->name, at + (uint32_t)n))
		if (s->is_executable ? !is_call_at(&uses, at) : !only_declares(s, at + (uint32_t)n))
			bob_weave_rule_out(p, "it is named elsewhere than in calls");
	return BOB_OK;
}

/* Checks the procedures that a word of the statement may refer to. */
static bob_status look_at_word(struct bob_weave_calls *c, struct bob_weave *w, uint32_t number,
			       const char *word, uint32_t len)
{
	const struct bob_weave_named *n = bob_weave_find_named(c, word, len);
	bob_status st = BOB_OK;

	for (; n && n < c->named.at + c->named.count && st == BOB_OK && strlen(n->name) == len &&
	       !memcmp(n->name, word, len);
	     n++)
		if (n->procedure)
			st = look_at_statement(c, w, number, n->procedure);
	return st;
}

static bob_status look_at_words(struct bob_weave_calls *c, struct bob_weave *w, uint32_t number)
{
	const struct bob_fortran_statement *s = &w->file->statements[number];
	bob_status st = BOB_OK;
	uint32_t i = 0, to;

	if (is_glued(w, s)) { /* word boundaries are unknown */
		for (size_t k = 0; k < c->procedures.count && st == BOB_OK; k++)
			st = look_at_statement(c, w, number, &c->procedures.at[k]);
		return st;
	}
	for (; i < s->len && st == BOB_OK; i = to) {
		for (to = i; to < s->len && bob_is_word(s->text[to]); to++)
			;
		if (to > i)
			st = look_at_word(c, w, number, s->text + i, to - i);
		else
			to++;
	}
	return st;
}

/* Checks an interface of a procedure. */
static void look_at_interface(struct bob_weave_calls *c, const struct bob_fortran_unit *u)
{
	const struct bob_weave_named *n =
		bob_weave_find_named(c, u->name, (uint32_t)strlen(u->name));

	for (; n && n < c->named.at + c->named.count && !strcmp(n->name, u->name); n++)
		if (n->procedure)
			bob_weave_rule_out(n->procedure, "its interface is in an INTERFACE block");
}

static bob_status look_at_file(struct bob_weave_calls *c, struct bob_weave *w)
{
	bob_status st = BOB_OK;

	for (uint32_t i = 0; i < w->file->unit_count; i++)
		if (w->file->units[i].flags & BOB_UNIT_INTERFACE)
			look_at_interface(c, &w->file->units[i]);
	for (uint32_t i = 0; i < w->file->count && st == BOB_OK; i++)
		st = look_at_words(c, w, i);
	return st;
}

/* --- all --- */

static void look_at(struct bob_weave_calls *c, struct bob_weave_procedure *p)
{
	const struct bob_fortran_unit *u = &p->w->file->units[p->unit];
	const bool is_inner = u->parent != BOB_FORTRAN_NO &&
			      !is_module(&p->w->file->units[u->parent]);

	if (c->hidden)
		bob_weave_rule_out(p, c->hidden);
	if (c->foreign && !is_inner)
		bob_weave_rule_out(p, c->foreign);
	if (!p->why)
		p->why = look_at_header(p);
	if (!p->why)
		p->why = look_at_names(p);
	if (u->parent == BOB_FORTRAN_NO && is_intrinsic(u->name))
		bob_weave_rule_out(p, "an intrinsic procedure has its name");
	if (!p->why && u->parent == BOB_FORTRAN_NO && !bob_weave_result_type(p->w, p))
		p->why = "who calls it needs its interface";
	for (size_t i = 0; i < c->calls.count && u->kind == BOB_UNIT_FUNCTION; i++)
		if (c->calls.at[i].to == p && c->calls.at[i].w == p->w &&
		    c->calls.at[i].unit == p->unit)
			bob_weave_rule_out(p, "it is a function that calls itself");
}

bob_status bob_weave_clonable(struct bob_weave_calls *c)
{
	bob_status st = BOB_OK;

	for (size_t i = 0; i < c->procedures.count; i++)
		look_at(c, &c->procedures.at[i]);
	for (struct bob_weave *w = c->files; w && st == BOB_OK; w = w->next)
		st = look_at_file(c, w);
	return st;
}
