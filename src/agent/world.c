/* SPDX-License-Identifier: BSD-3-Clause */
/* Identifies the MPI_COMM_WORLD of a process, from its environment. */
#include "agent/agent.h"
#include "base/hash.h"

static uint64_t add(char **env, const char *name, uint64_t h)
{
	const char *v = config_env(env, name);

	return v ? bob_hash64(h + 1, v, text_len(v)) : h;
}

/* Launchers name each job: PMIx (Open MPI), PMI-1 if it has a job id, SLURM. MPICH's hydra does
 * not. A program started by MPI_Comm_spawn gets a name from the process that called it
 * (src/mpi/spawn.c). */
uint64_t world_of(char **env)
{
	uint64_t h = add(env, "PMIX_NAMESPACE", 0);

	if (!h)
		h = add(env, "PMI_JOBID", add(env, "SLURM_STEP_ID", add(env, "SLURM_JOB_ID", 0)));
	return h ? h : add(env, "BOBBIN_SPAWNED", 0);
}
