/* SPDX-License-Identifier: BSD-3-Clause */
/* Rewrites conditions that no line can precede. ELSE IF becomes an ELSE and an IF in it, which ends
 * with the construct; DO WHILE becomes a DO whose first statement leaves it. So the condition is
 * evaluated as often as before, and its probes directly precede it:
 *
 *       else if (c) then          else                     do while (c)          do
 *         ...                     | lines                    ...               | lines
 *       end if                    if (c) then              end do                if (.not.(c)) exit
 *                                   ...                                          ...
 *                                 end if; end if                               end do
 *
 * The condition keeps its bytes, with their replacements by other patches. Removed words of the
 * original must be on one line. */
#include <string.h>

#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/lines.h"

/* --- positions of words --- */

/* Skips `word`, after blanks, at text[*at]; *at is moved after it. */
static bool skip_word(const struct bob_fortran_statement *s, uint32_t *at, const char *word)
{
	const uint32_t len = (uint32_t)strlen(word);
	uint32_t i = *at;

	while (i < s->len && s->text[i] == ' ')
		i++;
	if (s->len - i < len || memcmp(s->text + i, word, len) != 0)
		return false;
	*at = i + len;
	return true;
}

/* Is the text from..to on one line, with the character after it? */
static bool is_on_one_line(const struct bob_weave *w, const struct bob_fortran_statement *s,
			   uint32_t from, uint32_t to)
{
	return bob_fortran_position(w->file, s->at[from]).line ==
	       bob_fortran_position(w->file, s->at[to]).line;
}

/* Removed words: [from, to) of the text; for a DO WHILE also the closing parenthesis. */
struct words {
	uint32_t from, to;
};

/* The position of the construct's name in an ELSE or ELSE IF; the end of the text: none. */
static uint32_t name_of(const struct bob_fortran_statement *s)
{
	uint32_t i = s->from;

	if (s->kind == BOB_F_ELSE_IF) {
		for (i = s->len; i && s->text[i - 1] != ')'; i--)
			;
		skip_word(s, &i, "then");
	} else {
		skip_word(s, &i, "else");
	}
	return i;
}

static bool while_words(const struct bob_fortran_statement *s, struct words *x)
{
	uint32_t i = s->from;

	if (!skip_word(s, &i, "do"))
		return false;
	while (i < s->len &&
	       (s->text[i] == ' ' || (s->text[i] >= '0' && s->text[i] <= '9') || s->text[i] == ','))
		i++;
	if (!skip_word(s, &i, "while") || s->text[s->len - 1] != ')')
		return false;
	x->from = 0;
	x->to = i;
	return true;
}

/* --- conditions --- */

/* Are preprocessor conditionals between the two statements complete there? */
static bool is_whole(const struct bob_weave *w, uint32_t from, uint32_t to)
{
	uint32_t depth = 0;

	for (uint32_t i = from; i < to; i++) {
		const char c = bob_fortran_conditional(&w->file->statements[i]);

		if (c == '+')
			depth++;
		else if (c == '|' && !depth)
			return false;
		else if (c == '-' && !depth--)
			return false;
	}
	return !depth;
}

/* The place of the statement; NO: a directive directly precedes it and applies to it. */
static uint32_t place_of(const struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	struct bob_fortran_place p;

	if (s->kind == BOB_F_ELSE_IF)
		return bob_weave_line_of(w, statement);
	if (bob_fortran_place(w->file, statement, &p) != BOB_OK || p.inside == BOB_FORTRAN_NO ||
	    p.before != bob_weave_line_of(w, statement))
		return BOB_FORTRAN_NO;
	return p.before;
}

static const struct bob_fortran_construct *construct_of(const struct bob_weave *w,
							uint32_t statement)
{
	const uint32_t i = w->file->statements[statement].construct;

	return i < w->file->construct_count ? &w->file->constructs[i] : NULL;
}

static bool has_end(const struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_construct *c = construct_of(w, statement);

	if (!c || !c->is_ended)
		return false;
	if (w->file->statements[statement].kind == BOB_F_DO_WHILE)
		return c->first == statement;
	return c->kind == BOB_CONSTRUCT_IF && w->file->statements[c->last].kind == BOB_F_END_IF &&
	       is_whole(w, statement, c->last);
}

