/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats messages of the concern analysis as one printable line. */
#include <stdarg.h>
#include <stdio.h>

#include "analysis/concerns/concern_map.h"

static void make_printable(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

bob_status bob_concerns_complain(struct bob_concerns_complaint *why, bob_status st,
				 const char *name, uint32_t line, uint32_t column,
				 const char *format, ...)
{
	int n;
	va_list args;

	if (!why)
		return st;
	n = snprintf(why->text, sizeof(why->text), "%.120s:%u:%u: ", name, line, column);
	va_start(args, format);
	vsnprintf(why->text + n, sizeof(why->text) - (size_t)n, format, args);
	va_end(args);
	make_printable(why->text);
	return st;
}
