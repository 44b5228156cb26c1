/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/naming.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/write.h"
#include "base/hash.h"
#include "bobbin/trace.h"
#include "plan/format.h"
#include "plan/plan.h"

#define FILE_BYTES_MAX ((long)1 << 31)

/* An image of any processes, and the instructions that they have accesses of. */
struct image {
	const struct bob_image_info *info;
	uint64_t *pc;
	size_t count, room;
};

struct images {
	const struct bob_trace *trace;
	struct image *at;
	size_t count, room;
	uint32_t *number;	/* by image of the present process: index of it */
	uint32_t numbers;
	int no_memory;
};

struct bytes {
	uint8_t *at;
	size_t len, room;
	int failed;
};

static void take(void *ctx, const void *bytes, size_t len)
{
	struct bytes *b = ctx;

	while (!b->failed && b->room - b->len < len) {
		size_t room = b->room ? 2 * b->room : 65536;
		uint8_t *at = realloc(b->at, room);

		b->failed = !at;
		b->at = at ? at : b->at;
		b->room = at ? room : b->room;
	}
	if (!b->failed && len)
		memcpy(b->at + b->len, bytes, len);
	b->len += b->failed ? 0 : len;
}

/* --- what occurs --- */

static uint32_t number_of(struct images *all, const struct bob_image_info *info)
{
	struct image *more;

	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].info->key == info->key)
			return (uint32_t)i;
	if (all->count == all->room) {
		more = realloc(all->at, (2 * all->room + 16) * sizeof(*more));
		if (!more) {
			all->no_memory = 1;
			return 0;
		}
		all->at = more;
		all->room = 2 * all->room + 16;
	}
	all->at[all->count] = (struct image){ .info = info };
	return (uint32_t)all->count++;
}

