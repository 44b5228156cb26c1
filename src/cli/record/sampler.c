/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads with pread only: a file that is cut while it is looked at is a short read, not a signal. */
#define _GNU_SOURCE
#include "cli/record/sampler.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "archive/format.h"
#include "archive/write/write.h"

#define MARKS_MAX (64u * 1024 / sizeof(struct bob_mark))
/* From one look to the next: a 256th of the time so far. A look costs about 40 us of the launcher and, where all
 * processors are busy, of the program; once a millisecond that was 4 %. */
#define LOOKS_SHARE 256
#define LOOK_MIN_MS 1u
#define LOOK_MAX_MS 100u
#define SCAN_MS 16u	/* new files are looked for not more often than this */
#define FILES_MAX 4096
#define STREAMS_MAX 65536

struct stream {
	uint32_t number;
	uint64_t commit_off;	/* of the commit word in the file */
	struct bob_mark *marks;
	uint32_t count;
	uint32_t every_ms;	/* not looked at more often, 0: at every tick */
	uint64_t looked_ms;
};

struct file {
	char name[256];
	int fd;
	uint32_t pid, seq;
	uint64_t scanned;	/* chunks before this offset are known */
	struct stream *streams;
	uint32_t stream_count;
};

struct cli_sampler {
	char *dir;
	char host[64];
	uint64_t begin_ns;
	uint64_t scan_ms;	/* next time to look for files */
	struct file *files;
	uint32_t file_count;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct cli_sampler *cli_sampler_begin(const char *dir)
{
	struct cli_sampler *s = calloc(1, sizeof(*s));

	if (s)
		s->begin_ns = now_ns();
	if (s && !(s->dir = strdup(dir))) {
		free(s);
		s = NULL;
	}
	return s;
}

static int is_known(const struct cli_sampler *s, const char *name)
{
	for (uint32_t i = 0; i < s->file_count; i++)
		if (!strcmp(s->files[i].name, name))
			return 1;
	return 0;
}

/* The program itself, or a child of a process that is followed already. */
static int is_ours(const struct cli_sampler *s, const struct bob_file_head *h, pid_t child)
{
	if (h->pid == (uint32_t)child)
		return 1;
	for (uint32_t i = 0; i < s->file_count; i++)
		if (s->files[i].pid == h->ppid)
			return 1;
	return 0;
}

static void add_file(struct cli_sampler *s, int dir, const char *name, pid_t child)
{
	struct bob_file_head h;
	struct file *grown;
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return;
	if (pread(fd, &h, sizeof(h), 0) != sizeof(h) || h.magic != BOB_FORMAT_MAGIC ||
	    h.kind != BOB_FILE_PROCESS || !is_ours(s, &h, child))
		goto close;
	grown = realloc(s->files, (s->file_count + 1) * sizeof(*grown));
	if (!grown)
		goto close;
	s->files = grown;
	struct file *f = &s->files[s->file_count++];
	*f = (struct file){ .fd = fd, .pid = h.pid, .seq = h.seq, .scanned = BOB_FILE_HEAD_BYTES };
	snprintf(f->name, sizeof(f->name), "%s", name);
	memcpy(s->host, h.host, sizeof(s->host));
	s->host[sizeof(s->host) - 1] = 0;
	return;
close:
	close(fd);
}

static void find_files(struct cli_sampler *s, pid_t child)
{
	DIR *d = opendir(s->dir);
	struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d)) && s->file_count < FILES_MAX) {
		size_t n = strlen(e->d_name);

		if (e->d_name[0] == 'p' && n > 4 && n < sizeof(s->files->name) &&
		    !strcmp(e->d_name + n - 4, ".bob") && !is_known(s, e->d_name))
			add_file(s, dirfd(d), e->d_name, child);
	}
	closedir(d);
}

static void add_stream(struct file *f, uint32_t number, uint64_t off)
{
	struct stream *grown;

	if (f->stream_count == STREAMS_MAX)
		return;
	grown = realloc(f->streams, (f->stream_count + 1) * sizeof(*grown));
	if (!grown)
		return;
	f->streams = grown;
	f->streams[f->stream_count++] = (struct stream){ .number = number,
		.commit_off = off + offsetof(struct bob_stream_head, run) };
}

/* Chunks that came since the last look. 1: the process has ended, there will be no more. */
static int find_streams(struct file *f)
{
	struct bob_file_head h;
	struct bob_chunk_head c;

	if (pread(f->fd, &h, sizeof(h), 0) != sizeof(h))
		return 1;
	while (f->scanned < h.used && h.used - f->scanned >= sizeof(c)) {
		if (pread(f->fd, &c, sizeof(c), (off_t)f->scanned) != sizeof(c) ||
		    c.magic != BOB_CHUNK_MAGIC || c.size > h.used - f->scanned)
			return 1;
		if (c.kind == BOB_CHUNK_STREAM)
			add_stream(f, c.stream, f->scanned + sizeof(c));
		f->scanned += bob_chunk_bytes(c.size);
	}
	return h.state != BOB_FILE_OPEN;
}

static void thin_out(struct stream *st, uint32_t interval_ms)
{
	for (uint32_t i = 0; i < st->count / 2; i++)
		st->marks[i] = st->marks[2 * i];
	st->count /= 2;
	st->every_ms = 2 * (st->every_ms ? st->every_ms : interval_ms);
}

