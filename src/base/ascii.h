/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes of characters of program text: ASCII, whatever the locale. Freestanding. */
#ifndef BOB_BASE_ASCII_H
#define BOB_BASE_ASCII_H

static inline int bob_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline int bob_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Of an identifier in C: a letter, a digit or an underscore. */
static inline int bob_is_word(char c)
{
	return bob_is_letter(c) || bob_is_digit(c) || c == '_';
}

/* Between the words of a line. */
static inline int bob_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

#endif
