/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes an instrumented file as an image: its units become functions, its variables static
 * variables, and its sites have source lines. So readers need only the trace. The image is written
 * when the file is registered, once for each directory, atomically. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/memory/source_info.h"
#include "archive/write/write.h"
#include "probe/probe.h"

struct buffer {
	uint8_t *at;
	size_t len, capacity;
	bool failed;
};

static void take(void *ctx, const void *bytes, size_t len)
{
	struct buffer *b = ctx;

	if (b->failed || len > SIZE_MAX / 4 - b->len)
		return;
	if (b->len + len > b->capacity) {
		size_t capacity = 2 * (b->len + len) + 4096;
		uint8_t *more = realloc(b->at, capacity);

		b->failed = !more;
		if (!more)
			return;
		b->at = more;
		b->capacity = capacity;
	}
	memcpy(b->at + b->len, bytes, len);
	b->len += len;
}

/* The end of the run of sites, starting at site `i`, that belong to one unit. */
static uint32_t run_end(const struct bob_probe_file *f, uint32_t i)
{
	const uint32_t unit = f->site[i].unit;

	while (i < f->sites && f->site[i].unit == unit)
		i++;
	return i;
}

uint32_t bob_pr_image_functions(const struct bob_probe_file *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->sites; i = run_end(f, i))
		n++;
	return n;
}

static void put_functions(const struct bob_probe_file *f, uint64_t key, struct buffer *to)
{
	struct bob_image_head h = { .key = key, .count = bob_pr_image_functions(f),
				    .func_off = sizeof(h), .build_id_len = sizeof(f->digest) };
	const char *slash = strrchr(f->path, '/');
	uint32_t name = 0;

	h.names_off = (uint32_t)(sizeof(h) + h.count * sizeof(struct bob_image_func));
	for (uint32_t i = 0; i < f->sites; i = run_end(f, i))
		h.names_len += (uint32_t)strlen(f->unit[f->site[i].unit]) + 1;
	memcpy(h.build_id, &f->digest, sizeof(f->digest));
	snprintf(h.soname, sizeof(h.soname), "%s", slash ? slash + 1 : f->path);
	take(to, &h, sizeof(h));
	for (uint32_t i = 0, end; i < f->sites; i = end) {
		end = run_end(f, i);
		struct bob_image_func fn = { .addr = i + 1, .size = end - i, .name = name,
					     .file = UINT32_MAX, .line = f->site[i].line };

		take(to, &fn, sizeof(fn));
		name += (uint32_t)strlen(f->unit[f->site[i].unit]) + 1;
	}
	for (uint32_t i = 0; i < f->sites; i = run_end(f, i))
		take(to, f->unit[f->site[i].unit], strlen(f->unit[f->site[i].unit]) + 1);
}

/* The size of the elements if the bounds are constant, else half of the variable's address range.
 * The other half is reserved for storage that the variable shares with others and that begins
 * before the next variable. */
static uint64_t bytes_of(const struct bob_probe_variable *v)
{
	uint64_t bytes = v->element;

	for (uint32_t d = 0; d < v->rank; d++)
		if (!v->bounds || v->bounds[d][1] <= 0 ||
		    bytes > (1ull << BOB_PR_VARIABLE_SHIFT) / (uint64_t)v->bounds[d][1])
			return 1ull << (BOB_PR_VARIABLE_SHIFT - 1);
		else
			bytes *= (uint64_t)v->bounds[d][1];
	return bytes;
}

static size_t headers_of(const struct bob_probe_file *f)
{
	const bool is_there = f->size >=
			      offsetof(struct bob_probe_file, headers) + sizeof(f->headers);
	size_t n = 0;

	while (is_there && f->headers && n < UINT8_MAX && f->headers[n])
		n++;
	return n;
}

