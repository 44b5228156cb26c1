/* SPDX-License-Identifier: BSD-3-Clause */
/* bob_plan_check on a good plan with one thing wrong at a time, and the cache's manners. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "archive/format.h"
#include "base/crc.h"
#include "base/hash.h"
#include "images.h"
#include "plan/format.h"
#include "plan/plan.h"

static uint8_t *good, *bad;
static size_t good_len;

static int make_plan(void **state)
{
	void *p;

	(void)state;
	if (bob_plan_image(test_images[0], &p, &good_len, NULL, NULL) != BOB_OK)
		return -1;
	good = p;
	bad = malloc(good_len);
	return bad ? 0 : -1;
}

static int drop_plan(void **state)
{
	(void)state;
	free(good);
	free(bad);
	return 0;
}

static bob_status check_bad(void)
{
	struct bob_plan_head *h = (void *)bad;
	const size_t from = offsetof(struct bob_plan_head, file_bytes);

	h->check = (uint32_t)bob_hash64(0, bad + from, good_len - from);
	return bob_plan_check(bad, good_len, 0);
}

static struct bob_plan_head *fresh(void)
{
	memcpy(bad, good, good_len);
	return (void *)bad;
}

static struct bob_plan_func *hooked(struct bob_plan_head *h, unsigned kind)
{
	struct bob_plan_func *f = (void *)(bad + h->funcs.off);

	while (f->kind != kind)
		f++;
	return f;
}

/* `what` done to a fresh copy must be refused. */
#define REFUSED(what)                                                                              \
	do {                                                                                       \
		h = fresh();                                                                       \
		f = hooked(h, BOB_PATCH_JMP);                                                      \
		g = hooked(h, BOB_PATCH_HOLE);                                                     \
		fde = (void *)(bad + h->fdes.off);                                                 \
		row = (void *)(bad + h->rows.off);                                                 \
		rel = (void *)(bad + h->relocs.off);                                               \
		assert_int_equal(check_bad(), BOB_OK);                                             \
		what;                                                                              \
		assert_int_equal(check_bad(), BOB_ERR_CORRUPT);                                    \
	} while (0)

static void test_refused(void **state)
{
	struct bob_plan_head *h;
	struct bob_plan_func *f, *g;
	struct bob_plan_fde *fde;
	struct bob_plan_row *row;
	uint32_t *rel;

	(void)state;
	REFUSED(h->magic++);
	REFUSED(h->file_bytes--);
	REFUSED(h->text_hi = h->text_lo);
	REFUSED(h->text_hi = UINT64_MAX);
	REFUSED(h->func_count++);
	REFUSED(h->arena_bytes++);
	REFUSED(h->build_id_len = 21);
	REFUSED(h->funcs.off += 8);
	REFUSED(h->blob.off = UINT64_MAX - 63);
	REFUSED(h->rows.len += sizeof(struct bob_plan_row) * 1000000);
	REFUSED(h->image.len = good_len);
	REFUSED(bad[h->names.off + h->names.len - 1] = 'x');
	REFUSED(f->addr = h->text_hi + 1);
	REFUSED(f[1].addr = f->addr);
	REFUSED(f->name = (uint32_t)h->names.len);
	REFUSED(f->kind = 3);
	REFUSED(f->kind = BOB_PATCH_NONE);
	REFUSED(f->skip = BOB_SKIP_SHORT);
	REFUSED(f->patch_delta = BOB_PLAN_BODY_MAX + 1);
	REFUSED(f->expect_len = 17);
	REFUSED(f->expect_len = 4);
	REFUSED(f->displaced_len = 0);
	REFUSED(f->tramp = h->arena_bytes);
	REFUSED(f->tramp_len = h->arena_bytes);
	REFUSED(f->tramp_len = 15);
	REFUSED(f->body = 14);
	REFUSED(g->hole_delta = 130);
	REFUSED(g->hole_delta = -127);
	REFUSED(g->hole_delta = -4);
	REFUSED(g->hole_delta = 1);
	REFUSED(rel[0] = h->arena_bytes - 3);
	REFUSED(rel[1] = rel[0] + 3);
	REFUSED(fde->lo = fde->hi);
	REFUSED(fde[1].lo = fde->hi - 1);
	REFUSED(fde->flags = 2);
	REFUSED(fde->owner = h->func_count);
	REFUSED(fde->row = 1);
	REFUSED(fde->row_count = 0);
	REFUSED(fde->row_count = UINT32_MAX);
	REFUSED(row->start = 1);
	REFUSED(row->cfa_kind = 6);
	REFUSED(((struct bob_plan_special *)(void *)(bad + h->special.off))->func = h->func_count);
	REFUSED(((struct bob_plan_special *)(void *)(bad + h->special.off))->what =
			BOB_SPECIAL_THREAD_END + 1);
	struct bob_plan_special *sp = (void *)(bad + h->special.off);
	REFUSED(sp[1].func = sp[0].func);
}

