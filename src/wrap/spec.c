/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of a spec: sections, prototypes, blocks of code. A section begins with a line of its own:
 * include: (or sj-include:) for text that is copied, definitions: (or sj-definitions:) for
 * prototypes. Each may occur several times. */
#include <stdlib.h>
#include <string.h>

#include "archive/events/predicate.h"
#include "wrap/parse.h"

#define INCLUDES_MAX 64u

struct line {
	uint32_t from, to;	/* without the newline */
};

enum section { SECTION_NONE, SECTION_INCLUDE, SECTION_DEFINITIONS, SECTION_CONTENT };

static const char *const block_names[BOB_WRAP_BLOCKS + 1] = { "before", "after", "around", "when" };

static bool line_is(const char *text, struct line l, const char *word)
{
	const size_t n = strlen(word);

	if (l.to - l.from < n || memcmp(text + l.from, word, n))
		return false;
	for (uint32_t i = l.from + (uint32_t)n; i < l.to; i++)
		if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
			return false;
	return true;
}

static enum section begins(const char *text, struct line l)
{
	if (line_is(text, l, "sj-include:") || line_is(text, l, "include:"))
		return SECTION_INCLUDE;
	if (line_is(text, l, "sj-definitions:") || line_is(text, l, "definitions:"))
		return SECTION_DEFINITIONS;
	return SECTION_CONTENT;
}

static bob_status add_include(struct bob_wrap_parser *p, uint32_t from, uint32_t to, uint32_t line)
{
	struct bob_wrap_spec *s = p->spec;
	const struct bob_wrap_token at = { .line = line, .column = 1 };

	if (s->include_count == INCLUDES_MAX)
		return bob_wrap_complain(p, &at, BOB_ERR_FULL, "more than %u include sections",
					 INCLUDES_MAX);
	s->includes[s->include_count].text = bob_wrap_keep(s->pool, p->text + from, to - from);
	s->includes[s->include_count].line = line;
	return s->includes[s->include_count++].text ? BOB_OK : BOB_ERR_NOMEM;
}

static bob_status add_words(struct bob_wrap_parser *p, uint32_t from, uint32_t to, uint32_t line)
{
	struct bob_wrap_token at;
	bob_status st = bob_wrap_lex(&p->tokens, p->text, from, to, line);

	if (st != BOB_ERR_CORRUPT)
		return st;
	at = (struct bob_wrap_token){ .line = p->tokens.bad_line, .column = p->tokens.bad_column };
	return bob_wrap_complain(p, &at, st, "expected an end of what begins here with %s",
				 p->text[p->tokens.bad] == '/'	? "a comment" :
				 p->text[p->tokens.bad] == '\'' ? "a quote" :
								  "a double quote");
}

/* Text before the first section may only be comments. */
static bob_status add_nothing(struct bob_wrap_parser *p, uint32_t from, uint32_t to)
{
	bob_status st = add_words(p, from, to, 1);
	struct bob_wrap_token at;

	if (st != BOB_OK || !p->tokens.count)
		return st;
	at = p->tokens.at[0];
	return bob_wrap_complain(p, &at, BOB_ERR_CORRUPT,
				 "expected a line 'include:' or 'definitions:'");
}

static bob_status sections(struct bob_wrap_parser *p, uint32_t len)
{
	enum section now = SECTION_NONE;
	uint32_t from = 0, line = 1, from_line = 1;
	bob_status st = BOB_OK;

	for (uint32_t at = 0; st == BOB_OK; line++) {
		const char *end = memchr(p->text + at, '\n', len - at);
		const struct line l = { at, end ? (uint32_t)(end - p->text) : len };
		const enum section s = begins(p->text, l);

		if (s != SECTION_CONTENT || !end) {
			const uint32_t to = s != SECTION_CONTENT ? at : len;

			if (now == SECTION_INCLUDE)
				st = add_include(p, from, to, from_line);
			else if (now == SECTION_DEFINITIONS)
				st = add_words(p, from, to, from_line);
			else
				st = add_nothing(p, from, to);
			now = s;
			from = end ? l.to + 1 : len;
			from_line = line + 1;
		}
		if (!end)
			break;
		at = l.to + 1;
	}
	return st == BOB_OK ? bob_wrap_lex_end(&p->tokens, len, line) : st;
}

