/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiles the wrappers of a spec, with a cache. The source is written into a directory of its own
 * in the cache and preprocessed there; it is compiled unless the cache has a library for exactly
 * that text, so the key includes included files. Complete files are renamed into place, so ranks
 * may do this concurrently. */
#define _GNU_SOURCE
#include "cli/record/wrap_library.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "cli/terminal/complain.h"
#include "cli/record/mpi_shim.h"
#include "cli/terminal/output.h"
#include "cli/record/wrapping.h"
#include "plan/plan.h"

#define VERB "record"
#define MESSAGES_MAX 4000	/* of a compiler's messages that are shown */
#define VERSION "1"		/* of the way of compiling */

struct making {
	char cache[BOB_SYS_PATH];
	char dir[BOB_SYS_PATH + 64];
	const char *cc;
};

int cli_wrap_open(struct cli_wrap *w, const char *path, int quiet)
{
	if (!w->spec)
		return 0;
	if (cli_wrap_read(VERB, w->spec, &w->read))
		return 125;
	if (cli_wrap_choose(VERB, w->read, path, BOB_WRAP_PATCH, quiet)) {
		cli_wrap_close(w);
		return 125;
	}
	if (!quiet)
		cli_wrap_notes(VERB, w->read);
	w->read->program = realpath(path ? path : "", w->program);
	for (uint32_t i = 0; i < w->read->function_count; i++)
		w->mpi += w->read->functions[i].is_mpi;
	return 0;
}

void cli_wrap_close(struct cli_wrap *w)
{
	bob_wrap_spec_close(w->read);
	w->read = NULL;
}

/* Condition for calls of an MPI function, in the form of --when. */
static int mpi_when(const struct bob_wrap_function *f, struct cli_vars *v)
{
	char text[BOB_WRAP_NAME_MAX + 1024];

	if (!f->is_mpi || !f->when)
		return 0;
	snprintf(text, sizeof(text), "%s: %s", f->symbol, f->when);
	return cli_when_option(VERB, v, text);
}

int cli_wrap_mpi(const struct cli_wrap *w, struct cli_vars *v, int all)
{
	const int custom = cli_mpi_level_is(v, "custom");
	int bad = 0;

	for (uint32_t i = 0; w->mpi && i < w->read->function_count && !bad; i++)
		bad = mpi_when(&w->read->functions[i], v);
	if (!w->mpi || bad || (all && !custom))
		return bad;
	if (custom)
		cli_vars_set(v, "BOBBIN_MPI_LEVEL", "all");
	for (uint32_t i = 0; i < w->read->function_count && !bad; i++)
		if (w->read->functions[i].is_mpi)
			bad = cli_mpi_functions(VERB, v, w->read->functions[i].symbol);
	return bad;
}

/* --- the compiler --- */

/* Runs in the directory, with messages in the file `messages` there. Returns the exit status, -1:
 * could not be started. */
static int compile(const struct making *m, const char *const *argv)
{
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addchdir_np(&actions, m->dir);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "messages", O_WRONLY | O_CREAT | O_TRUNC,
					 0600);
	posix_spawn_file_actions_adddup2(&actions, 1, 2);
	errno = posix_spawnp(&pid, m->cc, &actions, NULL, (char *const *)(uintptr_t)argv, environ);
	const int started = !errno;
	posix_spawn_file_actions_destroy(&actions);
	if (!started)
		return -1;
	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int complain(const struct making *m, const char *spec, int status)
{
	char path[sizeof(m->dir) + 16], text[MESSAGES_MAX];
	FILE *f;

	if (status < 0 || status == 127)
		return cli_fail(
			VERB,
			"--wrap needs a C compiler, and '%s' cannot be started; install gcc, or "
			"name another one in CC",
			m->cc);
	snprintf(path, sizeof(path), "%s/messages", m->dir);
	f = fopen(path, "re");
	if (f) {
		const size_t n = fread(text, 1, sizeof(text), f);

		fwrite(text, 1, n, stderr);
		fclose(f);
	}
	return cli_fail(VERB, "%s: the compiler refuses what was made of it", spec);
}

