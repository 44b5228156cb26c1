/* SPDX-License-Identifier: BSD-3-Clause */
/* bob_mem_plan_check against any bytes, as fuzz_plan.c does for patch plans: version, length and
 * checksum are made right first. What passes is followed the way the agent does: every index and
 * offset, and the map from places in the code. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan/mem/format.h"
#include "plan_bytes.h"

#define FINDS 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void follow_fields(const uint8_t *p, const struct bob_plan_section *fields,
			  const struct bob_plan_section *in)
{
	const uint32_t *at = (const void *)(p + fields->off);

	for (uint64_t i = 0; i < fields->len / 4; i++)
		use(p + in->off + at[i], 4);
}

/* Hostile still; what it says can be followed. At most FINDS places a function: each reads the map
 * anew. */
static void follow_map(const struct bob_mem_plan_head *h, uint32_t func)
{
	const struct bob_mem_func *f = (const void *)((const uint8_t *)h + h->funcs.off);
	uint32_t stride = f[func].code_len / FINDS + 1;

	for (uint32_t k = 0; k < f[func].code_len; k += stride) {
		struct bob_mem_where w;
		bob_status st = bob_mem_map_find(h, f[func].code + k, &w);

		if (st == BOB_ERR_CORRUPT)
			continue;
		if (st != BOB_OK || w.func != func ||
		    (w.desc != UINT32_MAX && w.desc - f[func].desc >= f[func].descs) ||
		    (w.cursor > 15 && w.cursor != BOB_MEM_NO_CURSOR) ||
		    (w.counter > 15 && w.counter != BOB_MEM_NO_CURSOR) ||
		    w.added > BOB_MEM_SLACK_WORDS || w.iterates > 1)
			abort();
	}
}

static void follow(const uint8_t *p)
{
	const struct bob_mem_plan_head *h = (const void *)p;
	const struct bob_mem_func *f = (const void *)(p + h->funcs.off);
	const struct bob_mem_patch *a = (const void *)(p + h->patches.off);
	const struct bob_mem_stop *s = (const void *)(p + h->stops.off);

	follow_fields(p, &h->relocs, &h->blob);
	follow_fields(p, &h->tls, &h->blob);
	follow_fields(p, &h->ids, &h->blob);
	follow_fields(p, &h->fixes, &h->text);
	for (uint64_t i = 0; i < h->funcs.len / sizeof(*f); i++) {
		use(p + h->blob.off + f[i].code, f[i].code_len);
		follow_map(h, (uint32_t)i);
	}
	for (uint64_t i = 0; i < h->patches.len / sizeof(*a); i++) {
		if (a[i].addr < h->text_lo || a[i].addr + a[i].len > h->text_hi)
			abort();
		use(p + h->text.off + a[i].text, a[i].len);
		use((const void *)(f + a[i].func), sizeof(*f));
	}
	for (uint64_t i = 0; i < h->stops.len / sizeof(*s); i++) {
		use(p + h->blob.off + s[i].code, 1);
		use((const void *)(f + s[i].func), sizeof(*f));
	}
	use(p + h->descs.off, h->descs.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct plan_head head = PLAN_HEAD(bob_mem_plan_head, BOB_MEM_PLAN_VERSION);
	uint8_t *p = plan_bytes(&head, data, size);

	if (!p)
		return 0;
	if (bob_mem_plan_check(p, size, 0) == BOB_OK)
		follow(p);
	free(p);
	return 0;
}
