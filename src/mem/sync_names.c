/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of synchronisation functions by name. It excludes the interface of GCC before 4.9
 * (GOMP_parallel_start: the master runs its part without a call), and bodies of tasks, which do not
 * begin with a call. */
#include <string.h>

#include "mem/sync.h"

static const struct named {
	char name[28];
	uint8_t hook;
} named[] = {
	{ "pthread_create", BOB_HOOK_CREATE },
	{ "pthread_join", BOB_HOOK_JOIN },
	{ "pthread_tryjoin_np", BOB_HOOK_JOIN },
	{ "pthread_timedjoin_np", BOB_HOOK_JOIN },
	{ "pthread_clockjoin_np", BOB_HOOK_JOIN },
	{ "pthread_mutex_lock", BOB_HOOK_LOCK },
	{ "pthread_mutex_trylock", BOB_HOOK_LOCK },
	{ "pthread_mutex_timedlock", BOB_HOOK_LOCK },
	{ "pthread_mutex_clocklock", BOB_HOOK_LOCK },
	{ "pthread_mutex_unlock", BOB_HOOK_UNLOCK },
	{ "pthread_rwlock_rdlock", BOB_HOOK_READ_LOCK },
	{ "pthread_rwlock_tryrdlock", BOB_HOOK_READ_LOCK },
	{ "pthread_rwlock_timedrdlock", BOB_HOOK_READ_LOCK },
	{ "pthread_rwlock_clockrdlock", BOB_HOOK_READ_LOCK },
	{ "pthread_rwlock_wrlock", BOB_HOOK_WRITE_LOCK },
	{ "pthread_rwlock_trywrlock", BOB_HOOK_WRITE_LOCK },
	{ "pthread_rwlock_timedwrlock", BOB_HOOK_WRITE_LOCK },
	{ "pthread_rwlock_clockwrlock", BOB_HOOK_WRITE_LOCK },
	{ "pthread_rwlock_unlock", BOB_HOOK_RW_UNLOCK },
	{ "pthread_spin_lock", BOB_HOOK_SPIN_LOCK },
	{ "pthread_spin_trylock", BOB_HOOK_SPIN_LOCK },
	{ "pthread_spin_unlock", BOB_HOOK_SPIN_UNLOCK },
	{ "pthread_cond_wait", BOB_HOOK_COND_WAIT },
	{ "pthread_cond_timedwait", BOB_HOOK_COND_WAIT },
	{ "pthread_cond_clockwait", BOB_HOOK_COND_WAIT },
	{ "pthread_cond_signal", BOB_HOOK_COND_SIGNAL },
	{ "pthread_cond_broadcast", BOB_HOOK_COND_BROADCAST },
	{ "sem_wait", BOB_HOOK_SEM_WAIT },
	{ "sem_trywait", BOB_HOOK_SEM_WAIT },
	{ "sem_timedwait", BOB_HOOK_SEM_WAIT },
	{ "sem_clockwait", BOB_HOOK_SEM_WAIT },
	{ "sem_post", BOB_HOOK_SEM_POST },
	{ "pthread_barrier_init", BOB_HOOK_BARRIER_INIT },
	{ "pthread_barrier_wait", BOB_HOOK_BARRIER_WAIT },
	{ "syscall", BOB_HOOK_SYSCALL },
	{ "GOMP_parallel_reductions", BOB_HOOK_REDUCTIONS },
	{ "GOMP_barrier", BOB_HOOK_TEAM_BARRIER },
	{ "GOMP_barrier_cancel", BOB_HOOK_TEAM_BARRIER },
	{ "GOMP_loop_end", BOB_HOOK_TEAM_BARRIER },
	{ "GOMP_loop_end_cancel", BOB_HOOK_TEAM_BARRIER },
	{ "GOMP_sections_end", BOB_HOOK_TEAM_BARRIER },
	{ "GOMP_sections_end_cancel", BOB_HOOK_TEAM_BARRIER },
	{ "GOMP_critical_start", BOB_HOOK_CRITICAL_BEGIN },
	{ "GOMP_critical_end", BOB_HOOK_CRITICAL_END },
	{ "GOMP_critical_name_start", BOB_HOOK_NAMED_BEGIN },
	{ "GOMP_critical_name_end", BOB_HOOK_NAMED_END },
	{ "GOMP_atomic_start", BOB_HOOK_ATOMIC_BEGIN },
	{ "GOMP_atomic_end", BOB_HOOK_ATOMIC_END },
	{ "GOMP_ordered_start", BOB_HOOK_ORDERED_BEGIN },
	{ "GOMP_ordered_end", BOB_HOOK_ORDERED_END },
	{ "GOMP_task", BOB_HOOK_TASK },
	{ "GOMP_taskwait", BOB_HOOK_TASKWAIT },
	{ "GOMP_taskgroup_end", BOB_HOOK_TASKWAIT },
	{ "GOMP_sections_start", BOB_HOOK_SHARE },
	{ "GOMP_sections2_start", BOB_HOOK_SHARE },
	{ "GOMP_sections_next", BOB_HOOK_SHARE },
	{ "GOMP_single_start", BOB_HOOK_SINGLE },
};

static size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

static int begins(const char *s, const char *with)
{
	while (*with && *s == *with)
		s++, with++;
	return !*with;
}

static int ends(const char *s, const char *with)
{
	size_t n = length(s), k = length(with);

	return n >= k && !memcmp(s + n - k, with, k);
}

static int equal(const char *a, const char *b)
{
	return begins(a, b) && length(a) == length(b);
}

enum bob_sync_caller bob_sync_caller_of(const char *base_name)
{
	static const char transport[][16] = {
		"libmpi",   "libmpich",	 "libopen-rte", "libopen-pal", "libpmix", "libpmi",
		"libucp",   "libuct",	 "libucs",	"libucm",      "libfabric", "libhwloc",
		"libevent", "libpsm",	 "libibverbs",	"librdmacm",   "mca_",
		"libmca_",  "pmix_mca_", "libinfinipath", "libbobbin-",
	};

	if (begins(base_name, "ld-linux"))
		return BOB_SYNC_LOADER;
	for (size_t i = 0; i < sizeof(transport) / sizeof(transport[0]); i++)
		if (begins(base_name, transport[i]))
			return BOB_SYNC_TRANSPORT;
	return BOB_SYNC_PROGRAM;
}

int bob_sync_is_library(const char *soname)
{
	return begins(soname, "libc.so") || begins(soname, "libpthread.so") ||
	       begins(soname, "libgomp.so");
}

enum bob_sync_hook bob_sync_hook_of(const char *name)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (equal(name, named[i].name))
			return (enum bob_sync_hook)named[i].hook;
	if (begins(name, "GOMP_parallel") && !ends(name, "_start") && !ends(name, "_end"))
		return BOB_HOOK_PARALLEL;
	if (begins(name, "GOMP_loop_") && (ends(name, "_start") || ends(name, "_next")))
		return BOB_HOOK_SHARE;
	return BOB_HOOK_NONE;
}
