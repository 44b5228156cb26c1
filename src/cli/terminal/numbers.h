/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for people. Counts are exact with thousands separators, sizes and times have three
 * digits and an SI unit (1 kB = 1000 bytes). All return `buf`. */
#ifndef BOB_CLI_NUMBERS_H
#define BOB_CLI_NUMBERS_H

#include <stdint.h>

#define CLI_NUMBER_MAX 32

char *cli_count(char buf[CLI_NUMBER_MAX], uint64_t v);	/* 1,234,567 */
char *cli_bytes(char buf[CLI_NUMBER_MAX], uint64_t v);	/* 1.23 MB */
char *cli_seconds(char buf[CLI_NUMBER_MAX], uint64_t ns); /* 1.23 s */
char *cli_share(char buf[CLI_NUMBER_MAX], uint64_t part, uint64_t whole); /* 12.3% */
/* "s" for every count but one, for "3 threads". */
const char *cli_plural(uint64_t v);

#endif
