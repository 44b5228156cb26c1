/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin show --stack-at: replays the thread's calls up to the requested one and prints the call
 * stack there. */
#include "cli/stack_at.h"

#include <inttypes.h>

#include "cli/terminal/complain.h"
#include "table/numbers.h"

static void print_stack(const struct cli_session *s, struct bob_cursor *c, uint32_t process,
			uint64_t number, FILE *out)
{
	size_t depth;
	const struct bob_frame *frames = bob_cursor_stack(c, &depth);
	char a[BOB_NUMBER_MAX];

	fprintf(out, "stack at call %s, outermost first\n", bob_format_count(a, number));
	for (size_t i = 0; i < depth; i++) {
		uint32_t fn = bob_functions_number(s->functions, process, frames[i].id);

		fprintf(out, "%6zu  %s  (%s)\n", i, cli_names_get(s->names, fn),
			cli_names_image(s->names, fn));
	}
}

bob_status cli_stack_print(const struct cli_session *s, uint32_t thread, uint64_t number, FILE *out,
			   struct bob_error *err)
{
	const struct bob_thread_info *th = bob_trace_thread(s->trace, thread);
	struct bob_cursor *c;
	struct bob_event ev;
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];
	bob_status st = bob_cursor_open(s->trace, thread, &c, err);

	if (st != BOB_OK)
		return st;
	while ((st = bob_cursor_next(c, &ev, err)) == BOB_OK)
		if (ev.kind == BOB_EVENT_ENTRY && ev.index == number)
			break;
	if (st == BOB_OK)
		print_stack(s, c, th->process, number, out);
	bob_cursor_close(c);
	if (st == BOB_END)
		cli_fail(s->verb, "thread %" PRIu32 ".%" PRIu32 " has no call %s, only %s",
			 th->process, th->number, bob_format_count(a, number),
			 bob_format_count(b, th->events));
	return st;
}
