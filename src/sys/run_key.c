/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the key of a run from the environment and ancestors of a process: equal on all hosts of
 * a run, different for the next run. */
#include "sys/sys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANCESTORS 16	/* number of ancestors examined: scripts may start a rank */
#define STAT_PARENT 4
#define STAT_START 22

/* Field `field` (4 or more) of /proc/<pid>/stat; 0 if it cannot be read. */
static unsigned long long stat_field(long pid, int field)
{
	char path[64], buf[1024];
	unsigned long long value = 0;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return 0;
	size_t n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = 0;
	char *p = strrchr(buf, ')'); /* the name in parentheses may contain anything */
	for (int at = 2; p && at < field; at++)
		p = strchr(p + 1, ' ');
	if (p)
		value = strtoull(p + 1, NULL, 10);
	return value;
}

/* The argument after `option` in a sequence of zero-terminated arguments; "" if there is none. */
static const char *argument(const char *args, size_t len, const char *option)
{
	const char *end = args + len;

	for (const char *p = args; p < end; p += strlen(p) + 1)
		if (!strcmp(p, option))
			return p + strlen(p) + 1 < end ? p + strlen(p) + 1 : "";
	return "";
}

static int is_on_one_host(void)
{
	const char *here = getenv("MPI_LOCALNRANKS"), *all = getenv("PMI_SIZE");

	return here && all && !strcmp(here, all);
}

/* Hydra (MPICH, Intel MPI) starts the ranks of a host through a proxy, and passes all of them the
 * address where mpiexec listens. Nothing else in their environment distinguishes runs. A port may
 * be reused (MPIEXEC_PORT_RANGE): with a single proxy, its start time is part of the key as
 * well. */
static int hydra_key(char *buf, size_t size)
{
	char path[64], args[4096];
	long pid = getppid();

	for (int i = 0; i < ANCESTORS && pid > 1; i++) {
		snprintf(path, sizeof(path), "/proc/%ld/cmdline", pid);
		FILE *f = fopen(path, "re");
		size_t n = f ? fread(args, 1, sizeof(args) - 1, f) : 0;

		if (f)
			fclose(f);
		args[n] = 0;
		const char *port = argument(args, n, "--control-port");
		if (*port) {
			snprintf(buf, size, "hydra=%s group=%s start=%llu", port,
				 argument(args, n, "--pgid"),
				 is_on_one_host() ? stat_field(pid, STAT_START) : 0);
			return 1;
		}
		pid = (long)stat_field(pid, STAT_PARENT);
	}
	return 0;
}

void bob_run_key(char *buf, size_t size)
{
	/* A batch script may start many runs, so a job id alone identifies a run only for ranks. */
	static const struct {
		const char *job, *step;
		int of_ranks;
	} ids[] = {
		{ "PMIX_NAMESPACE", NULL, 0 },
		{ "OMPI_MCA_ess_base_jobid", NULL, 0 },
		{ "SLURM_JOB_ID", "SLURM_STEP_ID", 0 },
		{ "PBS_JOBID", NULL, 1 },
		{ "LSB_JOBID", NULL, 1 },
		{ "FLUX_JOB_ID", NULL, 1 },
	};
	char host[128] = "";
	long pid;

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const char *v = getenv(ids[i].job);
		const char *step = ids[i].step ? getenv(ids[i].step) : NULL;

		if (v && *v && (!ids[i].step || step) && (!ids[i].of_ranks || getenv("PMI_RANK"))) {
			snprintf(buf, size, "%s=%s %s", ids[i].job, v, step ? step : "");
			return;
		}
	}
	if (getenv("PMI_RANK") && hydra_key(buf, size))
		return;
	gethostname(host, sizeof(host) - 1);
	pid = getenv("PMI_RANK") ? getppid() : getpid();
	snprintf(buf, size, "host=%s pid=%ld start=%llu", host, pid, stat_field(pid, STAT_START));
}
