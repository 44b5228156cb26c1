/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs libdw in a child process, because it reads beyond its sections if debug information is
 * damaged (0.188: line tables). If the child crashes, only lines and variables are lost. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plan/source/source.h"
#include "base/host/bytes.h"
#include "base/host/io.h"

#define SECONDS_MAX 60	/* gigabytes of debug information take ten seconds */

struct pipe_end {
	int fd;
	int failed;
};

static void send_bytes(void *ctx, const void *bytes, size_t len)
{
	struct pipe_end *to = ctx;

	to->failed = to->failed || bob_write_all(to->fd, bytes, len);
}

/* Send the bytes, then the status: without a status the bytes are incomplete. */
static void run_child(int fd, bob_source_apart_fn make, void *arg)
{
	struct pipe_end to = { .fd = fd };
	int32_t st;

	alarm(SECONDS_MAX);
	st = make(arg, send_bytes, &to);
	send_bytes(&to, &st, sizeof(st));
	_exit(to.failed);
}

static bob_status receive(int fd, struct bob_plan_bytes *b)
{
	ssize_t n;

	do {
		if (BOB_VEC_RESERVE(b, 65536) != 0)
			return BOB_ERR_NOMEM;
		n = read(fd, b->at + b->count, 65536);
		b->count += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? BOB_ERR_IO : BOB_OK;
}

static bob_status judge(pid_t child, struct bob_plan_bytes *b)
{
	int32_t st;
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return BOB_ERR_IO;
	if (!WIFEXITED(status) || WEXITSTATUS(status) || b->count < sizeof(st))
		return BOB_ERR_CORRUPT;
	b->count -= sizeof(st);
	memcpy(&st, b->at + b->count, sizeof(st));
	return (bob_status)st;
}

bob_status bob_source_apart(const char *path, bob_source_apart_fn make, void *arg,
			    struct bob_plan_bytes *out, struct bob_error *err)
{
	bob_status st = BOB_ERR_IO;
	pid_t child;
	int end[2];

	if (pipe2(end, O_CLOEXEC) != 0)
		return bob_plan_fail(err, st, path,
				     "cannot start a process to read debug information");
	child = fork();
	if (child == 0)
		run_child(end[1], make, arg);
	close(end[1]);
	if (child > 0) {
		bob_status got = receive(end[0], out);

		close(end[0]);	/* a child that is still writing gets SIGPIPE */
		st = judge(child, out);
		st = got == BOB_OK ? st : got;
	} else {
		close(end[0]);
	}
	return st == BOB_OK ? st : bob_plan_fail(err, st, path, "debug information cannot be read");
}

struct wanted {
	const char *path;
	const uint64_t *pc;
	size_t count;
	int with_inlined;
};

/* Sends the length of the first payload, and both. */
static bob_status make_source(void *arg, bob_fold_write_fn write, void *ctx)
{
	const struct wanted *w = arg;
	struct bob_bytes source = { 0 }, inlined = { 0 };
	bob_status st = bob_source_make(w->path, w->pc, w->count, bob_bytes_take, &source,
					w->with_inlined ? &inlined : NULL, NULL);
	const uint64_t len = source.len;

	if (st == BOB_OK && (source.failed || inlined.failed))
		st = BOB_ERR_NOMEM;
	if (st == BOB_OK) {
		write(ctx, &len, sizeof(len));
		write(ctx, source.at, source.len);
		write(ctx, inlined.at, inlined.len);
	}
	bob_bytes_free(&source);
	bob_bytes_free(&inlined);
	return st;
}

bob_status bob_plan_source(const char *path, const uint64_t *pc, size_t count,
			   void (*write)(void *ctx, const void *bytes, size_t len), void *source,
			   void *inlined, struct bob_error *err)
{
	struct wanted w = { path, pc, count, 1 };
	struct bob_plan_bytes b = { 0 };
	uint64_t len;
	bob_status st;

	if (!count)		/* no debug information is read */
		return bob_source_make(path, pc, count, write, source, NULL, err);
	st = bob_source_apart(path, make_source, &w, &b, err);
	if (st == BOB_ERR_CORRUPT) {
		w.with_inlined = 0;
		b.count = 0;
		st = bob_source_apart(path, make_source, &w, &b, err);
	}
	if (st == BOB_OK) {
		memcpy(&len, b.at, sizeof(len));
		write(source, b.at + sizeof(len), len);
		write(inlined, b.at + sizeof(len) + len, b.count - sizeof(len) - len);
	}
	free(b.at);
	return st;
}
