/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends inside an event: ends WHO WHAT HOW. WHO begins it: own or other, a second thread. WHAT is in
 * it: string, long (a string that does not fit next to the words), nested (a string, and another
 * event inside), none. HOW it ends: finish.h. */
#include <bobbin/events.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "../finish.h"

static int there;

static void *begin(void *what)
{
	static char text[200];
	bob_event_id step = bob_event_register("step", 0, "int n");
	bob_event_id none = bob_event_register("none", 0, "int fd -> int got");
	bob_event_id wait =
		bob_event_register("wait", 0, "int fd, string what -> int got, string why");
	const int is_long = !strcmp(what, "long");

	memset(text, 0xc0, sizeof(text) - 1); /* as the header of a record might begin */
	for (int i = 0; i < 10; i++) {
		BOB_EVENT_BEGIN(step, bob_int(i));
		bob_event_end(step);
	}
	if (!strcmp(what, "none"))
		BOB_EVENT_BEGIN(none, bob_int(7));
	else
		BOB_EVENT_BEGIN(wait, bob_int(7), bob_text(is_long ? text : "for work"));
	if (!strcmp(what, "nested")) {
		BOB_EVENT_BEGIN(step, bob_int(10));
		bob_event_end(step);
		BOB_EVENT_BEGIN(wait, bob_int(8), bob_text("in it"));
	}
	__atomic_store_n(&there, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void *begin_and_stay(void *what)
{
	begin(what);
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc != 4)
		return 1;
	if (!strcmp(argv[1], "own"))
		begin(argv[2]);
	else if (pthread_create(&t, NULL, begin_and_stay, argv[2]))
		return 1;
	while (!__atomic_load_n(&there, __ATOMIC_ACQUIRE))
		usleep(1000);
	finish(argv[3]);
	return 1;
}
