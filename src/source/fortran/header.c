/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the first statement of a program unit: prefixes, name, dummy arguments, result. */
#include "source/fortran/nest.h"

#include <string.h>

#include "source/fortran/parse.h"
#include "source/fortran/reserve.h"
#include "source/fortran/split.h"

/* The position of the word outside of brackets, or `len`. */
static uint32_t find_word(const struct bob_fortran_statement *s, const char *word)
{
	uint32_t n = (uint32_t)strlen(word), depth = 0;

	for (uint32_t i = 0; i + n <= s->len; i++) {
		char c = s->text[i];

		if (c == '(')
			depth++;
		else if (c == ')' && depth)
			depth--;
		else if (!depth && !memcmp(s->text + i, word, n))
			return i;
	}
	return s->len;
}

static bool has_word(const struct bob_fortran_statement *s, uint32_t end, const char *word)
{
	return find_word(s, word) + strlen(word) <= end;
}

static const char *take_name(struct bob_fortran_parser *r)
{
	uint32_t n;
	char *name;

	(void)bob_fortran_peek(r);
	n = bob_fortran_name_len(r);
	name = bob_arena_text(r->arena, r->text + r->p, n);
	r->p += n;
	r->failed = r->failed || !name;
	return name ? name : "";
}

static void read_dummies(struct bob_fortran_parser *r, struct bob_fortran_unit *u)
{
	uint32_t capacity = 0;

	if (!bob_fortran_accept(r, "("))
		return;
	do {
		const char *name;
		char c = bob_fortran_peek(r);

		if (!c || c == ')')
			break;
		name = c == '*' || c == '&' ? "*" : take_name(r);
		r->p += *name == '*';
		if (!bob_fortran_reserve(r->arena, &u->dummies, u->dummy_count, &capacity,
					 sizeof(*u->dummies))) {
			r->failed = true;
			return;
		}
		u->dummies[u->dummy_count++] = name;
	} while (bob_fortran_accept(r, ","));
	(void)bob_fortran_accept(r, ")");
}

static void read_suffix(struct bob_fortran_parser *r, struct bob_fortran_unit *u)
{
	while (bob_fortran_peek(r)) {
		uint32_t from = r->p, n = bob_fortran_name_len(r);

		r->p += n;
		if (n == 6 && !memcmp(r->text + from, "result", 6) && bob_fortran_accept(r, "(")) {
			u->result = take_name(r);
			(void)bob_fortran_accept(r, ")");
		} else if (n == 4 && !memcmp(r->text + from, "bind", 4)) {
			u->flags |= BOB_UNIT_BIND_C;
			if (bob_fortran_peek(r) == '(')
				bob_fortran_skip_group(r);
		} else if (!n) {
			r->p++;
		}
	}
}

static void read_prefixes(const struct bob_fortran_statement *s, uint32_t end,
			  struct bob_fortran_unit *u)
{
	if (has_word(s, end, "impure"))
		u->flags |= BOB_UNIT_IMPURE;
	else if (has_word(s, end, "pure"))
		u->flags |= BOB_UNIT_PURE;
	if (has_word(s, end, "elemental"))
		u->flags |= BOB_UNIT_ELEMENTAL;
	if (has_word(s, end, "recursive"))
		u->flags |= BOB_UNIT_RECURSIVE;
	if (has_word(s, end, "module"))
		u->flags |= BOB_UNIT_MODULE_PREFIX;
}

bool bob_fortran_read_header(struct bob_arena *arena, const struct bob_fortran_statement *s,
			     struct bob_fortran_unit *u)
{
	static const char *const words[] = {
		[BOB_UNIT_PROGRAM] = "program",	    [BOB_UNIT_SUBROUTINE] = "subroutine",
		[BOB_UNIT_FUNCTION] = "function",   [BOB_UNIT_PROCEDURE] = "procedure",
		[BOB_UNIT_MODULE] = "module",	    [BOB_UNIT_SUBMODULE] = "submodule",
		[BOB_UNIT_BLOCK_DATA] = "data",
	};
	struct bob_fortran_parser r = { .arena = arena, .text = s->text, .end = s->len };
	uint32_t word = find_word(s, words[u->kind]);

	r.p = word < s->len ? word + (uint32_t)strlen(words[u->kind]) : s->len;
	if (u->kind == BOB_UNIT_SUBROUTINE || u->kind == BOB_UNIT_FUNCTION)
		read_prefixes(s, word, u);
	if (u->kind == BOB_UNIT_SUBMODULE && bob_fortran_peek(&r) == '(')
		bob_fortran_skip_group(&r);
	(void)bob_fortran_peek(&r);
	u->name_at = s->at[r.p < s->len ? r.p : s->len];
	u->name = take_name(&r);
	if (u->kind == BOB_UNIT_FUNCTION) {
		if (bob_fortran_accept(&r, "*")) /* real function f*8(x) */
			while (bob_is_digit(bob_fortran_peek(&r)))
				r.p++;
		u->result = u->name;
	}
	if (u->kind == BOB_UNIT_SUBROUTINE || u->kind == BOB_UNIT_FUNCTION) {
		read_dummies(&r, u);
		read_suffix(&r, u);
	}
	return !r.failed;
}
