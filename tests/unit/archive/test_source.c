/* SPDX-License-Identifier: BSD-3-Clause */
/* Source information and inlined calls: what is put comes back; damaged bytes are refused or give
 * tables that hold what they promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "archive/memory/source_info.h"

struct bytes {
	uint8_t at[8192];
	size_t len;
};

static void take(void *ctx, const void *p, size_t len)
{
	struct bytes *b = ctx;

	assert_true(len <= sizeof(b->at) - b->len);
	if (len)
		memcpy(b->at + b->len, p, len);
	b->len += len;
}

static const char *files[] = { "/src/a.c", "/src/b.f90" };
static struct bob_source_place places[] = {
	{ BOB_PLACE_POINTER, "a[]", 0, 0 },
	{ BOB_PLACE_LOCAL, "t", -24, 0 },
	{ BOB_PLACE_STACK, "", -8, 0 },
	{ BOB_PLACE_INDEXED, "row[]", -176, 160 },
	{ BOB_PLACE_THREAD, "errno", 24, 0 },
	{ BOB_PLACE_THREAD_INDEXED, "table", 32, 80 },
};
static struct bob_source_object sections[] = { { 0x4000, 0x100, ".data" },
					       { 0x4100, 0x800, ".bss" } };
static struct bob_source_object objects[] = { { 0x4000, 8, "x" }, { 0x4008, 1, "mod::y" } };
static struct bob_source_row rows[] = {
	{ 0x1000, 0, 12, 1, 0, 0 },	 { 0x1004, 0, 11, 0, 2, 0 },
	{ 0x1010, 1, 4000000000u, 4, 5, 0 }, { 0x1011, ~0u, 0, 3, 0, 0 },
	{ 0x70000000, 1, 1, 0, 0, 0 },
};

static const struct bob_source all = { files, places, sections, objects, rows, 2, 6, 2, 2, 5,
				       NULL, NULL, 0, 0 };

/* The rows of `all` with inlined calls. */
static struct bob_source_row rows_in[] = {
	{ 0x1000, 0, 12, 1, 0, 2 },	 { 0x1004, 0, 11, 0, 2, 2 },
	{ 0x1010, 1, 4000000000u, 4, 5, 3 }, { 0x1011, ~0u, 0, 3, 0, 0 },
	{ 0x70000000, 1, 1, 0, 0, 1 },
};
static const char *texts[] = { "_ZN1a1fEv", "/src/a.h", "a::g" };
static struct bob_source_inlined calls[] = {
	{ ~0u, 0, 1, 12 }, { 0, 2, 1, 4000000000u }, { 1, ~0u, ~0u, 0 },
};
static const struct bob_source with_calls = { files, places, sections, objects, rows_in, 2, 6, 2,
					      2, 5, calls, texts, 3, 3 };

static void round_trip(void **state)
{
	struct bob_arena arena = { 0 };
	struct bytes b = { .len = 0 };
	struct bob_source s;

	(void)state;
	bob_source_put(&all, take, &b);
	assert_int_equal(bob_source_get(b.at, b.len, &arena, &s), BOB_OK);
	assert_int_equal(s.files, 2);
	assert_string_equal(s.file[1], files[1]);
	assert_int_equal(s.places, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_string_equal(s.place[i].name, places[i].name);
		assert_int_equal(s.place[i].kind, places[i].kind);
		assert_int_equal(s.place[i].frame, places[i].frame);
		assert_int_equal(s.place[i].size, places[i].size);
	}
	assert_int_equal(s.rows, 5);
	assert_memory_equal(s.row, rows, sizeof(rows));
	assert_int_equal(s.sections, 2);
	assert_int_equal(s.section[1].addr, 0x4100);
	assert_string_equal(s.object[1].name, "mod::y");
	assert_true(b.len < 160);
	bob_arena_free(&arena);
}

static void look_up(void **state)
{
	(void)state;
	assert_null(bob_source_row_at(&all, 0xfff));
	assert_null(bob_source_row_at(&all, 0x1001));
	assert_ptr_equal(bob_source_row_at(&all, 0x1010), &rows[2]);
	assert_null(bob_source_row_at(&all, ~0ull));
	assert_null(bob_source_object_at(objects, 2, 0x3fff));
	assert_ptr_equal(bob_source_object_at(objects, 2, 0x4007), &objects[0]);
	assert_ptr_equal(bob_source_object_at(objects, 2, 0x4008), &objects[1]);
	assert_null(bob_source_object_at(objects, 2, 0x4009));
}

