/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds names, source lines and variables to a trace's files of images (naming.h): collects the
 * instructions that occur per image, looks names up in the cache or in debug information, and
 * writes the files. */
#define _GNU_SOURCE
#include "cli/memory/naming.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/write/write.h"
#include "base/hash.h"
#include "base/order.h"
#include "bobbin/trace.h"
#include "cli/memory/names_used.h"
#include "cli/names_cache.h"
#include "plan/format.h"
#include "plan/plan.h"
#include "sys/sys.h"

#define FILE_BYTES_MAX (1u << 31)

/* Destination, and the cache. */
struct naming {
	const char *dir;
	int cache;
};

/* An image of any processes, and the instructions in it that made accesses or events. */
struct image {
	const struct bob_image_info *info;
	uint64_t *pc;
	size_t count, capacity;
	int needs_all;	/* needs all functions: calls or accesses were recorded, or may still be */
};

struct images {
	const struct bob_trace *trace;
	struct image *at;
	size_t count, capacity;
	uint32_t *number;	/* index of each image of the current process */
	uint32_t numbers;
	int no_memory;
};

static int open_cache(void)
{
	char cache[BOB_SYS_PATH];

	return bob_plan_cache_dir(cache, sizeof(cache), NULL) == BOB_OK ?
		       bob_plan_cache_open(cache, NULL) :
		       -1;
}

/* --- instructions that occur --- */

static uint32_t number_of(struct images *all, const struct bob_image_info *info)
{
	struct image *more;

	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].info->key == info->key)
			return (uint32_t)i;
	if (all->count == all->capacity) {
		more = realloc(all->at, (2 * all->capacity + 16) * sizeof(*more));
		if (!more) {
			all->no_memory = 1;
			return 0;
		}
		all->at = more;
		all->capacity = 2 * all->capacity + 16;
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
	if (im->count == im->capacity) {
		more = realloc(im->pc, (2 * im->capacity + 256) * sizeof(*more));
		if (!more) {
			all->no_memory = 1;
			return;
		}
		im->pc = more;
		im->capacity = 2 * im->capacity + 256;
	}
	im->pc[im->count++] = pc;
}

static void sort_each_once(struct image *im)
{
	size_t n = 0;

	if (im->count)
		qsort(im->pc, im->count, sizeof(*im->pc), bob_compare_u64);
	for (size_t i = 0; i < im->count; i++)
		if (!n || im->pc[n - 1] != im->pc[i])
			im->pc[n++] = im->pc[i];
	im->count = n;
}

/* Whether the process may still run, and so enter functions that it has not entered yet. A process
 * of another host counts as running unless it ended. */
static int goes_on(const struct bob_process_info *p)
{
	char host[64] = "";

	return !p->state && (gethostname(host, sizeof(host) - 1) || strcmp(p->host, host) ||
			     !kill((pid_t)p->pid, 0) || errno != ESRCH);
}

static int collect(struct images *all, const struct bob_trace *t)
{
	all->trace = t;
	for (uint32_t p = 0; p < bob_trace_process_count(t) && !all->no_memory; p++) {
		uint32_t n = bob_trace_process(t, p)->image_count;
		const int goes = goes_on(bob_trace_process(t, p)),
			  values = bob_archive_is_of_values(t, p);

		free(all->number);
		all->number = calloc(n + 1u, sizeof(*all->number));
		if (!all->number)
			return -1;
		all->numbers = n;
		for (uint32_t i = 0; i < n && !all->no_memory; i++) {
			all->number[i] = number_of(all, bob_trace_image(t, p, i));
			if (!all->no_memory)
				all->at[all->number[i]].needs_all |=
					goes || (!values && bob_trace_image(t, p, i)->chosen);
		}
		(void)bob_archive_used(t, p, note_pc, all);
	}
	for (size_t i = 0; i < all->count; i++)
		sort_each_once(&all->at[i]);
	return all->no_memory ? -1 : 0;
}

/* --- files --- */

/* Writes the buffer compressed, or unchanged. 0, or -1. */
static int write_packed(FILE *f, const struct cli_buffer *b)
{
	bob_status st = bob_archive_pack_image(b->at, b->len, f);

	if (st != BOB_NONE)
		return st == BOB_OK ? 0 : -1;
	rewind(f);
	return fwrite(b->at, 1, b->len, f) != b->len || fflush(f) ||
			       ftruncate(fileno(f), (off_t)b->len) ?
		       -1 :
		       0;
}

