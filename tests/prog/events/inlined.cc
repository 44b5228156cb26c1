// SPDX-License-Identifier: BSD-3-Clause
// Events in inlined functions: by macros, and as long as a block. Prints nothing.
#include <bobbin/events.h>

static bob_event_id step, block;
volatile int rounds = 3;

namespace solver {

static inline void mark(int n)
{
	BOB_EVENT_INSTANT(step, bob_int(n));
}

template <int Times> static inline void twice(int n)
{
	bobbin::scope s(block);
	for (int i = 0; i < Times; i++)
		mark(n);
}

} // namespace solver

int main()
{
	step = bob_event_register("step", 0, "int n");
	block = bob_event_register("block", 0, nullptr);
	for (int i = 0; i < rounds; i++) {
		solver::twice<2>(i);
		solver::mark(i);
	}
	return 0;
}
