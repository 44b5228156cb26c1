/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the plan of an image (format.h), which contains the image file for the trace. The output
 * is deterministic: it depends only on the image and on whether C++ names can be demangled. */
#include <elf.h>
#include <string.h>

#include "base/crc.h"
#include "base/hash.h"
#include "plan/image.h"
#include "sys/sys.h"

#define SECTION_ALIGN 64u

struct out {
	uint8_t *p;
	uint64_t len, capacity;
};

static uint64_t align64(uint64_t n)
{
	return (n + SECTION_ALIGN - 1) & ~(uint64_t)(SECTION_ALIGN - 1);
}

struct names {
	struct bob_plan_bytes bytes;
	uint32_t *at;		/* name offset of each function; BOB_PLAN_NO_INDEX: none */
};

static bob_status add_name(struct bob_plan_bytes *names, const char *name, size_t len)
{
	if (names->count + len + 1 > INT32_MAX)
		return BOB_ERR_FULL;
	if (BOB_VEC_RESERVE(names, len + 1) != 0)
		return BOB_ERR_NOMEM;
	memcpy(names->at + names->count, name, len);
	names->at[names->count + len] = 0;
	names->count += len + 1;
	return BOB_OK;
}

/* Append the demangled form of a mangled name, and the same without parameters. Both are empty if
 * demangling fails. */
static bob_status add_demangled(struct bob_plan_bytes *names, const char *name)
{
	char *text = bob_demangle(name);
	const char *t = text ? text : "";
	bob_status st = add_name(names, t, strlen(t));

	if (st == BOB_OK)
		st = add_name(names, t, bob_demangled_base(t));
	free(text);
	return st;
}

/* Concatenate zero-terminated names. The agent's version also has the forms that patterns are
 * compared with (format.h). */
static bob_status make_names(const struct bob_plan_image *img, int for_agent, struct names *n)
{
	n->at = malloc((img->funcs.count + 1) * sizeof(*n->at));
	if (!n->at)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < img->funcs.count; i++) {
		const char *name = img->funcs.at[i].name;
		bob_status st;

		n->at[i] = BOB_PLAN_NO_INDEX;
		if (!name)
			continue;
		n->at[i] = (uint32_t)n->bytes.count;
		st = add_name(&n->bytes, name, strlen(name));
		if (st == BOB_OK && for_agent && name[0] == '_' && name[1] == 'Z')
			st = add_demangled(&n->bytes, name);
		if (st != BOB_OK)
			return st;
	}
	return BOB_OK;
}

static void put_section(struct out *o, struct bob_plan_section *s, const void *bytes, uint64_t len)
{
	o->len = align64(o->len);
	s->off = o->len;
	s->len = len;
	if (len > 0 && bytes)
		memcpy(o->p + o->len, bytes, len);
	o->len += len;
}

static uint64_t image_payload_len(const struct bob_plan_image *img, uint64_t names_len)
{
	return sizeof(struct bob_image_head) + img->funcs.count * sizeof(struct bob_image_func) +
	       names_len;
}

static uint64_t image_file_len(const struct bob_plan_image *img, uint64_t names_len)
{
	return BOB_FILE_HEAD_BYTES +
	       align64(sizeof(struct bob_chunk_head) + image_payload_len(img, names_len));
}

static void seal_chunk(struct bob_chunk_head *c, const uint8_t *payload)
{
	uint8_t packed[26];

	c->crc = bob_crc32c(0, payload, c->len);
	memcpy(packed, &c->magic, 4);
	memcpy(packed + 4, &c->kind, 2);
	memcpy(packed + 6, &c->stream, 4);
	memcpy(packed + 10, &c->size, 8);
	memcpy(packed + 18, &c->aux, 8);
	c->head_crc = bob_crc32c(0, packed, sizeof(packed));
}

/* Write the image file to `p`, which is zeroed. */
static void make_image_file(const struct bob_plan_image *img, const struct bob_plan_bytes *names,
			    const uint32_t *name_at, uint8_t *p)
{
	struct bob_file_head head = {.magic = BOB_FORMAT_MAGIC, .version = BOB_FORMAT_VERSION,
				     .kind = BOB_FILE_IMAGE, .head_bytes = BOB_FILE_HEAD_BYTES,
				     .parent_seq = UINT32_MAX, .state = BOB_FILE_CLOSED};
	struct bob_chunk_head chunk = {.magic = BOB_CHUNK_MAGIC, .kind = BOB_CHUNK_IMAGE,
				       .flags = BOB_CHUNK_SEALED, .stream = UINT32_MAX};
	struct bob_image_head ih = { .key = img->key, .build_id_len = img->build_id_len };
	uint8_t *payload = p + BOB_FILE_HEAD_BYTES + sizeof(chunk), *at = payload + sizeof(ih);

	head.crc = bob_crc32c(0, &head, offsetof(struct bob_file_head, crc));
	head.used = image_file_len(img, names->count);
	memcpy(p, &head, sizeof(head));
	ih.count = (uint32_t)img->funcs.count;
	ih.func_off = sizeof(ih);
	ih.names_off = (uint32_t)(sizeof(ih) + ih.count * sizeof(struct bob_image_func));
	ih.names_len = (uint32_t)names->count;
	memcpy(ih.build_id, img->build_id, sizeof(ih.build_id));
	memcpy(ih.soname, img->soname, sizeof(ih.soname));
	memcpy(payload, &ih, sizeof(ih));
	for (size_t i = 0; i < img->funcs.count; i++) {
		const struct bob_plan_candidate *f = &img->funcs.at[i];
		struct bob_image_func out = {.addr = f->addr, .size = (uint32_t)(f->end - f->addr),
					     .name = name_at[i], .skip = f->skip,
					     .flags = f->flags, .file = UINT32_MAX};

		memcpy(at, &out, sizeof(out));
		at += sizeof(out);
	}
	if (names->count > 0)
		memcpy(at, names->at, names->count);
	chunk.size = chunk.len = image_payload_len(img, names->count);
	seal_chunk(&chunk, payload);
	memcpy(p + BOB_FILE_HEAD_BYTES, &chunk, sizeof(chunk));
}