/* Only a block that replaces the call may return. */
static bob_status check_returns(struct bob_wrap_parser *p, uint32_t from, enum bob_wrap_block which)
{
	for (uint32_t i = from; i < p->pos && which != BOB_WRAP_AROUND; i++)
		if (bob_wrap_is(p, i, "return") || bob_wrap_is(p, i, "proceed"))
			return bob_wrap_complain(p, &p->tokens.at[i], BOB_ERR_CORRUPT,
						 "expected no %.*s here: that is for around blocks",
						 (int)p->tokens.at[i].len,
						 p->text + p->tokens.at[i].at);
	return BOB_OK;
}

static bob_status block(struct bob_wrap_parser *p, struct bob_wrap_function *f,
			enum bob_wrap_block which)
{
	const struct bob_wrap_token *word = bob_wrap_here(p), *first;
	const uint32_t from = ++p->pos;
	bob_status st;

	if (f->block[which])
		return bob_wrap_complain(p, word, BOB_ERR_CORRUPT,
					 "expected at most one block '%s'", block_names[which]);
	if (which == BOB_WRAP_AROUND && f->is_open)
		return bob_wrap_complain(
			p, word, BOB_ERR_UNSUPPORTED,
			"expected no around block: the parameters of a function with "
			"'...' or '()' cannot be passed on by C code");
	first = bob_wrap_here(p);
	if (!bob_wrap_is(p, p->pos, "{"))
		return bob_wrap_expected(p, "'{'");
	st = bob_wrap_skip_group(p);
	if (st == BOB_OK)
		st = check_returns(p, from, which);
	if (st != BOB_OK)
		return st;
	f->block_line[which] = first->line;
	f->block[which] = bob_wrap_keep(p->spec->pool, p->text + first->at,
					p->tokens.at[p->pos - 1].at + 1 - first->at);
	return f->block[which] ? BOB_OK : BOB_ERR_NOMEM;
}

/* Whether the name is a parameter that the event has when it begins. */
static bool is_in_event(const struct bob_wrap_function *f, const char *name, size_t len)
{
	const char *at = f->event_parameters, *end = strstr(at, "->");

	end = end ? end : at + strlen(at);
	while (at < end) { /* each is a type, a name, and a comma or blank */
		const char *word = strchr(at, ' ') + 1;
		const size_t n = strcspn(word, ", ");

		if (n == len && !memcmp(word, name, n))
			return true;
		at = word + n + strspn(word + n, ", ");
	}
	return false;
}

/* Converts a position in a condition to one in the file. */
static struct bob_wrap_token place_in(const struct bob_wrap_parser *p,
				      const struct bob_wrap_token *brace, size_t at)
{
	struct bob_wrap_token t = *brace;

	t.column++;
	for (size_t i = 0; i < at; i++) {
		t.column = p->text[brace->at + 1 + i] == '\n' ? 1 : t.column + 1;
		t.line += p->text[brace->at + 1 + i] == '\n';
	}
	return t;
}

/* Checks the condition once the event's parameters are known. MPI functions have the parameter
 * names of the MPI recorder. */
static bob_status check_when(struct bob_wrap_parser *p, struct bob_wrap_function *f)
{
	const struct bob_wrap_token *brace = &p->tokens.at[f->when_token];
	struct bob_predicate c;
	struct bob_wrap_token t;
	const char *expected, *name;
	size_t at, len;

	if (bob_predicate_parse(f->when, &c, &at, &expected) != BOB_OK) {
		t = place_in(p, brace, at);
		return bob_wrap_complain(p, &t, BOB_ERR_CORRUPT, "expected %s", expected);
	}
	for (uint32_t i = 0; !f->is_mpi && (name = bob_predicate_name(&c, i, &len)); i++)
		if (!is_in_event(f, name, len)) {
			t = place_in(p, brace, (size_t)(name - c.text));
			return bob_wrap_complain(
				p, &t, BOB_ERR_CORRUPT,
				"expected a parameter that is in the event (%.200s), found '%.*s'",
				*f->event_parameters ? f->event_parameters : "it has none",
				(int)(len < 60 ? len : 60), name);
		}
	f->when += strspn(f->when, " \t");
	return BOB_OK;
}

