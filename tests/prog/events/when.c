/* Events that are recorded where a condition is true. Prints the results of bob_event_when, and how
 * many of each event the trace must have. */
#include <stdio.h>

#include <bobbin/events.h>

static int among(bob_event_id e, int n, const char *name)
{
	BOB_EVENT_BEGIN(e, bob_int(n), bob_text(name));
	bob_event_end(e);
	return n % 3 == 0 && name[0] == 'b';
}

int main(void)
{
	const bob_event_id e = bob_event_register("e", 0, "int n, string name");
	const bob_event_id i = bob_event_register("i", BOB_EVENT_NO_SIGNATURE, "double x");
	const bob_event_id out = bob_event_register("out", 0, NULL),
			   in = bob_event_register("in", 0, NULL);
	const bob_event_id all = bob_event_register("all", 0, "int n");
	int es = 0, is = 0;

	printf("%d", bob_event_when(e, "(n == 0 || n == 3 || n == 6) && name == \"b\""));
	printf("%d", bob_event_when(i, "x >= 2.5"));
	printf("%d", bob_event_when(out, "unknown"));
	printf("%d", bob_event_when(all, "n >"));
	printf("%d", bob_event_when(all, NULL));
	printf("%d", bob_event_when(e, "n"));
	printf("%d", bob_event_when(0, "n"));
	printf("%d\n", bob_event_when(12345, "n"));
	for (int n = 0; n < 9; n++) {
		es += among(e, n, n % 2 ? "a" : "b");
		BOB_EVENT_INSTANT(i, bob_real(n * 0.5));
		is += n * 0.5 >= 2.5;
		bob_event_begin(out); /* what lies in it is recorded */
		bob_event_begin(in);
		bob_event_end(in);
		bob_event_end(out);
		BOB_EVENT_INSTANT(all, bob_int(n));
	}
	printf("e %d, i %d, in 9, all 9\n", es, is);
	return 0;
}
