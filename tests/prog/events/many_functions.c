/* SPDX-License-Identifier: BSD-3-Clause */
/* 1,024 functions without events, and three among them with events. With an argument, a fourth one
 * has events after a line of input has arrived. */
#include <stdio.h>
#include <stdlib.h>

#include "bobbin/events.h"

static bob_event_id step;
static volatile unsigned sum;

#define RECORD(name)                                                                               \
	__attribute__((noinline)) void name(unsigned n)                                            \
	{                                                                                          \
		BOB_EVENT_BEGIN(step, bob_int(n));                                                 \
		sum += n;                                                                          \
		BOB_EVENT_END(step);                                                               \
	}
#define ONE(n)                                                                                     \
	__attribute__((noinline)) void function_##n(unsigned i)                                    \
	{                                                                                          \
		sum += i;                                                                          \
	}
#define EIGHT(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7)
#define MANY(n)                                                                                    \
	EIGHT(n##0)                                                                                \
	EIGHT(n##1) EIGHT(n##2) EIGHT(n##3) EIGHT(n##4) EIGHT(n##5) EIGHT(n##6) EIGHT(n##7)
#define MORE(n)                                                                                    \
	MANY(n##0) MANY(n##1) MANY(n##2) MANY(n##3) MANY(n##4) MANY(n##5) MANY(n##6) MANY(n##7)

RECORD(record_first)
MORE(0)
RECORD(record_middle)
MORE(1)
RECORD(record_last)
RECORD(record_late)

int main(int argc, char **argv)
{
	char line[16];

	(void)argv;
	step = bob_event_register("step", 0, "int n");
	for (unsigned i = 0; i < 100; i++) {
		record_first(i);
		record_middle(2 * i);
		record_last(3 * i);
	}
	function_0000(1);
	function_0777(1);
	function_1777(1);
	if (argc > 1) {
		puts("so far");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 1;
		record_late(1);
	}
	printf("%u\n", sum);
	return 0;
}
