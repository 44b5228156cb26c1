/* SPDX-License-Identifier: BSD-3-Clause */
/* The check of memory plans refuses every kind of damage that the checksum does not see (it is made
 * right each time), planning is deterministic, and a map of any bytes is read within its bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/varint.h"
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

/* The last one whose map is not empty. */
static size_t last_func(const struct bob_mem_plan_head *h)
{
	const struct bob_mem_func *f = (const void *)((const uint8_t *)h + h->funcs.off);
	size_t i = h->funcs.len / sizeof(*f) - 1;

	while (i > 0 && !f[i].map_len)
		i--;
	return i;
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
	REFUSED(FUNC(0).map = (uint32_t)h->map.len + 1);
	REFUSED(FUNC(0).map_len = (uint32_t)h->map.len + 1);
	REFUSED(FUNC(0).map = 1; FUNC(0).map_len = (uint32_t)h->map.len);
	REFUSED(FUNC(last_func(h)).map_len++);
	REFUSED(FUNC(h->funcs.len / sizeof(struct bob_mem_func) - 1).code_len += 1u << 30);
	REFUSED(FUNC(0).code = 1); /* the next one begins after its end */
	REFUSED(FUNC(0).code_len = FUNC(1).code + 1 - FUNC(0).code);
	REFUSED(h->map.len = FUNC(last_func(h)).map + FUNC(last_func(h)).map_len - 1ull);
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

/* --- the map --- */

static int is_bounded(const struct bob_mem_plan_head *h, const struct bob_mem_where *w)
{
	const struct bob_mem_func *f = (const void *)((const uint8_t *)h + h->funcs.off);

	return w->func < h->funcs.len / sizeof(*f) &&
	       (w->desc == UINT32_MAX || w->desc - f[w->func].desc < f[w->func].descs) &&
	       (w->cursor < 16 || w->cursor == BOB_MEM_NO_CURSOR) &&
	       (w->counter < 16 || w->counter == BOB_MEM_NO_CURSOR) &&
	       w->added <= BOB_MEM_SLACK_WORDS && w->complete <= 1 && w->stepped <= 1 &&
	       w->iterates <= 1;
}

/* Every place in the code of a good plan is found, no other. */
static void test_map_good(void **state)
{
	struct subject *s = *state;
	const struct bob_mem_plan_head *h = fresh(s);
	const struct bob_mem_func *f = (const void *)((const uint8_t *)h + h->funcs.off);
	struct bob_mem_where w;
	unsigned seen = 0;

	for (size_t i = 0; i < h->funcs.len / sizeof(*f); i++)
		for (uint32_t k = 0; k < f[i].code_len; k += 5) {
			assert_int_equal(bob_mem_map_find(h, f[i].code + k, &w), BOB_OK);
			assert_int_equal(w.func, i);
			assert_true(is_bounded(h, &w));
			assert_true(w.orig >= h->text_lo && w.orig < h->text_hi);
			seen |= (w.complete != 0) | (w.counter < 16) << 1 | (w.cursor < 16) << 2;
		}
	assert_int_equal(seen, 7);
	assert_int_equal(bob_mem_map_find(h, (uint32_t)h->blob.len, &w), BOB_NONE);
	assert_int_equal(bob_mem_map_find(h, UINT32_MAX, &w), BOB_NONE);
}

#define PAGE 4096u
#define CODE 100u		/* of the one function, with 50 bytes, one descriptor */

/* A plan with this map, in front of a page that cannot be read. */
static struct bob_mem_plan_head *plan_of(uint8_t *page, const uint8_t *map, uint32_t len)
{
	struct bob_mem_plan_head *h = (void *)page;
	struct bob_mem_func *f = (void *)(page + 512);

	memset(page, 0, PAGE);
	f[0] = (struct bob_mem_func){ .addr = 0x1000, .code = CODE, .code_len = 50, .desc = 7,
				      .descs = 1, .map_len = len };
	f[-1].code_len = 200; /* does not exist */
	h->desc_count = 8;
	h->funcs = (struct bob_plan_section){ .off = 512, .len = sizeof(*f) };
	h->blob = (struct bob_plan_section){ .off = 640, .len = 200 };
	h->map = (struct bob_plan_section){ .off = PAGE - len, .len = len };
	memcpy(page + PAGE - len, map, len);
	return h;
}

static uint8_t *guarded_page(void)
{
	uint8_t *page =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(page != MAP_FAILED);
	assert_int_equal(mprotect(page + PAGE, PAGE, PROT_NONE), 0);
	return page;
}

/* What is said at `code` by pairs (word, value). */
static bob_status say(uint8_t *page, uint32_t code, struct bob_mem_where *w, size_t count,
		      const uint64_t *pairs)
{
	uint8_t map[128];
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += bob_varint_put(map + n, pairs[i]);
	return bob_mem_map_find(plan_of(page, map, (uint32_t)n), code, w);
}

#define SAY(code, ...)                                                                             \
	say(page, code, &w, sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t),                \
	    (uint64_t[]){ __VA_ARGS__ })
