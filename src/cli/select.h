/* SPDX-License-Identifier: BSD-3-Clause */
/* Choice of threads. SPEC is a list of terms separated by commas:
 *     N or N-M            threads with these numbers in every process
 *     P.N                 thread N of process P, as `dump` and `show` name it
 *     thread= process= rank= pid= tid=   followed by N or N-M
 *     host=NAME
 * Terms of one kind are alternatives; terms of different kinds must all match. */
#ifndef BOB_CLI_SELECT_H
#define BOB_CLI_SELECT_H

#include "bobbin/trace.h"

#define CLI_SELECT_TERMS_MAX 64

struct cli_select_term {
	int kind;
	uint64_t first, last;
	uint64_t number;	/* N of P.N */
	char host[64];
};

struct cli_select {
	int count;	/* 0: all threads */
	struct cli_select_term terms[CLI_SELECT_TERMS_MAX];
};

/* Adds terms to `s`. Returns 0, or -1 with the position of the error in *bad. */
int cli_select_parse(struct cli_select *s, const char *spec, const char **bad);
int cli_select_match(const struct cli_select *s, const struct bob_trace *t, uint32_t thread);

#endif
