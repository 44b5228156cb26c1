/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables that only some branches of an #if declare: the lines that declare them are under the
 * same conditions, which are copied verbatim. An #if that already contains the line is not
 * repeated. */
#include <ctype.h>
#include <string.h>

#include "source/fortran/weave/weave.h"
#include "base/ascii.h"
#include "source/fortran/weave/lines.h"

#define DEPTH_MAX 32u
#define TURNS_MAX 16u

/* The preprocessor lines that lead to a place: each open #if, with its #else and #elif so far. */
struct chain {
	struct {
		uint32_t at[TURNS_MAX], count;
	} levels[DEPTH_MAX];
	uint32_t depth;
	bool is_whole;		/* false: there are too many */
};

static void read_chain(const struct bob_fortran_file *f, uint32_t byte, struct chain *c)
{
	*c = (struct chain){ .is_whole = true };
	for (uint32_t i = 0; i < f->count && f->statements[i].first < byte && c->is_whole; i++) {
		const char kind = bob_fortran_conditional(&f->statements[i]);

		if (kind == '-') {
			c->depth -= c->depth > 0;
			continue;
		}
		c->depth += kind == '+';
		if (!kind || !c->depth)
			continue;
		if (c->depth > DEPTH_MAX ||
		    (kind == '|' && c->levels[c->depth - 1].count == TURNS_MAX)) {
			c->is_whole = false;
			continue;
		}
		if (kind == '+')
			c->levels[c->depth - 1].count = 0;
		c->levels[c->depth - 1].at[c->levels[c->depth - 1].count++] = i;
	}
}

/* The number of outermost levels that both places share, in the same branch. */
static uint32_t common(const struct chain *a, const struct chain *b)
{
	uint32_t n = 0;

	while (n < a->depth && n < b->depth && a->levels[n].at[0] == b->levels[n].at[0] &&
	       a->levels[n].count == b->levels[n].count)
		n++;
	return n;
}

/* The line as in the file. */
static const char *line_of(struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const uint32_t from = bob_fortran_line_at(w->file, s->line),
		       to = bob_fortran_line_at(w->file, s->line_last + 1);
	char *text = bob_arena_text(w->arena, w->file->bytes + from, to - from);

	if (!text) {
		w->is_failed = true;
		return "";
	}
	for (char *c = text; *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	return text;
}

static const char *wrap(struct bob_weave *w, const struct chain *c, uint32_t from, const char *text)
{
	for (uint32_t d = c->depth; d > from; d--) {
		const char *head = "";

		for (uint32_t k = 0; k < c->levels[d - 1].count; k++)
			head = bob_weave_text(w, "%s%s\n", head,
					      line_of(w, c->levels[d - 1].at[k]));
		text = bob_weave_text(w, "%s%s\n#endif", head, text);
	}
	return text;
}

bool bob_weave_mixes_branches(const struct bob_weave *w, uint32_t unit)
{
	const struct bob_fortran_unit *u = &w->file->units[unit];
	struct chain c;

	if (!w->has_branches || u->execute == BOB_FORTRAN_NO || u->execute >= w->file->count)
		return false;
	read_chain(w->file, w->file->statements[u->execute].first, &c);
	for (uint32_t d = 0; d < c.depth; d++)
		if (c.levels[d].at[0] > u->first)
			return true;
	return !c.is_whole;
}

/* --- places of declarations --- */

/* Fixed form has no blanks: a type may directly precede the name. */
static bool is_type(const char *text, uint32_t len)
{
	static const char *const types[] = { "integer", "real", "complex", "logical",
					     "character", "doubleprecision", "doublecomplex",
					     "dimension", "allocatable", "pointer", "target",
					     "use" };

	while (len && isdigit((unsigned char)text[len - 1]))
		len--;
	len -= len && text[len - 1] == '*';
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i]) == len && !memcmp(types[i], text, len))
			return true;
	return false;
}

static bool names(const struct bob_weave *w, const struct bob_fortran_statement *s,
		  const char *name)
{
	const size_t n = strlen(name);

	for (const char *p = strstr(s->text, name); p; p = strstr(p + 1, name)) {
		const uint32_t before = (uint32_t)(p - s->text);

		if (!bob_is_word(p[n]) &&
		    (!before || !bob_is_word(p[-1]) ||
		     (w->file->form == BOB_FORTRAN_FIXED && is_type(s->text, before))))
			return true;
	}
	return false;
}

/* The statements of a unit that make a name known: declarations, or USE of its module. */
struct wanted {
	const char *word;
	uint32_t unit;
	bool is_use;
};

