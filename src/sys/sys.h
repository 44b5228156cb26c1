/* SPDX-License-Identifier: BSD-3-Clause */
/* Operating-system services of the host-side programs: the directory of a run, checks of the
 * command, starting it, and its exit status. Threads: the launcher has one. errno is not part of
 * the interface: failures set bob_error with a constant text, and `path` is the file concerned. */
#ifndef BOB_SYS_SYS_H
#define BOB_SYS_SYS_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#define BOB_SYS_PATH 4096

/* --- run_key.c, rundir.c: the directory of a run --- */

/* The key of the run to which this process belongs, one line of text without newline:
 * - the launcher's job id from the environment (Open MPI, PMIx, SLURM; for ranks also PBS, LSF,
 *   Flux);
 * - else, for ranks started by Hydra (MPICH, Intel MPI), the address where their mpiexec listens,
 *   which is the same on all hosts;
 * - else the host, and the pid and start time of the ranks' common parent (another PMI) or of this
 *   process. */
void bob_run_key(char *buf, size_t size);
/* Make `dir` the directory of the run `key`. If it has an equal key, the run joins it. Any other
 * trace is renamed to dir.old first, an existing dir.old to dir.old.1, and so on; of more than
 * BOB_RUNDIR_OLDER the oldest is removed. If a launcher is writing `dir` for another run, the
 * directory is dir.2, dir.3, ... All of this happens under a lock on the parent directory. `abs`
 * (BOB_SYS_PATH bytes) gets the absolute path. *run gets the result of bob_rundir_join; `run` may
 * be NULL. Errors: BOB_ERR_IO (cannot create, rename or remove), BOB_ERR_INVAL (`dir` exists and is
 * not a trace). */
#define BOB_RUNDIR_OLDER 3
bob_status bob_rundir_prepare(const char *dir, const char *key, char *abs, int *run,
			      struct bob_error *err);

/* Several launchers may write into one directory; the one that ends last does the work that is
 * common to all. Each of them joins before its program starts. Returns a descriptor of run.key with
 * a shared lock, which the program does not inherit, or -1. */
int bob_rundir_join(const char *dir);
/* Whether all others have left. If not (0), this one has left, too, so that exactly one caller gets
 * 1; bob_rundir_stay undoes that. Always 1 if locks do not work. close(run) leaves without the
 * check. */
int bob_rundir_is_last(int run);
void bob_rundir_stay(int run);
/* The current path of the joined directory: another process may have renamed it since it was `dir`.
 * `path` has BOB_SYS_PATH bytes. Returns `path`, or `dir` if the directory was not renamed or its
 * path is unknown. */
const char *bob_rundir_now(int run, const char *dir, char *path);

/* --- target.c: checks of the command --- */

enum bob_target {
	BOB_TARGET_OK = 0,
	BOB_TARGET_SCRIPT,	/* not ELF; its interpreter is traced instead */
	BOB_TARGET_MISSING,	/* no such command */
	BOB_TARGET_DENIED,	/* not executable */
	BOB_TARGET_32BIT,
	BOB_TARGET_OTHER_CPU,
	BOB_TARGET_STATIC,	/* no dynamic loader that would load the agent */
	BOB_TARGET_SETUID	/* the loader ignores LD_PRELOAD */
};
/* Search `command` as execvp does; `path` (BOB_SYS_PATH bytes) gets the file name. */
enum bob_target bob_target_find(const char *command, char *path);

/* Whether its C library is musl, judged by the name of its loader. */
int bob_target_is_musl(const char *path);

/* --- libraries.c --- */

/* The libraries of the program at `path`: file names without directories. Errors: BOB_NONE (it has
 * no loader), BOB_ERR_IO. */
bob_status bob_target_libraries(const char *path, void (*visit)(void *ctx, const char *name),
				void *ctx);

/* --- program_symbols.c --- */

/* Whether a symbol table of the program at `path` defines this name. */
int bob_target_defines(const char *path, const char *name);

/* --- launch.c: transparent execution of the program --- */

struct bob_launch {
	char *const *argv;
	const char *path;	/* from bob_target_find */
	char *const *env;
	/* called soon after the program `child` has started, then again after the returned number
	 * of ms; may be NULL */
	unsigned (*tick)(void *ctx, int child);
	void *ctx;
	int wake;		/* with a tick: a descriptor that triggers the tick when readable;
				 * -1: none */
};
/* Fork and exec the program and wait for its end. Signals that a process sent to us are forwarded;
 * those of the terminal reach the program directly. We stop and continue together with it. On
 * BOB_OK, *child is its pid and *status its wait status. BOB_ERR_IO: it could not be started. */
bob_status bob_launch_run(const struct bob_launch *l, int *child, int *status,
			  struct bob_error *err);
/* Make our writes beyond RLIMIT_FSIZE fail with an error instead of a deadly signal. Programs
 * started by bob_launch_run get the previous disposition. */
void bob_launch_survive_limits(void);
/* End this process in the way the program ended: same exit status or same signal, without a second
 * core file. */
void bob_launch_end(int status);

/* --- demangle.c: readable C++ names; one thread --- */

/* The demangled `name`, which the caller frees; NULL if it is not mangled or there is no
 * demangler. */
char *bob_demangle(const char *name);
/* The length of a demangled name without its parameters: that of "ns::f" in "ns::f(int) const". */
size_t bob_demangled_base(const char *text);

/* The directory of the running executable, without a trailing slash. Empty if unknown. */
void bob_self_dir(char *buf, size_t size);

#endif