/* What was read must hold what source_info.h says. */
static void judge(const struct bob_source *s)
{
	for (size_t i = 0; i < s->rows; i++) {
		assert_true(s->row[i].file == ~0u || s->row[i].file < s->files);
		assert_true(s->row[i].load <= s->places && s->row[i].store <= s->places);
		assert_true(!i || s->row[i].pc > s->row[i - 1].pc);
	}
	for (size_t i = 1; i < s->objects; i++)
		assert_true(s->object[i].addr >= s->object[i - 1].addr + s->object[i - 1].size);
}

static void damaged(void **state)
{
	struct bytes b = { .len = 0 };
	unsigned read = 0;

	(void)state;
	bob_source_put(&all, take, &b);
	for (size_t at = 0; at < b.len; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			struct bob_arena arena = { 0 };
			struct bytes bad = b;
			struct bob_source s;

			bad.at[at] ^= (uint8_t)(1u << bit);
			if (bob_source_get(bad.at, bad.len, &arena, &s) == BOB_OK) {
				judge(&s);
				read++;
			}
			bob_arena_free(&arena);
		}
	assert_true(read > 0);
	for (size_t len = 0; len < b.len; len++) {
		struct bob_arena arena = { 0 };
		struct bob_source s;

		assert_int_equal(bob_source_get(b.at, len, &arena, &s), BOB_ERR_CORRUPT);
		assert_int_equal(s.rows, 0);
		bob_arena_free(&arena);
	}
}

static void control_characters(void **state)
{
	const char *name[] = { "a\033[2J\n" };
	const struct bob_source evil = { .file = name, .files = 1 };
	struct bob_arena arena = { 0 };
	struct bytes b = { .len = 0 };
	struct bob_source s;

	(void)state;
	bob_source_put(&evil, take, &b);
	assert_int_equal(bob_source_get(b.at, b.len, &arena, &s), BOB_OK);
	assert_string_equal(s.file[0], "a?[2J?");
	bob_arena_free(&arena);
}

/* --- inlined calls --- */

/* Puts the calls of `from` and gets them for its rows. */
static bob_status get_again(const struct bob_source *from, struct bob_arena *arena,
			    struct bob_source *s)
{
	struct bytes b = { .len = 0 }, inlined = { .len = 0 };

	bob_source_put(from, take, &b);
	assert_int_equal(bob_source_get(b.at, b.len, arena, s), BOB_OK);
	assert_int_equal(bob_source_put_inlined(from, take, &inlined), BOB_OK);
	return bob_source_get_inlined(inlined.at, inlined.len, arena, s);
}

