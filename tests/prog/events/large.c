/* SPDX-License-Identifier: BSD-3-Clause */
/* Integers that a double cannot represent exactly. */
#include <bobbin/events.h>

int main(void)
{
	bob_event_id e = bob_event_register("large", 0, "int x");

	for (int i = 0; i < 4; i++)
		BOB_EVENT_INSTANT(e, bob_int((INT64_C(1) << 53) + i / 2));
	BOB_EVENT_INSTANT(e, bob_int(INT64_MIN));
	BOB_EVENT_INSTANT(e, bob_int(INT64_MIN + 1));
	return 0;
}
