/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples the positions of threads from their streams' heads, and writes them as time marks
 * (marks.h). */
#define _GNU_SOURCE
#include "cli/record/marks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/format.h"
#include "archive/write/write.h"
#include "base/host/clock.h"
#include "cli/record/watching.h"

#define MARKS_MAX (64u * 1024 / sizeof(struct bob_mark))
#define MARKS_FIRST 8u
#define STREAMS_MAX 65536

struct cli_sampled_stream {
	uint32_t number;
	uint64_t head_off;	/* of its bob_stream_head in the file */
	struct bob_mark *marks;
	uint32_t count, capacity;
	uint32_t every_ms;	/* shortest interval between samples, 0: every tick */
	uint64_t looked_ms;
};

static void add_stream(struct cli_sampled *s, uint32_t number, uint64_t off)
{
	struct cli_sampled_stream *grown;

	if (s->count == STREAMS_MAX)
		return;
	if (s->count == s->capacity) {
		grown = realloc(s->stream, (2 * s->capacity + 16) * sizeof(*grown));
		if (!grown)
			return;
		s->stream = grown;
		s->capacity = 2 * s->capacity + 16;
	}
	if (s->live < s->count)
		s->stream[s->count] = s->stream[s->live];
	s->count++;
	s->stream[s->live++] = (struct cli_sampled_stream){ .number = number, .head_off = off };
}

int cli_marks_scan(struct cli_sampled *s, int fd)
{
	struct bob_file_head h;
	struct bob_chunk_head c;

	if (pread(fd, &h, sizeof(h), 0) != sizeof(h))
		return 1;
	while (s->scanned < h.used && h.used - s->scanned >= sizeof(c)) {
		if (pread(fd, &c, sizeof(c), (off_t)s->scanned) != sizeof(c) ||
		    c.magic != BOB_CHUNK_MAGIC || c.size > h.used - s->scanned)
			return 1;
		if (c.kind == BOB_CHUNK_STREAM)
			add_stream(s, c.stream, s->scanned + sizeof(c));
		s->scanned += bob_chunk_bytes(c.size);
	}
	return h.state != BOB_FILE_OPEN;
}

static void thin_out(struct cli_sampled_stream *st, uint32_t interval_ms)
{
	for (uint32_t i = 0; i < st->count / 2; i++)
		st->marks[i] = st->marks[2 * i];
	st->count /= 2;
	st->every_ms = 2 * (st->every_ms ? st->every_ms : interval_ms);
}

static int reserve_mark(struct cli_sampled_stream *st, uint32_t interval_ms)
{
	uint32_t capacity = st->capacity ? 2 * st->capacity : MARKS_FIRST;
	struct bob_mark *grown;

	if (st->count < st->capacity)
		return 1;
	if (st->count >= MARKS_MAX) {
		thin_out(st, interval_ms);
		return 1;
	}
	if (capacity > MARKS_MAX)
		capacity = MARKS_MAX;
	grown = realloc(st->marks, capacity * sizeof(*grown));
	if (!grown)
		return 0;
	st->marks = grown;
	st->capacity = capacity;
	return 1;
}

/* Takes a sample. Returns whether the thread has ended. */
static int look(int fd, struct cli_sampled_stream *st, uint32_t interval_ms)
{
	const uint64_t t = bob_clock_ns(CLOCK_MONOTONIC);
	struct bob_stream_head h;
	uint64_t pos;

	if (pread(fd, &h, sizeof(h), (off_t)st->head_off) != sizeof(h))
		return 0;
	pos = h.run.commit;
	if ((st->count ? st->marks[st->count - 1].pos != pos : pos) &&
	    reserve_mark(st, interval_ms))
		st->marks[st->count++] =
			(struct bob_mark){ .stream = st->number, .pos = pos, .mono_ns = t };
	return h.state == BOB_THREAD_ENDED;
}

void cli_marks_look(struct cli_sampled *s, int fd, uint64_t now_ms, uint32_t interval_ms, int all)
{
	for (uint32_t k = 0; k < s->live;) {
		struct cli_sampled_stream *st = &s->stream[k], ended;

		if (!all && now_ms - st->looked_ms < st->every_ms) {
			k++;
			continue;
		}
		st->looked_ms = now_ms;
		if (!look(fd, st, interval_ms)) {
			k++;
			continue;
		}
		ended = *st;
		*st = s->stream[--s->live];
		s->stream[s->live] = ended;
	}
}

/* --- writing --- */

static int create(const struct cli_watching *w, char *path, size_t size)
{
	for (unsigned n = 0; n < 1000; n++) {
		if (n)
			snprintf(path, size, "%s/marks.%s.%ld.%u.bob", w->dir, w->host,
				 (long)getpid(), n);
		else
			snprintf(path, size, "%s/marks.%s.%ld.bob", w->dir, w->host,
				 (long)getpid());
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* Returns the offset after the chunk, 0 if writing failed. */
static uint64_t write_stream(int fd, const struct cli_watched *f,
			     const struct cli_sampled_stream *st, uint64_t off)
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

static int write_file(const struct cli_watching *w, int fd)
{
	union {
		struct bob_file_head head;
		uint8_t bytes[BOB_FILE_HEAD_SHORT];
	} h;
	uint64_t off = sizeof(h);

	for (uint32_t i = 0; i < w->count; i++)
		for (uint32_t k = 0; k < w->file[i].sampled.count; k++)
			if (!(off = write_stream(fd, &w->file[i], &w->file[i].sampled.stream[k],
						 off)))
				return -1;
	memset(&h, 0, sizeof(h));
	bob_file_begin(&h.head, BOB_FILE_MARKS, w->host);
	h.head.head_bytes = sizeof(h);
	h.head.start_mono_ns = bob_clock_ns(CLOCK_MONOTONIC);
	bob_file_seal(&h.head);
	bob_file_set_used(&h.head, off);
	bob_file_end(&h.head, BOB_FILE_CLOSED, BOB_STOP_NONE, bob_clock_ns(CLOCK_MONOTONIC));
	return pwrite(fd, &h, sizeof(h), 0) == sizeof(h) ? 0 : -1;
}

static int any_marks(const struct cli_watching *w)
{
	for (uint32_t i = 0; i < w->count; i++)
		for (uint32_t k = 0; k < w->file[i].sampled.count; k++)
			if (w->file[i].sampled.stream[k].count)
				return 1;
	return 0;
}

void cli_marks_write(const struct cli_watching *w)
{
	char path[8192];
	int fd = any_marks(w) ? create(w, path, sizeof(path)) : -1;

	if (fd >= 0) {
		int bad = write_file(w, fd);

		if (close(fd) || bad)
			unlink(path);
	}
}

void cli_marks_free(struct cli_sampled *s)
{
	for (uint32_t k = 0; k < s->count; k++)
		free(s->stream[k].marks);
	free(s->stream);
	*s = (struct cli_sampled){ 0 };
}
