/* SPDX-License-Identifier: BSD-3-Clause */
/* Classifies a statement by its text. Words are not reserved in Fortran and need no blanks in fixed
 * form, so order matters: assignments first, because nothing else looks like one; then words,
 * longer ones before their prefixes. The text after a word must match, too; otherwise the statement
 * is UNKNOWN. */
#include "source/fortran/split.h"

#include <string.h>

struct reader {
	const char *text;	/* zero terminated */
	uint32_t p;
	bool is_fixed;
};

static void skip_blank(struct reader *r)
{
	while (r->text[r->p] == ' ')
		r->p++;
}

static char look(struct reader *r)
{
	skip_blank(r);
	return r->text[r->p];
}

/* Matches a word that may contain blanks where `word` has one. In fixed form it may be a prefix of
 * a longer word. */
static bool word(struct reader *r, const char *word)
{
	uint32_t p;
	char last;

	skip_blank(r);
	p = r->p;
	for (; *word; word++) {
		if (*word == ' ') {
			while (r->text[p] == ' ')
				p++;
			continue;
		}
		if (r->text[p] != *word)
			return false;
		p++;
	}
	last = r->text[p - 1];
	if (!r->is_fixed && bob_fortran_is_word(last) && bob_fortran_is_word(r->text[p]))
		return false;
	r->p = p;
	return true;
}

static bool sign(struct reader *r, const char *what)
{
	size_t n = strlen(what);

	skip_blank(r);
	if (strncmp(r->text + r->p, what, n) != 0)
		return false;
	r->p += (uint32_t)n;
	return true;
}

static bool name(struct reader *r)
{
	skip_blank(r);
	if (!bob_is_letter(r->text[r->p]) && r->text[r->p] != '_' && r->text[r->p] != '$')
		return false;
	while (bob_fortran_is_word(r->text[r->p]))
		r->p++;
	return true;
}

static uint32_t number(struct reader *r, uint32_t *value)
{
	uint32_t from;

	skip_blank(r);
	from = r->p;
	*value = 0;
	for (; bob_is_digit(r->text[r->p]); r->p++)
		*value = *value * 10 + (uint32_t)(r->text[r->p] - '0');
	return r->p - from;
}

static bool at_end(struct reader *r)
{
	return !look(r);
}

static bool name_or_end(struct reader *r)
{
	return at_end(r) || (name(r) && at_end(r));
}

/* Skips from the bracket at p to after its counterpart. */
static bool group(struct reader *r)
{
	int32_t depth = 0;
	char quote = 0;

	if (look(r) != '(' && r->text[r->p] != '[')
		return false;
	for (; r->text[r->p]; r->p++) {
		char c = r->text[r->p];

		if (quote)
			quote = c == quote ? 0 : quote;
		else if (c == '\'' || c == '"')
			quote = c;
		else if (c == '(' || c == '[')
			depth++;
		else if ((c == ')' || c == ']') && !--depth) {
			r->p++;
			return true;
		}
	}
	return false;
}

/* True if no comma follows outside of brackets and constants. */
static bool has_no_comma(struct reader r)
{
	int32_t depth = 0;
	char quote = 0;

	for (; r.text[r.p]; r.p++) {
		char c = r.text[r.p];

		if (quote)
			quote = c == quote ? 0 : quote;
		else if (c == '\'' || c == '"')
			quote = c;
		else if (c == '(' || c == '[')
			depth++;
		else if (c == ')' || c == ']')
			depth--;
		else if (c == ',' && depth <= 0)
			return false;
	}
	return true;
}

