/* SPDX-License-Identifier: BSD-3-Clause */
/* Streaming JSON writer: escapes strings, validates UTF-8 (RFC 3629), and prints numbers so that
 * they read back as the same value. */
#include "table/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "table/numbers.h"

/* Length of the valid UTF-8 sequence at `s`, 0 if there is none. */
static int utf8_length(const unsigned char *s)
{
	unsigned char lo = 0x80, hi = 0xbf;
	int n;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (s[0] == 0xe0)
		lo = 0xa0;	/* overlong */
	if (s[0] == 0xed)
		hi = 0x9f;	/* surrogates */
	if (s[0] == 0xf0)
		lo = 0x90;
	if (s[0] == 0xf4)
		hi = 0x8f;
	if (s[1] < lo || s[1] > hi)
		return 0;
	for (int i = 2; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static void put_string(FILE *out, const char *value)
{
	const unsigned char *s = (const unsigned char *)value;

	fputc('"', out);
	while (*s) {
		size_t plain = 0;
		int n;

		while (s[plain] >= 0x20 && s[plain] < 0x7f && s[plain] != '"' && s[plain] != '\\')
			plain++;
		if (plain) {
			fwrite(s, 1, plain, out);
			s += plain;
			continue;
		}
		n = utf8_length(s);
		if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if (*s == '\n')
			fputs("\\n", out);
		else if (*s == '\t')
			fputs("\\t", out);
		else if (*s < 0x20 || *s == 0x7f)
			fprintf(out, "\\u%04x", *s);
		else if (n)
			fwrite(s, 1, (size_t)n, out);
		else
			fputs("\\ufffd", out);
		s += n ? n : 1;
	}
	fputc('"', out);
}

static void begin_value(struct bob_json *j, const char *key)
{
	if (j->depth && !j->first)
		fputc(',', j->out);
	if (j->depth && !j->dense)
		fprintf(j->out, "\n%*s", 2 * j->depth, "");
	j->first = 0;
	if (key) {
		put_string(j->out, key);
		fputs(j->dense ? ":" : ": ", j->out);
	}
}

static void open_bracket(struct bob_json *j, const char *key, char bracket)
{
	begin_value(j, key);
	fputc(bracket, j->out);
	j->depth++;
	j->first = 1;
}

void bob_json_object(struct bob_json *j, const char *key)
{
	open_bracket(j, key, '{');
}

void bob_json_array(struct bob_json *j, const char *key)
{
	open_bracket(j, key, '[');
}

void bob_json_end(struct bob_json *j, char bracket)
{
	j->depth--;
	if (!j->first && !j->dense)
		fprintf(j->out, "\n%*s", 2 * j->depth, "");
	fputc(bracket, j->out);
	j->first = 0;
	if (!j->depth)
		fputc('\n', j->out);
}

void bob_json_string(struct bob_json *j, const char *key, const char *value)
{
	begin_value(j, key);
	if (value)
		put_string(j->out, value);
	else
		fputs("null", j->out);
}

void bob_json_uint(struct bob_json *j, const char *key, uint64_t value)
{
	begin_value(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void bob_json_int(struct bob_json *j, const char *key, int64_t value)
{
	begin_value(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void bob_json_real(struct bob_json *j, const char *key, double value)
{
	char text[BOB_NUMBER_MAX];

	begin_value(j, key);
	fputs(isfinite(value) ? bob_format_real(text, value) : "null", j->out);
}

void bob_json_share(struct bob_json *j, const char *key, double value)
{
	begin_value(j, key);
	fprintf(j->out, "%.6g", value);
}

void bob_json_decimal(struct bob_json *j, const char *key, const char *digits)
{
	begin_value(j, key);
	fputs(isfinite(strtold(digits, NULL)) ? digits : "null", j->out);
}

void bob_json_bool(struct bob_json *j, const char *key, int value)
{
	begin_value(j, key);
	fputs(value ? "true" : "false", j->out);
}
