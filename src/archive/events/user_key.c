/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of event registrations; encoder and decoder of keys (user_key.h). */
#include "archive/events/user_key.h"

#include <string.h>

#include "base/ascii.h"
#include "base/reader.h"

/* --- registration --- */

static int is_in_name(char c)
{
	return bob_is_word(c) || c == '.' || c == ':';
}

static const char *after_spaces(const char *p)
{
	while (*p == ' ' || *p == '\t' || *p == '\n')
		p++;
	return p;
}

static size_t name_length(const char *p)
{
	size_t n = 0;

	if (bob_is_letter(*p) || *p == '_')
		while (is_in_name(p[n]))
			n++;
	return n;
}

static const char *parse_type(const char *p, uint8_t *type)
{
	static const char words[BOB_USER_TYPES][8] = { "int", "double", "string" };
	const size_t n = name_length(p);

	for (uint8_t t = 0; n && n < sizeof(words[0]) && t < BOB_USER_TYPES; t++)
		if (!words[t][n] && !memcmp(p, words[t], n)) {
			*type = t;
			return after_spaces(p + n);
		}
	return NULL;
}

struct parsing {
	struct bob_user_key *key;
	uint32_t count, strings, used;
};

/* Returns the end of the parameter and its separator (comma, arrow or end). NULL: invalid. */
static const char *parse_parameter(struct parsing *g, const char *p)
{
	struct bob_user_key *k = g->key;
	size_t n;

	if (g->count == BOB_USER_PARAMETERS_MAX)
		return NULL;
	p = parse_type(p, &k->type[g->count]);
	n = p ? name_length(p) : 0;
	g->strings += k->type[g->count] == BOB_USER_STRING;
	if (!n || g->used + n + 2 > BOB_USER_TEXT_MAX || g->strings > BOB_USER_STRINGS_MAX)
		return NULL;
	k->name_at[g->count++] = (uint8_t)g->used;
	memcpy(k->text + g->used, p, n);
	g->used += (uint32_t)n + 2;
	return after_spaces(p + n);
}

/* Parses up to an arrow or the end. */
static const char *parse_list(struct parsing *g, const char *p)
{
	p = after_spaces(p);
	if (!*p || *p == '-')
		return p;
	for (;;) {
		p = parse_parameter(g, p);
		if (!p || *p != ',')
			return p;
		p = after_spaces(p + 1);
	}
}

bob_status bob_user_parse(const char *name, uint32_t flags, const char *parameters,
			  struct bob_user_key *out)
{
	struct parsing g = { .key = out };
	const char *p;
	size_t n = 0;

	memset(out, 0, sizeof(*out));
	while (name && n <= BOB_USER_NAME_MAX && name[n])
		n++;
	if (!n || n > BOB_USER_NAME_MAX || flags > 255)
		return BOB_ERR_INVAL;
	memcpy(out->name, name, n);
	out->flags = (uint8_t)flags;
	p = parameters ? parse_list(&g, parameters) : "";
	out->in = (uint8_t)g.count;
	if (p && p[0] == '-' && p[1] == '>')
		p = parse_list(&g, p + 2);
	out->out = (uint8_t)(g.count - out->in);
	return p && !*p ? BOB_OK : BOB_ERR_INVAL;
}

/* --- keys --- */

static uint32_t put_name(uint8_t *to, uint32_t at, const char *name)
{
	const uint32_t n = (uint32_t)strlen(name);

	to[at++] = (uint8_t)n;
	memcpy(to + at, name, n);
	return at + n;
}

uint32_t bob_user_encode(const struct bob_user_key *k, enum bob_user_phase phase,
			 uint8_t to[BOB_EVENT_KEY_MAX])
{
	uint32_t at = (uint32_t)bob_varint_put(to, BOB_USER_KEY);

	to[at++] = (uint8_t)phase;
	to[at++] = k->flags;
	at = put_name(to, at, k->name);
	to[at++] = k->in;
	to[at++] = k->out;
	for (uint32_t i = 0; i < (uint32_t)k->in + k->out; i++) {
		to[at++] = k->type[i];
		at = put_name(to, at, k->text + k->name_at[i]);
	}
	return at;
}

static uint32_t take_name(struct bob_reader *b, char *to, uint32_t capacity)
{
	const uint32_t n = bob_reader_byte(b);
	const uint8_t *name = bob_reader_bytes(b, n);

	if (!name || n > capacity) {
		b->bad = 1;
		return 0;
	}
	b->bad |= memchr(name, 0, n) != NULL;
	memcpy(to, name, n);
	return n;
}

/* Stores the name at offset `at` of the names. Returns its end. */
static uint32_t take_parameter(struct bob_reader *b, struct bob_user_key *k, uint32_t at)
{
	const uint32_t n = at + 2 <= BOB_USER_TEXT_MAX ?
				   take_name(b, k->text + at, BOB_USER_TEXT_MAX - 2 - at) :
				   0;

	b->bad |= !n || name_length(k->text + at) != n;
	return at + n + 2;
}

static void take_parameters(struct bob_reader *b, struct bob_user_key *k)
{
	uint32_t used = 0, strings = 0;

	k->in = bob_reader_byte(b);
	k->out = bob_reader_byte(b);
	if ((uint32_t)k->in + k->out > BOB_USER_PARAMETERS_MAX) {
		k->in = k->out = 0;
		b->bad = 1;
	}
	for (uint32_t i = 0; i < (uint32_t)k->in + k->out && !b->bad; i++) {
		k->type[i] = bob_reader_byte(b);
		k->name_at[i] = (uint8_t)used;
		used = take_parameter(b, k, used);
		strings += k->type[i] == BOB_USER_STRING;
		b->bad |= k->type[i] >= BOB_USER_TYPES || strings > BOB_USER_STRINGS_MAX;
	}
}

bob_status bob_user_decode(const uint8_t *key, size_t len, struct bob_user_key *out,
			   enum bob_user_phase *phase)
{
	uint8_t kind[BOB_VARINT_MAX];
	const size_t n = bob_varint_put(kind, BOB_USER_KEY);
	struct bob_reader b;

	memset(out, 0, sizeof(*out));
	if (!key || len < n || memcmp(key, kind, n))
		return BOB_NONE;
	b = bob_reader_of(key + n, len - n);
	*phase = (enum bob_user_phase)bob_reader_byte(&b);
	out->flags = bob_reader_byte(&b);
	take_name(&b, out->name, BOB_USER_NAME_MAX);
	take_parameters(&b, out);
	b.bad |= *phase >= BOB_USER_PHASES || !out->name[0];
	return bob_reader_is_done(&b) ? BOB_OK : BOB_ERR_CORRUPT;
}

/* --- words --- */

void bob_user_range(const struct bob_user_key *k, enum bob_user_phase phase, uint32_t *from,
		    uint32_t *to)
{
	*from = phase == BOB_USER_END ? k->in : 0;
	*to = phase == BOB_USER_BEGIN ? k->in : (uint32_t)k->in + k->out;
}

void bob_user_layout(const struct bob_user_key *k, enum bob_user_phase phase,
		     struct bob_event_layout *l)
{
	uint32_t from, to;

	bob_user_range(k, phase, &from, &to);
	*l = (struct bob_event_layout){ .words = (uint8_t)(to - from) };
	for (uint32_t i = from; i < to; i++)
		if (k->type[i] == BOB_USER_STRING)
			l->vector[l->vectors++].length = (uint8_t)(i - from);
}
