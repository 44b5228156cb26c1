/* SPDX-License-Identifier: BSD-3-Clause */
/* Quoting of CSV fields (RFC 4180). */
#include "table/csv.h"

#include <string.h>

void bob_csv_text(const char *text, FILE *out)
{
	if (!strpbrk(text, ",\"\n\r")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}