/* Replaces the file atomically. Returns whether it was written. */
static int save(const char *path, const struct cli_buffer *b)
{
	char *beside;
	int bad = 1;
	FILE *f;

	if (asprintf(&beside, "%s.%ld.new", path, (long)getpid()) < 0)
		return 0;
	f = fopen(beside, "w+bxe");
	if (f) {
		bad = write_packed(f, b);
		bad |= fclose(f);
		bad = bad || rename(beside, path);
		if (bad)
			unlink(beside);
	}
	free(beside);
	return !bad;
}

/* The instructions for which the SOURCE chunk of the trace's file was made, as a hash; 0: it has
 * none. Reads only heads of chunks. */
static uint64_t made_for(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct bob_chunk_head image, source;
	struct bob_file_head head;
	uint64_t made = 0;

	if (fd < 0)
		return 0;
	if (pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	    bob_head_bytes_ok(head.head_bytes) &&
	    pread(fd, &image, sizeof(image), head.head_bytes) == (ssize_t)sizeof(image) &&
	    image.kind == BOB_CHUNK_IMAGE && image.head_crc == bob_chunk_head_crc(&image) &&
	    image.size < FILE_BYTES_MAX &&
	    pread(fd, &source, sizeof(source),
		  (off_t)(head.head_bytes + bob_chunk_bytes(image.size))) ==
		    (ssize_t)sizeof(source) &&
	    source.kind == BOB_CHUNK_SOURCE && source.head_crc == bob_chunk_head_crc(&source))
		made = source.aux;
	close(fd);
	return made;
}

/* --- an image --- */

static void take_image_part(struct cli_buffer *file, const void *plan)
{
	const struct bob_plan_head *h = plan;

	cli_buffer_take(file, (const char *)plan + h->image.off, h->image.len);
}

/* Appends the functions from the image's plan. */
static int read_functions(const struct naming *n, const struct image *im, struct cli_buffer *file)
{
	char name[32];
	void *plan;
	size_t len;

	snprintf(name, sizeof(name), "%016" PRIx64 ".plan", im->info->key);
	if (n->cache >= 0 && bob_plan_cache_load(n->cache, name, &plan, &len) == BOB_OK) {
		if (bob_plan_check(plan, len, im->info->key) == BOB_OK)
			take_image_part(file, plan);
		free(plan);
	}
	if (!file->len && bob_plan_image(im->info->path, &plan, &len, NULL, NULL) == BOB_OK) {
		take_image_part(file, plan);
		free(plan);
	}
	return file->failed || !file->len ? -1 : 0;
}

static void add_source(const struct image *im, struct cli_names *names)
{
	struct cli_buffer source = { 0 }, inlined = { 0 };
	uint64_t used;

	names->made = bob_hash64(names->count, names->pc, names->count * sizeof(*names->pc)) | 1;
	if (bob_plan_source(im->info->path, names->pc, names->count, cli_buffer_take, &source,
			    &inlined, NULL) == BOB_OK &&
	    !source.failed)
		cli_chunk_add(&names->file, BOB_CHUNK_SOURCE, names->made, &source);
	if (inlined.len && !inlined.failed && !source.failed)
		cli_chunk_add(&names->file, BOB_CHUNK_TABLE_INLINED, names->made, &inlined);
	free(source.at);
	free(inlined.at);
	used = names->file.len;
	if (!names->file.failed && used >= BOB_FILE_HEAD_BYTES)
		memcpy(names->file.at + offsetof(struct bob_file_head, used), &used, sizeof(used));
}

/* Reads the names from the cache, or else computes them and stores them there. Names for other
 * instructions are computed again for the union of both, so that runs of a program with alternating
 * inputs do not wait each time. 0, or -1: not available. */
static int find_names(const struct naming *n, const struct image *im, struct cli_names *names)
{
	uint64_t key = 0, stamp = bob_plan_source_stamp(im->info->path, im->info->build_id,
							im->info->build_id_len);
	int known = !cli_names_read(n->cache, im->info->key, names);
	int is_same = known && names->stamp == stamp;

	if (is_same && cli_names_cover(names, im->pc, im->count))
		return 0;
	if (bob_plan_key(im->info->path, &key, NULL) != BOB_OK || key != im->info->key)
		return known ? 0 : -1; /* the file has changed since */
	if (!is_same)
		cli_names_free(names);
	names->file.len = 0;
	names->stamp = stamp;
	if (!cli_names_unite(names, im->pc, im->count) || read_functions(n, im, &names->file))
		return -1;
	add_source(im, names);
	if (names->file.failed)
		return -1;
	cli_names_keep(n->cache, key, names);
	return 0;
}