static bool words_of(const struct bob_weave *w, const struct bob_fortran_statement *s,
		     struct words *x)
{
	x->from = x->to = s->from;
	if (s->kind == BOB_F_ELSE_IF ? !skip_word(s, &x->to, "else") : !while_words(s, x))
		return false;
	return is_on_one_line(w, s, x->from, x->to);
}

/* Is statement i an ELSE IF or ELSE of the same construct, after this one? */
static bool is_branch(const struct bob_weave *w, uint32_t statement, uint32_t i)
{
	const struct bob_fortran_statement *s = &w->file->statements[i];

	return s->construct == w->file->statements[statement].construct &&
	       (s->kind == BOB_F_ELSE_IF || s->kind == BOB_F_ELSE);
}

/* Can names after the branches be removed? */
static bool are_names_whole(const struct bob_weave *w, uint32_t statement)
{
	for (uint32_t i = statement; i < construct_of(w, statement)->last; i++) {
		const struct bob_fortran_statement *s = &w->file->statements[i];
		const uint32_t from = is_branch(w, statement, i) ? name_of(s) : s->len;

		if (from < s->len && !is_on_one_line(w, s, from, s->len - 1))
			return false;
	}
	return true;
}

static bool can_turn(const struct bob_weave *w, uint32_t statement, struct words *x)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];

	return (s->kind == BOB_F_ELSE_IF || s->kind == BOB_F_DO_WHILE) && has_end(w, statement) &&
	       place_of(w, statement) != BOB_FORTRAN_NO && words_of(w, s, x) &&
	       (s->kind != BOB_F_ELSE_IF || are_names_whole(w, statement));
}

bool bob_weave_turns(const struct bob_weave *w, uint32_t statement)
{
	struct words x;

	return can_turn(w, statement, &x);
}

/* --- rewriting --- */

/* The inner IF has no name, so names of its branches are removed. */
static void take_names(struct bob_weave *w, uint32_t statement, uint32_t at)
{
	for (uint32_t i = statement; i < construct_of(w, statement)->last; i++) {
		const struct bob_fortran_statement *s = &w->file->statements[i];
		const uint32_t from = is_branch(w, statement, i) ? name_of(s) : s->len;

		if (from < s->len && !bob_weave_is_replaced(w, w->in, s->at[from]))
			bob_weave_put_instead(w, at, BOB_RANK_TURN, statement, NULL, s->at[from],
					      s->at[s->len - 1] + 1, "");
	}
}

static void turn_else_if(struct bob_weave *w, uint32_t statement, uint32_t at,
			 const struct words *x)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];

	bob_weave_put_instead(w, at, BOB_RANK_TURN, statement, "else", s->at[x->from],
			      s->at[x->to - 1] + 1, "");
	bob_weave_put(w, bob_weave_line_of(w, construct_of(w, statement)->last), BOB_RANK_CLOSE,
		      statement, "end if");
	if (*construct_of(w, statement)->name)
		take_names(w, statement, at);
}

static void turn_while(struct bob_weave *w, uint32_t statement, uint32_t at, const struct words *x)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const char *label = s->target ? bob_weave_text(w, " %u", s->target) : "";

	bob_weave_put_instead(w, at, BOB_RANK_TURN, statement,
			      bob_weave_text(w, "%.*sdo%s", (int)s->from, s->text, label),
			      s->at[x->from], s->at[x->to - 1] + 1, "if (.not.");
	bob_weave_put_instead(w, at, BOB_RANK_TURN, statement, NULL, s->at[s->len - 1],
			      s->at[s->len - 1] + 1, ")) exit");
}

bool bob_weave_turn(struct bob_weave *w, uint32_t statement, uint32_t *at)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	struct words x;

	if (!can_turn(w, statement, &x)) {
		bob_weave_refuse(
			w,
			s->kind == BOB_F_ELSE_IF ?
				"an ELSE IF in pieces, or among lines of the preprocessor" :
				"a DO WHILE that is in pieces, or after a directive",
			s->line);
		return false;
	}
	*at = place_of(w, statement);
	if (w->turned_in == w->in && w->turned == statement + 1)
		return true;
	if (s->kind == BOB_F_DO_WHILE && !bob_weave_before(w, statement, at))
		return false;
	w->turned_in = w->in;
	w->turned = statement + 1;
	if (s->kind == BOB_F_ELSE_IF)
		turn_else_if(w, statement, *at, &x);
	else
		turn_while(w, statement, *at, &x);
	return true;
}
