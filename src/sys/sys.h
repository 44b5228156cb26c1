/* SPDX-License-Identifier: BSD-3-Clause */
/* The operating-system calls of the host-side programs: where a run is written, what a command is,
 * how it is started and how it ended. Threads: the launcher has one. errno stays inside; failures
 * come as bob_error with a constant text, and `path` names what it is about. */
#ifndef BOB_SYS_SYS_H
#define BOB_SYS_SYS_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#define BOB_SYS_PATH 4096

/* --- run_key.c, rundir.c: the directory of a run --- */

/* The key of the run this process is part of: the launcher's job id where the environment has one
 * (Open MPI, PMIx, SLURM; PBS, LSF, Flux if this is a rank), else of ranks that Hydra started
 * (MPICH, Intel MPI) where their mpiexec listens, which is the same on all hosts; else host, pid
 * and start time of the process that all ranks have as parent (under another PMI) or of this one.
 * One line of text without newline. */
void bob_run_key(char *buf, size_t size);
/* Make `dir` the directory of the run `key`: an equal key inside joins it; anything else that is a
 * trace is renamed to dir.old first, and what has that name to dir.old.1, ...; the oldest of more
 * than BOB_RUNDIR_OLDER is removed. If a launcher writes to `dir` for another run, the directory is
 * dir.2, dir.3, ... Under a lock on the parent directory. `abs` (BOB_SYS_PATH bytes) gets the
 * absolute path; *run, unless it is NULL, what bob_rundir_join gives. Errors: BOB_ERR_IO (cannot
 * create, rename or remove), BOB_ERR_INVAL (something is there that is no trace). */
#define BOB_RUNDIR_OLDER 3
bob_status bob_rundir_prepare(const char *dir, const char *key, char *abs, int *run,
			      struct bob_error *err);

/* Several launchers may write into one directory, and what is done once for all of them is done by
 * the one that ends last. Each joins before its program starts: a descriptor of run.key with a lock
 * on it, which no program inherits, or -1. */
int bob_rundir_join(const char *dir);
/* Have all others left? If not (0) this one has left, too, so that exactly one of those who ask
 * gets 1; bob_rundir_stay takes that back. It is 1 where locks do not work. close(run) leaves
 * without asking. */
int bob_rundir_is_last(int run);
void bob_rundir_stay(int run);
/* Where the directory of bob_rundir_join is now: another process may have moved it since it was
 * `dir`. `path` has BOB_SYS_PATH bytes. Returns it, or `dir` if that is still right or nothing
 * better is known. */
const char *bob_rundir_now(int run, const char *dir, char *path);

/* --- target.c: what would be run --- */

enum bob_target {
	BOB_TARGET_OK = 0,
	BOB_TARGET_SCRIPT,	/* not ELF; its interpreter is what gets traced */
	BOB_TARGET_MISSING,	/* no such command */
	BOB_TARGET_DENIED,	/* not executable */
	BOB_TARGET_32BIT,
	BOB_TARGET_OTHER_CPU,
	BOB_TARGET_STATIC,	/* no loader that would load the agent */
	BOB_TARGET_SETUID	/* the loader ignores LD_PRELOAD */
};
/* Find `command` the way execvp does; `path` (BOB_SYS_PATH bytes) gets the file. */
enum bob_target bob_target_find(const char *command, char *path);

/* Is its C library musl, judged by its loader's name? */
int bob_target_is_musl(const char *path);

/* --- libraries.c --- */

/* Names of the libraries that the program at `path` would be started with, without folders.
 * BOB_NONE: it has no loader. BOB_ERR_IO. */
bob_status bob_target_libraries(const char *path, void (*visit)(void *ctx, const char *name),
				void *ctx);

/* --- symbols.c --- */

/* Does the program at `path` define a symbol of this name, as far as its symbol tables say? */
int bob_target_defines(const char *path, const char *name);

/* --- launch.c: run it, invisibly in between --- */

struct bob_launch {
	char *const *argv;
	const char *path;	/* from bob_target_find */
	char *const *env;
	/* called soon after the start of the program `child`, and then after as many ms as it
	 * returns; may be NULL */
	unsigned (*tick)(void *ctx, int child);
	void *ctx;
	int wake;		/* with a tick: it comes at once when this can be read; -1: none */
};
/* Fork and exec; forward signals sent to us by a process, leave those of the terminal to the
 * program, stop and continue with it. On BOB_OK *child was its pid and *status is its wait status.
 * BOB_ERR_IO: it could not be started. */
bob_status bob_launch_run(const struct bob_launch *l, int *child, int *status,
			  struct bob_error *err);
/* From now on a write beyond RLIMIT_FSIZE is an error here and not a deadly signal; a program
 * started by bob_launch_run gets the disposition there was before. */
void bob_launch_survive_limits(void);
/* End this process as the program ended: same exit status or same signal (without a second
 * core). */
void bob_launch_end(int status);

/* --- demangle.c: C++ names as people write them; one thread --- */

/* `name` demangled, the caller's to free; NULL if it is no mangled name or there is no
 * demangler. */
char *bob_demangle(const char *name);
/* The length of a demangled name without its parameters: ns::f of ns::f(int) const. */
size_t bob_demangled_base(const char *text);

/* The directory of the running executable, without a trailing slash. Empty if unknown. */
void bob_self_dir(char *buf, size_t size);

#endif
