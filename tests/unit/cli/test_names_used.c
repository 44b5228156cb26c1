/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that a trace of events needs: whatever its places are, they are named as by all names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "archive/reader.h"
#include "cli/memory/names_used.c"
#include "cli/names_cache.c"

#include "../../golden/build.h"

#define KEY 0x77ull
#define FIRST_ID 1000u
#define FUNCTIONS 60u
#define CALLS 12u
#define PLACES 40u
#define LIMIT 1500u	/* link addresses */
#define MADE 4711u

static char dir[64];

static void put(const char *name, const void *bytes, size_t len)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* A process that has the image, and called nothing. */
static void put_process(void)
{
	struct bob_meta meta;
	struct build p;
	uint8_t buf[512];

	build_process(&p, 5, 1, 0, 50);
	bob_meta_init(&meta, buf, sizeof(buf));
	bob_meta_put(&meta, BOB_REC_EXE, "/bin/prog", 9);
	build_rec_image(&meta, 0, FIRST_ID, FUNCTIONS, KEY, "/bin/prog");
	build_sealed(&p, BOB_CHUNK_META, 0, buf, meta.len);
	put(p.name, p.bytes, p.len);
	build_free(&p);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorted; some begin together, overlap, or leave holes; some have no name. */
static void make_functions(struct bob_image_func *fn, char *names, uint32_t *names_len)
{
	uint64_t addr[FUNCTIONS];
	uint32_t at = 0;

	for (uint32_t i = 0; i < FUNCTIONS; i++)
		addr[i] = (uint64_t)rand() % LIMIT;
	qsort(addr, FUNCTIONS, sizeof(*addr), by_value);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		fn[i] = (struct bob_image_func){ .addr = addr[i], .size = (uint32_t)rand() % 90,
						 .name = ~0u, .file = ~0u, .line = i,
						 .flags = (uint16_t)(i & 1),
						 .skip = (uint16_t)(i % 3) };
		if (rand() % 5 == 0)
			continue;
		fn[i].name = at;
		at += (uint32_t)sprintf(names + at, "name_of_%u", i) + 1;
		if (rand() % 2)
			continue;
		fn[i].file = at;
		at += (uint32_t)sprintf(names + at, "file%u.c", i) + 1;
	}
	*names_len = at;
}

static void add_source(struct build *b, const uint64_t *pc, size_t count)
{
	static const char *files[] = { "a.c", "b.c", "c.c" };
	struct bob_source_place place = { BOB_PLACE_LOCAL, "x", -8, 0 };
	struct bob_source_object object = { 5, 7, "object" };
	static const char *texts[] = { "f", "g", "a.h", "b.h", "c.h" };
	struct bob_source_inlined call[CALLS];
	struct bob_source_row row[PLACES];
	struct bob_source s = { files, &place, &object, &object, row, 3,     1,
				1,     1,      0,	call,	 texts, CALLS, 5 };
	struct cli_buffer payload = { 0 }, inlined = { 0 };

	for (uint32_t i = 0; i < CALLS; i++)
		call[i] = (struct bob_source_inlined){ (uint32_t)rand() % (i + 1) - 1,
						       (uint32_t)rand() % 3 - 1,
						       2 + (uint32_t)rand() % 3, i };

	for (size_t i = 0; i < count; i++)
		if (!i || pc[i] != pc[i - 1])
			row[s.rows++] = (struct bob_source_row){ pc[i],
								 (uint32_t)(pc[i] % 4 == 3 ?
										    ~0u :
										    pc[i] % 4),
								 (uint32_t)i, pc[i] & 1, 0,
								 (uint32_t)rand() % (CALLS + 1) };
	bob_source_put(&s, cli_buffer_take, &payload);
	build_sealed(b, BOB_CHUNK_SOURCE, 9, payload.at, payload.len);
	free(payload.at);
	assert_int_equal(bob_source_put_inlined(&s, cli_buffer_take, &inlined), BOB_OK);
	build_sealed(b, BOB_CHUNK_TABLE_INLINED, 9, inlined.at, inlined.len);
	free(inlined.at);
}

/* With lines and inlined calls of `pc` (ascending, perhaps twice). */
static void make_image(struct build *b, const uint64_t *pc, size_t count)
{
	struct {
		struct bob_image_head h;
		struct bob_image_func fn[FUNCTIONS];
		char names[FUNCTIONS * 32];
	} im = { .h = { .key = KEY, .count = FUNCTIONS } };

	make_functions(im.fn, im.names, &im.h.names_len);
	im.h.func_off = offsetof(__typeof__(im), fn);
	im.h.names_off = offsetof(__typeof__(im), names);
	strcpy(im.h.soname, "libx.so");
	build_begin(b, BOB_FILE_IMAGE);
	bob_file_seal(build_head(b));
	bob_name_image(b->name, sizeof(b->name), KEY);
	build_sealed(b, BOB_CHUNK_IMAGE, 0, &im, im.h.names_off + im.h.names_len);
	add_source(b, pc, count);
}

static struct bob_trace *open_trace(void)
{
	struct bob_trace *t;
	struct bob_error err;

	assert_int_equal(bob_trace_open(dir, &t, &err), BOB_OK);
	assert_int_equal(bob_trace_process_count(t), 1);
	assert_int_equal(bob_trace_problem_count(t), 0);
	return t;
}

static void same_function(const struct bob_function_info *a, const struct bob_function_info *b)
{
	assert_int_equal(a->id, b->id);
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->file, b->file);
	assert_int_equal(a->addr, b->addr);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->skip, b->skip);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->line, b->line);
}

