/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses signatures, and reads a call's parameters from registers and the stack (signature.h). */
#include "events/signature.h"

#include <string.h>

#define SIGNATURES_MAX 4096u
#define INTEGERS 6u		/* registers */
#define REALS 8u

/* --- parsing --- */

/* Parses letters up to the next bar and skips that; false: too many, or unknown letters. */
static bool read_places(const char **at, struct bob_ev_place *to, uint32_t most, uint32_t *count)
{
	const char *p = *at;

	for (*count = 0; *p && *p != '|'; p++) {
		const bool is_recorded = *p != '-';

		p += !is_recorded;
		if (!*p || !strchr("bBhHiIlLfdxps", *p) || *count == most)
			return false;
		to[(*count)++] = (struct bob_ev_place){ *p, is_recorded };
	}
	*at = p + 1;
	return *p == '|';
}

/* Parses a zero-terminated line; names stay in its memory. */
static bool read_line(char *line, struct bob_ev_signature *s)
{
	char *bar = strchr(line, '|');
	const char *p = bar ? bar + 1 : line;
	uint32_t results;

	if (!bar || !read_places(&p, s->in, BOB_EV_LETTERS_MAX, &s->count) ||
	    !read_places(&p, &s->out, 1, &results))
		return false;
	if (!results)
		s->out.letter = 0;
	*bar = 0;
	s->name = line;
	s->parameters = p;
	return true;
}

const struct bob_ev_signature *bob_ev_signatures_read(const char *text, uint32_t *count)
{
	const size_t len = text ? strlen(text) : 0;
	struct bob_ev_signature *s;
	char *copy;

	*count = 0;
	if (!len)
		return NULL;
	copy = bob_ev_map(len + 1);
	s = copy ? bob_ev_map(SIGNATURES_MAX * sizeof(*s)) : NULL;
	if (!s)
		return NULL;
	memcpy(copy, text, len);
	for (char *line = copy; *line && *count < SIGNATURES_MAX;) {
		char *end = line + strcspn(line, "\n");
		char *next = end + (*end != 0);

		*end = 0;
		*count += read_line(line, &s[*count]);
		line = next;
	}
	return s;
}

/* --- values --- */

static union bob_arg value(char letter, const void *at)
{
	switch (letter) {
	case 'b':
		return bob_int(*(const int8_t *)at);
	case 'B':
		return bob_int(*(const uint8_t *)at);
	case 'h':
		return bob_int(*(const int16_t *)at);
	case 'H':
		return bob_int(*(const uint16_t *)at);
	case 'i':
		return bob_int(*(const int32_t *)at);
	case 'I':
		return bob_int(*(const uint32_t *)at);
	case 'f':
		return bob_real((double)*(const float *)at);
	case 'd':
		return bob_real(*(const double *)at);
	case 'x':
		return bob_real((double)*(const long double *)at);
	case 'p':
		return bob_int(*(const uint64_t *)at != 0);
	case 's':
		return bob_text(*(const char *const *)at);
	default:
		return bob_int(*(const int64_t *)at);
	}
}

struct walk {
	const struct bob_function_call *call;
	uint32_t integers, reals;
	size_t stack;		/* bytes of the caller's stack arguments */
};

static const void *on_stack(struct walk *w, size_t size)
{
	const size_t at = (w->stack + size - 1) & ~(size - 1);

	w->stack = at + size;
	return (const uint8_t *)w->call->cfa + at;
}

static const void *next(struct walk *w, char letter)
{
	const bool is_real = letter == 'f' || letter == 'd';

	if (letter == 'x')
		return on_stack(w, sizeof(long double));
	if (is_real && w->reals < REALS)
		return &w->call->vector[w->reals++];
	if (!is_real && w->integers < INTEGERS)
		return &w->call->integer[w->integers++];
	return on_stack(w, 8);
}

uint32_t bob_ev_signature_in(const struct bob_ev_signature *s, const struct bob_function_call *c,
			     union bob_arg *to)
{
	struct walk w = { .call = c };
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->count && n < BOB_EVENT_PARAMETERS_MAX; i++) {
		const void *at = next(&w, s->in[i].letter);

		if (s->in[i].is_recorded)
			to[n++] = value(s->in[i].letter, at);
	}
	return n;
}

uint32_t bob_ev_signature_out(const struct bob_ev_signature *s, const struct bob_function_call *c,
			      union bob_arg *to)
{
	const char letter = s->out.letter;

	if (!letter || letter == 'x' || !s->out.is_recorded || !c->returned)
		return 0;
	*to = value(letter, letter == 'f' || letter == 'd' ? (const void *)c->vector : c->integer);
	return 1;
}