/* A designator, = or =>, and a rest without commas. */
static enum bob_fortran_kind assignment(struct reader r)
{
	if (!name(&r))
		return BOB_F_UNKNOWN;
	for (;;) {
		char c = look(&r);

		if (c == '(' || c == '[') {
			if (!group(&r))
				return BOB_F_UNKNOWN;
		} else if (c == '%') {
			r.p++;
			if (!name(&r))
				return BOB_F_UNKNOWN;
		} else {
			break;
		}
	}
	if (!sign(&r, "=") || r.text[r.p] == '=' || !has_no_comma(r))
		return BOB_F_UNKNOWN;
	if (r.text[r.p] != '>')
		return at_end(&r) ? BOB_F_UNKNOWN : BOB_F_ASSIGN;
	r.p++;
	return at_end(&r) ? BOB_F_UNKNOWN : BOB_F_POINTER_ASSIGN;
}

/* Required text after a word. */
enum follow {
	END,	/* nothing */
	NAME,	/* a name, then nothing */
	MAYBE,	/* a name or nothing */
	BEGINS,	/* a name, then anything */
	GROUP,	/* (...) and nothing */
	OPEN,	/* (...) and anything */
	LIST,	/* a name, `::`, or something else of a list of entities */
	TEXT,	/* anything but nothing */
	ANY,
	ARGS	/* a name, optional (...), then anything */
};

struct phrase {
	const char *words;
	enum bob_fortran_kind kind;
	enum follow follow;
};

static bool follows(struct reader *r, enum follow f)
{
	switch (f) {
	case END:
		return at_end(r);
	case NAME:
		return name(r) && at_end(r);
	case MAYBE:
		return name_or_end(r);
	case BEGINS:
	case ARGS:
		return name(r);
	case GROUP:
		return look(r) == '(' && group(r) && at_end(r);
	case OPEN:
		return look(r) == '(' && group(r);
	case LIST:
		return sign(r, "::") || look(r) == ',' || r->text[r->p] == '(' ||
		       r->text[r->p] == '/' || name(r);
	case TEXT:
		return !at_end(r);
	case ANY:
		break;
	}
	return true;
}

static const struct phrase phrases[] = {
#define X(words, kind, follow) { words, BOB_F_##kind, follow },
#include "source/fortran/phrases.def"
#undef X
};

static enum bob_fortran_kind by_words(struct reader r)
{
	char first = look(&r);

	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++) {
		struct reader here = r;

		if (phrases[i].words[0] == first && word(&here, phrases[i].words) &&
		    follows(&here, phrases[i].follow))
			return phrases[i].kind;
	}
	return BOB_F_UNKNOWN;
}

/* Matches a type with its kind or length and skips it. */
static bool type_spec(struct reader *r)
{
	static const char *const types[] = { "integer",	  "real",	      "double precision",
					     "complex",	  "double complex",   "logical",
					     "character", "byte",	      "type",
					     "class" };
	uint32_t n;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!word(r, types[i]))
			continue;
		if (i >= 8)
			return look(r) == '(' && group(r);
		if (sign(r, "*"))
			return look(r) == '(' ? group(r) : number(r, &n) > 0;
		if (look(r) == '(')
			return group(r);
		return true;
	}
	return false;
}

static bool has_function_arguments(struct reader r)
{
	if (!name(&r))
		return false;
	if (at_end(&r))
		return !r.is_fixed;
	if (r.text[r.p] == '*') { /* real function f*8(x) */
		uint32_t n;

		r.p++;
		if (!number(&r, &n))
			return false;
	}
	if (look(&r) != '(')
		return false;
	for (uint32_t i = r.p + 1; r.text[i] && r.text[i] != ')'; i++)
		if (!bob_fortran_is_word(r.text[i]) && !strchr(" ,*&", r.text[i]))
			return false;
	return !bob_is_digit(r.text[r.p + 1]) && r.text[r.p + 1] != '*' && group(&r);
}

/* SUBROUTINE and FUNCTION with prefixes, and declarations, which also begin with a type. */
static enum bob_fortran_kind procedure_or_declaration(struct reader r)
{
	static const char *const prefixes[] = { "pure",	     "elemental", "impure",
						"recursive", "module",	  "non_recursive" };
	bool is_typed = false, is_prefixed = true;

