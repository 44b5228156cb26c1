/* SPDX-License-Identifier: BSD-3-Clause */
/* The check of memory plans refuses every kind of damage that the checksum does not see (it is made right
 * each time), and planning is deterministic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "plan/mem/format.h"
#include "plan/plan.h"

struct subject {
	uint8_t *plan, *copy;	/* good, and to be damaged */
	size_t len;
};

static struct bob_mem_plan_head *fresh(struct subject *s)
{
	memcpy(s->copy, s->plan, s->len);
	return (void *)s->copy;
}

static bob_status check_sealed(struct subject *s, size_t len)
{
	const size_t from = offsetof(struct bob_mem_plan_head, file_bytes);
	uint32_t check = (uint32_t)bob_hash64(0, s->copy + from, len - from);

	memcpy(s->copy + offsetof(struct bob_mem_plan_head, check), &check, sizeof(check));
	return bob_mem_plan_check(s->copy, len, 0);
}

/* `h` came from fresh() and was damaged by the expression; evaluated in order. */
#define REFUSED(expression)                                                                        \
	do {                                                                                       \
		struct bob_mem_plan_head *h = fresh(s);                                            \
		uint8_t *p = s->copy;                                                              \
		(void)h;                                                                           \
		(void)p;                                                                           \
		expression;                                                                        \
		if (check_sealed(s, s->len) == BOB_OK)                                             \
			fail_msg("accepted: %s", #expression);                                     \
	} while (0)

#define FUNC(i) ((struct bob_mem_func *)(void *)(p + h->funcs.off))[i]
#define PATCH(i) ((struct bob_mem_patch *)(void *)(p + h->patches.off))[i]
#define STOP(i) ((struct bob_mem_stop *)(void *)(p + h->stops.off))[i]
#define FIELD(section, i) ((uint32_t *)(void *)(p + h->section.off))[i]

static void test_good(void **state)
{
	struct subject *s = *state;
	struct bob_mem_plan_head *h = fresh(s);

	assert_int_equal(check_sealed(s, s->len), BOB_OK);
	assert_int_equal(bob_mem_plan_check(s->plan, s->len, h->key), BOB_OK);
	assert_int_equal(bob_mem_plan_check(s->plan, s->len, h->key + 1), BOB_ERR_CORRUPT);
	assert_true(h->stops.len > 0 && h->patches.len > 0 && h->descs.len > 0);
}

static void test_head(void **state)
{
	struct subject *s = *state;

	REFUSED(h->magic++);
	REFUSED(h->version++);
	REFUSED(h->file_bytes++);
	REFUSED(h->text_lo = h->text_hi + 1);
	REFUSED(h->text_hi = 1ull << 40);
	REFUSED(h->desc_count = UINT32_MAX);
	fresh(s)->version++;
	assert_int_equal(bob_mem_plan_check(s->copy, s->len, 0), BOB_ERR_VERSION);
	fresh(s);
	s->copy[s->len - 1] ^= 1;
	assert_int_equal(bob_mem_plan_check(s->copy, s->len, 0), BOB_ERR_CORRUPT);
	for (size_t len = 0; len < s->len; len += len < 600 ? 1 : 997)
		assert_int_not_equal(bob_mem_plan_check(s->plan, len, 0), BOB_OK);
}

static void test_sections(void **state)
{
	struct subject *s = *state;
	const size_t first = offsetof(struct bob_mem_plan_head, funcs);

	for (size_t at = first; at < sizeof(struct bob_mem_plan_head);
	     at += sizeof(struct bob_plan_section)) {
		struct bob_plan_section *section = (void *)(s->copy + at);

		REFUSED(section->off++);
		REFUSED(section->off = (s->len + 127) & ~63ull);
		REFUSED(section->off = 0);
		REFUSED(section->len = s->len);
		REFUSED(section->len = UINT64_MAX);
	}
	REFUSED(h->funcs.len--);
	REFUSED(h->patches.len--);
	REFUSED(h->stops.len--);
	REFUSED(h->relocs.len--);
}

static void test_tables(void **state)
{
	struct subject *s = *state;

	REFUSED(FIELD(relocs, 1) = FIELD(relocs, 0));
	REFUSED(FIELD(relocs, 1) = FIELD(relocs, 0) + 3);
	REFUSED(FIELD(relocs, h->relocs.len / 4 - 1) = (uint32_t)h->blob.len - 3);
	REFUSED(FIELD(tls, h->tls.len / 4 - 1) = (uint32_t)h->blob.len);
	REFUSED(FIELD(ids, h->ids.len / 4 - 1) = UINT32_MAX);
	REFUSED(FIELD(fixes, h->fixes.len / 4 - 1) = (uint32_t)h->text.len - 3);
	REFUSED(FUNC(0).decline = BOB_MEM_DECLINES);
	REFUSED(FUNC(0).desc = h->desc_count + 1);
	REFUSED(FUNC(0).descs = h->desc_count + 1);
	REFUSED(FUNC(0).code = (uint32_t)h->blob.len + 1);
	REFUSED(FUNC(0).code_len = UINT32_MAX);
	REFUSED(PATCH(0).addr = h->text_lo - 1);
	REFUSED(PATCH(1).addr = PATCH(0).addr + PATCH(0).len - 1);
	REFUSED(PATCH(h->patches.len / sizeof(struct bob_mem_patch) - 1).len = 1u << 30);
	REFUSED(PATCH(0).text = (uint32_t)h->text.len);
	REFUSED(PATCH(0).func = (uint32_t)(h->funcs.len / sizeof(struct bob_mem_func)));
	REFUSED(STOP(1).orig = STOP(0).orig);
	REFUSED(STOP(0).orig = h->text_hi);
	REFUSED(STOP(0).code = (uint32_t)h->blob.len);
	REFUSED(STOP(0).func = UINT32_MAX);
}

static void test_same_twice(void **state)
{
	struct subject *s = *state;
	struct bob_error err = { 0 };
	void *again;
	size_t len;

	assert_int_equal(bob_plan_mem_image("/proc/self/exe", &again, &len, &err), BOB_OK);
	assert_int_equal(len, s->len);
	assert_memory_equal(again, s->plan, len);
	free(again);
}

static int plan_this_program(void **state)
{
	static struct subject s;
	struct bob_error err = { 0 };

	if (bob_plan_mem_image("/proc/self/exe", (void **)&s.plan, &s.len, &err) != BOB_OK)
		return -1;
	s.copy = malloc(s.len);
	*state = &s;
	return s.copy ? 0 : -1;
}

static int forget(void **state)
{
	struct subject *s = *state;

	free(s->plan);
	free(s->copy);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),     cmocka_unit_test(test_head),
		cmocka_unit_test(test_sections), cmocka_unit_test(test_tables),
		cmocka_unit_test(test_same_twice),
	};

	return cmocka_run_group_tests(tests, plan_this_program, forget);
}
