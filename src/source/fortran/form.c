/* SPDX-License-Identifier: BSD-3-Clause */
/* Distinguishes fixed and free form by text that only one of them allows. File names do not
 * determine it: .F may be either. */
#include "source/fortran/split.h"

#include <string.h>

/* The end of the code in a line: before a comment, without trailing blanks. Quotes may not span
 * lines. */
static uint32_t code_end(const char *line, uint32_t n)
{
	uint32_t end = n;
	char quote = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (quote) {
			quote = line[i] == quote ? 0 : quote;
		} else if (line[i] == '\'' || line[i] == '"') {
			quote = line[i];
		} else if (line[i] == '!') {
			end = i;
			break;
		}
	}
	while (end && bob_fortran_is_blank(line[end - 1]))
		end--;
	return end;
}

/* Statements of free form that begin with a letter that marks comments in fixed form. */
static bool is_free_word(const char *line, uint32_t n)
{
	static const char *const words[] = { "call",	   "case",	"character", "class",
					     "close",	   "common",	"complex",   "contains",
					     "continue",   "cycle",	"data",	     "deallocate",
					     "dimension",  "do",	"double",    "critical",
					     "contiguous", "codimension" };
	uint32_t len = 0;

	while (len < n && bob_fortran_is_word(line[len]))
		len++;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		uint32_t k = 0;

		if (strlen(words[i]) != len)
			continue;
		while (k < len && bob_fortran_small(line[k]) == words[i][k])
			k++;
		if (k == len)
			return true;
	}
	return false;
}

enum sign { NOTHING, FIXED, FREE };

/* Classifies a line whose first column is not blank. */
static enum sign first_column(const char *line, uint32_t n)
{
	uint32_t i = 1;

	if (line[0] == '*')
		return FIXED;
	if (line[0] == '!' || line[0] == '#' || line[0] == '&' || bob_is_digit(line[0]))
		return NOTHING;
	if (!bob_is_letter(line[0]))
		return NOTHING;
	if (!memchr("cCdD", line[0], 4))
		return FREE;
	if (n > 1 && bob_fortran_is_word(line[1]))
		return NOTHING; /* `call x`, or a comment: both are common */
	while (i < n && bob_fortran_is_blank(line[i]))
		i++;
	/* `c = 1`, `c(i) = 1`, `d%x = 1` may be free form */
	return i < n && strchr("=(%[", line[i]) ? NOTHING : FIXED;
}

static enum sign judge(const char *line, uint32_t n)
{
	uint32_t end = code_end(line, n), i = 0;

	if (!end)
		return NOTHING;
	if (!bob_fortran_is_blank(line[0]))
		if (first_column(line, n) != NOTHING || memchr("cCdD!*#", line[0], 7))
			return first_column(line, n);
	while (i < end && (line[i] == ' ' || bob_is_digit(line[i])))
		i++;
	if (i < 5 && i < end && bob_is_letter(line[i]))
		return FREE;
	if (end <= 72 && line[end - 1] == '&' && end != 6)
		return FREE;
	if (i >= 5 && end > 6 && !memcmp(line, "     ", 5) && line[5] != ' ' && line[5] != '0' &&
	    line[5] != '&' && line[5] != '!' && !bob_is_letter(line[5]) && line[5] != '\t')
		return FIXED;
	return NOTHING;
}

enum bob_fortran_form bob_fortran_guess_form(const char *bytes, uint32_t len)
{
	uint32_t fixed = 0, free_form = 0, words = 0;

	for (uint32_t at = 0; at < len;) {
		const char *end = memchr(bytes + at, '\n', len - at);
		uint32_t n = end ? (uint32_t)(end - (bytes + at)) : len - at;
		enum sign sign = judge(bytes + at, n);

		fixed += sign == FIXED;
		free_form += sign == FREE;
		words += n && is_free_word(bytes + at, n);
		at += n + 1;
	}
	if (fixed && !free_form && !words)
		return BOB_FORTRAN_FIXED;
	if (free_form && !fixed)
		return BOB_FORTRAN_FREE;
	return BOB_FORTRAN_AUTO;
}

enum bob_fortran_form bob_fortran_form_of_name(const char *path)
{
	static const char *const endings[] = { ".f", ".for", ".ftn", ".f77", ".fpp" };
	const char *dot = strrchr(path, '.');
	char small[8] = "";

	for (size_t i = 0; dot && dot[i] && i < sizeof(small) - 1; i++)
		small[i] = bob_fortran_small(dot[i]);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (!strcmp(small, endings[i]))
			return BOB_FORTRAN_FIXED;
	return small[0] == '.' && small[1] == 'f' && bob_is_digit(small[2]) ? BOB_FORTRAN_FREE :
									      BOB_FORTRAN_AUTO;
}
