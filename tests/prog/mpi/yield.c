/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into MPICH programs: where nothing comes in, the processor goes to another rank. MPICH polls for ever, and the
 * tests have more ranks than processors. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
	static unsigned (*next)(void *);
	static __thread unsigned idle;
	unsigned n;

	if (!next)
		next = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
	n = next(worker);
	if (n)
		idle = 0;
	else if (++idle >= 3)
		sched_yield();
	return n;
}
