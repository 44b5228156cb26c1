/* SPDX-License-Identifier: BSD-3-Clause */
/* Events with a string, the last one left open. For tests/fuzz/trace_corpus.py. */
#include <bobbin/events.h>
static void step(int i, bob_event_id e)
{
	static char *const names[] = { "even", "odd" };
	BOB_EVENT_BEGIN(e, bob_int(i), bob_text(names[i & 1]));
	BOB_EVENT_END(e, bob_real(i * 0.5));
}
int main(void)
{
	bob_event_id e = bob_event_register("step", 0, "int n, string what -> double x");
	for (int i = 0; i < 9; i++)
		step(i, e);
	BOB_EVENT_BEGIN(e, bob_int(9), bob_text("left open"));
	return 0;
}
