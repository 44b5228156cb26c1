/* SPDX-License-Identifier: BSD-3-Clause */
/* A line of commands while it is read: words, numbers and names, from left to right. For
 * commands.c. One thread. `take`: skips the given text and the following blanks, if it is at the
 * current position. `want`: the same, or reports an error. Only the first error is reported. */
#ifndef BOB_SOURCE_COMMANDS_LINE_H
#define BOB_SOURCE_COMMANDS_LINE_H

#include "source/commands.h"

struct bob_line {
	const char *at, *end, *begin;
	struct bob_requests *w;
	struct bob_command_complaint *why;
	bob_status st;
};

/* Always false. `at`: where in the line. */
bool bob_line_complain(struct bob_line *l, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void bob_line_skip(struct bob_line *l); /* blanks */
bool bob_line_is(const struct bob_line *l, const char *word);
bool bob_line_take(struct bob_line *l, const char *word);
bool bob_line_want(struct bob_line *l, const char *word);
bool bob_line_want_end(struct bob_line *l);
/* For messages: at most a few letters of the text at this position. */
int bob_line_shown(const struct bob_line *l);
/* Reports that none of `words` (the last is NULL) is at this position; always false. `expected`:
 * what could be there, for the message. */
bool bob_line_miss(struct bob_line *l, const char *expected, const char *const *words);
/* A copy that lives as long as the table; NULL: no memory, which the line notes. */
const char *bob_line_keep(struct bob_line *l, const char *text, size_t len);
bool bob_line_number(struct bob_line *l, int64_t *value);
bool bob_line_is_name_byte(char c);
/* NULL: a complaint that `what` was expected, or no memory. */
const char *bob_line_name(struct bob_line *l, const char *what);

#endif
