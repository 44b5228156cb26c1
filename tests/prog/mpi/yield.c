/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into MPI programs, which poll for ever: the tests have more ranks than processors. A
 * rank whose poll finds nothing yields its processor; one that has waited for long sleeps between
 * its polls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define POLLS 64 /* without an event, before it sleeps: about 100 us */

unsigned ucp_worker_progress(void *worker);
int opal_progress(void);

static __thread unsigned idle; /* polls since the last event */

int sched_yield(void)
{
	const struct timespec pause = { 0, 100000 };
	int saved = errno;

	if (++idle < POLLS)
		return (int)syscall(SYS_sched_yield);
	nanosleep(&pause, NULL);
	errno = saved;
	return 0;
}

/* MPICH's. */
unsigned ucp_worker_progress(void *worker)
{
	static unsigned (*next)(void *);
	unsigned n;

	if (!next)
		next = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
	n = next(worker);
	if (n)
		idle = 0;
	else
		sched_yield();
	return n;
}

/* Open MPI's, which yields if nothing came in (mpi_yield_when_idle). */
int opal_progress(void)
{
	static int (*next)(void);
	unsigned before = idle;
	int n;

	if (!next)
		next = (int (*)(void))dlsym(RTLD_NEXT, "opal_progress");
	n = next();
	if (idle == before)
		idle = 0;
	return n;
}
