/* SPDX-License-Identifier: BSD-3-Clause */
/* TRACE files that grow while their processes run (--flush-every=...,all): a trace file, followed
 * by MORE chunks, each of which contains a trace file with what the processes recorded since. Each
 * part has, for each process, the number of events in earlier parts, so that a missing part is
 * detected; what follows it is omitted.
 *
 * Reading such a file means merging it: the parts are opened as files of a separate trace, in which
 * processes of the same name are one (`before`), and merged into one file in memory, which replaces
 * the original for the rest of the reader. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/merge/merging.h"
#include "archive/merge/write_once.h"
#include "archive/write/write.h"
#include "base/order.h"

#define PARTS_MAX (1u << 20)

uint64_t bob_after_find(const struct bob_rec_after *row, size_t count, uint32_t stream,
			uint32_t content)
{
	for (size_t i = 0; i < count; i++)
		if (row[i].stream == stream && row[i].content == content)
			return row[i].events;
	return 0;
}

/* --- processes with the same name --- */

struct named {
	struct bob_file *file;
	struct bob_process *process;
};

/* By name; inner files in the order of their outer files. */
BOB_COMPARE(by_name, struct named, BOB_TEXT(file->name) BOB_UP(file))

/* Of files with the same name, oldest first, the newest describes the process. It inherits the
 * write-once records that only earlier ones have. */
static bob_status choose_newest(struct bob_trace *t, struct bob_file **f, size_t count)
{
	for (size_t i = 0; i + 1 < count; i++)
		f[i]->is_head = 1;
	return count > 1 ? bob_write_once_inherit(t, f[count - 1], f, count - 1) : BOB_OK;
}

bob_status bob_more_choose(struct bob_trace *t)
{
	struct named *n = calloc(t->file_count + 1, sizeof(*n));
	struct bob_file **f = calloc(t->file_count + 1, sizeof(*f));
	size_t count = 0, first = 0;
	bob_status st = n && f ? BOB_OK : BOB_ERR_NOMEM;

	if (st != BOB_OK)
		goto out;
	for (size_t i = 0; i < t->file_count; i++)
		if (t->files[i].kind == BOB_FILE_PROCESS)
			n[count++].file = &t->files[i];
	qsort(n, count, sizeof(*n), by_name);
	for (size_t i = 0; i < count; i++)
		f[i] = n[i].file;
	for (size_t i = 0; i < count && st == BOB_OK; i++) {
		if (i + 1 < count && !strcmp(f[i]->name, f[i + 1]->name))
			continue;
		st = choose_newest(t, f + first, i + 1 - first);
		first = i + 1;
	}
out:
	free(n);
	free(f);
	return st;
}

static const struct bob_stream *same_stream(const struct bob_process *p, const struct bob_stream *s)
{
	for (size_t i = 0; p && i < p->stream_count; i++)
		if (p->streams[i]->number == s->number)
			return p->streams[i];
	return NULL;
}

/* Computes where the stream's events end. Returns 0 if they do not begin where the previous part
 * ends. */
static int count_stream(const struct bob_process *p, struct bob_stream *s)
{
	const struct bob_stream *b = same_stream(p->before, s);
	const uint64_t has[2] = {
		[BOB_CONTENT_MEM] = s->folded ? bob_folded_events(s->folded, s->participant) : 0,
		[BOB_CONTENT_MPI] = s->mpi.folded ? bob_folded_events(s->mpi.folded,
								     s->mpi.participant) :
						    0,
	};
	int fits = 1;

	for (uint32_t c = 0; c < 2; c++) {
		const uint64_t begins = bob_after_find(p->after, p->after_count, s->number, c);

		s->until[c] = b ? b->until[c] : 0;
		s->is_apart[c] = has[c] && begins != s->until[c];
		if (!s->is_apart[c])
			s->until[c] += has[c];
		fits &= !s->is_apart[c];
	}
	return fits;
}

bob_status bob_more_link(struct bob_trace *t)
{
	const size_t count = t->process_count + t->head_count;
	struct named *n = calloc(count + 1, sizeof(*n));

	if (!n)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		n[i].process = i < t->process_count ? t->processes[i] :
						      t->heads[i - t->process_count];
		n[i].file = (struct bob_file *)(uintptr_t)n[i].process->file;
	}
	qsort(n, count, sizeof(*n), by_name);
	for (size_t i = 0; i < count; i++) {
		struct bob_process *p = n[i].process;
		int fits = 1;

		if (i && !strcmp(n[i].file->name, n[i - 1].file->name))
			p->before = n[i - 1].process;
		for (size_t k = 0; k < p->stream_count; k++)
			fits &= count_stream(p, p->streams[k]);
		if (!fits)
			bob_problem_add(
				t, p->file, 0,
				"a part of a trace file does not continue the previous part", 0);
	}
	free(n);
	return BOB_OK;
}

/* --- reading --- */

struct parts {
	struct bob_memory_file *file;
	struct bob_payload *payload;
	size_t count;
};

static void close_parts(struct parts *p)
{
	for (size_t i = 0; i < p->count; i++)
		bob_payload_close(&p->payload[i]);
	free(p->file);
	free(p->payload);
}

static bob_status open_parts(struct bob_trace *t, const struct bob_file *f, size_t more,
			     struct parts *p)
{
	bob_status st = BOB_OK;
	uint64_t end = 0;