/* when { condition } */
static bob_status condition(struct bob_wrap_parser *p, struct bob_wrap_function *f)
{
	const struct bob_wrap_token *word = bob_wrap_here(p), *last;
	bob_status st;
	char *text;

	if (f->when)
		return bob_wrap_complain(p, word, BOB_ERR_CORRUPT, "expected at most one 'when'");
	f->when_token = ++p->pos;
	if (!bob_wrap_is(p, p->pos, "{"))
		return bob_wrap_expected(p, "'{'");
	st = bob_wrap_skip_group(p);
	if (st != BOB_OK)
		return st;
	word = &p->tokens.at[f->when_token];
	last = &p->tokens.at[p->pos - 1];
	text = bob_wrap_keep(p->spec->pool, p->text + word->at + 1, last->at - word->at - 1);
	if (!text)
		return BOB_ERR_NOMEM;
	for (char *c = text; *c; c++) /* joined into one line */
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	for (size_t n = strlen(text); n && (text[n - 1] == ' ' || text[n - 1] == '\t'); n--)
		text[n - 1] = 0;
	f->when = text;
	return BOB_OK;
}

/* asm("symbol") after the declarator. */
static bob_status label(struct bob_wrap_parser *p, struct bob_wrap_function *f)
{
	const struct bob_wrap_token *t;
	bob_status st = bob_wrap_expect(p, "(", "after asm");

	if (st != BOB_OK)
		return st;
	t = bob_wrap_here(p);
	if (t->word != BOB_WORD_STRING || p->text[t->at] != '"' || t->len < 3 ||
	    t->len > BOB_WRAP_NAME_MAX)
		return bob_wrap_expected(p, "the name of a symbol, in quotes");
	for (uint32_t i = 1; i + 1 < t->len; i++)
		if (!memchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$",
			    p->text[t->at + i], 65))
			return bob_wrap_expected(p,
						 "letters, digits, '_', '.' and '$' in a symbol");
	f->symbol = bob_wrap_keep(p->spec->pool, p->text + t->at + 1, t->len - 2);
	p->pos++;
	return f->symbol ? bob_wrap_expect(p, ")", "after the symbol") : BOB_ERR_NOMEM;
}

/* Macros of system headers, such as __THROW and __nonnull((1)). */
static bob_status trailing(struct bob_wrap_parser *p, struct bob_wrap_function *f)
{
	bob_status st = BOB_OK;

	while (st == BOB_OK && bob_wrap_here(p)->word == BOB_WORD_NAME) {
		const struct bob_wrap_token *t = bob_wrap_here(p);

		if (bob_wrap_accept(p, "asm") || bob_wrap_accept(p, "__asm__") ||
		    bob_wrap_accept(p, "__asm")) {
			st = label(p, f);
		} else if (t->len > 2 && !memcmp(p->text + t->at, "__", 2)) {
			p->pos++;
			if (bob_wrap_is(p, p->pos, "("))
				st = bob_wrap_skip_group(p);
		} else {
			break;
		}
	}
	return st;
}

static bob_status blocks(struct bob_wrap_parser *p, struct bob_wrap_function *f)
{
	const bool is_ended = bob_wrap_accept(p, ";");
	bool any = false;

	for (uint32_t i = 0; i <= BOB_WRAP_BLOCKS; i++) {
		if (!bob_wrap_is(p, p->pos, block_names[i]))
			continue;
		bob_status st = i == BOB_WRAP_BLOCKS ? condition(p, f) :
						       block(p, f, (enum bob_wrap_block)i);
		if (st != BOB_OK)
			return st;
		any = true;
		i = UINT32_MAX;	/* start over */
	}
	if (any)
		(void)bob_wrap_accept(p, ";");
	return any || is_ended ?
		       BOB_OK :
		       bob_wrap_expected(
			       p, "';', 'before', 'after', 'around' or 'when' after a prototype");
}

