/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds trace files in memory with the writer and the encoder, as the agent would, but
 * deterministic. For the golden generator, the unit tests and seeds of the fuzzer; asserts on
 * anything that goes wrong, because that is the test's own fault. */
#ifndef BOB_TESTS_GOLDEN_BUILD_H
#define BOB_TESTS_GOLDEN_BUILD_H

#undef NDEBUG
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "archive/archive.h"
#include "archive/write/write.h"
#include "run/symbol.h"

#define BUILD_CAP ((size_t)8 << 20)
#define BUILD_STREAMS 64

struct build;

struct build_stream {
	struct build *b;
	uint32_t number;
	uint64_t given;		/* stream bytes handed to the encoder */
	size_t window;
	void *mem;		/* the encoder's, while it is open */
	struct bob_stream_head *head;
	struct bob_run_enc *enc;
};

struct build {
	char name[BOB_NAME_BYTES];
	uint8_t *bytes;		/* BUILD_CAP, page aligned */
	uint64_t len;
	struct build_stream streams[BUILD_STREAMS];
	uint32_t stream_count;
};

/* Zeroed address space, of which only what is touched is memory. */
static inline void *build_map(size_t size)
{
	uint8_t *p =
		mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert(p != MAP_FAILED);
	memcpy(p, &size, sizeof(size));
	return p + 4096;
}

static inline void build_unmap(void *mem)
{
	uint8_t *p = (uint8_t *)mem - 4096;
	size_t size;

	memcpy(&size, p, sizeof(size));
	munmap(p, size + 4096);
}

static inline struct bob_file_head *build_head(struct build *b)
{
	return (struct bob_file_head *)(void *)b->bytes;
}

static inline struct bob_chunk_head *build_chunk(struct build *b, enum bob_chunk_kind kind,
						 uint32_t stream, uint64_t size, uint64_t aux)
{
	struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(b->bytes + b->len);

	assert(BUILD_CAP - b->len >= bob_chunk_bytes(size));
	bob_chunk_begin(c, kind, stream, size, aux);
	b->len += bob_chunk_bytes(size);
	bob_file_set_used(build_head(b), b->len);
	return c;
}

/* A sealed chunk with these bytes. */
static inline void build_sealed(struct build *b, enum bob_chunk_kind kind, uint64_t aux,
				const void *bytes, uint64_t len)
{
	struct bob_chunk_head *c = build_chunk(b, kind, BOB_STREAM_NONE, len, aux);

	memcpy(bob_chunk_data(c), bytes, len);
	bob_chunk_seal(c, len);
}

static inline void build_begin(struct build *b, enum bob_file_kind kind)
{
	memset(b, 0, sizeof(*b));
	b->bytes = aligned_alloc(4096, BUILD_CAP);
	assert(b->bytes);
	memset(b->bytes, 0, BUILD_CAP);
	bob_file_begin(build_head(b), kind, "goldhost");
	b->len = BOB_FILE_HEAD_BYTES;
}

static inline void build_process(struct build *b, uint32_t pid, uint32_t ppid, uint32_t seq,
				 uint64_t start_ns)
{
	struct bob_file_head *h;

	build_begin(b, BOB_FILE_PROCESS);
	h = build_head(b);
	h->pid = pid;
	h->ppid = ppid;
	h->seq = seq;
	h->start_real_ns = 1700000000000000000ull + start_ns;
	h->start_mono_ns = start_ns;
	bob_file_seal(h);
	bob_name_process(b->name, sizeof(b->name), h->host, pid, seq);
}

static inline uint8_t *build_grow(void *ctx, size_t *len)
{
	struct build_stream *s = ctx;
	struct bob_chunk_head *c;

	if (BUILD_CAP - s->b->len < bob_chunk_bytes(s->window))
		return NULL;
	c = build_chunk(s->b, BOB_CHUNK_DATA, s->number, s->window, s->given);
	*len = s->window;
	s->given += s->window;
	return bob_chunk_data(c);
}

static inline void *build_alloc(void *ctx, size_t size)
{
	struct build_stream *s = ctx;

	assert(!s->mem);
	s->mem = aligned_alloc(4096, (size + 4095) & ~(size_t)4095);
	assert(s->mem);
	return memset(s->mem, 0, size);
}

static inline void build_release(void *ctx, void *p, size_t size)
{
	struct build_stream *s = ctx;

	(void)size;
	assert(p == s->mem);
	free(p);
	s->mem = NULL;
}

