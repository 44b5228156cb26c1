/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector's view of a process's file (collector_file.h): mapping, allocation of chunks in
 * windows, and the scan for rings and descriptors. */
#define _GNU_SOURCE
#include "cli/record/collector_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAP_MOST (1ull << 38)	/* of a file; less if the system does not map as much */
#define MAP_LEAST (1ull << 28)
#define WINDOW_FIRST (64u << 10)
#define WINDOW_MAX (4u << 20)
#define BLOCK_BITS 12
#define BLOCK (1u << BLOCK_BITS)

struct bob_file_head *cli_cfile_head(const struct cli_cfile *c)
{
	return (struct bob_file_head *)(void *)c->file;
}

/* --- space in the file --- */

static int open_window(struct cli_cfile *c, uint64_t need)
{
	uint64_t size = c->window_next ? c->window_next : WINDOW_FIRST, off;

	while (size < need)
		size *= 2;
	off = __atomic_fetch_add(&c->shared->end, size, __ATOMIC_RELAXED);
	if (off > c->map_len || size > c->map_len - off ||
	    posix_fallocate(c->fd, (off_t)off, (off_t)size)) {
		uint64_t after = off + size;

		(void)__atomic_compare_exchange_n(&c->shared->end, &after, off, 0, __ATOMIC_RELAXED,
						  __ATOMIC_RELAXED);
		return 0;
	}
	c->window = c->file + off;
	c->window_size = size;
	c->window_used = 0;
	c->window_next = 2 * size < WINDOW_MAX ? 2 * size : WINDOW_MAX;
	bob_ring_pad(c->window, size);
	bob_ring_used(cli_cfile_head(c), off + size);
	return 1;
}

struct bob_chunk_head *cli_cfile_chunk(void *ctx, enum bob_chunk_kind kind, uint32_t stream,
				       uint64_t size, uint64_t aux, uint64_t *off)
{
	struct cli_cfile *c = ctx;
	const uint64_t need = bob_chunk_bytes(size);
	struct bob_chunk_head *h;

	if (c->window_size - c->window_used < need && !open_window(c, need))
		return NULL;
	h = (struct bob_chunk_head *)(void *)(c->window + c->window_used);
	c->window_used += need;
	bob_ring_pad(c->window + c->window_used, c->window_size - c->window_used);
	bob_chunk_begin(h, kind, stream, need - sizeof(*h), aux);
	*off = (uint64_t)((uint8_t *)h - c->file);
	return h;
}

void cli_cfile_note(struct cli_cfile *c, const char *line)
{
	uint64_t off;
	const size_t n = strlen(line);
	struct bob_chunk_head *h = cli_cfile_chunk(c, BOB_CHUNK_LOG, BOB_STREAM_NONE, n, 0, &off);

	if (!h)
		return;
	memcpy(bob_chunk_data(h), line, n);
	bob_chunk_seal(h, n);
}

/* --- what the process has written --- */

/* Length of the file's used part, as far as it is known. */
uint64_t cli_cfile_len(const struct cli_cfile *c)
{
	const uint64_t used = __atomic_load_n(&cli_cfile_head(c)->used, __ATOMIC_ACQUIRE);
	struct stat st;

	if (fstat(c->fd, &st))
		return 0;
	const uint64_t size = (uint64_t)st.st_size < c->map_len ? (uint64_t)st.st_size : c->map_len;

	return used < size ? used : size;
}

static struct bob_mem_desc *new_desc(struct cli_cfile *c, uint64_t number)
{
	struct bob_mem_desc **b = &c->block[number >> BLOCK_BITS];

	if (!*b)
		*b = calloc(BLOCK, sizeof(**b));
	return *b ? &(*b)[number & (BLOCK - 1)] : NULL;
}

static void take_descs(struct cli_cfile *c, const struct bob_chunk_head *h)
{
	const uint8_t *at = (const uint8_t *)(h + 1);
	const uint8_t *end = at + (h->len < h->size ? h->len : h->size);
	struct bob_mem_desc d;

	for (uint64_t number = h->aux; at < end && number >> BLOCK_BITS < CLI_CFILE_BLOCKS;
	     number++) {
		struct bob_mem_desc *to;

		if (bob_mem_desc_get(&at, end, &d, c->accesses, c->steps) != BOB_OK)
			return;
		to = new_desc(c, number);
		if (!to || to->kind)
			continue;
		d.access = NULL; /* not used by folding */
		d.step = NULL;
		if (d.kind == BOB_MEM_LOOP && d.payload) {
			struct bob_mem_step *step = malloc(d.words * sizeof(*step) + 1);

			if (!step)
				return;
			memcpy(step, c->steps, d.words * sizeof(*step));
			d.step = step;
		}
		*to = d;
	}
}