static void test_checksum_and_key(void **state)
{
	struct bob_plan_head *h = fresh();

	(void)state;
	assert_int_equal(bob_plan_check(good, good_len, h->key), BOB_OK);
	assert_int_equal(bob_plan_check(good, good_len, h->key + 1), BOB_ERR_CORRUPT);
	assert_int_equal(bob_plan_check(good, good_len - 1, 0), BOB_ERR_CORRUPT);
	assert_int_equal(bob_plan_check(good, 64, 0), BOB_ERR_CORRUPT);
	bad[good_len / 2] ^= 1;
	assert_int_equal(bob_plan_check(bad, good_len, 0), BOB_ERR_CORRUPT);
	h = fresh();
	h->version++;
	assert_int_equal(check_bad(), BOB_ERR_VERSION);
}

/* The image file for the trace is valid alone. */
static void test_image_file(void **state)
{
	const struct bob_plan_head *h = (const void *)good;
	const uint8_t *p = good + h->image.off;
	const struct bob_file_head *fh = (const void *)p;
	const struct bob_chunk_head *ch = (const void *)(p + BOB_FILE_HEAD_BYTES);
	const struct bob_image_head *ih = (const void *)(ch + 1);
	const struct bob_image_func *f = (const void *)((const uint8_t *)ih + ih->func_off);
	unsigned found = 0;

	(void)state;
	assert_true(fh->magic == BOB_FORMAT_MAGIC && fh->kind == BOB_FILE_IMAGE);
	assert_int_equal(fh->used, h->image.len);
	assert_int_equal(fh->crc, bob_crc32c(0, fh, offsetof(struct bob_file_head, crc)));
	assert_true(ch->magic == BOB_CHUNK_MAGIC && ch->kind == BOB_CHUNK_IMAGE);
	assert_true(ch->len <= h->image.len - BOB_FILE_HEAD_BYTES - sizeof(*ch));
	assert_int_equal(ch->crc, bob_crc32c(0, ih, ch->len));
	assert_true(ih->key == h->key && ih->count == h->func_count);
	assert_string_equal(ih->soname, "libc.so.6");
	for (uint32_t i = 0; i < ih->count; i++) {
		const char *name =
			f[i].name == UINT32_MAX ? "" : (const char *)ih + ih->names_off + f[i].name;

		found += !strcmp(name, "qsort") || !strcmp(name, "malloc");
		if (!strcmp(name, "qsort"))
			assert_true(f[i].flags & BOB_FUNC_EXPORTED);
	}
	assert_int_equal(found, 2);
}

