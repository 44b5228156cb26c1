/* The program's own counters, which PAPI reads (libsde): `work` counts 7 in each event, `more` its
 * number. argv: threads */
#include <pthread.h>
#include <stdlib.h>

#include <sde_lib.h>

#include <bobbin/hooks.h>

static bob_event_id step;
static long long work, more;

static void *run(void *arg)
{
	(void)arg;
	for (int i = 0; i < 10; i++) {
		bob_event_begin(step);
		work += 7;
		more += i;
		bob_event_end(step);
		more += 1000; /* in none */
	}
	return NULL;
}

int main(int argc, char **argv)
{
	papi_handle_t h = papi_sde_init("Test");
	pthread_t t;

	papi_sde_register_counter(h, "work", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long,
				  &work);
	papi_sde_register_counter(h, "more", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long,
				  &more);
	step = bob_event_register("step", 0, NULL);
	run(NULL);
	for (int i = 1; i < (argc > 1 ? atoi(argv[1]) : 1); i++) {
		pthread_create(&t, NULL, run, NULL);
		pthread_join(t, NULL);
	}
	return 0;
}