static void same_frames(const struct bob_trace *all, const struct bob_trace *some, uint64_t pc)
{
	struct bob_inlined_frame a[CALLS], b[CALLS];
	uint32_t n = bob_trace_inlined(all, 0, 0, pc, a, CALLS);

	assert_true(n <= CALLS);
	assert_int_equal(bob_trace_inlined(some, 0, 0, pc, b, CALLS), n);
	for (uint32_t i = 0; i < n; i++) {
		assert_string_equal(a[i].function, b[i].function);
		assert_string_equal(a[i].file, b[i].file);
		assert_int_equal(a[i].line, b[i].line);
	}
}

static void same_places(const struct bob_trace *all, const struct bob_trace *some,
			const uint64_t *pc, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct bob_function_info a, b;
		struct bob_source_line x, y;
		bob_status st = bob_trace_function_at(all, 0, 0, pc[i], &a);

		assert_int_equal(bob_trace_function_at(some, 0, 0, pc[i], &b), st);
		if (st == BOB_OK) {
			same_function(&a, &b);
			assert_int_equal(bob_trace_function(some, 0, b.id, &b), BOB_OK);
			same_function(&a, &b);
		}
		assert_int_equal(bob_trace_source(all, 0, 0, pc[i], &x), BOB_OK);
		assert_int_equal(bob_trace_source(some, 0, 0, pc[i], &y), BOB_OK);
		assert_string_equal(x.file, y.file);
		assert_int_equal(x.line, y.line);
		same_frames(all, some, pc[i]);
	}
}

/* By its number a function has its own name or, left out, none: never another's. How many have
 * one. */
static uint32_t same_or_nameless(const struct bob_trace *all, const struct bob_trace *some)
{
	uint32_t known = 0;

	for (uint32_t id = FIRST_ID; id < FIRST_ID + FUNCTIONS; id++) {
		struct bob_function_info a, b;

		assert_int_equal(bob_trace_function(all, 0, id, &a), BOB_OK);
		assert_int_equal(bob_trace_function(some, 0, id, &b), BOB_OK);
		assert_int_equal(b.id, id);
		if (!b.size && !b.addr && !b.line) {
			assert_string_equal(b.name, "");
			continue;
		}
		same_function(&a, &b);
		known++;
	}
	return known;
}

static uint32_t one_round(void)
{
	struct bob_trace *all, *some;
	struct cli_buffer whole = { 0 }, used;
	uint64_t pc[PLACES];
	size_t count = 1 + (size_t)rand() % PLACES;
	struct build image;

	for (size_t i = 0; i < PLACES; i++)
		pc[i] = (uint64_t)rand() % (LIMIT + 100);
	qsort(pc, PLACES, sizeof(*pc), by_value);
	make_image(&image, pc, PLACES);
	put(image.name, image.bytes, image.len);
	all = open_trace();
	cli_buffer_take(&whole, image.bytes, image.len);
	assert_int_equal(cli_names_used(&whole, pc, count, MADE, &used), 0);
	assert_true(used.len < whole.len);
	/* a reader goes on with what it has mapped */
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", dir, image.name);
	assert_int_equal(unlink(path), 0);
	put(image.name, used.at, used.len);
	some = open_trace();
	bob_trace_verify(some);
	assert_int_equal(bob_trace_problem_count(some), 0);
	same_places(all, some, pc, count);
	const uint32_t known = same_or_nameless(all, some);
	assert_true(known <= count);
	assert_int_equal(bob_trace_image(some, 0, 0)->count, FUNCTIONS);
	assert_string_equal(bob_trace_image(some, 0, 0)->soname, "libx.so");
	/* what has been left out once is gone */
	struct cli_buffer again;
	assert_int_equal(cli_names_used(&used, pc, count, MADE, &again), -1);
	assert_null(again.at);
	bob_trace_close(some);
	bob_trace_close(all);
	free(used.at);
	free(whole.at);
	build_free(&image);
	return known;
}

static void test_same(void **state)
{
	uint32_t known = 0;

	(void)state;
	srand(1);
	put_process();
	for (int i = 0; i < 100; i++)
		known += one_round();
	assert_true(known > 100);
}

/* Its table goes past its end, the file is cut, a byte is another one: refused, or something that
 * is in bounds. */
static void test_damage(void **state)
{
	static const uint64_t pc[] = { 3, 70, 500, 1200 };
	struct cli_buffer whole = { 0 }, used;
	struct build image;

	(void)state;
	srand(2);
	make_image(&image, pc, 4);
	cli_buffer_take(&whole, image.bytes, image.len);
	assert_int_equal(cli_names_used(&whole, pc, 4, MADE, &used), 0);
	free(used.at);
	for (size_t cut = 0; cut < image.len; cut += cut < BOB_FILE_HEAD_BYTES ? 512 : 7) {
		whole.len = cut;
		if (!cli_names_used(&whole, pc, 4, MADE, &used))
			free(used.at);
		else
			assert_null(used.at);
	}
	whole.len = image.len;
	for (size_t i = BOB_FILE_HEAD_BYTES; i < image.len; i++)
		for (int bit = 0; bit < 8; bit++) {
			whole.at[i] ^= (uint8_t)(1 << bit);
			if (!cli_names_used(&whole, pc, 4, MADE, &used))
				free(used.at);
			whole.at[i] ^= (uint8_t)(1 << bit);
		}
	free(whole.at);
	build_free(&image);
}

static int begin(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/bob-used-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
