/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats numbers for people. Counts are exact, with thousands separators. Sizes and times have
 * three significant digits and an SI unit (1 kB = 1000 bytes). All functions return `buf`. */
#ifndef BOB_TABLE_NUMBERS_H
#define BOB_TABLE_NUMBERS_H

#include <stdint.h>

#define BOB_NUMBER_MAX 32

char *bob_format_count(char buf[BOB_NUMBER_MAX], uint64_t v);	/* 1,234,567 */
char *bob_format_bytes(char buf[BOB_NUMBER_MAX], uint64_t v);	/* 1.23 MB */
char *bob_format_seconds(char buf[BOB_NUMBER_MAX], uint64_t ns); /* 1.23 s */
char *bob_format_share(char buf[BOB_NUMBER_MAX], uint64_t part, uint64_t whole); /* 12.3% */
char *bob_format_ratio(char buf[BOB_NUMBER_MAX], double ratio);	/* 0.123: 12.3% */
/* The shortest text that reads back as `v` (0.1, not 0.10000000000000001), for CSV and JSON. */
char *bob_format_real(char buf[BOB_NUMBER_MAX], double v);
/* Plural ending: "" for 1, otherwise "s". */
const char *bob_plural(uint64_t v);

#endif
