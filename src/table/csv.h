/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV fields as defined by RFC 4180. Lines end in \n, not in \r\n. */
#ifndef BOB_TABLE_CSV_H
#define BOB_TABLE_CSV_H

#include <stdio.h>

/* Writes a field, in quotes if it contains a comma, a quote or a line break. */
void bob_csv_text(const char *text, FILE *out);

#endif