static void put_source(const struct bob_probe_file *f, struct buffer *to)
{
	struct bob_source s = { .files = 1 + headers_of(f), .objects = f->variables,
				.rows = f->sites };

	s.file = calloc(s.files, sizeof(*s.file));
	s.object = calloc(f->variables + 1u, sizeof(*s.object));
	s.row = calloc(f->sites + 1u, sizeof(*s.row));
	to->failed |= !s.file || !s.object || !s.row;
	for (size_t i = 0; i < s.files && !to->failed; i++)
		s.file[i] = i ? f->headers[i - 1] : f->path;
	for (uint32_t v = 0; v < f->variables && !to->failed; v++)
		s.object[v] = (struct bob_source_object){
			.addr = (uint64_t)(v + 1) << BOB_PR_VARIABLE_SHIFT,
			.size = bytes_of(&f->variable[v]),
			.name = f->variable[v].name,
		};
	for (uint32_t i = 0; i < f->sites && !to->failed; i++)
		s.row[i] = (struct bob_source_row){
			.pc = i + 1ull,
			.file = f->site[i].file < s.files ? f->site[i].file : 0,
			.line = f->site[i].line,
		};
	if (!to->failed)
		bob_source_put(&s, take, to);
	free(s.file);
	free(s.object);
	free(s.row);
}

/* Reserves space for a chunk's header. The payload follows, then the chunk is sealed. Returns the
 * offset of the header. */
static void put_chunk(struct buffer *b, enum bob_chunk_kind kind, uint64_t aux,
		      const struct buffer *payload)
{
	static const struct bob_chunk_head empty;
	static const uint8_t zeros[BOB_CHUNK_ALIGN];
	const size_t at = b->len, whole = bob_chunk_bytes(payload->len);
	struct bob_chunk_head *h;

	take(b, &empty, sizeof(empty));
	take(b, payload->at, payload->len);
	take(b, zeros, whole - sizeof(empty) - payload->len);
	if (b->failed)
		return;
	h = (struct bob_chunk_head *)(void *)(b->at + at);
	bob_chunk_begin(h, kind, BOB_STREAM_NONE, whole - sizeof(*h), aux);
	bob_chunk_seal(h, payload->len);
}

size_t bob_pr_image(const struct bob_probe_file *f, uint64_t key, uint8_t **bytes)
{
	struct buffer file = { 0 }, functions = { 0 }, source = { 0 };
	static const uint8_t head[BOB_FILE_HEAD_BYTES];

	put_functions(f, key, &functions);
	put_source(f, &source);
	take(&file, head, sizeof(head));
	file.failed |= functions.failed || source.failed;
	if (!file.failed) {
		put_chunk(&file, BOB_CHUNK_IMAGE, 0, &functions);
		put_chunk(&file, BOB_CHUNK_SOURCE, 1, &source);
	}
	free(functions.at);
	free(source.at);
	if (file.failed) {
		free(file.at);
		return 0;
	}
	struct bob_file_head *h = (struct bob_file_head *)(void *)file.at;
	bob_file_begin(h, BOB_FILE_IMAGE, "");
	bob_file_seal(h);
	bob_file_set_used(h, file.len);
	h->state = BOB_FILE_CLOSED;
	*bytes = file.at;
	return file.len;
}

void bob_pr_image_save(const struct bob_probe_file *f, uint64_t key, const char *dir)
{
	char name[BOB_NAME_BYTES], path[4096], temp[4200];
	uint8_t *bytes = NULL;
	size_t len;
	int fd;

	bob_name_image(name, sizeof(name), key);
	if (!dir || snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path) ||
	    !access(path, F_OK))
		return;
	snprintf(temp, sizeof(temp), "%s.%ld.new", path, (long)getpid());
	len = bob_pr_image(f, key, &bytes);
	fd = len ? open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
	if (fd >= 0) {
		bool ok = write(fd, bytes, len) == (ssize_t)len;

		ok &= !close(fd);
		if (!ok || rename(temp, path))
			unlink(temp);
	}
	free(bytes);
}
