/* SPDX-License-Identifier: BSD-3-Clause */
/* Comma-separated values after RFC 4180, lines ended by \n. */
#ifndef BOB_TABLE_CSV_H
#define BOB_TABLE_CSV_H

#include <stdio.h>

/* A field, quoted if need be. */
void bob_csv_text(const char *text, FILE *out);

#endif