	p->file = calloc(more + 1, sizeof(*p->file));
	p->payload = calloc(more + 1, sizeof(*p->payload));
	if (!p->file || !p->payload)
		return BOB_ERR_NOMEM;
	p->count = 1;
	for (size_t i = 0; i < f->chunk_count && st == BOB_OK; i++) {
		const struct bob_chunk_ref *c = &f->chunks[i];

		/* checksums of the first part's chunks are not checked again after joining */
		if (c->head.kind != BOB_CHUNK_MORE && !bob_chunk_crc_ok(f, c))
			bob_problem_add(t, f, c->off, "the checksum of a chunk does not match", 1);
		if (c->head.kind != BOB_CHUNK_MORE || p->count > more)
			continue;
		end = end ? end : c->off - sizeof(c->head);
		if (!bob_chunk_crc_ok(f, c)) { /* the following parts are unusable, too */
			bob_problem_add(t, f, c->off, "the checksum of a chunk does not match", 1);
			break;
		}
		st = bob_payload_open(t, f, c, &p->payload[p->count]);
		if (st == BOB_OK) {
			p->file[p->count] = (struct bob_memory_file){
				f->name, p->payload[p->count].at, p->payload[p->count].len
			};
			p->count++;
		}
	}
	p->file[0] = (struct bob_memory_file){ f->name, f->bytes, end };
	return st == BOB_NONE ? BOB_OK : st;
}

static bob_status read_whole(FILE *from, struct bob_bytes *out)
{
	uint8_t buf[8192];
	size_t n;

	rewind(from);
	while ((n = fread(buf, 1, sizeof(buf), from)))
		bob_bytes_take(out, buf, n);
	return ferror(from) ? BOB_ERR_IO : out->failed ? BOB_ERR_NOMEM : BOB_OK;
}

static bob_status merge_parts(struct bob_trace *t, const struct bob_file *f, const struct parts *p,
			      struct bob_bytes *out)
{
	struct bob_trace *parts = NULL;
	const int fd = memfd_create("parts", MFD_CLOEXEC);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w+b");
	bob_status st = to ? bob_archive_open_parts(p->file, p->count, &parts, NULL) :
			     BOB_ERR_NOMEM;

	for (uint32_t i = 0; st == BOB_OK && i < parts->problem_count; i++)
		bob_problem_add(t, f, parts->problems[i].offset, parts->problems[i].text,
				parts->problems[i].lost);
	if (st == BOB_OK)
		st = bob_archive_merge_running(parts, to, NULL);
	if (st == BOB_OK)
		st = read_whole(to, out);
	if (to)
		fclose(to);
	else if (fd >= 0)
		close(fd);
	bob_trace_close(parts);
	return st;
}

/* Replaces the contents of the file by `bytes`. */
static bob_status become(struct bob_trace *t, struct bob_file *f, const struct bob_bytes *bytes)
{
	const char *name = f->name;
	const int lost = f->lost;

	bob_file_release(f);
	f->name = name;
	f->lost = lost;
	f->bytes = bytes->at;
	f->size = bytes->len;
	f->map = 2;
	return bob_file_scan(t, f);
}

bob_status bob_more_join(struct bob_trace *t, struct bob_file *f)
{
	struct parts p = { 0 };
	struct bob_bytes bytes = { 0 };
	size_t more = 0;
	bob_status st;

	for (size_t i = 0; i < f->chunk_count; i++)
		more += f->chunks[i].head.kind == BOB_CHUNK_MORE;
	if (!more)
		return BOB_OK;
	st = open_parts(t, f, more < PARTS_MAX ? more : PARTS_MAX, &p);
	if (st == BOB_OK)
		st = merge_parts(t, f, &p, &bytes);
	close_parts(&p);
	if (st == BOB_OK)
		return become(t, f, &bytes);
	free(bytes.at);
	if (st == BOB_ERR_NOMEM)
		return st;
	bob_problem_add(t, f, 0,
			"the parts of a trace file cannot be joined: only the first one is read",
			1);
	return BOB_OK;
}

/* --- writing --- */

/* Writes the payload, then the header with its checksum, then the new end of the file. If the
 * writer is killed at any point, the file is unchanged or has the whole part. */
static bob_status put_chunk(int fd, uint64_t at, const void *chunk, size_t len)
{
	const size_t head = sizeof(struct bob_chunk_head);
	const uint64_t used = at + len;

	if (ftruncate(fd, (off_t)at) || ftruncate(fd, (off_t)used) ||
	    pwrite(fd, (const uint8_t *)chunk + head, len - head, (off_t)(at + head)) !=
		    (ssize_t)(len - head) ||
	    pwrite(fd, chunk, head, (off_t)at) != (ssize_t)head ||
	    pwrite(fd, &used, sizeof(used), offsetof(struct bob_file_head, used)) != sizeof(used))
		return BOB_ERR_IO;
	return BOB_OK;
}

bob_status bob_archive_append(int fd, FILE *from)
{
	struct bob_bytes part = { 0 };
	struct bob_file_head h;
	char *chunk = NULL;
	size_t len = 0;
	FILE *to = NULL;
	bob_status st = read_whole(from, &part);

	if (st == BOB_OK && pread(fd, &h, sizeof(h), 0) != sizeof(h))
		st = BOB_ERR_IO;
	if (st == BOB_OK &&
	    (h.magic != BOB_FORMAT_MAGIC || h.kind != BOB_FILE_TRACE ||
	     !bob_head_bytes_ok(h.head_bytes) || h.used < h.head_bytes || h.used % BOB_CHUNK_ALIGN))
		st = BOB_ERR_CORRUPT;
	if (st == BOB_OK)
		to = open_memstream(&chunk, &len);
	if (st == BOB_OK &&
	    (!to || !bob_chunk_write_packed(to, BOB_CHUNK_MORE, 0, part.at, part.len)))
		st = BOB_ERR_NOMEM;
	if (to && fclose(to) && st == BOB_OK)
		st = BOB_ERR_NOMEM;
	if (st == BOB_OK)
		st = put_chunk(fd, h.used, chunk, len);
	free(chunk);
	free(part.at);
	return st;
}
