/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses of macros that are in the way of a probe are replaced by what they stand for; the word `register` by nothing. What a use stands for the
 * user's compiler says: it preprocesses the file with a mark before and behind each obstacle. Then it preprocesses the file that has the replacements, too:
 * only if both give the same, but for blanks and that word, is the new file taken. Definitions of macros and all other uses stay as they are, and so do
 * the numbers of lines. */
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
#define WORD "register"

extern char **environ;

static void note(struct bob_c_unit *u, const struct bob_c_span *s)
{
	if (bob_array_room(&u->obstacles, u->obstacle_count, &u->obstacle_room,
			   sizeof(*u->obstacles)))
		u->is_failed = true;
	else
		u->obstacles[u->obstacle_count++] = *s;
}

void bob_c_refuse_in_macro(struct bob_c_unit *u, const struct bob_c_span *s)
{
	const struct bob_c_span *first = bob_c_macro_at(u, s->start),
				*last = bob_c_macro_at(u, s->end);

	bob_c_refuse(u, BOB_SOURCE_C_MACRO);
	if (first)
		note(u, first);
	if (last)
		note(u, last);
}

static bool is_in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* There is a byte in front of `at`. */
static bool is_word(const char *at, const char *word)
{
	return !strncmp(at, word, strlen(word)) && !is_in_word(at[strlen(word)]) &&
	       !is_in_word(at[-1]);
}

/* The word in the declaration. A register that is named (asm) is meant: that stays. */
void bob_c_refuse_in_register(struct bob_c_unit *u, const struct bob_c_variable *v)
{
	const struct bob_c_span s = bob_c_span(u, v->decl);
	struct bob_c_span found = { .start = 0 };

	bob_c_refuse(u, BOB_SOURCE_C_REGISTER);
	if (!s.is_ours || !*v->function || !s.start)
		return;
	for (uint32_t i = s.start; i < u->len && !strchr(";{", u->bytes[i]); i++) {
		if (is_word(u->bytes + i, "asm") || is_word(u->bytes + i, "__asm__"))
			return;
		if (!found.end && i < s.end && is_word(u->bytes + i, WORD))
			found = (struct bob_c_span){ .start = i, .end = i + sizeof(WORD) - 1 };
	}
	if (found.end && !bob_c_macro_at(u, found.start))
		note(u, &found);
}

/* --- a preprocessor --- */

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
	put(to, "\n", 1);
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

/* The use's lines go on behind what stands for it. */
static void put_line_ends(struct text *t, const char *bytes, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		if (bytes[i] == '\n')
			put(t, "\n", 1);
}

/* --- the new file --- */

/* No line of the preprocessor's, which would have to stay one, and not the word alone, which goes. */
static bool is_text(const char *from, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++)
		if (from[i] == '\n' && from[i + 1] == '#')
			return false;
	return true;
}

static bool is_word_alone(const char *from, size_t len)
{
	return is_word(from, WORD) && strspn(from + strlen(WORD), " \n") == len - strlen(WORD);
}

/* What stands between the marks of obstacle `number`, at or behind *at, which becomes its end; false: that cannot be said in one line. */
static bool find(const char **at, size_t number, const char **from, size_t *len)
{
	char mark[MARK_MAX];
	const char *end;

	snprintf(mark, sizeof(mark), MARK "from_%zu ", number);
	*from = strstr(*at, mark);
	if (!*from)
		return false;
	*from += strlen(mark);
	snprintf(mark, sizeof(mark), MARK "to_%zu", number);
	end = strstr(*from, mark);
	if (!end)
		return false;
	*at = end;
	*len = (size_t)(end - *from);
	if (is_word_alone(*from, *len))
		*len = 0;
	return is_text(*from, *len);
}

/* The file, with marks around the uses; or, if `by` is what the preprocessor made of that, with what they stand for. */
static bool rewrite(const struct bob_c_unit *u, const struct text *by, struct text *to)
{
	const char *there = by ? by->bytes : NULL;
	uint32_t at = 0;

	for (size_t i = 0; i < u->obstacle_count; i++) {
		const struct bob_c_span *m = &u->obstacles[i];
		const char *from;
		size_t len;

		if (m->start < at) /* it is there twice */
			continue;
		put(to, u->bytes + at, m->start - at);
		at = m->start;
		if (!by) {
			put_mark(to, "from", i);
			put(to, u->bytes + at, m->end - at);
			put_mark(to, "to", i);
			at = m->end;
		} else if (find(&there, i, &from, &len)) {
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
		} else if (!strncmp(*p, MARK, strlen(MARK)) || is_word(*p, WORD)) {
			*p += strcspn(*p, " \n");
		} else {
			return *(*p)++;
		}
	}
	return 0;
}

static bool is_same(const struct text *a, const struct text *b)
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

static int by_place(const void *a, const void *b)
{
	const struct bob_c_span *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

bool bob_c_remove_obstacles(struct bob_c_unit *u, char **text, size_t *len)
{
	struct text marked = { 0 }, meaning = { 0 }, expanded = { 0 }, again = { 0 };
	bool is_sure;

	if (!u->obstacle_count || u->is_failed)
		return false;
	qsort(u->obstacles, u->obstacle_count, sizeof(*u->obstacles), by_place);
	is_sure = rewrite(u, NULL, &marked) && preprocess(u, &marked, &meaning) &&
		  rewrite(u, &meaning, &expanded) && preprocess(u, &expanded, &again) &&
		  is_same(&meaning, &again) && expanded.len <= BOB_C_BYTES_MAX;

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
