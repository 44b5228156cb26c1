/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the preprocessor of the user's compiler (CC, else cc), and compares its output for two
 * texts. So a rewritten file is used only if it is equivalent. */
#define _GNU_SOURCE /* memfd_create */
#include "source/c/unit.h"
#include "base/ascii.h"
#include "base/host/io.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void bob_c_bytes_put(struct bob_c_bytes *t, const char *bytes, size_t len)
{
	if (t->is_failed || t->len + len + 1 > t->capacity) {
		const size_t capacity = 2 * (t->len + len) + 4096;
		char *more = t->is_failed ? NULL : realloc(t->bytes, capacity);

		t->is_failed = !more;
		if (!more)
			return;
		t->bytes = more;
		t->capacity = capacity;
	}
	memcpy(t->bytes + t->len, bytes, len);
	t->len += len;
	t->bytes[t->len] = 0;
}

/* A memory file with these bytes, positioned at its start. -1: failure. */
static int file_of(const struct bob_c_bytes *t)
{
	int fd = memfd_create("bobbin", MFD_CLOEXEC);

	if (fd < 0)
		return -1;
	if (!bob_write_all(fd, t->bytes, t->len) && !lseek(fd, 0, SEEK_SET))
		return fd;
	close(fd);
	return -1;
}

static bool run(const char *const *argv, int in, int out)
{
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	const int error = posix_spawnp(&pid, argv[0], &actions, NULL,
				       (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		return false;
	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void read_all(int fd, struct bob_c_bytes *t)
{
	char piece[65536];
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, piece, sizeof(piece))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			bob_c_bytes_put(t, piece, (size_t)n);
	t->is_failed |= n < 0;
}

bool bob_c_preprocess(const struct bob_c_unit *u, const struct bob_c_bytes *from,
		      struct bob_c_bytes *to)
{
	const char *cc = getenv("CC");
	const char *slash = strrchr(u->path, '/');
	char *folder = strndup(u->path, slash ? (size_t)(slash - u->path) + 1 : 0);
	const char **argv = folder ? bob_c_preprocessor_flags(u->options, cc && *cc ? cc : "cc",
							      *folder ? folder : ".") :
				     NULL;
	struct bob_c_bytes named = { 0 };
	int in, out = memfd_create("bobbin", MFD_CLOEXEC);
	bool is_done;

	bob_c_bytes_put(&named, "#line 1 \"", 9);
	bob_c_bytes_put(&named, u->path, strlen(u->path));
	bob_c_bytes_put(&named, "\"\n", 2);
	bob_c_bytes_put(&named, from->bytes, from->len);
	in = named.is_failed ? -1 : file_of(&named);
	free(named.bytes);
	bob_c_bytes_put(to, "\n", 1);
	is_done = argv && in >= 0 && out >= 0 && run(argv, in, out);

	if (is_done)
		read_all(out, to);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	free(argv);
	free(folder);
	return is_done && !to->is_failed;
}

bool bob_c_is_word(const char *at, const char *word)
{
	return !strncmp(at, word, strlen(word)) && !bob_is_word(at[strlen(word)]) &&
	       !bob_is_word(at[-1]);
}

/* The next byte that is neither a blank nor part of a mark; 0 at the end. */
static char next(const char **p)
{
	while (**p) {
		if (strchr(" \t\n\r\f\v", **p)) {
			++*p;
		} else if (!strncmp(*p, BOB_C_MARK, strlen(BOB_C_MARK)) ||
			   bob_c_is_word(*p, BOB_C_REGISTER)) {
			*p += strcspn(*p, " \n");
		} else {
			return *(*p)++;
		}
	}
	return 0;
}

bool bob_c_is_same(const struct bob_c_bytes *a, const struct bob_c_bytes *b)
{
	const char *p = a->bytes + 1, *q = b->bytes + 1;
	char c;

	do {
		c = next(&p);
		if (c != next(&q))
			return false;
	} while (c);
	return true;
}