static void look(const struct file *f, struct stream *st, uint32_t interval_ms)
{
	uint64_t pos, t = now_ns();

	if (pread(f->fd, &pos, sizeof(pos), (off_t)st->commit_off) != sizeof(pos))
		return;
	if (st->count ? st->marks[st->count - 1].pos == pos : !pos)
		return;
	if (!st->marks && !(st->marks = malloc(MARKS_MAX * sizeof(*st->marks))))
		return;
	if (st->count == MARKS_MAX)
		thin_out(st, interval_ms);
	st->marks[st->count++] =
		(struct bob_mark){ .stream = st->number, .pos = pos, .mono_ns = t };
}

/* Everything that is due at `now`, ms since the beginning. */
static void look_around(struct cli_sampler *s, pid_t child, uint64_t now, uint32_t interval_ms)
{
	int scan = now >= s->scan_ms;

	if (scan) {
		find_files(s, child);
		s->scan_ms = now + SCAN_MS;
	}
	for (uint32_t i = 0; i < s->file_count; i++) {
		struct file *f = &s->files[i];
		int ended = f->fd >= 0 && scan && find_streams(f);

		for (uint32_t k = 0; f->fd >= 0 && k < f->stream_count; k++) {
			struct stream *st = &f->streams[k];

			if (!ended && now - st->looked_ms < st->every_ms)
				continue;
			look(f, st, interval_ms);
			st->looked_ms = now;
		}
		if (ended) {
			close(f->fd);
			f->fd = -1;
		}
	}
}

unsigned cli_sampler_tick(struct cli_sampler *s, pid_t child)
{
	uint64_t now = (now_ns() - s->begin_ns) / 1000000u;
	uint64_t interval = now / LOOKS_SHARE;

	if (interval < LOOK_MIN_MS)
		interval = LOOK_MIN_MS;
	if (interval > LOOK_MAX_MS)
		interval = LOOK_MAX_MS;
	look_around(s, child, now, (unsigned)interval);
	return (unsigned)interval;
}

/* --- writing --- */

static int create(const struct cli_sampler *s, char *path, size_t size)
{
	for (unsigned n = 0; n < 1000; n++) {
		if (n)
			snprintf(path, size, "%s/marks.%s.%ld.%u.bob", s->dir, s->host,
				 (long)getpid(), n);
		else
			snprintf(path, size, "%s/marks.%s.%ld.bob", s->dir, s->host,
				 (long)getpid());
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* Offset after the chunk, 0 if writing failed. */
static uint64_t write_stream(int fd, const struct file *f, const struct stream *st, uint64_t off)
{
	uint64_t len = st->count * sizeof(*st->marks), bytes = bob_chunk_bytes(len);
	struct bob_chunk_head *c;
	ssize_t n;

	if (!st->count)
		return off;
	c = calloc(1, bytes);
	if (!c)
		return 0;
	memcpy(bob_chunk_data(c), st->marks, len);
	bob_chunk_begin(c, BOB_CHUNK_MARKS, BOB_STREAM_NONE, bytes - sizeof(*c),
			(uint64_t)f->pid << 32 | f->seq);
	bob_chunk_seal(c, len);
	n = pwrite(fd, c, bytes, (off_t)off);
	free(c);
	return n == (ssize_t)bytes ? off + bytes : 0;
}

static int write_file(const struct cli_sampler *s, int fd)
{
	union {
		struct bob_file_head head;
		uint8_t bytes[BOB_FILE_HEAD_BYTES];
	} h;
	uint64_t off = sizeof(h);

	for (uint32_t i = 0; i < s->file_count; i++)
		for (uint32_t k = 0; k < s->files[i].stream_count; k++)
			if (!(off = write_stream(fd, &s->files[i], &s->files[i].streams[k], off)))
				return -1;
	memset(&h, 0, sizeof(h));
	bob_file_begin(&h.head, BOB_FILE_MARKS, s->host);
	h.head.start_mono_ns = now_ns();
	bob_file_seal(&h.head);
	bob_file_set_used(&h.head, off);
	bob_file_end(&h.head, BOB_FILE_CLOSED, BOB_STOP_NONE, now_ns());
	return pwrite(fd, &h, sizeof(h), 0) == sizeof(h) ? 0 : -1;
}

static int any_marks(const struct cli_sampler *s)
{
	for (uint32_t i = 0; i < s->file_count; i++)
		for (uint32_t k = 0; k < s->files[i].stream_count; k++)
			if (s->files[i].streams[k].count)
				return 1;
	return 0;
}

void cli_sampler_end(struct cli_sampler *s, pid_t child)
{
	char path[8192];

	if (!s)
		return;
	look_around(s, child, UINT64_MAX / 2, LOOK_MIN_MS); /* everything is due */
	int fd = any_marks(s) ? create(s, path, sizeof(path)) : -1;
	if (fd >= 0) {
		int bad = write_file(s, fd);

		if (close(fd) || bad)
			unlink(path);
	}
	for (uint32_t i = 0; i < s->file_count; i++) {
		for (uint32_t k = 0; k < s->files[i].stream_count; k++)
			free(s->files[i].streams[k].marks);
		free(s->files[i].streams);
		if (s->files[i].fd >= 0)
			close(s->files[i].fd);
	}
	free(s->files);
	free(s->dir);
	free(s);
}