static bob_status check_function(struct bob_wrap_parser *p, struct bob_wrap_function *f)
{
	const struct bob_wrap_token at = { .line = f->line, .column = f->column };
	const char *why = bob_wrap_refusal(f->symbol);

	if (why)
		return bob_wrap_complain(p, &at, BOB_ERR_UNSUPPORTED, "%.60s cannot be wrapped: %s",
					 f->symbol, why);
	if (f->is_open && f->result.kind == BOB_WRAP_OTHER)
		return bob_wrap_complain(
			p, &at, BOB_ERR_UNSUPPORTED,
			"%.60s cannot be wrapped: with '...' or '()' only numbers and "
			"pointers can be returned",
			f->symbol);
	for (uint32_t i = 0; i < p->spec->function_count; i++)
		if (!strcmp(p->spec->functions[i].symbol, f->symbol) ||
		    !strcmp(p->spec->functions[i].name, f->name))
			return bob_wrap_complain(p, &at, BOB_ERR_CORRUPT,
						 "expected each function once: %.60s is in line %u",
						 f->name, p->spec->functions[i].line);
	f->is_mpi = !strncmp(f->symbol, "MPI_", 4) || !strncmp(f->symbol, "MPIX_", 5);
	if (bob_wrap_event(p->spec->pool, f) != BOB_OK)
		return BOB_ERR_NOMEM;
	return f->when ? check_when(p, f) : BOB_OK;
}

static bob_status definitions(struct bob_wrap_parser *p)
{
	while (bob_wrap_here(p)->word != BOB_WORD_END) {
		struct bob_wrap_function f = { .name = NULL };
		bob_status st;

		if (bob_wrap_accept(p, ";"))
			continue;
		if (p->spec->function_count == BOB_WRAP_FUNCTIONS_MAX)
			return bob_wrap_complain(p, bob_wrap_here(p), BOB_ERR_FULL,
						 "more than %u functions", BOB_WRAP_FUNCTIONS_MAX);
		st = bob_wrap_prototype(p, &f);
		if (st == BOB_OK)
			st = trailing(p, &f);
		if (st == BOB_OK)
			st = blocks(p, &f);
		if (st == BOB_OK)
			st = check_function(p, &f);
		if (st != BOB_OK)
			return st;
		p->spec->functions[p->spec->function_count++] = f;
	}
	if (!p->spec->function_count)
		return bob_wrap_expected(p, "a prototype");
	return BOB_OK;
}

static bob_status read_all(struct bob_wrap_parser *p, size_t len)
{
	struct bob_wrap_spec *s = p->spec;
	const struct bob_wrap_token at = { .line = 1, .column = 1 };
	bob_status st;

	if (len > BOB_WRAP_SPEC_MAX)
		return bob_wrap_complain(p, &at, BOB_ERR_FULL, "the file has more than %u bytes",
					 BOB_WRAP_SPEC_MAX);
	if (memchr(p->text, 0, len))
		return bob_wrap_complain(p, &at, BOB_ERR_CORRUPT,
					 "expected text: it has zero bytes");
	s->includes = bob_wrap_take(s->pool, INCLUDES_MAX * sizeof(*s->includes));
	s->functions = bob_wrap_take(s->pool, BOB_WRAP_FUNCTIONS_MAX * sizeof(*s->functions));
	if (!s->includes || !s->functions)
		return BOB_ERR_NOMEM;
	st = sections(p, (uint32_t)len);
	return st == BOB_OK ? definitions(p) : st;
}

bob_status bob_wrap_spec_read(const char *text, size_t len, const char *name,
			      struct bob_wrap_spec **out, struct bob_wrap_complaint *why)
{
	struct bob_wrap_pool *pool = bob_wrap_pool_open();
	struct bob_wrap_spec *s = pool ? bob_wrap_take(pool, sizeof(*s)) : NULL;
	struct bob_wrap_parser p = { .spec = s, .text = len ? text : "", .why = why };
	bob_status st = BOB_ERR_NOMEM;

	if (why)
		why->text[0] = 0;
	if (s) {
		s->pool = pool;
		s->name = bob_wrap_keep(pool, name, strlen(name));
		st = s->name ? read_all(&p, len) : BOB_ERR_NOMEM;
	}
	free(p.tokens.at);
	if (st == BOB_OK)
		*out = s;
	else
		bob_wrap_pool_close(pool);
	if (st == BOB_ERR_NOMEM && why)
		strcpy(why->text, "out of memory");
	return st;
}

void bob_wrap_spec_close(struct bob_wrap_spec *s)
{
	if (s)
		bob_wrap_pool_close(s->pool);
}
