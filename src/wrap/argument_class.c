/* SPDX-License-Identifier: BSD-3-Clause */
/* Derives the kind of register in which a value is passed from the words of its type. */
#include <string.h>

#include "wrap/wrap.h"

static const struct {
	const char *word;
	char letter;
} names[] = {
	{ "size_t", 'L' },    { "ssize_t", 'l' },    { "ptrdiff_t", 'l' }, { "off_t", 'l' },
	{ "off64_t", 'l' },   { "pid_t", 'i' },	     { "uid_t", 'I' },	   { "gid_t", 'I' },
	{ "mode_t", 'I' },    { "time_t", 'l' },     { "intptr_t", 'l' },  { "uintptr_t", 'L' },
	{ "int8_t", 'b' },    { "int16_t", 'h' },    { "int32_t", 'i' },   { "int64_t", 'l' },
	{ "uint8_t", 'B' },   { "uint16_t", 'H' },   { "uint32_t", 'I' },  { "uint64_t", 'L' },
	{ "socklen_t", 'I' }, { "useconds_t", 'I' }, { "clockid_t", 'i' }, { "_Bool", 'B' },
	{ "bool", 'B' },      { "float", 'f' },	     { "_Float32", 'f' },  { "double", 'd' },
	{ "_Float64", 'd' },  { "_Float32x", 'd' },  { "_Float64x", 'x' },
};

static bool has_word(const char *text, const char *word)
{
	const size_t n = strlen(word);

	for (const char *p = text; (p = strstr(p, word)) != NULL; p += n) {
		const char before = p == text ? ' ' : p[-1];

		if ((before == ' ' || before == '(') && (!p[n] || strchr(" *()", p[n])))
			return true;
	}
	return false;
}

static char built_in(const char *text)
{
	const bool is_unsigned = has_word(text, "unsigned");

	if (has_word(text, "char"))
		return is_unsigned ? 'B' : 'b';
	if (has_word(text, "short"))
		return is_unsigned ? 'H' : 'h';
	if (has_word(text, "long"))
		return is_unsigned ? 'L' : 'l';
	return is_unsigned ? 'I' : 'i';
}

char bob_wrap_letter(const struct bob_wrap_type *t)
{
	switch (t->kind) {
	case BOB_WRAP_POINTER:
		return 'p';
	case BOB_WRAP_TEXT:
		return 's';
	case BOB_WRAP_REAL:
		if (has_word(t->before, "__float128") || has_word(t->before, "_Float128"))
			return 0;
		if (t->is_long_double)
			return 'x';
		break;
	case BOB_WRAP_INT:
		break;
	default:
		return 0;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (has_word(t->before, names[i].word))
			return names[i].letter;
	return built_in(t->before);
}
