/* SPDX-License-Identifier: BSD-3-Clause */
/* One verb on one trace directory in a process of its own, and what it must not do, for
 * fuzz_verbs.c.
 *
 * The sandbox is a directory with these entries: trace, the files of the trace; beside, a file that
 * must not change; out and err, what the verb printed; result, what `-o result` wrote. It is in
 * memory where there is /dev/shm. Owner: sandbox_open makes it, and removes it when the process
 * exits. Threads: one. What the test itself cannot do ends the program. */
#ifndef BOB_TESTS_VERBS_RUN_H
#define BOB_TESTS_VERBS_RUN_H

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/verbs.h"
#include "trace_blob.h"

#define WORDS_MAX 8
#define CPU_SECONDS 10u		/* a verb that takes more hangs */
#define WALL_SECONDS 60u	/* so does one that waits */
#define RSS_KB_MAX (1u << 20)
#define OUTPUT_MAX (64u << 20)
#define SANITIZER_STATUS 99	/* see __asan_default_options */
#define BESIDE "this file is beside the trace\n"

struct sandbox {
	char dir[PATH_MAX];
	pid_t owner;
};

static struct sandbox sandbox;

static inline int sandbox_file(const char *name, int flags)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", sandbox.dir, name);
	return open(path, flags | O_CLOEXEC, 0644);
}

static inline int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static inline void sandbox_remove(const char *name)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", sandbox.dir, name);
	(void)nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void sandbox_close(void)
{
	if (getpid() == sandbox.owner)
		sandbox_remove(".");
	rmdir(sandbox.dir);
}

static inline void write_file_of(const char *name, const void *bytes, size_t len)
{
	const int fd = sandbox_file(name, O_WRONLY | O_CREAT | O_TRUNC);

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		abort();
	close(fd);
}

static inline void sandbox_open(void)
{
	const char *where = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	char cache[PATH_MAX + 8];

	if (sandbox.owner)
		return;
	snprintf(sandbox.dir, sizeof(sandbox.dir), "%s/bobbin-verbs.XXXXXX", where);
	if (!mkdtemp(sandbox.dir))
		abort();
	sandbox.owner = getpid();
	atexit(sandbox_close);
	write_file_of("beside", BESIDE, sizeof(BESIDE) - 1);
	/* no cache: a file can have no entries */
	snprintf(cache, sizeof(cache), "%s/beside", sandbox.dir);
	setenv("HOME", cache, 1);
	setenv("XDG_CACHE_HOME", cache, 1);
}

/* A name that a mutation made may be anything; a file of a directory cannot. */
static inline int is_file_name(const char *name)
{
	return name[0] && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, "..");
}

static inline void sandbox_fill(const struct blob_file *files, size_t n)
{
	char path[PATH_MAX + 64];

	sandbox_remove("trace");
	snprintf(path, sizeof(path), "%s/trace", sandbox.dir);
	if (mkdir(path, 0755))
		abort();
	for (size_t i = 0; i < n; i++) {
		char name[BLOB_NAME_BYTES + 8];

		if (!is_file_name(files[i].name))
			continue;
		snprintf(name, sizeof(name), "trace/%s", files[i].name);
		write_file_of(name, files[i].file.at, files[i].file.len);
	}
}

/* --- what a verb left in the sandbox --- */

static inline struct bytes sandbox_read(const char *name)
{
	const int fd = sandbox_file(name, O_RDONLY);
	struct bytes b = { NULL, 0 };
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		abort();
	b = (struct bytes){ must_alloc((size_t)st.st_size), (size_t)st.st_size };
	if (read(fd, b.at, b.len) != (ssize_t)b.len)
		abort();
	close(fd);
	return b;
}

/* Entries of a directory of the sandbox that are not known, or -1: it cannot be read. */
static inline int unknown_files(const char *name,
				int (*is_known)(const void *ctx, const char *name), const void *ctx)
{
	char path[2 * PATH_MAX];
	struct dirent *e;
	int count = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/%s", sandbox.dir, name);
	d = opendir(path);
	if (!d)
		return -1;
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && !is_known(ctx, e->d_name))
			count++;
	closedir(d);
	return count;
}

static inline int is_of_sandbox(const void *ctx, const char *name)
{
	static const char *const known[] = { "trace", "beside", "out", "err", "result" };

	(void)ctx;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i]))
			return 1;
	return 0;
}

