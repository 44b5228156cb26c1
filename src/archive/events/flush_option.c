/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of --flush-every (flush_option.h). Errors state what was expected. */
#include "archive/events/flush_option.h"

#include <string.h>

#define MOST 1000000000000000000ull

/* Parses a decimal number. Returns its end, or NULL if there is none, it is 0 or too large. */
static const char *number(const char *text, uint64_t *out)
{
	uint64_t v = 0;

	for (; *text >= '0' && *text <= '9'; text++) {
		if (v > MOST / 10)
			return NULL;
		v = 10 * v + (uint64_t)(*text - '0');
	}
	*out = v;
	return v ? text : NULL;
}

/* Length of a unit of time in ns; 0: invalid. */
static uint64_t unit(const char *text)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ms", 1000000 },
		      { "s", 1000000000 },
		      { "m", 60000000000ull },
		      { "h", 3600000000000ull } };

	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(text, units[i].name))
			return units[i].ns;
	return 0;
}

static int parse_number(const char *text, struct bob_flush *out, const char **expected)
{
	const char *end = number(text, &out->every);
	const uint64_t ns = end ? unit(end) : 0;

	*expected = "a number of events from 1 on, or a time: 500ms, 10s, 5m, 1h";
	if (!end || (*end && (!ns || out->every > MOST / ns)))
		return -1;
	out->kind = *end ? BOB_FLUSH_TIME : BOB_FLUSH_COUNT;
	out->every *= *end ? ns : 1;
	return 0;
}

static int parse_event(const char *text, struct bob_flush *out, const char **expected)
{
	const size_t len = strcspn(text, "/,");
	const char *at = text + len;

	out->kind = BOB_FLUSH_EVENT;
	out->every = 1;
	*expected = "the name of an event, of at most 127 bytes";
	if (!len || len > BOB_FLUSH_NAME_MAX)
		return -1;
	memcpy(out->event, text, len);
	*expected = "a number after the /";
	if (*at == '/' && !(at = number(at + 1, &out->every)))
		return -1;
	out->all = !strcmp(at, ",all");
	*expected = "an event, then /N, then ,all, and nothing else";
	return out->all || !*at ? 0 : -1;
}

int bob_flush_parse(const char *text, struct bob_flush *out, const char **expected)
{
	memset(out, 0, sizeof(*out));
	return *text >= '0' && *text <= '9' ? parse_number(text, out, expected) :
					      parse_event(text, out, expected);
}
