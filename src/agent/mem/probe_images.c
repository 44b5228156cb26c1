/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of instrumented sources (src/probe): images unknown to the loader, whose descriptors come
 * from their own recorder, and records put on its behalf. Everything else (buffers, folding, forks,
 * the end) is the same as for translated code. */
#include "agent/mem/mem.h"

#include <string.h>

#include "agent/os.h"

/* An image with the plans that its description needs; never freed. */
struct source {
	struct bob_image image;
	struct bob_mem_image mem;
	struct bob_plan_head plan;
	struct bob_mem_plan_head mem_plan;
	uint8_t bytes[]; /* descriptors, followed by the path */
};

/* A list linked by image.next, and where the next image is linked. */
static struct bob_image *oldest, **newest = &oldest;

/* What sources reported about their variables, for the files of fork children. Never unmapped. */
#define SAVED_BYTES 65536u
static struct saved {
	struct saved *next;
	size_t len, capacity;
	uint8_t bytes[];
} * saved_first, *saved;

/* Lock held. */
static bool keep(const void *meta, size_t bytes)
{
	if (!saved || bytes > saved->capacity - saved->len) {
		const size_t capacity = bytes > SAVED_BYTES ? bytes : SAVED_BYTES;
		struct saved *next = os_map(sizeof(*next) + capacity);

		if (!next)
			return false;
		*(saved ? &saved->next : &saved_first) = next;
		next->capacity = capacity;
		saved = next;
	}
	memcpy(saved->bytes + saved->len, meta, bytes);
	saved->len += bytes;
	return true;
}

/* Lock held. */
static bool write_meta(const void *meta, size_t bytes)
{
	struct bob_chunk_head *h = file_chunk(BOB_CHUNK_META, BOB_STREAM_NONE, bytes, 0);

	if (!h)
		return false;
	memcpy(bob_chunk_data(h), meta, bytes);
	bob_chunk_seal(h, bytes);
	return true;
}

static struct source *copy(const struct bob_agent_source *s)
{
	size_t path_bytes = text_len(s->path) + 1;
	struct source *p = os_map(sizeof(*p) + s->descs_bytes + path_bytes);

	if (!p)
		return NULL;
	memcpy(p->bytes, s->descs, s->descs_bytes);
	memcpy(p->bytes + s->descs_bytes, s->path, path_bytes);
	p->plan.key = s->key;
	p->plan.func_count = s->functions;
	p->plan.build_id_len = sizeof(s->build_id);
	memcpy(p->plan.build_id, &s->build_id, sizeof(s->build_id));
	p->mem_plan.desc_count = s->desc_count;
	p->mem_plan.descs.off = offsetof(struct source, bytes) - offsetof(struct source, mem_plan);
	p->mem_plan.descs.len = s->descs_bytes;
	p->mem.plan = &p->mem_plan;
	p->image.plan = &p->plan;
	p->image.mem = &p->mem;
	p->image.bias = s->bias;
	p->image.path = (const char *)p->bytes + s->descs_bytes;
	p->image.chosen = true;
	return p;
}

/* Lock held. */
static bool enter(struct source *p, const struct bob_agent_source *s)
{
	struct bob_meta meta;

	p->image.number = bob_process.image_count;
	p->image.first_id = bob_process.next_id;
	if (!mem_descs_add(&p->image) || !mem_descs_write(&p->image) ||
	    !meta_open(&meta, 4096 + BOB_PATH_MAX))
		return false;
	bob_process.image_count++;
	bob_process.next_id += p->plan.func_count;
	image_describe(&p->image, &meta);
	meta_flush(&meta);
	*newest = &p->image;
	newest = &p->image.next;
	if (s->meta_bytes && keep(s->meta, s->meta_bytes))
		(void)write_meta(s->meta, s->meta_bytes);
	return true;
}

uint32_t mem_source_add(const struct bob_agent_source *s)
{
	struct source *p;
	bool ok;

	if (!bob_process.recording || !bob_process.config.source || process_is_child() ||
	    text_len(s->path) >= BOB_PATH_MAX)
		return ~0u;
	p = copy(s);
	if (!p)
		return ~0u;
	lock_process();
	ok = enter(p, s);
	unlock_process();
	if (!ok)
		return ~0u;
	mem_begin(); /* constructors may have probes */
	return p->mem.first_desc;
}

const struct bob_image *mem_sources(void)
{
	return oldest;
}

void mem_sources_report_again(void)
{
	for (const struct saved *t = saved_first; t; t = t->next)
		(void)write_meta(t->bytes, t->len);
}

bool mem_source_report(const void *meta, size_t bytes)
{
	bool ok;

	if (!bob_process.recording || !bob_process.config.source || !os_allowed())
		return false;
	lock_process();
	ok = keep(meta, bytes) && write_meta(meta, bytes);
	unlock_process();
	return ok;
}

/* Returns false if recording has ended. */
static bool make_space(void)
{
	bob_mem_full();
	return mem_is_recorded();
}

bool mem_source_record(uint32_t number, const uint64_t *word, uint32_t words)
{
	while (!bob_mem_words(BOB_MEM_HEADER | number, word, words))
		if (!make_space())
			return false;
	return true;
}

bool mem_source_access(uint32_t number, uint64_t word)
{
	while (!bob_mem_mark(BOB_MEM_HEADER | number, word, 0, 1))
		if (!make_space())
			return false;
	return true;
}