static void test_specials(void **state)
{
	const struct bob_plan_head *h = (const void *)good;
	const struct bob_plan_special *s = (const void *)(good + h->special.off);
	const struct bob_plan_func *f = (const void *)(good + h->funcs.off);
	uint64_t seen = 0, hooks = 0, libc_hooks = 0;

	(void)state;
	for (uint64_t i = 0; i < h->special.len / sizeof(*s); i++) {
		assert_int_not_equal(f[s[i].func].kind, BOB_PATCH_NONE);
		if (s[i].what > BOB_SPECIAL_SYNC)
			hooks |= 1ull << (s[i].what - BOB_SPECIAL_SYNC);
		else
			seen |= 1ull << s[i].what;
	}
	for (unsigned i = BOB_HOOK_JOIN; i <= BOB_HOOK_BARRIER_WAIT; i++)
		libc_hooks |= 1ull << i;
	assert_int_equal(hooks, libc_hooks | 1ull << BOB_HOOK_CREATE);
	assert_int_equal(seen, 1u << BOB_SPECIAL_EXECVE | 1u << BOB_SPECIAL_EXIT |
				       1u << BOB_SPECIAL_MAKECONTEXT | 1u << BOB_SPECIAL_PRCTL |
				       1u << BOB_SPECIAL_CLONE | 1u << BOB_SPECIAL_SYSCALL |
				       1u << BOB_SPECIAL_EXECVEAT | 1u << BOB_SPECIAL_SIGALTSTACK |
				       1u << BOB_SPECIAL_MAIN | 1u << BOB_SPECIAL_FORK |
				       1u << BOB_SPECIAL_SIGACTION | 1u << BOB_SPECIAL_SIGMASK |
				       1u << BOB_SPECIAL_LIBC_SIGACTION | 1u << BOB_SPECIAL_WAIT4 |
				       1u << BOB_SPECIAL_WAITID | 1u << BOB_SPECIAL_THREAD_END);
}

static const struct bob_plan_func *func_at(const struct bob_plan_head *h, uint64_t addr)
{
	const struct bob_plan_func *f = (const void *)((const uint8_t *)h + h->funcs.off);

	for (uint32_t i = 0; i < h->func_count; i++)
		if (f[i].addr == addr)
			return &f[i];
	return NULL;
}

/* The trampoline but for what depends on where it is and on its number. */
static void assert_same_body(const struct bob_plan_head *a, const struct bob_plan_func *f,
			     const struct bob_plan_head *b, const struct bob_plan_func *g)
{
	const uint8_t *p = (const uint8_t *)a + a->blob.off + f->tramp;
	const uint8_t *q = (const uint8_t *)b + b->blob.off + g->tramp;

	assert_int_equal(f->tramp_len, g->tramp_len);
	assert_int_equal(f->displaced_len, g->displaced_len);
	assert_int_equal(f->expect_len, g->expect_len);
	assert_memory_equal(f->expect, g->expect, f->expect_len);
	assert_memory_equal(p, q, BOB_PLAN_TRAMP_ID);
	assert_int_equal(p[f->body], q[g->body]);
}

/* The plan of special functions alone patches each of them as the whole one does. */
static void test_special_plan(void **state)
{
	const struct bob_plan_head *whole = (const void *)good, *h;
	const struct bob_plan_special *s;
	const struct bob_plan_func *f;
	uint64_t seen = 0, key;
	size_t len;
	void *p;

	(void)state;
	assert_int_equal(bob_plan_image_special(test_images[0], &p, &len, NULL), BOB_OK);
	assert_int_equal(bob_plan_sample_key(test_images[0], &key, NULL), BOB_OK);
	assert_int_equal(bob_plan_check(p, len, key), BOB_OK);
	h = p;
	assert_true(key != whole->key && len < 16384);
	s = (const void *)((const uint8_t *)p + h->special.off);
	f = (const void *)((const uint8_t *)p + h->funcs.off);
	assert_int_equal(h->func_count, h->special.len / sizeof(*s));
	for (uint32_t i = 0; i < h->func_count; i++) {
		const struct bob_plan_func *there = func_at(whole, f[i].addr);

		assert_int_equal(s[i].func, i);
		seen |= 1ull << s[i].what;
		assert_non_null(there);
		assert_int_equal(there->size, f[i].size);
		if (f[i].kind == BOB_PATCH_JMP && there->kind == BOB_PATCH_JMP)
			assert_same_body(h, &f[i], whole, there);
		assert_int_not_equal(f[i].kind, BOB_PATCH_NONE);
	}
	assert_int_equal(seen, 1u << BOB_SPECIAL_EXECVE | 1u << BOB_SPECIAL_EXIT |
				       1u << BOB_SPECIAL_MAKECONTEXT | 1u << BOB_SPECIAL_PRCTL |
				       1u << BOB_SPECIAL_SYSCALL | 1u << BOB_SPECIAL_EXECVEAT |
				       1u << BOB_SPECIAL_SIGALTSTACK | 1u << BOB_SPECIAL_WAIT4 |
				       1u << BOB_SPECIAL_WAITID | 1u << BOB_SPECIAL_THREAD_END);
	free(p);
	assert_int_equal(bob_plan_image_special(test_images[1], &p, &len, NULL), BOB_OK);
	h = p;
	s = (const void *)((const uint8_t *)p + h->special.off);
	seen = 0;
	for (uint32_t i = 0; i < h->func_count; i++)
		seen |= 1ull << s[i].what;
	assert_int_equal(seen, 1u << BOB_SPECIAL_DL_STATE | 1u << BOB_SPECIAL_EXIT);
	free(p);
}

