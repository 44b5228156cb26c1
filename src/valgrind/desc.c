/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors and their numbers. Valgrind translates the same code repeatedly, and unrolls loops;
 * pieces with equal descriptors share a number, so that a reader sees one piece of code. All
 * descriptors are kept in encoded form: a child of fork inherits the translations, and writes all
 * descriptors to its own file. */
#include "tool.h"

#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_mallocfree.h>

#include "base/hash.h"

static struct {
	uint8_t *bytes;		/* all descriptors, concatenated */
	uint64_t len, capacity;
	uint64_t *at;		/* offset of each descriptor in `bytes` */
	uint32_t count, at_capacity;
	struct bob_mem_desc **desc; /* decoded descriptors, by number; NULL: not decoded yet */
	uint32_t *slot;		/* hash table of number + 1, 0: free; size a power of two */
	uint32_t slots;
} all;

static uint64_t size_of(uint32_t number)
{
	return (number + 1 < all.count ? all.at[number + 1] : all.len) - all.at[number];
}

static uint32_t *find_slot(const uint8_t *bytes, uint64_t len)
{
	uint32_t i = (uint32_t)bob_hash64(0, bytes, len) & (all.slots - 1);

	for (; all.slot[i]; i = (i + 1) & (all.slots - 1)) {
		uint32_t number = all.slot[i] - 1;

		if (size_of(number) == len && !VG_(memcmp)(all.bytes + all.at[number], bytes, len))
			break;
	}
	return &all.slot[i];
}

static void grow_slots(void)
{
	all.slots = all.slots ? 2 * all.slots : 4096;
	VG_(free)(all.slot);
	all.slot = VG_(calloc)("bobbin.descs", all.slots, sizeof(*all.slot));
	for (uint32_t i = 0; i < all.count; i++)
		*find_slot(all.bytes + all.at[i], size_of(i)) = i + 1;
}

/* Append the bytes under the next number. */
static void keep(const uint8_t *bytes, uint64_t len)
{
	while (all.capacity - all.len < len) {
		all.capacity = all.capacity ? 2 * all.capacity : 1u << 20;
		all.bytes = VG_(realloc)("bobbin.descs", all.bytes, all.capacity);
	}
	if (all.count == all.at_capacity) {
		all.at_capacity = all.at_capacity ? 2 * all.at_capacity : 4096;
		all.at = VG_(realloc)("bobbin.descs", all.at, all.at_capacity * sizeof(*all.at));
		all.desc =
			VG_(realloc)("bobbin.descs", all.desc, all.at_capacity * sizeof(*all.desc));
	}
	VG_(memcpy)(all.bytes + all.len, bytes, len);
	all.desc[all.count] = NULL;
	all.at[all.count++] = all.len;
	all.len += len;
}

uint32_t vgb_desc_number(const struct bob_mem_desc *d)
{
	uint64_t capacity = BOB_MEM_DESC_BYTES(d->access_count), len;
	uint8_t *bytes = VG_(malloc)("bobbin.desc", capacity);
	uint32_t number = ~0u, *slot;

	len = bob_mem_desc_put(d, bytes);
	tl_assert(len <= capacity);
	if (2 * all.count >= all.slots)
		grow_slots();
	slot = find_slot(bytes, len);
	if (*slot) {
		number = *slot - 1;
	} else if (all.count < VGB_NUMBERS_MAX &&
		   vgb_file_descs(bytes, len, all.count)) { /* may write all previous ones, too */
		number = all.count;
		keep(bytes, len);
		*slot = number + 1;
	}
	VG_(free)(bytes);
	return number;
}

Bool vgb_desc_find(uint32_t number, struct bob_mem_desc *d, struct bob_mem_access *access,
		   struct bob_mem_step *step)
{
	const uint8_t *at;

	if (number >= all.count)
		return False;
	at = all.bytes + all.at[number];
	return bob_mem_desc_get(&at, all.bytes + all.len, d, access, step) == BOB_OK;
}

const struct bob_mem_desc *vgb_desc_at(uint32_t number)
{
	static struct bob_mem_access access[BOB_MEM_ACCESSES_MAX];
	static struct bob_mem_step step[BOB_MEM_WORDS_MAX];
	struct bob_mem_desc *d;
	struct bob_mem_access *own;

	if (number >= all.count)
		return NULL;
	if (all.desc[number])
		return all.desc[number];
	d = VG_(malloc)("bobbin.desc", sizeof(*d));
	if (!vgb_desc_find(number, d, access, step)) {
		VG_(free)(d);
		return NULL;
	}
	/* the tool makes only blocks and marks, which have no steps */
	own = VG_(malloc)("bobbin.desc", (d->access_count + 1) * sizeof(*own));
	VG_(memcpy)(own, access, d->access_count * sizeof(*own));
	d->access = own;
	d->step = NULL;
	return all.desc[number] = d;
}

void vgb_desc_describe(void)
{
	for (uint32_t i = 0; i < all.count; i++)
		if (!vgb_file_descs(all.bytes + all.at[i], size_of(i), i))
			return;
}
