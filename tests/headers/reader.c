/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest user of bobbin/trace.h: counts the events of a trace. tests/tools/test_install.py
 * links it with an installed libbobbin and nothing else. */
#include <inttypes.h>
#include <stdio.h>

#include "bobbin/trace.h"

int main(int argc, char **argv)
{
	struct bob_error err = { BOB_OK, 0, "", "" };
	struct bob_trace_sizes sizes;
	struct bob_trace *trace;

	if (argc != 2)
		return 2;
	if (bob_trace_open(argv[1], &trace, &err) != BOB_OK) {
		fprintf(stderr, "%s: %s (byte %" PRIu64 ")\n", argv[1], err.text, err.offset);
		return 1;
	}
	bob_trace_sizes(trace, &sizes);
	printf("%" PRIu64 " events, %" PRIu64 " bytes\n", sizes.events, sizes.stream_bytes);
	bob_trace_close(trace);
	return 0;
}