	while (is_prefixed) {
		struct reader here = r;

		is_prefixed = false;
		if (word(&here, "attributes") && look(&here) == '(' && group(&here)) {
			r = here;
			is_prefixed = true;
		}
		for (size_t i = 0; !is_prefixed && i < 6; i++)
			is_prefixed = word(&r, prefixes[i]);
		here = r;
		if (!is_prefixed && !is_typed && type_spec(&here)) {
			r = here;
			is_typed = is_prefixed = true;
		}
		here = r;
		if (word(&here, "subroutine") && !is_typed && name(&here))
			return BOB_F_SUBROUTINE;
		here = r;
		if (word(&here, "function") && has_function_arguments(here))
			return BOB_F_FUNCTION;
	}
	if (!is_typed)
		return BOB_F_UNKNOWN;
	if (sign(&r, "::") || look(&r) == ',' || name(&r))
		return BOB_F_DECLARATION;
	return BOB_F_UNKNOWN;
}

static enum bob_fortran_kind type_statement(struct reader r)
{
	struct reader here = r;

	if (word(&here, "type is") && look(&here) == '(' && group(&here) && name_or_end(&here))
		return BOB_F_TYPE_IS;
	here = r;
	if (!word(&here, "type"))
		return BOB_F_UNKNOWN;
	if (look(&here) == '*' || here.text[here.p] == '\'' || bob_is_digit(look(&here)))
		return BOB_F_PRINT;
	if (look(&here) == '(')
		return procedure_or_declaration(r);
	if (look(&here) == ',' || here.text[here.p] == ':')
		return BOB_F_TYPE_DEF;
	return name(&here) && (at_end(&here) || group(&here)) ? BOB_F_TYPE_DEF : BOB_F_UNKNOWN;
}

static enum bob_fortran_kind do_statement(struct reader r, uint32_t *target)
{
	if (!word(&r, "do") && !(r.is_fixed && sign(&r, "do"))) {
		/* free form: `do10` is not a word, but compilers accept it */
		if (!sign(&r, "do") || !bob_is_digit(r.text[r.p]))
			return BOB_F_UNKNOWN;
	}
	if (number(&r, target))
		(void)sign(&r, ",");
	if (at_end(&r))
		return BOB_F_DO_FOREVER;
	if (sign(&r, ","))
		skip_blank(&r);
	if (word(&r, "concurrent") && look(&r) == '(')
		return BOB_F_DO_CONCURRENT;
	if (word(&r, "while") && look(&r) == '(' && group(&r) && at_end(&r))
		return BOB_F_DO_WHILE;
	if (name(&r) && sign(&r, "=") && !at_end(&r))
		return BOB_F_DO;
	return BOB_F_UNKNOWN;
}

static enum bob_fortran_kind goto_statement(struct reader r)
{
	uint32_t n;

	(void)word(&r, "go to");
	if (r.text[r.p] == ' ')
		r.p++;
	if (look(&r) == '(')
		return group(&r) && !at_end(&r) ? BOB_F_COMPUTED_GOTO : BOB_F_UNKNOWN;
	if (number(&r, &n))
		return at_end(&r) ? BOB_F_GOTO : BOB_F_UNKNOWN;
	return name(&r) ? BOB_F_ASSIGNED_GOTO : BOB_F_UNKNOWN;
}

static enum bob_fortran_kind classify_text(struct bob_fortran_statement *s, struct reader r,
					   bool is_body);

/* IF, WHERE, FORALL: (...) and the controlled statement. */
static enum bob_fortran_kind controlling(struct bob_fortran_statement *s, struct reader r,
					 enum bob_fortran_kind kind, bool is_body)
{
	enum bob_fortran_kind body;
	uint32_t n, at;

