/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces uses of macros that prevent a probe by their expansions, and removes the word
 * `register`. The user's compiler expands them: it preprocesses the file with a mark before and
 * after each of these uses, and then the file with the replacements. The new file is used only if
 * both results are equal except for blanks and that word. Definitions of macros, other uses and
 * line numbers do not change. */
#include "base/order.h"
#include "source/c/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK_MAX 64

static void note(struct bob_c_unit *u, const struct bob_c_span *s)
{
	u->is_failed |= BOB_VEC_ADD(&u->obstacles, *s) != BOB_OK;
}

void bob_c_refuse_in_macro(struct bob_c_unit *u, const struct bob_c_span *s)
{
	const struct bob_c_span *first = bob_c_macro_at(u, s->start),
				*last = bob_c_macro_at(u, s->end);

	bob_c_refuse(u, BOB_SOURCE_C_MACRO);
	if (first)
		note(u, first);
	if (last)
		note(u, last);
}

/* Notes the word in the declaration. It stays if it names a register (asm). */
void bob_c_refuse_in_register(struct bob_c_unit *u, const struct bob_c_variable *v)
{
	const struct bob_c_span s = bob_c_span(u, v->decl);
	struct bob_c_span found = { .start = 0 };

	bob_c_refuse(u, BOB_SOURCE_C_REGISTER);
	if (!s.is_ours || !*v->function || !s.start)
		return;
	for (uint32_t i = s.start; i < u->len && !strchr(";{", u->bytes[i]); i++) {
		if (bob_c_is_word(u->bytes + i, "asm") || bob_c_is_word(u->bytes + i, "__asm__"))
			return;
		if (!found.end && i < s.end && bob_c_is_word(u->bytes + i, BOB_C_REGISTER))
			found = (struct bob_c_span){ .start = i,
						     .end = i + sizeof(BOB_C_REGISTER) - 1 };
	}
	if (found.end && !bob_c_macro_at(u, found.start))
		note(u, &found);
}

static void put_mark(struct bob_c_bytes *t, const char *which, size_t number)
{
	char mark[MARK_MAX];

	bob_c_bytes_put(t, mark,
			(size_t)snprintf(mark, sizeof(mark), " " BOB_C_MARK "%s_%zu ", which,
					 number));
}

/* Emits the line ends within the use after its replacement. */
static void put_line_ends(struct bob_c_bytes *t, const char *bytes, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		if (bytes[i] == '\n')
			bob_c_bytes_put(t, "\n", 1);
}

/* --- the new file --- */

/* True if it is neither a preprocessor line, which must stay one, nor the removed word alone. */
static bool is_text(const char *from, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++)
		if (from[i] == '\n' && from[i + 1] == '#')
			return false;
	return true;
}

static bool is_word_alone(const char *from, size_t len)
{
	return bob_c_is_word(from, BOB_C_REGISTER) &&
	       strspn(from + strlen(BOB_C_REGISTER), " \n") == len - strlen(BOB_C_REGISTER);
}

/* The text between the marks of obstacle `number`, at or after *at, which is moved to its end;
 * false: it does not fit on one line. */
static bool find(const char **at, size_t number, const char **from, size_t *len)
{
	char mark[MARK_MAX];
	const char *end;

	snprintf(mark, sizeof(mark), BOB_C_MARK "from_%zu ", number);
	*from = strstr(*at, mark);
	if (!*from)
		return false;
	*from += strlen(mark);
	snprintf(mark, sizeof(mark), BOB_C_MARK "to_%zu", number);
	end = strstr(*from, mark);
	if (!end)
		return false;
	*at = end;
	*len = (size_t)(end - *from);
	if (is_word_alone(*from, *len))
		*len = 0;
	return is_text(*from, *len);
}

/* The file with marks around the uses; or, if `by` is the preprocessor's output for that, with
 * their expansions. */
static bool rewrite(const struct bob_c_unit *u, const struct bob_c_bytes *by,
		    struct bob_c_bytes *to)
{
	const char *there = by ? by->bytes : NULL;
	uint32_t at = 0;

	for (size_t i = 0; i < u->obstacles.count; i++) {
		const struct bob_c_span *m = &u->obstacles.at[i];
		const char *from;
		size_t len;

		if (m->start < at) /* the place is listed twice */
			continue;
		bob_c_bytes_put(to, u->bytes + at, m->start - at);
		at = m->start;
		if (!by) {
			put_mark(to, "from", i);
			bob_c_bytes_put(to, u->bytes + at, m->end - at);
			put_mark(to, "to", i);
			at = m->end;
		} else if (find(&there, i, &from, &len)) {
			for (size_t k = 0; k < len; k++)
				bob_c_bytes_put(to, from[k] == '\n' ? " " : &from[k], 1);
			put_line_ends(to, u->bytes + at, m->end - at);
			at = m->end;
		}
	}
	bob_c_bytes_put(to, u->bytes + at, u->len - at);
	return !to->is_failed;
}

BOB_COMPARE(by_place, struct bob_c_span, BOB_UP(start))

bool bob_c_remove_obstacles(struct bob_c_unit *u, char **text, size_t *len)
{
	struct bob_c_bytes marked = { 0 }, meaning = { 0 }, expanded = { 0 }, again = { 0 };
	bool is_sure;

	if (!u->obstacles.count || u->is_failed)
		return false;
	qsort(u->obstacles.at, u->obstacles.count, sizeof(*u->obstacles.at), by_place);
	is_sure = rewrite(u, NULL, &marked) && bob_c_preprocess(u, &marked, &meaning) &&
		  rewrite(u, &meaning, &expanded) && bob_c_preprocess(u, &expanded, &again) &&
		  bob_c_is_same(&meaning, &again) && expanded.len <= BOB_C_BYTES_MAX;

	free(marked.bytes);
	free(meaning.bytes);
	free(again.bytes);
	if (!is_sure) {
		free(expanded.bytes);
		return false;
	}
	*text = expanded.bytes;
	*len = expanded.len;
	return true;
}