/* Of each 4096 bytes 64 count, without a build-id all; places and sizes always. */
static void test_sample_key(void **state)
{
	static uint8_t bytes[10000];
	const uint64_t key = bob_plan_key_sample(1, 64, bytes, sizeof(bytes), 0),
		       all = bob_plan_key_sample(1, 64, bytes, sizeof(bytes), 1);

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] = 1;
		assert_int_equal(bob_plan_key_sample(1, 64, bytes, sizeof(bytes), 0) != key,
				 i % 4096 < 64);
		assert_true(bob_plan_key_sample(1, 64, bytes, sizeof(bytes), 1) != all);
		bytes[i] = 0;
	}
	assert_true(bob_plan_key_sample(2, 64, bytes, sizeof(bytes), 0) != key);
	assert_true(bob_plan_key_sample(1, 128, bytes, sizeof(bytes), 0) != key);
	assert_true(bob_plan_key_sample(1, 64, bytes, sizeof(bytes) - 1, 0) != key);
}

static void test_cache(void **state)
{
	char dir[] = "/tmp/bob_plan_XXXXXX", file[128];
	const struct bob_plan_head *h = (const void *)good;
	struct bob_error err;
	int made;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/%016" PRIx64 ".plan", dir, h->key);
	assert_int_equal(bob_plan_cache(dir, test_images[0], &made, NULL, &err), BOB_OK);
	assert_int_equal(made, 1);
	assert_int_equal(bob_plan_cache(dir, test_images[0], &made, NULL, &err), BOB_OK);
	assert_int_equal(made, 0);
	/* a plan that others could have written, or that is damaged, is made again */
	assert_int_equal(chmod(file, 0622), 0);
	assert_int_equal(bob_plan_cache(dir, test_images[0], &made, NULL, &err), BOB_OK);
	assert_int_equal(made, 1);
	assert_int_equal(truncate(file, 1000), 0);
	assert_int_equal(bob_plan_cache(dir, test_images[0], &made, NULL, &err), BOB_OK);
	assert_int_equal(made, 1);
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(bob_plan_cache(dir, test_images[0], &made, NULL, &err), BOB_ERR_IO);
	assert_int_equal(bob_plan_cache(dir, "/nonexistent", &made, NULL, &err), BOB_ERR_NOENT);
	assert_int_equal(bob_plan_cache(dir, "/etc/passwd", &made, NULL, &err),
			 BOB_ERR_UNSUPPORTED);
	unlink(file);
	assert_int_equal(rmdir(dir), 0);	/* no temporary file was left */
}

static void note_libc(void *ctx, const char *path)
{
	unsigned *seen = ctx;

	*seen |= strstr(path, "libc.so.6") ? 1u : 0;
	*seen |= strstr(path, "ld-linux") ? 2u : 0;
	*seen |= strstr(path, "/exe") ? 4u : 0;
}

static void test_closure(void **state)
{
	unsigned seen = 0;
	struct bob_error err;

	(void)state;
	assert_int_equal(bob_plan_closure("/proc/self/exe", note_libc, &seen, &err), BOB_OK);
	assert_int_equal(seen, 7);
	assert_int_equal(bob_plan_closure("/nonexistent", note_libc, &seen, &err), BOB_ERR_NOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_checksum_and_key),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_image_file),
		cmocka_unit_test(test_specials),
		cmocka_unit_test(test_special_plan),
		cmocka_unit_test(test_sample_key),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_closure),
	};

	return cmocka_run_group_tests(tests, make_plan, drop_plan);
}