static inline struct build_stream *build_stream(struct build *b, enum bob_codec codec,
						size_t window, const char *name)
{
	struct build_stream *s = &b->streams[b->stream_count];
	struct bob_run_io io = { s, build_grow, build_alloc, build_release };
	struct bob_chunk_head *c =
		build_chunk(b, BOB_CHUNK_STREAM, b->stream_count, sizeof(*s->head), 0);
	bob_status st;

	assert(b->stream_count < BUILD_STREAMS);
	s->b = b;
	s->number = b->stream_count++;
	s->window = window;
	s->head = bob_chunk_data(c);
	s->head->tid = build_head(b)->pid + s->number;
	s->head->start_mono_ns = build_head(b)->start_mono_ns + s->number;
	for (size_t i = 0; name[i] && i < sizeof(s->head->name); i++)
		s->head->name[i] = name[i];
	s->enc = calloc(1, bob_run_enc_size());
	assert(s->enc);
	st = bob_run_open(s->enc, codec, &s->head->run, &io);
	assert(st == BOB_OK);
	(void)st;
	return s;
}

static inline void build_put(struct build_stream *s, uint32_t sym)
{
	bob_status st = bob_run_put(s->enc, sym);

	assert(st == BOB_OK);
	(void)st;
}

static inline void build_call(struct build_stream *s, uint32_t pops, uint32_t id)
{
	build_put(s, bob_sym_make(pops, id));
}

static inline void build_ext(struct build_stream *s, enum bob_sym_kind kind, uint32_t payload)
{
	build_put(s, bob_sym_make_ext(kind, payload));
}

/* Seal the windows of a closed stream. The encoder may have taken one ahead that stays empty. */
static inline void build_seal(struct build_stream *s)
{
	const struct bob_run_head *h = &s->head->run;
	uint64_t out_len = h->slot[h->cur & 1].out_len, len;

	for (uint64_t off = BOB_FILE_HEAD_BYTES; off < s->b->len;) {
		struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(s->b->bytes + off);

		off += bob_chunk_bytes(c->size);
		if (c->kind != BOB_CHUNK_DATA || c->stream != s->number)
			continue;
		len = out_len < c->aux ? 0 : out_len - c->aux;
		bob_chunk_seal(c, len < c->size ? len : c->size);
	}
}

/* The thread ends: END symbol, closed codec, sealed windows. */
static inline void build_end(struct build_stream *s)
{
	bob_status st;

	build_ext(s, BOB_SYM_END, 0);
	st = bob_run_close(s->enc);
	assert(st == BOB_OK);
	(void)st;
	s->head->state = BOB_THREAD_ENDED;
	s->head->end_mono_ns = s->head->start_mono_ns + 1000;
	build_seal(s);
}

/* An image of `count` functions, every third without a name, with soname `soname`. */
static inline void build_image(struct build *b, uint64_t key, const char *soname, uint32_t count)
{
	uint8_t *buf = calloc(1, sizeof(struct bob_image_head) + count * 64ull);
	struct bob_image_head *h = (struct bob_image_head *)(void *)buf;
	struct bob_image_func *fn = (struct bob_image_func *)(void *)(h + 1);
	char *names = (char *)(fn + count);
	uint32_t at = 0;

	build_begin(b, BOB_FILE_IMAGE);
	bob_file_seal(build_head(b));
	bob_name_image(b->name, sizeof(b->name), key);
	h->key = key;
	h->count = count;
	h->func_off = sizeof(*h);
	h->names_off = (uint32_t)(sizeof(*h) + count * sizeof(*fn));
	strncpy(h->soname, soname, sizeof(h->soname) - 1);
	for (uint32_t i = 0; i < count; i++) {
		fn[i].addr = 0x1000 + 0x40ull * i;
		fn[i].size = 0x30;
		fn[i].file = ~0u;
		fn[i].name = ~0u;
		if (i % 3 == 2)
			continue;
		fn[i].name = at;
		at += (uint32_t)snprintf(names + at, 32, "f%u", i) + 1;
	}
	h->names_len = at;
	build_sealed(b, BOB_CHUNK_IMAGE, 0, buf, h->names_off + at);
	free(buf);
}

/* `moved` from where images lie otherwise. */
static inline void build_rec_image_at(struct bob_meta *m, uint32_t image, uint32_t first_id,
				      uint32_t count, uint64_t key, const char *path,
				      uint64_t moved)
{
	struct bob_rec_image rec = { .image = image, .first_id = first_id, .count = count,
				     .patched = count, .bias = 0x555500000000ull + moved,
				     .key = key, .build_id = { 1, 2, 3 }, .build_id_len = 3,
				     .chosen = 1 };

	bob_meta_begin(m, BOB_REC_IMAGE);
	bob_meta_append(m, &rec, sizeof(rec));
	bob_meta_append(m, path, strlen(path));
	bob_meta_end(m);
	assert(!m->failed);
}

static inline void build_rec_image(struct bob_meta *m, uint32_t image, uint32_t first_id,
				   uint32_t count, uint64_t key, const char *path)
{
	build_rec_image_at(m, image, first_id, count, key, path, 0);
}

static inline void build_free(struct build *b)
{
	for (uint32_t i = 0; i < b->stream_count; i++) {
		free(b->streams[i].enc);
		free(b->streams[i].mem);
	}
	free(b->bytes);
	memset(b, 0, sizeof(*b));
}

#endif