static void note_pc(void *ctx, uint32_t image, uint64_t pc)
{
	struct images *all = ctx;
	struct image *im;
	uint64_t *more;

	if (image >= all->numbers || all->no_memory ||
	    pc > INT32_MAX) /* planned code is below 2 GB */
		return;
	im = &all->at[all->number[image]];
	if (im->count == im->room) {
		more = realloc(im->pc, (2 * im->room + 256) * sizeof(*more));
		if (!more) {
			all->no_memory = 1;
			return;
		}
		im->pc = more;
		im->room = 2 * im->room + 256;
	}
	im->pc[im->count++] = pc;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort_each_once(struct image *im)
{
	size_t n = 0;

	if (im->count)
		qsort(im->pc, im->count, sizeof(*im->pc), by_value);
	for (size_t i = 0; i < im->count; i++)
		if (!n || im->pc[n - 1] != im->pc[i])
			im->pc[n++] = im->pc[i];
	im->count = n;
}

static int collect(struct images *all, const struct bob_trace *t)
{
	all->trace = t;
	for (uint32_t p = 0; p < bob_trace_process_count(t) && !all->no_memory; p++) {
		uint32_t n = bob_trace_process(t, p)->image_count;

		free(all->number);
		all->number = calloc(n + 1u, sizeof(*all->number));
		if (!all->number)
			return -1;
		all->numbers = n;
		for (uint32_t i = 0; i < n; i++)
			all->number[i] = number_of(all, bob_trace_image(t, p, i));
		(void)bob_archive_used(t, p, note_pc, all);
	}
	for (size_t i = 0; i < all->count; i++)
		sort_each_once(&all->at[i]);
	return all->no_memory ? -1 : 0;
}

/* --- files --- */

static int read_file(const char *path, struct bytes *b)
{
	FILE *f = fopen(path, "rbe");
	uint8_t part[4096];
	size_t n;

	if (!f)
		return -1;
	while ((n = fread(part, 1, sizeof(part), f)) > 0 && b->len < (size_t)FILE_BYTES_MAX)
		take(b, part, n);
	fclose(f);
	return b->failed ? -1 : 0;
}

/* Whole or absent: written beside, then renamed. */
static void save(const char *path, const struct bytes *b)
{
	char *beside;
	FILE *f;

	if (asprintf(&beside, "%s.%ld.new", path, (long)getpid()) < 0)
		return;
	f = fopen(beside, "wbxe");
	if (f) {
		int bad = fwrite(b->at, 1, b->len, f) != b->len;

		bad |= fclose(f);
		if (bad || rename(beside, path))
			unlink(beside);
	}
	free(beside);
}

/* The chunk at `off`; its payload must be there. */
static int chunk_at(const struct bytes *b, size_t off, struct bob_chunk_head *c)
{
	if (b->len < off || b->len - off < sizeof(*c))
		return 0;
	memcpy(c, b->at + off, sizeof(*c));
	return c->magic == BOB_CHUNK_MAGIC && c->head_crc == bob_chunk_head_crc(c) &&
	       c->size <= b->len - off - sizeof(*c);
}

/* The image's functions, from the trace or else from the planner, without what may stand behind them. *made is for
 * which instructions that was made. */
static int read_functions(const char *path, const struct image *im, struct bytes *b, uint64_t *made)
{
	struct bob_chunk_head c;
	struct bob_plan_head *plan;
	void *bytes;
	size_t len, end;

	*made = 0;
	if (read_file(path, b) || !chunk_at(b, BOB_FILE_HEAD_BYTES, &c)) {
		b->len = 0;
		if (bob_plan_image(im->info->path, &bytes, &len, NULL, NULL) != BOB_OK)
			return -1;
		plan = bytes;
		take(b, (const char *)bytes + plan->image.off, plan->image.len);
		free(bytes);
		return b->failed || !chunk_at(b, BOB_FILE_HEAD_BYTES, &c) ? -1 : 0;
	}
	end = BOB_FILE_HEAD_BYTES + (size_t)bob_chunk_bytes(c.size);
	if (chunk_at(b, end, &c) && c.kind == BOB_CHUNK_SOURCE)
		*made = c.aux;
	b->len = b->len < end ? b->len : end;
	return 0;
}

static void add_chunk(struct bytes *b, const struct bytes *payload, uint64_t made)
{
	static const uint8_t zero[BOB_CHUNK_ALIGN];
	struct bob_chunk_head *c;
	uint64_t used;

	take(b, zero, -b->len & (BOB_CHUNK_ALIGN - 1));
	c = calloc(1, sizeof(*c) + payload->len + 1);
	if (!c) {
		b->failed = 1;
		return;
	}
	memcpy(c + 1, payload->at, payload->len);
	bob_chunk_begin(c, BOB_CHUNK_SOURCE, BOB_STREAM_NONE, payload->len, made);
	bob_chunk_seal(c, payload->len);
	take(b, c, sizeof(*c) + payload->len);
	take(b, zero, -b->len & (BOB_CHUNK_ALIGN - 1));
	free(c);
	used = b->len;
	if (!b->failed)
		memcpy(b->at + offsetof(struct bob_file_head, used), &used, sizeof(used));
}

static void name_image(const char *dir, const struct image *im)
{
	uint64_t key, made, want = bob_hash64(im->count, im->pc, im->count * sizeof(*im->pc)) | 1;
	struct bytes file = { 0 }, source = { 0 };
	char name[BOB_NAME_BYTES], *path;

	if (bob_plan_key(im->info->path, &key, NULL) != BOB_OK || key != im->info->key ||
	    !bob_name_image(name, sizeof(name), key) || asprintf(&path, "%s/%s", dir, name) < 0)
		return;
	if (!read_functions(path, im, &file, &made) && made != want) {
		if (bob_plan_source(im->info->path, im->pc, im->count, take, &source, NULL) ==
			    BOB_OK &&
		    !source.failed)
			add_chunk(&file, &source, want);
		if (!file.failed)
			save(path, &file);
	}
	free(file.at);
	free(source.at);
	free(path);
}

void cli_name_images(const char *dir)
{
	/* launchers of several ranks end at once: the last one has to know what all the others recorded */
	int lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct images all = { 0 };
	struct bob_trace *t;

	if (lock >= 0)
		(void)flock(lock, LOCK_EX);
	if (bob_trace_open(dir, &t, NULL) == BOB_OK) {
		if (!collect(&all, t))
			for (size_t i = 0; i < all.count; i++)
				name_image(dir, &all.at[i]);
		for (size_t i = 0; i < all.count; i++)
			free(all.at[i].pc);
		free(all.number);
		free(all.at);
		bob_trace_close(t);
	}
	if (lock >= 0)
		close(lock);
}
