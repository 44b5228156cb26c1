/* More events than there can be, each registered twice. */
#include <stdio.h>

#include <bobbin/events.h>

int main(void)
{
	char name[32];
	unsigned last = 0, wrong = 0;

	for (unsigned i = 0; i < 20000; i++) {
		bob_event_id e;

		snprintf(name, sizeof(name), "e%u", i);
		e = bob_event_register(name, 0, NULL);
		last = e ? e : last;
		bob_event_instant(e);
		wrong += e != bob_event_register(name, 0, NULL);
	}
	printf("%u %u\n", last, wrong);
	return 0;
}
