/* A shared library with an event of its own. */
#include <bobbin/events.h>

void in_library(int n);

void in_library(int n)
{
	static bob_event_id e;

	if (!e)
		e = bob_event_register("of library", BOB_EVENT_NO_SIGNATURE, "int n");
	BOB_EVENT_INSTANT(e, bob_int(n));
}