static bool makes_known(const struct bob_weave *w, const struct wanted *q, uint32_t i)
{
	const struct bob_fortran_statement *s = &w->file->statements[i];

	if (s->unit != q->unit || (s->kind == BOB_F_USE) != q->is_use || s->is_executable)
		return false;
	return s->kind != BOB_F_CPP && s->kind != BOB_F_DIRECTIVE && s->kind != BOB_F_SUBROUTINE &&
	       s->kind != BOB_F_FUNCTION && s->kind != BOB_F_ENTRY &&
	       bob_fortran_inside(w->file, i, BOB_CONSTRUCT_TYPE) == BOB_FORTRAN_NO &&
	       names(w, s, q->word);
}

/* The text under the conditions of these statements of `of`; *found: there are some. `here`: the
 * place of the text, if it is in the same file. */
static const char *where_known(struct bob_weave *w, struct bob_weave *of, const struct wanted *q,
			       const struct chain *here, const char *text, bool *found)
{
	const struct bob_fortran_unit *u = &of->file->units[q->unit];
	const char *all = NULL;
	struct chain there;

	*found = false;
	for (uint32_t i = u->first; i <= u->last; i++) {
		const char *one;

		if (!makes_known(of, q, i))
			continue;
		*found = true;
		read_chain(of->file, of->file->statements[i].first, &there);
		if (!here->is_whole || !there.is_whole || common(&there, here) == there.depth)
			return text;
		one = wrap(of, &there, common(&there, here), text);
		if (!all || !strstr(all, one))
			all = all ? bob_weave_text(w, "%s\n%s", all, one) : one;
	}
	return all ? all : text;
}

/* Would a line with the name not compile without its declaration? */
static bool must_be_declared(const struct bob_weave *w, const struct bob_fortran_symbol *y)
{
	const struct bob_fortran_symbols *t = w->file->units[y->unit].symbols;
	const unsigned letter = (unsigned)(*y->name - 'a');

	return y->rank || y->flags & (BOB_SYMBOL_ALLOCATABLE | BOB_SYMBOL_POINTER) ||
	       y->flags & BOB_SYMBOL_OPTIONAL || y->type == BOB_T_DERIVED || letter >= 26 || !t ||
	       t->implicit_type[letter] == BOB_T_NONE;
}

/* The file of the variable; NULL: its conditions have no meaning here. */
static struct bob_weave *owner(struct bob_weave *w, const struct bob_weave_variable *v)
{
	struct bob_weave *o = v->is_foreign ? w->files : w;

	for (; v->is_foreign && o; o = o->next)
		for (size_t i = 0; i < o->variables.count; i++)
			if (o->variables.at[i].symbol == v->symbol &&
			    !o->variables.at[i].is_foreign)
				goto found;
found:
	for (uint32_t i = 0; o && o != w && i < o->file->count; i++)
		if (o->file->statements[i].kind == BOB_F_CPP &&
		    strstr(o->file->statements[i].text, "define "))
			return NULL;
	return o;
}

/* A module's variable: under the conditions of its declaration, and of the USE in the unit or a
 * host. */
static const char *under_module(struct bob_weave *w, const struct bob_weave_variable *v,
				uint32_t unit, const struct chain *here, const char *text)
{
	static const struct chain elsewhere = { .is_whole = true };
	const char *colon = strstr(v->name, "::");
	struct bob_weave *of = owner(w, v);
	struct wanted q = { .is_use = true, .unit = unit };
	bool found = false;

	if (colon)
		q.word = bob_weave_text(w, "%.*s", (int)(colon - v->name), v->name);
	for (; colon && w->has_branches && q.unit != BOB_FORTRAN_NO && !found;
	     q.unit = w->file->units[q.unit].parent)
		text = where_known(w, w, &q, here, text, &found);
	q = (struct wanted){ v->symbol->name, v->symbol->unit, false };
	return of && of->has_branches && q.unit < of->file->unit_count ?
		       where_known(w, of, &q, of == w ? here : &elsewhere, text, &found) :
		       text;
}

const char *bob_weave_under(struct bob_weave *w, const struct bob_weave_variable *v,
			    const struct bob_fortran_symbol *y, uint32_t statement, uint32_t at,
			    const char *text)
{
	const struct wanted q = { y->name, y->unit, false };
	const uint32_t unit = w->file->statements[statement].unit;
	struct chain here = { .is_whole = true };
	bool found;

	if (w->has_branches)
		read_chain(w->file, at, &here);
	if (y->flags & (BOB_SYMBOL_USED | BOB_SYMBOL_HOST))
		return unit == BOB_FORTRAN_NO ? text : under_module(w, v, unit, &here, text);
	if (!w->has_branches || y->unit >= w->file->unit_count || !must_be_declared(w, y) ||
	    v->construct != BOB_FORTRAN_NO)
		return text;
	return where_known(w, w, &q, &here, text, &found);
}
