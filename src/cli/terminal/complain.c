/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages to the user: one line, prefixed, on stderr. A message is formatted in a buffer and
 * written with one call, so lines of several processes do not mix. */
#include "cli/terminal/complain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"

#define LINE_MAX_BYTES 1024

static void say(const char *verb, const char *format, va_list args, const char *tail)
	__attribute__((format(printf, 2, 0)));

static void say(const char *verb, const char *format, va_list args, const char *tail)
{
	char text[LINE_MAX_BYTES];

	vsnprintf(text, sizeof(text), format, args);
	bob_text_make_plain(text, strlen(text)); /* names of files may contain control characters */
	if (*text && text[strlen(text) - 1] == '?' && !strncmp(tail, "; see", 5)) {
		strncat(text, " See", sizeof(text) - strlen(text) - 1);
		tail += 5;
	}
	fflush(stdout);
	if (verb)
		fprintf(stderr, "bobbin: %s: %s%s\n", verb, text, tail);
	else
		fprintf(stderr, "bobbin: %s%s\n", text, tail);
}

int cli_fail(const char *verb, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(verb, format, args, "");
	va_end(args);
	return 1;
}

int cli_misuse(const char *verb, const char *format, ...)
{
	char tail[64] = "; see bobbin --help";
	va_list args;

	if (verb)
		snprintf(tail, sizeof(tail), "; see bobbin %s --help", verb);
	va_start(args, format);
	say(verb, format, args, tail);
	va_end(args);
	return 2;
}

void cli_warn(const char *verb, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(verb, format, args, "");
	va_end(args);
}

int cli_fail_status(const char *verb, const char *what, bob_status st, const struct bob_error *err)
{
	const char *cause = err && err->text ? err->text : bob_status_text(st);

	if (err && err->path[0] && err->offset)
		return cli_fail(verb, "%s: %s at byte %" PRIu64 " of %s", what, cause, err->offset,
				err->path);
	if (err && err->path[0])
		return cli_fail(verb, "%s: %s (%s)", what, cause, err->path);
	return cli_fail(verb, "%s: %s", what, cause);
}

int cli_fail_open(const char *verb, const char *dir, bob_status st, const struct bob_error *err)
{
	if (st == BOB_ERR_NOENT)
		return cli_fail(verb,
				"there is no trace in %s; make one with bobbin record -- COMMAND",
				dir);
	return cli_fail_status(verb, "cannot read the trace", st, err);
}
