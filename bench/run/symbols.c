/* SPDX-License-Identifier: BSD-3-Clause */
/* symbols TRACE [MAX]: writes the symbols of the trace's longest stream, or its first MAX, to
 * standard output as 32-bit words: the input of bench_run. Names the stream on stderr. */
#include <stdio.h>
#include <stdlib.h>

#include "bobbin/trace.h"

static int write_some(void *ctx, const uint32_t *syms, size_t n)
{
	uint64_t *left = ctx;

	if (n > *left)
		n = (size_t)*left;
	if (fwrite(syms, sizeof(*syms), n, stdout) != n) {
		perror("symbols");
		exit(1);
	}
	*left -= n;
	return !*left;
}

static uint32_t longest(const struct bob_trace *t)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < bob_trace_thread_count(t); i++)
		if (bob_trace_thread(t, i)->symbols > bob_trace_thread(t, best)->symbols)
			best = i;
	return best;
}

int main(int argc, char **argv)
{
	uint64_t left = argc > 2 ? strtoull(argv[2], NULL, 10) : UINT64_MAX;
	const struct bob_thread_info *thread;
	struct bob_trace *t;
	struct bob_error err;
	uint32_t which;

	if (argc < 2 || argc > 3 || !left) {
		fprintf(stderr, "usage: symbols TRACE [MAX] > FILE.sym\n");
		return 2;
	}
	if (bob_trace_open(argv[1], &t, &err) != BOB_OK || !bob_trace_thread_count(t)) {
		fprintf(stderr, "symbols: no stream in %s\n", argv[1]);
		return 1;
	}
	which = longest(t);
	thread = bob_trace_thread(t, which);
	fprintf(stderr, "%s: %llu symbols\n", bob_trace_process(t, thread->process)->exe,
		(unsigned long long)thread->symbols);
	if (bob_trace_symbols(t, which, write_some, &left, &err) < 0) {
		fprintf(stderr, "symbols: %s\n", err.text);
		return 1;
	}
	bob_trace_close(t);
	return fflush(stdout) ? 1 : 0;
}