struct blob {
	const struct blob_file *files;
	size_t count;
};

static inline int is_of_blob(const void *ctx, const char *name)
{
	const struct blob *b = ctx;

	for (size_t i = 0; i < b->count; i++)
		if (!strcmp(name, b->files[i].name))
			return 1;
	return 0;
}

static inline int is_same(const char *name, const void *bytes, size_t len)
{
	struct bytes b = sandbox_read(name);
	const int same = b.len == len && !memcmp(b.at, bytes, len);

	free(b.at);
	return same;
}

static inline int trace_changed(const struct blob *b)
{
	if (unknown_files("trace", is_of_blob, b))
		return 1;
	for (size_t i = 0; i < b->count; i++) {
		char name[BLOB_NAME_BYTES + 8];
		int twice = 0;

		for (size_t k = i + 1; k < b->count; k++)
			twice |= !strcmp(b->files[i].name, b->files[k].name);
		snprintf(name, sizeof(name), "trace/%s", b->files[i].name);
		if (is_file_name(b->files[i].name) && !twice &&
		    !is_same(name, b->files[i].file.at, b->files[i].file.len))
			return 1;
	}
	return 0;
}

/* Control characters that a terminal would obey. */
static inline int has_controls(const char *name)
{
	struct bytes b = sandbox_read(name);
	int found = 0;

	for (size_t i = 0; i < b.len && !found; i++)
		found = (b.at[i] < ' ' && b.at[i] != '\n' && b.at[i] != '\t') || b.at[i] == 0x7f;
	free(b.at);
	return found;
}

/* --- running --- */

static inline void limit(int what, rlim_t most)
{
	const struct rlimit r = { most, most };

	(void)setrlimit((__rlimit_resource_t)what, &r);
}

/* In the child: as main does. */
static inline void run_verb(char **argv, int argc)
{
	const struct cli_verb *verb = cli_verb_find(argv[0]);
	const int in = open("/dev/null", O_RDONLY);
	int status;

	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, OUTPUT_MAX);
	setrlimit(RLIMIT_CPU, &(struct rlimit){ CPU_SECONDS, CPU_SECONDS + 2 });
	alarm(WALL_SECONDS);
	if (!verb || chdir(sandbox.dir) || dup2(in, 0) < 0 ||
	    dup2(sandbox_file("out", O_WRONLY | O_CREAT | O_TRUNC), 1) < 0 ||
	    dup2(sandbox_file("err", O_WRONLY | O_CREAT | O_TRUNC), 2) < 0)
		_exit(126);
	status = verb->run(argc, argv);
	if (fflush(stdout) && !status)
		status = 1;
	_exit(status);
}

/* Run a verb, whose words are separated by single spaces. Returns NULL, or what was wrong with
 * it. `changes`: the trace may be another one afterwards. */
static inline const char *check_verb(const char *words, int changes, const struct blob *b)
{
	char text[128], *argv[WORDS_MAX + 2], *save = NULL;
	struct rusage used;
	int argc = 0, status;
	pid_t child;

	snprintf(text, sizeof(text), "%s", words);
	for (char *w = strtok_r(text, " ", &save); w && argc < WORDS_MAX;
	     w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc++] = (char[]){ "trace" };
	argv[argc] = NULL;
	sandbox_remove("result");
	child = fork();
	if (!child)
		run_verb(argv, argc);
	if (child < 0 || wait4(child, &status, 0, &used) != child)
		abort();
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGXCPU ? "takes too long" :
		       WTERMSIG(status) == SIGALRM ? "waits for ever" :
		       WTERMSIG(status) == SIGXFSZ ? "writes without end" :
						     "is killed by a signal";
	if (WEXITSTATUS(status) == SANITIZER_STATUS)
		return "is stopped by a sanitizer";
	if (WEXITSTATUS(status) > 3)
		return "ends with a status that it should not have";
	if (used.ru_maxrss > RSS_KB_MAX)
		return "takes too much memory";
	if (has_controls("out") || has_controls("err"))
		return "prints control characters";
	if (unknown_files(".", is_of_sandbox, NULL) ||
	    !is_same("beside", BESIDE, sizeof(BESIDE) - 1))
		return "changes files beside the trace";
	if (!changes && trace_changed(b))
		return "changes the trace";
	return NULL;
}

#endif