static void inlined_round_trip(void **state)
{
	struct bob_arena arena = { 0 };
	struct bytes none = { .len = 0 };
	struct bob_source s;

	(void)state;
	assert_int_equal(get_again(&with_calls, &arena, &s), BOB_OK);
	assert_int_equal(s.inlined_count, 3);
	assert_memory_equal(s.inlined, calls, sizeof(calls));
	assert_int_equal(s.texts, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(s.text[i], texts[i]);
	assert_memory_equal(s.row, rows_in, sizeof(rows_in));
	assert_int_equal(bob_source_put_inlined(&all, take, &none), BOB_OK);
	assert_int_equal(none.len, 0);
	bob_arena_free(&arena);
}

static void inlined_unused(void **state)
{
	struct bob_arena arena = { 0 };
	struct bob_source s;

	(void)state;
	assert_int_equal(get_again(&with_calls, &arena, &s), BOB_OK);
	s.row[2].inlined = s.row[4].inlined = 0;
	assert_int_equal(bob_source_drop_inlined(&s), BOB_OK);
	assert_int_equal(s.inlined_count, 2);
	assert_memory_equal(s.inlined, calls, 2 * sizeof(*calls));
	assert_int_equal(s.texts, 3);
	s.row[0].inlined = s.row[1].inlined = 0;
	s.row[3].inlined = 1;
	assert_int_equal(bob_source_drop_inlined(&s), BOB_OK);
	assert_int_equal(s.inlined_count, 1);
	assert_int_equal(s.texts, 2);
	assert_string_equal(s.text[s.inlined[0].function], texts[0]);
	s.row[3].inlined = 0;
	assert_int_equal(bob_source_drop_inlined(&s), BOB_OK);
	assert_int_equal(s.inlined_count + s.texts, 0);
	bob_arena_free(&arena);
}

/* What was read must hold what source_info.h says; what was refused leaves nothing. */
static void judge_inlined(const struct bob_source *s, bob_status st)
{
	if (st != BOB_OK)
		assert_int_equal(s->inlined_count + s->texts, 0);
	for (size_t i = 0; i < s->rows; i++)
		assert_true(s->row[i].inlined <= s->inlined_count);
	for (size_t i = 0; i < s->inlined_count; i++) {
		const struct bob_source_inlined *c = &s->inlined[i];

		assert_true(c->parent == ~0u || c->parent < i);
		assert_true(c->function == ~0u || c->function < s->texts);
		assert_true(c->file == ~0u || c->file < s->texts);
	}
}

static void inlined_damaged(void **state)
{
	struct bytes b = { .len = 0 }, inlined = { .len = 0 };
	unsigned read = 0;

	(void)state;
	bob_source_put(&all, take, &b);
	assert_int_equal(bob_source_put_inlined(&with_calls, take, &inlined), BOB_OK);
	for (size_t at = 0; at < inlined.len; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			struct bob_arena arena = { 0 };
			struct bytes bad = inlined;
			struct bob_source s;
			bob_status st;

			assert_int_equal(bob_source_get(b.at, b.len, &arena, &s), BOB_OK);
			bad.at[at] ^= (uint8_t)(1u << bit);
			st = bob_source_get_inlined(bad.at, bad.len, &arena, &s);
			judge_inlined(&s, st);
			read += st == BOB_OK;
			bob_arena_free(&arena);
		}
	assert_true(read > 0);
	for (size_t len = 0; len < inlined.len; len++) {
		struct bob_arena arena = { 0 };
		struct bob_source s;

		assert_int_equal(bob_source_get(b.at, b.len, &arena, &s), BOB_OK);
		assert_int_not_equal(bob_source_get_inlined(inlined.at, len, &arena, &s), BOB_OK);
		judge_inlined(&s, BOB_ERR_CORRUPT);
		bob_arena_free(&arena);
	}
}

static bob_status get_chain(struct bob_source_inlined *call, size_t count, size_t rows_of_other)
{
	struct bob_source_row one[2] = { { .pc = 1, .file = ~0u, .inlined = (uint32_t)count },
					 { .pc = 2, .file = ~0u } };
	const char *text[] = { "f" };
	struct bob_source from = { .row = one, .rows = 2, .inlined = call, .inlined_count = count,
				   .text = text, .texts = 1 };
	struct bytes inlined = { .len = 0 }, source = { .len = 0 };
	struct bob_arena arena = { 0 };
	struct bob_source s;
	bob_status st;

	assert_int_equal(bob_source_put_inlined(&from, take, &inlined), BOB_OK);
	from.rows = rows_of_other;
	bob_source_put(&from, take, &source);
	assert_int_equal(bob_source_get(source.at, source.len, &arena, &s), BOB_OK);
	st = bob_source_get_inlined(inlined.at, inlined.len, &arena, &s);
	judge_inlined(&s, st);
	bob_arena_free(&arena);
	return st;
}

/* Chains as deep as allowed, and deeper; cycles; calls of other rows; texts that do not exist. */
static void inlined_limits(void **state)
{
	struct bob_source_inlined chain[BOB_SOURCE_INLINED_DEPTH + 1];

	(void)state;
	for (uint32_t i = 0; i <= BOB_SOURCE_INLINED_DEPTH; i++)
		chain[i] = (struct bob_source_inlined){ i - 1, 0, ~0u, i };
	assert_int_equal(get_chain(chain, BOB_SOURCE_INLINED_DEPTH, 2), BOB_OK);
	assert_int_equal(get_chain(chain, BOB_SOURCE_INLINED_DEPTH + 1, 2), BOB_ERR_CORRUPT);
	assert_int_equal(get_chain(chain, 3, 1), BOB_ERR_CORRUPT);
	assert_int_equal(get_chain(chain, 3, 0), BOB_ERR_CORRUPT);
	chain[1].parent = 1;
	assert_int_equal(get_chain(chain, 3, 2), BOB_ERR_CORRUPT);
	chain[1].parent = 2;
	assert_int_equal(get_chain(chain, 3, 2), BOB_ERR_CORRUPT);
	chain[1].parent = 0;
	chain[1].file = 1;
	assert_int_equal(get_chain(chain, 3, 2), BOB_ERR_CORRUPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip), cmocka_unit_test(look_up), cmocka_unit_test(damaged),
		cmocka_unit_test(control_characters), cmocka_unit_test(inlined_round_trip),
		cmocka_unit_test(inlined_unused), cmocka_unit_test(inlined_damaged),
		cmocka_unit_test(inlined_limits)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