	if (look(&r) != '(' || !group(&r))
		return BOB_F_UNKNOWN;
	if (at_end(&r))
		return kind == BOB_F_WHERE  ? BOB_F_WHERE_CONSTRUCT :
		       kind == BOB_F_FORALL ? BOB_F_FORALL_CONSTRUCT :
					      BOB_F_UNKNOWN;
	if (kind == BOB_F_IF) {
		struct reader here = r;

		if (word(&here, "then") && at_end(&here))
			return BOB_F_IF_THEN;
		here = r;
		if (number(&here, &n) && sign(&here, ","))
			return BOB_F_ARITHMETIC_IF;
	}
	if (is_body && kind == BOB_F_IF)
		return BOB_F_UNKNOWN;
	skip_blank(&r);
	at = r.p;
	body = classify_text(s, r, true);
	if (bob_fortran_group(body) != BOB_FORTRAN_EXECUTABLE || body == BOB_F_IF ||
	    (is_body && body != BOB_F_ASSIGN && body != BOB_F_POINTER_ASSIGN))
		return BOB_F_UNKNOWN;
	s->body = at; /* for IF (...) WHERE (...) a = b it is that of the IF, set last */
	s->body_kind = body;
	return kind;
}

static enum bob_fortran_kind classify_text(struct bob_fortran_statement *s, struct reader r,
					   bool is_body)
{
	enum bob_fortran_kind kind = assignment(r);
	struct reader here = r;
	uint32_t n;

	if (kind != BOB_F_UNKNOWN)
		return kind;
	if (word(&here, "if") && look(&here) == '(')
		return controlling(s, here, BOB_F_IF, is_body);
	here = r;
	if (word(&here, "where") && look(&here) == '(')
		return controlling(s, here, BOB_F_WHERE, is_body);
	here = r;
	if (word(&here, "forall") && look(&here) == '(')
		return controlling(s, here, BOB_F_FORALL, is_body);
	here = r;
	if (word(&here, "assign") && number(&here, &n) && word(&here, "to") && name(&here))
		return BOB_F_ASSIGN_LABEL;
	kind = do_statement(r, &s->target);
	if (kind != BOB_F_UNKNOWN)
		return kind;
	s->target = 0;
	if (!strncmp(r.text + r.p, "type", 4)) {
		kind = type_statement(r);
		if (kind != BOB_F_UNKNOWN)
			return kind;
	}
	kind = procedure_or_declaration(r);
	if (kind == BOB_F_UNKNOWN)
		kind = by_words(r);
	return kind == BOB_F_GOTO ? goto_statement(r) : kind;
}

/* `name:` before statements that may have a construct name. */
static void construct_name(struct bob_fortran_statement *s, struct reader *r)
{
	static const char *const words[] = { "do",     "if",	    "select", "where",	"forall",
					     "associate", "block", "critical", "change" };
	struct reader here = *r;
	uint32_t len;

	if (!name(&here))
		return;
	len = here.p;
	if (look(&here) != ':' || here.text[here.p + 1] == ':')
		return;
	here.p++;
	skip_blank(&here);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strncmp(here.text + here.p, words[i], strlen(words[i])) != 0)
			continue;
		s->name_len = len;
		s->from = here.p;
		*r = here;
		return;
	}
}

void bob_fortran_classify(struct bob_fortran_statement *s, bool is_fixed)
{
	struct reader r = { .text = s->text, .is_fixed = is_fixed };

	s->name_len = s->from = s->body = s->target = 0;
	s->body_kind = BOB_F_UNKNOWN;
	if (at_end(&r)) {
		s->kind = BOB_F_EMPTY;
		return;
	}
	construct_name(s, &r);
	s->kind = classify_text(s, r, false);
	if (s->kind != BOB_F_IF && s->kind != BOB_F_WHERE && s->kind != BOB_F_FORALL) {
		s->body = 0;
		s->body_kind = BOB_F_UNKNOWN;
	}
	if (s->kind != BOB_F_DO && s->kind != BOB_F_DO_WHILE && s->kind != BOB_F_DO_CONCURRENT &&
	    s->kind != BOB_F_DO_FOREVER)
		s->target = 0;
}
