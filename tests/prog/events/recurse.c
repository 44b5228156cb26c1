/* Events in themselves. */
#include <bobbin/events.h>

static bob_event_id deep, leaf;

static void recurse(int n)
{
	BOB_EVENT_BEGIN(deep, bob_int(n));
	if (n)
		recurse(n - 1);
	else
		bob_event_instant(leaf);
	BOB_EVENT_END(deep, bob_int(n));
}

int main(void)
{
	deep = bob_event_register("deep", 0, "int n -> int m");
	leaf = bob_event_register("leaf", 0, NULL);
	recurse(4);
	return 0;
}
