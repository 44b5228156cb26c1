/* The same events again and again. argv: rounds */
#include <stdlib.h>

#include <bobbin/events.h>

int main(int argc, char **argv)
{
	const bob_event_id step = bob_event_register("step", 0, "int n -> double x");
	const bob_event_id part = bob_event_register("part", BOB_EVENT_NO_SIGNATURE, "string kind");

	(void)argc;
	for (int i = 0; i < atoi(argv[1]); i++) {
		BOB_EVENT_BEGIN(step, bob_int(i));
		for (int j = 0; j < 4; j++) {
			BOB_EVENT_BEGIN(part, bob_text(j % 2 ? "odd" : "even"));
			bob_event_end(part);
		}
		BOB_EVENT_END(step, bob_real(2.0));
	}
	return 0;
}
