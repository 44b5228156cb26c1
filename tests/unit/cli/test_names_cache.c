/* SPDX-License-Identifier: BSD-3-Clause */
/* The cache of names: what is kept comes back, and nothing that is damaged does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/names_cache.c"

#include "../../golden/build.h"

#define KEY 0x1234567890abcdefull

static char base[64];

static int begin(void **state)
{
	int fd;

	snprintf(base, sizeof(base), "/tmp/bob-names-XXXXXX");
	if (!mkdtemp(base))
		return -1;
	fd = bob_plan_cache_open(base, NULL);
	*state = (void *)(intptr_t)fd;
	return fd < 0;
}

static int end(void **state)
{
	char command[80];

	close((int)(intptr_t)*state);
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command);
}

/* An image file as a trace has one. */
static void make_file(struct cli_buffer *file, uint64_t made, int with_inlined)
{
	uint8_t image[200] = { 0 }, source[77], inlined[100];
	const uint64_t key = KEY;
	struct build b;

	memcpy(image, &key, sizeof(key));
	memset(source, 's', sizeof(source));
	memset(inlined, 'i', sizeof(inlined));
	build_begin(&b, BOB_FILE_IMAGE);
	build_sealed(&b, BOB_CHUNK_IMAGE, 0, image, sizeof(image));
	build_sealed(&b, BOB_CHUNK_SOURCE, made, source, sizeof(source));
	if (with_inlined)
		build_sealed(&b, BOB_CHUNK_TABLE_INLINED, made, inlined, sizeof(inlined));
	cli_buffer_take(file, b.bytes, b.len);
	free(b.bytes);
}

static void keep(int cache, const uint64_t *pc, size_t count, int with_inlined)
{
	struct cli_names n = { .stamp = 5, .made = 99 };

	make_file(&n.file, 99, with_inlined);
	assert_true(cli_names_unite(&n, pc, count));
	cli_names_keep(cache, KEY, &n);
	cli_names_free(&n);
}

static void test_round(void **state)
{
	static const uint64_t pc[] = { 16, 17, 4096, 1u << 30 };
	int cache = (int)(intptr_t)*state;
	struct cli_names n, want = { .count = 0 };

	assert_int_equal(cli_names_read(cache, KEY, &n), -1);
	assert_null(n.pc);
	assert_int_equal(cli_names_read(-1, KEY, &n), -1);
	for (int with_inlined = 0; with_inlined < 2; with_inlined++) {
		keep(cache, pc, 4, with_inlined);
		assert_int_equal(cli_names_read(cache, KEY, &n), 0);
		make_file(&want.file, 99, with_inlined);
		assert_int_equal(n.file.len, want.file.len);
		assert_memory_equal(n.file.at, want.file.at, n.file.len);
		assert_int_equal(n.stamp, 5);
		assert_int_equal(n.made, 99);
		assert_int_equal(n.count, 4);
		assert_memory_equal(n.pc, pc, sizeof(pc));
		cli_names_free(&n);
		cli_names_free(&want);
		want = (struct cli_names){ .count = 0 };
	}
	assert_int_equal(cli_names_read(cache, KEY + 1, &n), -1);
	keep(cache, NULL, 0, 0);
	assert_int_equal(cli_names_read(cache, KEY, &n), 0);
	assert_int_equal(n.count, 0);
	cli_names_free(&n);
}

static void test_sets(void **state)
{
	static const uint64_t a[] = { 3, 5, 9 }, b[] = { 1, 5, 10, 11 },
			      both[] = { 1, 3, 5, 9, 10, 11 };
	struct cli_names n = { .count = 0 };

	(void)state;
	assert_true(cli_names_cover(&n, NULL, 0));
	assert_false(cli_names_cover(&n, a, 1));
	assert_true(cli_names_unite(&n, a, 3));
	assert_true(cli_names_cover(&n, a, 3));
	assert_true(cli_names_cover(&n, a + 1, 1));
	assert_false(cli_names_cover(&n, b, 4));
	assert_true(cli_names_unite(&n, b, 4));
	assert_int_equal(n.count, 6);
	assert_memory_equal(n.pc, both, sizeof(both));
	assert_true(cli_names_unite(&n, NULL, 0));
	assert_int_equal(n.count, 6);
	cli_names_free(&n);
}

static void put_damaged(int cache, const uint8_t *bytes, size_t len)
{
	char name[32];

	name_of(KEY, name);
	assert_int_equal(bob_plan_cache_store(cache, name, bytes, len), BOB_OK);
}

/* Cut off anywhere, or one byte changed: it is as if there were nothing, or it is a byte that means
 * nothing. */
static void test_damage(void **state)
{
	static const uint64_t pc[] = { 1, 2, 300 };
	int cache = (int)(intptr_t)*state;
	struct cli_names n, good;
	void *bytes;
	size_t len;
	char name[32];

	keep(cache, pc, 3, 1);
	name_of(KEY, name);
	assert_int_equal(cli_names_read(cache, KEY, &good), 0);
	assert_int_equal(bob_plan_cache_load(cache, name, &bytes, &len), BOB_OK);
	for (size_t cut = 1; cut < len - 64; cut += cut < 4000 ? 500 : 1) {
		put_damaged(cache, bytes, cut);
		assert_int_equal(cli_names_read(cache, KEY, &n), -1);
	}
	for (size_t i = 0; i<len; i += i> 160 && i < 4090 ? 500 : 1) {
		uint8_t *b = bytes;

		b[i] ^= 0x41;
		put_damaged(cache, bytes, len);
		b[i] ^= 0x41;
		if (cli_names_read(cache, KEY, &n))
			continue;
		assert_int_equal(n.count, 3);
		assert_memory_equal(n.pc, pc, sizeof(pc));
		assert_int_equal(n.file.len, good.file.len);
		for (size_t k = BOB_FILE_HEAD_BYTES; k < n.file.len; k++)
			assert_true(k == i || n.file.at[k] == good.file.at[k]);
		cli_names_free(&n);
	}
	cli_names_free(&good);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_round, begin, end),
		cmocka_unit_test(test_sets),
		cmocka_unit_test_setup_teardown(test_damage, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
