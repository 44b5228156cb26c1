/* SPDX-License-Identifier: BSD-3-Clause */
/* Source information: what is put comes back; damaged bytes are refused or give tables that hold
 * what they promise. */
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
	{ 0x1000, 0, 12, 1, 0 }, { 0x1004, 0, 11, 0, 2 },  { 0x1010, 1, 4000000000u, 4, 5 },
	{ 0x1011, ~0u, 0, 3, 0 }, { 0x70000000, 1, 1, 0, 0 },
};

static const struct bob_source all = { files, places, sections, objects, rows, 2, 6, 2, 2, 5 };

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip), cmocka_unit_test(look_up), cmocka_unit_test(damaged),
		cmocka_unit_test(control_characters)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
