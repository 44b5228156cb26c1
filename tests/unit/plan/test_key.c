/* SPDX-License-Identifier: BSD-3-Clause */
/* Build-ids in segments of notes of either alignment, and in damaged ones. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "plan/format.h"

#define ID_LEN 20u

struct notes {
	uint64_t len;
	uint8_t bytes[256];
};

static void add(struct notes *n, uint32_t align, uint32_t type, uint32_t len, uint8_t fill)
{
	const Elf64_Nhdr head = { 4, len, type };
	uint64_t at = n->len;

	memcpy(n->bytes + at, &head, sizeof(head));
	memcpy(n->bytes + at + sizeof(head), "GNU", 4);
	at = (at + sizeof(head) + 4 + align - 1) & ~(uint64_t)(align - 1);
	memset(n->bytes + at, fill, len);
	n->len = (at + len + align - 1) & ~(uint64_t)(align - 1);
}

static void finds(const struct notes *n, uint64_t align)
{
	uint64_t len = 0;
	const uint8_t *id = bob_plan_build_id(n->bytes, n->len, align, &len);

	assert_non_null(id);
	assert_int_equal(len, ID_LEN);
	for (uint32_t i = 0; i < ID_LEN; i++)
		assert_int_equal(id[i], 7);
}

/* ld and gold have the property note in a segment of its own, lld and mold in one segment with the
 * id. */
static void alignments(void **state)
{
	(void)state;
	for (uint32_t align = 4; align <= 8; align += 4) {
		struct notes alone = { 0 }, after = { 0 };

		add(&alone, align, NT_GNU_BUILD_ID, ID_LEN, 7);
		finds(&alone, align);
		add(&after, align, NT_GNU_PROPERTY_TYPE_0, 16, 1);
		add(&after, align, NT_GNU_ABI_TAG, 12, 2);
		add(&after, align, NT_GNU_BUILD_ID, ID_LEN, 7);
		finds(&after, align);
	}
}

static void long_ids(void **state)
{
	struct notes n = { 0 };
	uint64_t len = 0;

	(void)state;
	add(&n, 4, NT_GNU_BUILD_ID, 64, 7);
	finds(&n, 4);
	memset(&n, 0, sizeof(n));
	add(&n, 4, NT_GNU_BUILD_ID, 8, 7);
	assert_non_null(bob_plan_build_id(n.bytes, n.len, 4, &len));
	assert_int_equal(len, 8);
}

/* In memory of their exact size, so that sanitizers see what is read. */
static void cut(void **state)
{
	struct notes n = { 0 };

	(void)state;
	add(&n, 8, NT_GNU_PROPERTY_TYPE_0, 16, 1);
	add(&n, 8, NT_GNU_BUILD_ID, ID_LEN, 7);
	for (uint64_t len = 0; len < 32 + sizeof(Elf64_Nhdr) + 4 + ID_LEN; len++) {
		uint8_t *p = malloc(len + 1);
		uint64_t got = 1;

		memcpy(p, n.bytes, len);
		assert_null(bob_plan_build_id(p, len, 8, &got));
		assert_int_equal(got, 0);
		free(p);
	}
}

static void huge_sizes(void **state)
{
	struct notes n = { 0 };
	const uint32_t huge = UINT32_MAX;
	uint64_t len = 0;

	(void)state;
	add(&n, 4, NT_GNU_ABI_TAG, 12, 2);
	memcpy(n.bytes, &huge, sizeof(huge));
	assert_null(bob_plan_build_id(n.bytes, n.len, 4, &len));
	memcpy(n.bytes + 4, &huge, sizeof(huge));
	assert_null(bob_plan_build_id(n.bytes, n.len, 8, &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alignments),
		cmocka_unit_test(long_ids),
		cmocka_unit_test(cut),
		cmocka_unit_test(huge_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
