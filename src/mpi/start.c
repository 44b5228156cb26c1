/* SPDX-License-Identifier: BSD-3-Clause */
/* The shim begins: is the agent here, and does it want MPI recorded? Whatever is missing, the program goes on as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "mpi/recorder.h"
#include "mpi/words.h"

const struct bob_agent_streams *bob_mpi_agent;
uint8_t bob_mpi_how[BOB_MPI_NUMBERS];
enum bob_mpi_level bob_mpi_level = BOB_MPI_LEVEL_ALL;

void *bob_mpi_map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void bob_mpi_unmap(void *p, size_t bytes)
{
	if (p)
		munmap(p, bytes);
}

static uint64_t shift_ns;	/* 0, but in tests */

uint64_t bob_mpi_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec + shift_ns;
}

__attribute__((constructor)) static void start(void)
{
	const struct bob_agent_streams *a = dlsym(RTLD_DEFAULT, BOB_AGENT_STREAMS_NAME);
	const char *level, *most;

	if (!a || a->size < sizeof(*a) || !a->setting("BOBBIN_MPI"))
		return;
	most = a->setting("BOBBIN_MPI_VECTORS");
	if (most)
		bob_mpi_most = strtoull(most, NULL, 10);
	level = a->setting("BOBBIN_MPI_LEVEL");
	if (level && !strcmp(level, "off"))
		return;
	if (level && !strcmp(level, "flat"))
		bob_mpi_level = BOB_MPI_LEVEL_FLAT;
	else if (level && !strcmp(level, "rank"))
		bob_mpi_level = BOB_MPI_LEVEL_RANK;
	bob_mpi_choose(level && !strcmp(level, "custom") ? "Pcontrol" :
							   a->setting("BOBBIN_MPI_FUNCTIONS"),
		       bob_mpi_how);
	bob_mpi_agent = a;
	shift_ns = bob_mpi_test_shift_ns();
}
