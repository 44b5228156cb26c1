/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses of macros that are in the way of a probe are replaced by what they stand for. What that is the user's compiler says: it
 * preprocesses the file with a mark before and behind each of these uses. Then it preprocesses the file that has the replacements, too: only if both
 * give the same, but for blanks, is the new file taken. Definitions of macros and all other uses stay as they are, and so do the numbers of lines. */
#define _GNU_SOURCE /* memfd_create */
#include "source/c/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK "bobbin_use_of_macro_"
#define MARK_MAX 64

extern char **environ;

/* Bytes that grow; `is_failed`: no memory. */
struct text {
	char *bytes;
	size_t len, room;
	bool is_failed;
};

static void put(struct text *t, const char *bytes, size_t len)
{
	if (t->is_failed || t->len + len + 1 > t->room) {
		const size_t room = 2 * (t->len + len) + 4096;
		char *more = t->is_failed ? NULL : realloc(t->bytes, room);

		t->is_failed = !more;
		if (!more)
			return;
		t->bytes = more;
		t->room = room;
	}
	memcpy(t->bytes + t->len, bytes, len);
	t->len += len;
	t->bytes[t->len] = 0;
}

static void put_mark(struct text *t, const char *which, size_t number)
{
	char mark[MARK_MAX];

	put(t, mark, (size_t)snprintf(mark, sizeof(mark), " " MARK "%s_%zu ", which, number));
}

/* A file in memory with these bytes, to be read from its beginning. -1: none can be had. */
static int file_of(const struct text *t)
{
	int fd = memfd_create("bobbin", MFD_CLOEXEC);

	for (size_t done = 0; fd >= 0 && done < t->len;) {
		const ssize_t n = write(fd, t->bytes + done, t->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)n;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
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

static void read_all(int fd, struct text *t)
{
	char piece[65536];
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, piece, sizeof(piece))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			put(t, piece, (size_t)n);
	t->is_failed |= n < 0;
}

/* What the preprocessor makes of it, with nothing but marks for places. */
static bool preprocess(const struct bob_c_unit *u, const struct text *from, struct text *to)
{
	const char *cc = getenv("CC");
	const char *slash = strrchr(u->path, '/');
	char *folder = strndup(u->path, slash ? (size_t)(slash - u->path) + 1 : 0);
	const char **argv = folder ? bob_c_preprocessor_flags(u->options, cc && *cc ? cc : "cc",
							      *folder ? folder : ".") :
				     NULL;
	struct text named = { 0 };
	int in, out = memfd_create("bobbin", MFD_CLOEXEC);
	bool is_done;

	put(&named, "#line 1 \"", 9);
	put(&named, u->path, strlen(u->path));
	put(&named, "\"\n", 2);
	put(&named, from->bytes, from->len);
	in = named.is_failed ? -1 : file_of(&named);
	free(named.bytes);
	is_done = argv && in >= 0 && out >= 0 && run(argv, in, out);

	if (is_done)
		read_all(out, to);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	free(argv);
	free(folder);
	return is_done && !to->is_failed && to->bytes;
}

/* The use's lines go on behind what stands for it. */
static void put_line_ends(struct text *t, const char *bytes, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		if (bytes[i] == '\n')
			put(t, "\n", 1);
}

static bool is_before(const char *at, const char *end)
{
	return at && at < end;
}

/* What stands between the marks of use `number`; false: that cannot be said in one line. */
static bool find(const struct text *t, size_t number, const char **from, size_t *len)
{
	char mark[MARK_MAX];
	const char *end;

	snprintf(mark, sizeof(mark), MARK "from_%zu ", number);
	*from = strstr(t->bytes, mark);
	if (!*from)
		return false;
	*from += strlen(mark);
	snprintf(mark, sizeof(mark), MARK "to_%zu", number);
	end = strstr(*from, mark);
	*len = end ? (size_t)(end - *from) : 0;
	return end && !is_before(strstr(*from, "\n#"), end) && !is_before(strstr(*from, MARK), end);
}

/* The file, with marks around the uses; or, if `by` is what the preprocessor made of that, with what they stand for. */
static bool rewrite(const struct bob_c_unit *u, const struct text *by, struct text *to)
{
	uint32_t at = 0;

	for (size_t i = 0; i < u->macro_count; i++) {
		const struct bob_c_span *m = &u->macros[i];
		const char *from;
		size_t len;

		if (!m->is_in_the_way)
			continue;
		put(to, u->bytes + at, m->start - at);
		at = m->start;
		if (!by) {
			put_mark(to, "from", i);
			put(to, u->bytes + at, m->end - at);
			put_mark(to, "to", i);
			at = m->end;
		} else if (find(by, i, &from, &len)) {
			for (size_t k = 0; k < len; k++)
				put(to, from[k] == '\n' ? " " : &from[k], 1);
			put_line_ends(to, u->bytes + at, m->end - at);
			at = m->end;
		}
	}
	put(to, u->bytes + at, u->len - at);
	return !to->is_failed;
}

/* The next byte that is neither blank nor of a mark; 0 at the end. */
static char next(const char **p)
{
	while (**p) {
		if (strchr(" \t\n\r\f\v", **p)) {
			++*p;
		} else if (!strncmp(*p, MARK, strlen(MARK))) {
			*p += strcspn(*p, " \n");
		} else {
			return *(*p)++;
		}
	}
	return 0;
}

static bool is_same(const struct text *a, const struct text *b)
{
	const char *p = a->bytes, *q = b->bytes;
	char c;

	do {
		c = next(&p);
		if (c != next(&q))
			return false;
	} while (c);
	return true;
}

static bool is_any(const struct bob_c_unit *u)
{
	for (size_t i = 0; i < u->macro_count; i++)
		if (u->macros[i].is_in_the_way)
			return true;
	return false;
}

bool bob_c_expand(const struct bob_c_unit *u, char **text, size_t *len)
{
	struct text marked = { 0 }, meaning = { 0 }, expanded = { 0 }, again = { 0 };
	const bool is_sure = is_any(u) && rewrite(u, NULL, &marked) &&
			     preprocess(u, &marked, &meaning) && rewrite(u, &meaning, &expanded) &&
			     preprocess(u, &expanded, &again) && is_same(&meaning, &again) &&
			     expanded.len <= BOB_C_BYTES_MAX;

	free(marked.bytes);
	free(meaning.bytes);
	free(again.bytes);
	if (!is_sure) {
		free(expanded.bytes);
		return false;
	}
	*text = expanded.bytes;
	*len = expanded.len;
	return true;
}
