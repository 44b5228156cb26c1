/* SPDX-License-Identifier: BSD-3-Clause */
/* bob_plan_check against any bytes. Version and checksum are made right first, or nothing after
 * them would be reached. What passes is then followed the way the agent does: every index and
 * offset. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/format.h"
#include "plan/plan.h"
#include "plan_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void follow(const uint8_t *p)
{
	const struct bob_plan_head *h = (const void *)p;
	const struct bob_plan_func *f = (const void *)(p + h->funcs.off);
	const struct bob_plan_fde *d = (const void *)(p + h->fdes.off);
	const uint32_t *r = (const void *)(p + h->relocs.off);
	const struct bob_plan_special *s = (const void *)(p + h->special.off);

	for (uint32_t i = 0; i < h->func_count; i++, f++) {
		if (f->name != UINT32_MAX)
			use(p + h->names.off + f->name,
			    strlen((const char *)p + h->names.off + f->name));
		if (f->kind == BOB_PATCH_NONE)
			continue;
		use(p + h->blob.off + f->tramp, f->tramp_len);
		use(f->expect, f->expect_len);
		if (f->addr + f->patch_delta + 2 > h->text_hi)
			abort();
	}
	for (uint64_t i = 0; i < h->relocs.len / 4; i++)
		use(p + h->blob.off + r[i], 4);
	for (uint64_t i = 0; i < h->fdes.len / sizeof(*d); i++)
		use(p + h->rows.off + d[i].row * sizeof(struct bob_plan_row),
		    d[i].row_count * sizeof(struct bob_plan_row));
	for (uint64_t i = 0; i < h->special.len / sizeof(*s); i++)
		use(p + h->funcs.off + s[i].func * sizeof(*f), sizeof(*f));
	use(p + h->image.off, h->image.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct plan_head head = PLAN_HEAD(bob_plan_head, BOB_PLAN_VERSION);
	uint8_t *p = plan_bytes(&head, data, size);

	if (!p)
		return 0;
	if (bob_plan_check(p, size, 0) == BOB_OK) {
		FILE *null = fopen("/dev/null", "w");

		follow(p);
		if (null) {
			bob_plan_dump(p, null);
			fclose(null);
		}
	}
	free(p);
	return 0;
}