static void take_ring(struct cli_cfile *c, struct bob_chunk_head *h)
{
	struct cli_cstream **grown, *s;

	for (uint32_t i = 0; i < c->streams; i++)
		if (c->stream[i]->number == h->stream)
			return;
	grown = realloc(c->stream, (c->streams + 1) * sizeof(*grown));
	s = grown ? calloc(1, sizeof(*s)) : NULL;
	if (grown)
		c->stream = grown;
	if (!s)
		return;
	s->ring = bob_chunk_data(h);
	s->number = h->stream;
	c->stream[c->streams++] = s;
}

/* Scans all chunks again: they are few, and scans are rare. */
void cli_cfile_scan(struct cli_cfile *c)
{
	const uint64_t len = cli_cfile_len(c);
	uint64_t off = BOB_FILE_HEAD_BYTES;

	while (off < len) {
		struct bob_chunk_head *h = (struct bob_chunk_head *)(void *)(c->file + off);

		if (!bob_chunk_is_at(c->file + off, c->file + len)) {
			off += BOB_CHUNK_ALIGN;
			continue;
		}
		off += bob_chunk_bytes(h->size);
		if (h->kind == BOB_CHUNK_MEM_DESC &&
		    __atomic_load_n(&h->flags, __ATOMIC_ACQUIRE) & BOB_CHUNK_SEALED)
			take_descs(c, h);
		else if (h->kind == BOB_CHUNK_RING && h->size >= sizeof(struct bob_ring))
			take_ring(c, h);
		else if (h->kind == BOB_CHUNK_COLLECTOR && h->size >= sizeof(*c->shared) &&
			 !c->shared)
			c->shared = bob_chunk_data(h);
	}
}

static const struct bob_mem_desc *known(const struct cli_cfile *c, uint32_t number)
{
	const struct bob_mem_desc *b =
		number >> BLOCK_BITS < CLI_CFILE_BLOCKS ? c->block[number >> BLOCK_BITS] : NULL;

	return b && b[number & (BLOCK - 1)].kind ? &b[number & (BLOCK - 1)] : NULL;
}

/* Descriptors are in the file before the first record that refers to them. */
const struct bob_mem_desc *cli_cfile_desc(void *ctx, uint32_t number)
{
	struct cli_cfile *c = ctx;
	const struct bob_mem_desc *d = known(c, number);

	if (d)
		return d;
	cli_cfile_scan(c);
	return known(c, number);
}

/* A killed process may leave space without a chunk head: fills it with padding. */
static void pad_free_bytes(struct cli_cfile *c, uint64_t from, uint64_t len)
{
	uint64_t to = from;

	while (to < len && !bob_chunk_is_at(c->file + to, c->file + len))
		to += BOB_CHUNK_ALIGN;
	bob_ring_pad(c->file + from, (to < len ? to : len) - from);
}

/* Frees the unused end of the file, which no other process writes any more. */
void cli_cfile_trim(struct cli_cfile *c)
{
	const uint64_t len = cli_cfile_len(c);
	uint64_t off = BOB_FILE_HEAD_BYTES, end = off;

	while (off < len) {
		const struct bob_chunk_head *h = (const void *)(c->file + off);

		if (!bob_chunk_is_at(c->file + off, c->file + len))
			pad_free_bytes(c, off, len);
		if (!bob_chunk_is_at(c->file + off, c->file + len))
			break;
		off += bob_chunk_bytes(h->size);
		if (h->kind != BOB_CHUNK_PAD)
			end = off;
	}
	if (off != len)
		return;
	c->shared->end = end;
	__atomic_store_n(&cli_cfile_head(c)->used, end, __ATOMIC_RELEASE);
	if (ftruncate(c->fd, (off_t)end)) /* fails: the file stays as it is */
		__atomic_store_n(&cli_cfile_head(c)->used, len, __ATOMIC_RELEASE);
}

int cli_cfile_open(struct cli_cfile *c, const char *path)
{
	c->name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	c->fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (c->fd < 0)
		return -1;
	for (c->map_len = MAP_MOST; c->map_len >= MAP_LEAST; c->map_len /= 2) {
		c->file = mmap(NULL, c->map_len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			       c->fd, 0);
		if (c->file != MAP_FAILED)
			return 0;
	}
	close(c->fd);
	return -1;
}

static void free_block(struct bob_mem_desc *block)
{
	for (uint32_t i = 0; block && i < BLOCK; i++)
		free((void *)(uintptr_t)block[i].step);
	free(block);
}

void cli_cfile_close(struct cli_cfile *c)
{
	for (uint32_t i = 0; i < c->streams; i++)
		free(c->stream[i]);
	free(c->stream);
	for (uint32_t i = 0; i < CLI_CFILE_BLOCKS; i++)
		free_block(c->block[i]);
	munmap(c->file, c->map_len);
	close(c->fd);
}
