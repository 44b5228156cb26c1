// SPDX-License-Identifier: BSD-3-Clause
// An event in a function whose name a C++ compiler mangles.
#include <bobbin/events.h>

namespace space {
struct thing {
	__attribute__((noinline)) static void report(int n)
	{
		static const bob_event_id step = bob_event_register("step", 0, "int n");
		BOB_EVENT_INSTANT(step, bob_int(n));
	}
};
} // namespace space

int main()
{
	for (int i = 0; i < 3; i++)
		space::thing::report(i);
}