#define AT(distance, kind) ((uint64_t)(distance) << 2 | BOB_MEM_MAP_##kind)

static void test_map_by_hand(void **state)
{
	uint8_t *page = guarded_page();
	struct bob_mem_where w;

	(void)state;
	assert_int_equal(SAY(CODE - 1, AT(0, INSN), 0), BOB_NONE);
	assert_int_equal(SAY(CODE + 50, AT(0, INSN), 0), BOB_NONE);
	assert_int_equal(SAY(CODE + 9, AT(9, INSN), bob_zigzag(-5), AT(0, RECORD), 1 << 1 | 1,
			     AT(0, CURSOR), 16 | 66 << 5, AT(1, INSN), bob_zigzag(99)),
			 BOB_OK);
	assert_true(w.orig == 0x1000 - 5 && w.func == 0 && w.desc == 7 && w.complete);
	assert_true(w.cursor == 15 && w.added == 66 && w.counter == BOB_MEM_NO_CURSOR);
	assert_int_equal(SAY(CODE + 8, AT(9, INSN), 0, AT(0, RECORD), 2), BOB_OK);
	assert_true(w.orig == 0x1000 && w.desc == UINT32_MAX && w.cursor == BOB_MEM_NO_CURSOR);
	assert_int_equal(SAY(CODE, AT(0, RECORD), 2, AT(0, LOOP), 31), BOB_OK);
	assert_true(w.desc == 7 && !w.complete && w.counter == 15 && w.stepped == 1);
	assert_int_equal(SAY(CODE, AT(0, RECORD), 2, AT(0, LOOP), 33), BOB_OK);
	assert_true(w.desc == 7 && w.complete && w.iterates && w.counter == BOB_MEM_NO_CURSOR);
	assert_int_equal(SAY(CODE, AT(0, RECORD), 2, AT(0, LOOP), 33, AT(0, LOOP), 32), BOB_OK);
	assert_true(!w.complete && w.iterates && !w.stepped);
	assert_int_equal(SAY(CODE, AT(0, LOOP), 32, AT(0, RECORD), 2), BOB_OK);
	assert_true(!w.iterates);
	assert_int_equal(SAY(CODE, AT(0, LOOP), 31, AT(0, RECORD), 0), BOB_OK);
	assert_true(w.desc == UINT32_MAX && w.counter == BOB_MEM_NO_CURSOR && !w.stepped);

	assert_int_equal(SAY(CODE, AT(0, RECORD), 2 << 1), BOB_ERR_CORRUPT);
	assert_int_equal(SAY(CODE, AT(0, RECORD), UINT64_MAX), BOB_ERR_CORRUPT);
	assert_int_equal(SAY(CODE, AT(0, CURSOR), 17), BOB_ERR_CORRUPT);
	assert_int_equal(SAY(CODE, AT(0, CURSOR), 1 | 67 << 5), BOB_ERR_CORRUPT);
	assert_int_equal(SAY(CODE, AT(0, CURSOR), 1 | 1ull << 40), BOB_ERR_CORRUPT);
	assert_int_equal(SAY(CODE, AT(0, LOOP), 34), BOB_ERR_CORRUPT);
	assert_int_equal(SAY(CODE, AT(0, INSN)), BOB_ERR_CORRUPT);
	/* what holds from a later place on does not matter, however far that is */
	assert_int_equal(SAY(CODE, AT(UINT64_MAX >> 2, LOOP), 34), BOB_OK);
	assert_int_equal(SAY(CODE + 49, AT(50, LOOP), 34, AT(0, INSN)), BOB_OK);
	munmap(page, 2 * PAGE);
}

/* Any bytes: the page after them is not read. */
static void test_map_any_bytes(void **state)
{
	uint8_t *page = guarded_page(), map[16];
	uint64_t seed = 1;
	unsigned good = 0, bad = 0;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		uint32_t len = round % sizeof(map), code = CODE + round % 50;
		struct bob_mem_plan_head *h;
		struct bob_mem_where w;
		bob_status st;

		for (uint32_t i = 0; i < len; i++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			map[i] = (uint8_t)(seed >> 56 & (round % 3 ? 0x1f : 0xff));
		}
		h = plan_of(page, map, len);
		st = bob_mem_map_find(h, code, &w);
		assert_true(st == BOB_OK || st == BOB_ERR_CORRUPT);
		assert_true(st != BOB_OK || is_bounded(h, &w));
		good += st == BOB_OK;
		bad += st != BOB_OK;
	}
	assert_true(good > 1000 && bad > 1000);
	munmap(page, 2 * PAGE);
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
		cmocka_unit_test(test_map_good), cmocka_unit_test(test_map_by_hand),
		cmocka_unit_test(test_map_any_bytes),
		cmocka_unit_test(test_same_twice),
	};

	return cmocka_run_group_tests(tests, plan_this_program, forget);
}
