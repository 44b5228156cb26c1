/* SPDX-License-Identifier: BSD-3-Clause */
/* Helper process that merges the traces of running ranks (running.h): reads messages, adds the
 * process's own file, merges in memory, and writes the result. */
#define _GNU_SOURCE
#include "cli/record/running.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/format.h"
#include "base/host/io.h"
#include "cli/terminal/complain.h"

#define MESSAGES_MAX 4096u	/* upper bound on the ranks in a subtree */
#define FAILED (~0ull)

struct input {
	struct bob_memory_file file[1 + MESSAGES_MAX]; /* the first is the process's own */
	char name[1 + MESSAGES_MAX][32];
	size_t count;
	struct bob_given given;
};

/* --- the process's own file --- */

static uint8_t *copy_of(int fd, uint64_t *len)
{
	struct stat sb;
	uint8_t *bytes;

	if (fstat(fd, &sb) || !S_ISREG(sb.st_mode) || !sb.st_size)
		return NULL;
	*len = (uint64_t)sb.st_size;
	bytes = malloc(*len);
	if (!bytes || lseek(fd, 0, SEEK_SET) || bob_read_all(fd, bytes, *len)) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

/* Other threads of the process may write meanwhile, which makes a copy inconsistent. Two equal
 * copies in a row are consistent. NULL: the file does not become stable. */
static uint8_t *snapshot(const char *dir, const char *file, uint64_t *len)
{
	uint8_t *now = NULL, *before = NULL;
	uint64_t old_len = 0;
	char *path;
	int fd, same = 0;

	if (asprintf(&path, "%s/%s", dir, file) < 0)
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	free(path);
	for (int i = 0; i < 4 && fd >= 0 && !same; i++) {
		free(before);
		before = now;
		old_len = *len;
		now = copy_of(fd, len);
		if (!now)
			break;
		same = before && *len == old_len && !memcmp(before, now, *len);
	}
	if (fd >= 0)
		close(fd);
	free(before);
	if (!same) {
		free(now);
		now = NULL;
	}
	return now;
}

/* --- messages --- */

/* 1: it was the last. */
static int read_message(struct input *in)
{
	uint64_t len;
	uint8_t *bytes;

	if (bob_read_all(STDIN_FILENO, &len, sizeof(len)))
		return -1;
	if (!len)
		return 1;
	if (len > CLI_RUNNING_BYTES_MAX || in->count > MESSAGES_MAX)
		return -1;
	bytes = malloc(len);
	if (!bytes || bob_read_all(STDIN_FILENO, bytes, len)) {
		free(bytes);
		return -1;
	}
	snprintf(in->name[in->count], sizeof(in->name[0]), "t%zu.bob", in->count);
	in->file[in->count] = (struct bob_memory_file){ in->name[in->count], bytes, len };
	in->count++;
	return 0;
}

/* Reads what the process has contributed before; empty at first. */
static int read_given(struct input *in)
{
	uint64_t len;

	if (bob_read_all(STDIN_FILENO, &len, sizeof(len)) || len > CLI_RUNNING_BYTES_MAX ||
	    len % sizeof(*in->given.row))
		return -1;
	in->given.count = len / sizeof(*in->given.row);
	in->given.row = malloc(len + 1);
	return in->given.row && !bob_read_all(STDIN_FILENO, in->given.row, len) ? 0 : -1;
}

static int read_input(const char *dir, const char *file, struct input *in)
{
	uint64_t len = 0;
	uint8_t *own = snapshot(dir, file, &len);
	int status = own ? read_given(in) : -1;

	in->file[0] = (struct bob_memory_file){ file, own, len };
	in->count = 1;
	while (own && !status)
		status = read_message(in);
	return own && status > 0 ? 0 : -1;
}

/* --- the result --- */

static bob_status merge_to(struct input *in, FILE *to)
{
	struct bob_trace *t;
	bob_status st = bob_archive_open_running(in->file, in->count, &t, NULL);

	if (st != BOB_OK)
		return st;
	for (uint32_t i = 0; i < bob_trace_problem_count(t); i++)
		if (bob_trace_problem(t, i)->lost)
			st = BOB_ERR_CORRUPT;
	if (st == BOB_OK)
		st = bob_archive_merge_after(t, &in->given, to, NULL);
	bob_trace_close(t);
	return st;
}

static int send_file(int fd)
{
	uint64_t len = 0;
	uint8_t *bytes = copy_of(fd, &len);
	int status = -1;

	if (bytes && len <= CLI_RUNNING_BYTES_MAX &&
	    !bob_write_all(STDOUT_FILENO, &len, sizeof(len)))
		status = bob_write_all(STDOUT_FILENO, bytes, len);
	free(bytes);
	return status;
}

/* Merges in memory; NULL: failed. */
static FILE *result(struct input *in, int *fd)
{
	FILE *to;

	*fd = memfd_create("head", MFD_CLOEXEC);
	to = *fd < 0 ? NULL : fdopen(*fd, "w+b");
	if (to && merge_to(in, to) == BOB_OK && !fflush(to))
		return to;
	if (to)
		fclose(to);
	else if (*fd >= 0)
		close(*fd);
	return NULL;
}

static int send_result(struct input *in)
{
	int fd, status;
	FILE *to = result(in, &fd);

	if (!to)
		return -1;
	status = send_file(fd);
	fclose(to);
	return status;
}

/* Users who may read the directory may read the file, whatever the program's umask. */
static void set_mode(int fd, const char *dir)
{
	struct stat sb;

	if (!stat(dir, &sb))
		(void)fchmod(fd, sb.st_mode & 0666);
}

/* Writes a temporary file and renames it. */
static bob_status write_new(FILE *from, const char *dir, const char *path)
{
	char *beside = NULL;
	bob_status st = BOB_ERR_IO;
	int fd = asprintf(&beside, "%s.new", path) < 0 ?
			 -1 :
			 open(beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	uint64_t len = 0;
	uint8_t *bytes = copy_of(fileno(from), &len);

	if (fd >= 0)
		set_mode(fd, dir);
	if (fd >= 0 && bytes && !bob_write_all(fd, bytes, len))
		st = BOB_OK;
	if (fd >= 0 && close(fd))
		st = BOB_ERR_IO;
	if (st == BOB_OK && rename(beside, path))
		st = BOB_ERR_IO;
	if (fd >= 0 && st != BOB_OK)
		unlink(beside);
	free(bytes);
	free(beside);
	return st;
}

/* The file has the name of the process's file, with the prefix of a trace file. */
static int write_result(struct input *in, const char *dir)
{
	const uint64_t none = 0;
	char *path = NULL;
	bob_status st = BOB_ERR_NOMEM;
	int fd, old;
	FILE *from = result(in, &fd);

	if (from && asprintf(&path, "%s/t%s", dir, in->file[0].name + 1) >= 0) {
		old = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		st = old < 0 ? write_new(from, dir, path) : bob_archive_append(old, from);
		if (old >= 0)
			close(old);
	}
	if (from)
		fclose(from);
	free(path);
	return st == BOB_OK ? bob_write_all(STDOUT_FILENO, &none, sizeof(none)) : -1;
}

static int send_given(const struct input *in)
{
	const uint64_t len = in->given.count * sizeof(*in->given.row);

	return bob_write_all(STDOUT_FILENO, &len, sizeof(len)) ||
	       bob_write_all(STDOUT_FILENO, in->given.row, len);
}

int cli_running(const char *dir, const char *file, int is_last)
{
	const struct rlimit limit = { CLI_RUNNING_MEMORY, CLI_RUNNING_MEMORY };
	struct input *in = calloc(1, sizeof(*in));
	const uint64_t failed = FAILED;
	int status = -1;

	if (file[0] != 'p' || strchr(file, '/')) {
		free(in);
		return cli_misuse("merge", "--running=%s: not the name of a process's file", file);
	}
	setrlimit(RLIMIT_AS, &limit);
	if (in)
		status = read_input(dir, file, in);
	if (!status)
		status = is_last ? write_result(in, dir) : send_result(in);
	if (status)
		(void)bob_write_all(STDOUT_FILENO, &failed, sizeof(failed));
	else
		status = send_given(in);
	for (size_t i = 0; in && i < in->count; i++)
		free((void *)(uintptr_t)in->file[i].bytes);
	if (in)
		free(in->given.row);
	free(in);
	return status ? 1 : 0;
}