static int preprocess(const struct making *m, const char *spec)
{
	char include[PATH_MAX + 3] = "-I";
	char *folder = realpath(spec, include + 2);
	char *slash = folder ? strrchr(folder, '/') : NULL;
	const char *const argv[] = { m->cc, "-E", include, "-I.", "-o", "wrap.i", "wrap.c",
			       NULL };
	int status;

	if (slash)
		slash[slash == folder] = 0;
	else
		strcpy(include + 2, "."); /* a built-in spec has no folder */
	status = compile(m, argv);
	return status ? complain(m, spec, status) : 0;
}

static int translate(const struct making *m, const char *spec)
{
	const char *const argv[] = { m->cc, "-O2", "-w", "-fexceptions", "-fPIC",
			       "-shared", "-o", "wrap.so", "wrap.i", NULL };
	const int status = compile(m, argv);

	return status ? complain(m, spec, status) : 0;
}

/* --- the cache --- */

/* Hash of the preprocessed text and the compiler. */
static int hash_of(const struct making *m, uint64_t *hash)
{
	char path[sizeof(m->dir) + 16], bytes[16384];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/wrap.i", m->dir);
	f = fopen(path, "re");
	if (!f)
		return cli_fail(VERB, "cannot read %s: %m", path);
	*hash = bob_hash64(0, VERSION, sizeof(VERSION));
	*hash = bob_hash64(*hash, m->cc, strlen(m->cc));
	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		*hash = bob_hash64(*hash, bytes, n);
	n = (size_t)ferror(f);
	fclose(f);
	return n ? cli_fail(VERB, "cannot read %s", path) : 0;
}

static int write_source(const struct making *m, const struct cli_wrap *w)
{
	char path[sizeof(m->dir) + 16];
	FILE *f;

	if (cli_output_embedded(VERB, m->dir, bob_wrap_headers))
		return 1;
	snprintf(path, sizeof(path), "%s/wrap.c", m->dir);
	f = fopen(path, "we");
	if (!f)
		return cli_fail(VERB, "cannot write %s: %m", path);
	bob_wrap_write(w->read, false, "wrap.c", "", f);
	const int bad = ferror(f);
	return fclose(f) || bad ? cli_fail(VERB, "cannot write %s: %m", path) : 0;
}

static int make(const struct making *m, const struct cli_wrap *w, char *library, size_t size)
{
	char made[sizeof(m->dir) + 16];
	uint64_t hash = 0;

	if (write_source(m, w) || preprocess(m, w->spec) || hash_of(m, &hash))
		return 1;
	snprintf(library, size, "%s/libbobbin-wrap-%016" PRIx64 ".so", m->cache, hash);
	if (!access(library, R_OK))
		return 0;
	if (translate(m, w->spec))
		return 1;
	snprintf(made, sizeof(made), "%s/wrap.so", m->dir);
	return rename(made, library) ? cli_fail(VERB, "cannot write %s: %m", library) : 0;
}

int cli_wrap_preload(const struct cli_wrap *w, struct cli_vars *v)
{
	const char *cc = getenv("CC");
	struct making m = { .cc = cc && *cc ? cc : "cc" };
	char library[sizeof(m.cache) + 64];
	struct bob_error err = { .text = "" };
	int fd, bad;

	if (!w->read || w->mpi == w->read->function_count)
		return 0;
	if (bob_plan_cache_dir(m.cache, sizeof(m.cache), &err) != BOB_OK)
		return cli_fail(VERB, "%s: no place for wrappers; set BOBBIN_CACHE", m.cache), 125;
	if (strpbrk(m.cache, ": "))
		return cli_fail(VERB,
				"%s has a space or colon, which LD_PRELOAD cannot take; set "
				"BOBBIN_CACHE",
				m.cache),
		       125;
	fd = bob_plan_cache_open(m.cache, &err); /* checks that no other user may write to it */
	if (fd < 0)
		return cli_fail(VERB, "%s: %s", m.cache, err.text), 125;
	close(fd);
	snprintf(m.dir, sizeof(m.dir), "%s/wrap.XXXXXX", m.cache);
	if (!mkdtemp(m.dir))
		return cli_fail(VERB, "cannot write %s: %m", m.dir), 125;
	bad = make(&m, w, library, sizeof(library));
	cli_output_directory_drop(m.dir);
	if (bad)
		return 125;
	cli_vars_add(v, "BOBBIN_SHIM", library);
	return 0;
}
