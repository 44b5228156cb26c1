/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints for each thread of a trace how many function calls were recorded, and the deepest stack.
 *     bobbin record -o t.bobbin -- ./app
 *     cc deepest.c $(pkg-config --cflags --libs bobbin) -o deepest && ./deepest t.bobbin */
#include <inttypes.h>
#include <stdio.h>

#include <bobbin/bobbin.h>

static int print_thread(const struct bob_trace *trace, uint32_t thread)
{
	const struct bob_thread_info *info = bob_trace_thread(trace, thread);
	struct bob_error err = { BOB_OK, 0, "", "" };
	struct bob_function_info function;
	struct bob_cursor *cursor;
	struct bob_event event, deepest = { 0 };
	uint64_t entries = 0;
	bob_status st = bob_cursor_open(trace, thread, &cursor, &err);

	if (st == BOB_OK) {
		while ((st = bob_cursor_next(cursor, &event, &err)) == BOB_OK ||
		       st == BOB_ERR_CORRUPT) { /* the next call continues after the damage */
			if (st != BOB_OK || event.kind != BOB_EVENT_ENTRY)
				continue;
			entries++;
			if (event.depth >= deepest.depth)
				deepest = event;
		}
		bob_cursor_close(cursor);
	}
	if (st != BOB_END) {
		fprintf(stderr, "thread %" PRIu32 ": %s\n", thread, bob_status_text(st));
		return 1;
	}
	printf("thread %" PRIu32 ": %" PRIu64 " calls", info->tid, entries);
	if (entries &&
	    bob_trace_function(trace, info->process, deepest.id, &function) == BOB_OK)
		printf(", at most %" PRIu32 " deep, in %s", deepest.depth + 1, function.name);
	puts("");
	return 0;
}

int main(int argc, char **argv)
{
	struct bob_error err = { BOB_OK, 0, "", "" };
	struct bob_trace *trace;
	int failed = 0;

	if (argc != 2)
		return 2;
	if (bob_trace_open(argv[1], &trace, &err) != BOB_OK) {
		fprintf(stderr, "%s: %s %s\n", argv[1], err.text, err.path);
		return 1;
	}
	for (uint32_t i = 0; i < bob_trace_thread_count(trace); i++)
		failed |= print_thread(trace, i);
	bob_trace_close(trace);
	return failed;
}
