/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the memory plan of an image as a file (mem/format.h). The output is deterministic. */
#include <string.h>

#include "base/hash.h"
#include "base/order.h"
#include "plan/mem/mem.h"
#include "plan/plan.h"

#define SECTIONS 11
#define SECTION_ALIGN 64u

struct part {
	size_t place;		/* offset of its struct bob_plan_section in the head */
	const void *bytes;
	uint64_t len;
};

BOB_COMPARE(by_orig, struct bob_mem_stop, BOB_UP(orig))

BOB_COMPARE(by_addr, struct bob_mem_patch, BOB_UP(addr))

static void sort_tables(struct bob_mem_plan *p)
{
	if (p->stops.count > 0)
		qsort(p->stops.at, p->stops.count, sizeof(*p->stops.at), by_orig);
	if (p->patches.count > 0)
		qsort(p->patches.at, p->patches.count, sizeof(*p->patches.at), by_addr);
	if (p->fixes.count > 0)	/* short landings add theirs out of order */
		qsort(p->fixes.at, p->fixes.count, sizeof(*p->fixes.at), bob_compare_u32);
}

static bob_status pack_descs(const struct bob_mem_plan *p, struct bob_plan_bytes *out)
{
	for (size_t i = 0; i < p->descs.count; i++) {
		const struct bob_mem_planned *q = &p->descs.at[i];
		struct bob_mem_desc d = q->desc;

		d.access = p->accesses.count ? p->accesses.at + q->access : NULL;
		d.step = p->steps.count ? p->steps.at + q->step : NULL;
		if (BOB_VEC_RESERVE(out, BOB_MEM_DESC_BYTES(d.access_count)) != 0)
			return BOB_ERR_NOMEM;
		out->count += bob_mem_desc_put(&d, out->at + out->count);
	}
	return BOB_OK;
}

static uint64_t align_up(uint64_t n)
{
	return (n + SECTION_ALIGN - 1) & ~(uint64_t)(SECTION_ALIGN - 1);
}

#define PART(name, list)                                                                           \
	{                                                                                          \
		offsetof(struct bob_mem_plan_head, name), (list).at,                               \
			(list).count * sizeof(*(list).at)                                          \
	}

bob_status bob_mem_plan_write(const struct bob_plan_image *img, struct bob_mem_plan *p,
			      void **bytes, size_t *len)
{
	struct bob_mem_plan_head head = {.magic = BOB_MEM_PLAN_MAGIC,
					 .version = BOB_MEM_PLAN_VERSION,
					 .key = img->key, .desc_count = (uint32_t)p->descs.count,
					 .split_stacks = p->split_stacks};
	const size_t from = offsetof(struct bob_mem_plan_head, file_bytes);
	struct bob_plan_bytes descs = { 0 };
	bob_status st = pack_descs(p, &descs);
	uint64_t total = align_up(sizeof(head));
	uint8_t *out;

	sort_tables(p);
	bob_plan_text_bounds(img, &head.text_lo, &head.text_hi);
	const struct part parts[SECTIONS] = {
		PART(funcs, p->funcs), PART(patches, p->patches), PART(stops, p->stops),
		PART(blob, p->blob), PART(relocs, p->relocs), PART(tls, p->tls), PART(ids, p->ids),
		PART(text, p->text), PART(fixes, p->fixes), PART(descs, descs),
		PART(map, p->map),
	};
	for (size_t i = 0; i < SECTIONS; i++) {
		struct bob_plan_section s = { total, parts[i].len };

		memcpy((uint8_t *)&head + parts[i].place, &s, sizeof(s));
		total = align_up(total + parts[i].len);
	}
	head.file_bytes = total;
	out = st == BOB_OK ? calloc(1, total) : NULL;
	if (!out) {
		free(descs.at);
		return BOB_ERR_NOMEM;
	}
	for (size_t i = 0; i < SECTIONS; i++) {
		struct bob_plan_section s;

		memcpy(&s, (uint8_t *)&head + parts[i].place, sizeof(s));
		if (s.len > 0)
			memcpy(out + s.off, parts[i].bytes, s.len);
	}
	memcpy(out, &head, sizeof(head));
	head.check = (uint32_t)bob_hash64(0, out + from, total - from);
	memcpy(out, &head, sizeof(head));
	free(descs.at);
	*bytes = out;
	*len = total;
	return BOB_OK;
}

bob_status bob_mem_plan_open(const char *path, struct bob_plan_image *img,
			     struct bob_mem_plan *plan, struct bob_error *err)
{
	bob_status st = bob_plan_elf_open(img, path, err);

	memset(plan, 0, sizeof(*plan));
	if (st != BOB_OK)
		return st;
	st = bob_plan_read(img);
	if (st == BOB_OK)
		st = bob_mem_plan_make(img, plan);
	if (st != BOB_OK)
		bob_plan_fail(err, st, path, "the image could not be planned");
	return st;
}

bob_status bob_plan_mem_image(const char *path, void **bytes, size_t *len, struct bob_error *err)
{
	struct bob_plan_image img;
	struct bob_mem_plan plan;
	bob_status st = bob_mem_plan_open(path, &img, &plan, err);

	if (st == BOB_OK) {
		st = bob_mem_plan_write(&img, &plan, bytes, len);
		if (st != BOB_OK)
			bob_plan_fail(err, st, path, "the image could not be planned");
	}
	bob_mem_plan_free(&plan);
	bob_plan_elf_close(&img);
	return st;
}
