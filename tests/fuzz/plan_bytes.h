/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of a plan for fuzzing: version, length and checksum are made right, or nothing after them
 * would be reached. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static void use(const volatile uint8_t *p, uint64_t len)
{
	uint8_t sum = 0;

	for (uint64_t i = 0; i < len; i++)
		sum ^= p[i];
	(void)sum;
}

/* Of a head's members. */
struct plan_head {
	size_t size, version_at, check_at, file_bytes_at;
	uint32_t version;
};
#define PLAN_HEAD(type, version_is)                                                                \
	{                                                                                          \
		sizeof(struct type), offsetof(struct type, version),                               \
			offsetof(struct type, check), offsetof(struct type, file_bytes),           \
			version_is                                                                 \
	}

/* NULL: no memory. */
static uint8_t *plan_bytes(const struct plan_head *h, const uint8_t *data, size_t size)
{
	uint8_t *p = malloc(size ? size : 1);
	const uint64_t bytes = size;
	uint32_t check;

	if (!p)
		return NULL;
	memcpy(p, data, size);
	if (size >= h->size) {
		memcpy(p + h->file_bytes_at, &bytes, sizeof(bytes));
		memcpy(p + h->version_at, &h->version, sizeof(h->version));
		check = (uint32_t)bob_hash64(0, p + h->file_bytes_at, size - h->file_bytes_at);
		memcpy(p + h->check_at, &check, sizeof(check));
	}
	return p;
}