/* Writes all names, or those that the trace needs. Returns whether the file was written. */
static int save_names(const char *path, const struct image *im, uint64_t want, uint64_t made,
		      const struct cli_names *names)
{
	struct cli_buffer used;
	int saved;

	if (im->needs_all || cli_names_used(&names->file, im->pc, im->count, want, &used))
		return made != names->made && save(path, &names->file);
	saved = save(path, &used);
	free(used.at);
	return saved;
}

/* Returns whether the image's file was written. */
static int name_image(const struct naming *n, const struct image *im)
{
	const uint64_t seed = im->count + (im->needs_all ? 0 : 1ull << 32);
	uint64_t want = bob_hash64(seed, im->pc, im->count * sizeof(*im->pc)) | 1, made;
	struct cli_names names = { .count = 0 };
	char name[BOB_NAME_BYTES], *path;
	int saved = 0;

	if (!bob_name_image(name, sizeof(name), im->info->key) ||
	    asprintf(&path, "%s/%s", n->dir, name) < 0)
		return 0;
	made = made_for(path);
	/* Readers expect a file of each chosen image. It may have no functions: in a program whose
	 * callbacks are recorded without call paths. */
	if (!im->needs_all && !im->count && !im->info->chosen && !im->info->patched)
		unlink(path);
	else if (made != want && !find_names(n, im, &names))
		saved = save_names(path, im, want, made, &names);
	cli_names_free(&names);
	free(path);
	return saved;
}

static void restore_image(const struct naming *n, const struct bob_image_info *info)
{
	const struct image im = { .info = info };
	struct cli_buffer file = { 0 };
	char name[BOB_NAME_BYTES], *path;

	if (!bob_name_image(name, sizeof(name), info->key) ||
	    asprintf(&path, "%s/%s", n->dir, name) < 0)
		return;
	if (access(path, F_OK) && !read_functions(n, &im, &file))
		save(path, &file);
	free(file.at);
	free(path);
}

void cli_restore_images(const char *dir)
{
	struct naming n = { .dir = dir, .cache = open_cache() };
	struct bob_trace *t = NULL;

	(void)bob_trace_open(dir, &t, NULL);
	for (uint32_t p = 0; t && p < bob_trace_process_count(t); p++)
		for (uint32_t i = 0; i < bob_trace_process(t, p)->image_count; i++) {
			const struct bob_image_info *info = bob_trace_image(t, p, i);

			if (info->chosen || info->patched)
				restore_image(&n, info);
		}
	bob_trace_close(t);
	if (n.cache >= 0)
		close(n.cache);
}

/* Whether the file is as the agent wrote it: with a long head, and not compressed. */
static int is_loose(const struct cli_buffer *file)
{
	struct bob_chunk_head c;

	return cli_chunk_at(file, BOB_FILE_HEAD_BYTES, &c) && !(c.flags & BOB_CHUNK_ZSTD);
}

/* Compresses an image's file that the agent wrote. */
static void pack_file(const char *path)
{
	struct cli_buffer b = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	uint8_t bytes[1 << 16];
	ssize_t n = -1;

	if (fd < 0)
		return;
	while (b.len < FILE_BYTES_MAX && (n = read(fd, bytes, sizeof(bytes))) > 0)
		cli_buffer_take(&b, bytes, (size_t)n);
	close(fd);
	if (!n && !b.failed && is_loose(&b))
		save(path, &b);
	free(b.at);
}

void cli_pack_images(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		size_t n = strlen(e->d_name);
		char *path;

		if (e->d_name[0] != 'i' || n < 5 || strcmp(e->d_name + n - 4, ".bob") ||
		    asprintf(&path, "%s/%s", dir, e->d_name) < 0)
			continue;
		pack_file(path);
		free(path);
	}
	if (d)
		closedir(d);
}

uint32_t cli_name_images(const char *dir, const struct bob_trace *t)
{
	struct naming n = { .dir = dir, .cache = open_cache() };
	struct images all = { 0 };
	uint32_t saved = 0;

	if (!collect(&all, t))
		for (size_t i = 0; i < all.count; i++)
			saved += (uint32_t)name_image(&n, &all.at[i]);
	for (size_t i = 0; i < all.count; i++)
		free(all.at[i].pc);
	free(all.number);
	free(all.at);
	if (n.cache >= 0)
		close(n.cache);
	return saved;
}