static void put_funcs(const struct bob_plan_image *img, const uint32_t *name_at, uint8_t *p)
{
	for (size_t i = 0; i < img->funcs.count; i++) {
		const struct bob_plan_candidate *f = &img->funcs.at[i];
		struct bob_plan_func out = f->out;

		out.addr = f->addr;
		out.size = (uint32_t)(f->end - f->addr);
		out.name = name_at[i];
		out.skip = f->skip;
		out.flags = f->flags;
		if (out.kind == BOB_PATCH_NONE) {
			out.patch_delta = 0;
			out.skip = f->skip != BOB_SKIP_NONE ? f->skip : BOB_SKIP_SHORT;
		}
		memcpy(p + i * sizeof(out), &out, sizeof(out));
	}
}

static void put_fdes(const struct bob_plan_image *img, uint8_t *p)
{
	for (size_t i = 0; i < img->frames.count; i++) {
		const struct bob_plan_frame *f = &img->frames.at[i];
		struct bob_plan_fde out = {.lo = f->lo, .hi = f->hi, .owner = f->owner,
					   .row = f->row, .row_count = f->row_count,
					   .flags = f->signal ? BOB_FDE_SIGNAL : 0};

		memcpy(p + i * sizeof(out), &out, sizeof(out));
	}
}

/* Code sections are not sufficient: an image without sections has only segments. */
void bob_plan_text_bounds(const struct bob_plan_image *img, uint64_t *lo, uint64_t *hi)
{
	*lo = img->codes.at[0].lo;
	*hi = img->codes.at[img->codes.count - 1].hi;
	for (size_t i = 0; i < img->segments.count; i++) {
		const struct bob_plan_segment *s = &img->segments.at[i];

		if (!(s->flags & PF_X))
			continue;
		if (s->addr < *lo)
			*lo = s->addr;
		if (s->addr + s->len > *hi && s->addr + s->len <= INT32_MAX)
			*hi = s->addr + s->len;
	}
}

static void put_all(struct bob_plan_image *img, struct out *o, const struct names *agents,
		    const struct names *images)
{
	struct bob_plan_head h = { .magic = BOB_PLAN_MAGIC, .version = BOB_PLAN_VERSION };

	h.key = img->key;
	bob_plan_text_bounds(img, &h.text_lo, &h.text_hi);
	h.func_count = (uint32_t)img->funcs.count;
	h.arena_bytes = (uint32_t)img->blob.count;
	memcpy(h.build_id, img->build_id, sizeof(h.build_id));
	h.build_id_len = img->build_id_len;
	o->len = sizeof(h);
	put_section(o, &h.funcs, NULL, img->funcs.count * sizeof(struct bob_plan_func));
	put_funcs(img, agents->at, o->p + h.funcs.off);
	put_section(o, &h.blob, img->blob.at, img->blob.count);
	put_section(o, &h.relocs, img->relocs.at, img->relocs.count * sizeof(uint32_t));
	put_section(o, &h.fdes, NULL, img->frames.count * sizeof(struct bob_plan_fde));
	put_fdes(img, o->p + h.fdes.off);
	put_section(o, &h.rows, img->rows.at, img->rows.count * sizeof(struct bob_plan_row));
	put_section(o, &h.special, img->specials.at,
		    img->specials.count * sizeof(struct bob_plan_special));
	put_section(o, &h.names, agents->bytes.at, agents->bytes.count);
	put_section(o, &h.image, NULL, image_file_len(img, images->bytes.count));
	make_image_file(img, &images->bytes, images->at, o->p + h.image.off);
	h.file_bytes = o->len;
	memcpy(o->p, &h, sizeof(h));
	h.check = (uint32_t)bob_hash64(0, o->p + offsetof(struct bob_plan_head, file_bytes),
				       o->len - offsetof(struct bob_plan_head, file_bytes));
	memcpy(o->p, &h, sizeof(h));
}

bob_status bob_plan_write(struct bob_plan_image *img, void **plan, size_t *len)
{
	struct names agents = { 0 }, images = { 0 };
	struct out o = { 0 };
	bob_status st = make_names(img, 1, &agents);

	if (st == BOB_OK)
		st = make_names(img, 0, &images);
	if (st != BOB_OK)
		goto free_names;
	o.capacity = sizeof(struct bob_plan_head) + 9 * SECTION_ALIGN +
		     img->funcs.count * sizeof(struct bob_plan_func) + img->blob.count +
		     img->relocs.count * sizeof(uint32_t) +
		     img->frames.count * sizeof(struct bob_plan_fde) +
		     img->rows.count * sizeof(struct bob_plan_row) +
		     img->specials.count * sizeof(struct bob_plan_special) + agents.bytes.count +
		     image_file_len(img, images.bytes.count);
	o.p = calloc(1, o.capacity);
	st = BOB_ERR_NOMEM;
	if (!o.p)
		goto free_names;
	put_all(img, &o, &agents, &images);
	img->stats.fdes = (uint32_t)img->frames.count;
	img->stats.rows = (uint32_t)img->rows.count;
	*plan = o.p;
	*len = o.len;
	st = BOB_OK;
free_names:
	free(agents.bytes.at);
	free(agents.at);
	free(images.bytes.at);
	free(images.at);
	return st;
}
