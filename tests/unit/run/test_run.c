/* SPDX-License-Identifier: BSD-3-Clause */
/* Round trips, bounds, failures. Every stream is read back block by block and compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gen.h"
#include "rig.h"

static const enum bob_codec codecs[] = { BOB_CODEC_RUN, BOB_CODEC_PARLOT, BOB_CODEC_NONE };
#define CODECS 3

/* Moments the test must have seen, so that it cannot pass by testing nothing. */
static struct {
	uint64_t fast, blocks, grown, mapped;
} seen;

static void check(const struct rig *r, const uint32_t *sym, size_t n, size_t step)
{
	uint64_t count;
	uint32_t *out = rig_read(&r->head, r, step, &count);

	assert_non_null(out);
	assert_int_equal(count, n);
	assert_memory_equal(out, sym, n * 4);
	free(out);
}

static void encode(struct rig *r, const uint32_t *sym, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct bob_run_fast *f = bob_run_fast(r->enc);
		uint64_t call = f->dst != f->end;

		assert_int_equal(rig_entry(r->enc, sym[i]), BOB_OK);
		assert_int_equal(r->head.commit, i + 1);
		seen.fast += call;
	}
}

static void round_trip(enum bob_codec codec, enum gen_kind kind, size_t n, size_t stretch,
		       uint32_t ahead)
{
	uint32_t *sym = gen_make(kind, n, 1);
	struct rig r;
	uint64_t ext = 0;

	for (size_t i = 0; i < n; i++)
		ext += (unsigned)bob_sym_is_ext(sym[i]);
	rig_init(&r, stretch);
	assert_int_equal(rig_open(&r, codec), BOB_OK);
	r.enc->ahead_max = ahead;
	encode(&r, sym, n);
	check(&r, sym, n, 1000);
	seen.blocks += r.head.slot[r.head.cur & 1].block_no;
	if (codec == BOB_CODEC_RUN) {
		seen.grown += r.enc->u.model.level == LEVEL_MAX;
		seen.mapped += r.enc->u.model.id_count == ID_MAX;
	}
	assert_int_equal(bob_run_close(r.enc), BOB_OK);
	assert_int_equal(r.head.slot[r.head.cur & 1].ext_count, ext);
	assert_int_equal(r.head.slot[r.head.cur & 1].flags, BOB_RUN_CLOSED);
	check(&r, sym, n, 7);
	assert_int_equal(bob_run_put(r.enc, 1), BOB_ERR_INVAL);
	assert_int_equal(bob_run_close(r.enc), BOB_ERR_INVAL);
	assert_int_equal(r.live, 0);
	rig_fini(&r);
	free(sym);
}

static void test_round_trips(void **state)
{
	(void)state;
	for (int c = 0; c < CODECS; c++)
		for (int k = 0; k < GEN_COUNT; k++) {
			round_trip(codecs[c], (enum gen_kind)k, 150000, 65536, AHEAD_MAX);
			round_trip(codecs[c], (enum gen_kind)k, 3000, 8, AHEAD_MAX);
			for (size_t n = 0; n < 12; n++)
				round_trip(codecs[c], (enum gen_kind)k, n, 24, AHEAD_MAX);
		}
	assert_true(seen.fast > 100000);
	assert_true(seen.blocks > 20);
	assert_true(seen.grown > 2);
	assert_true(seen.mapped > 0);
}

/* The fast path changes nothing: same bytes on either path. */
static void test_look_ahead_is_exact(void **state)
{
	(void)state;
	for (int k = 0; k < GEN_COUNT; k++) {
		size_t n = 100000;
		uint32_t *sym = gen_make((enum gen_kind)k, n, 3);
		uint8_t *bytes[2];
		uint64_t len[2];

		for (int a = 0; a < 2; a++) {
			struct rig r;

			rig_init(&r, 4096);
			assert_int_equal(rig_open(&r, BOB_CODEC_RUN), BOB_OK);
			r.enc->ahead_max = a ? AHEAD_MAX : 0;
			encode(&r, sym, n);
			len[a] = r.head.slot[r.head.cur & 1].out_len;
			bytes[a] = rig_bytes(&r, len[a], 0);
			rig_fini(&r);
		}
		assert_int_equal(len[0], len[1]);
		assert_memory_equal(bytes[0], bytes[1], len[0]);
		free(bytes[0]);
		free(bytes[1]);
		free(sym);
	}
}

/* Known without the head, which is another's who goes on counting. */
static void test_position(void **state)
{
	static const enum bob_codec all[] = { BOB_CODEC_RUN, BOB_CODEC_PARLOT, BOB_CODEC_NONE,
					      BOB_CODEC_NULL, BOB_CODEC_BLOCK };

	(void)state;
	for (int c = 0; c < 5; c++)
		for (int k = 0; k < GEN_COUNT; k++) {
			size_t n = 20000;
			uint32_t *sym = gen_make((enum gen_kind)k, n, 4);
			struct rig r;

			rig_init(&r, 4096);
			r.stretch_max = 20;
			assert_int_equal(rig_open(&r, all[c]), BOB_OK);
			assert_int_equal(bob_run_position(r.enc), 0);
			for (size_t i = 0; i < n; i++) {
				bob_status st = rig_entry(r.enc, sym[i]);
				uint64_t commit = r.head.commit;

				if (i % 5000 == 4999)
					(void)bob_run_restart(r.enc);
				r.head.commit = 12345678;
				assert_int_equal(bob_run_position(r.enc), commit);
				r.head.commit = commit;
				if (st != BOB_OK)
					break;
			}
			(void)bob_run_close(r.enc);
			assert_int_equal(bob_run_position(r.enc), r.head.commit);
			rig_fini(&r);
			free(sym);
		}
}

/* Any moment between two symbols. */
static void test_readable_after_every_symbol(void **state)
{
	(void)state;
	for (int c = 0; c < CODECS; c++)
		for (int k = 0; k < GEN_COUNT; k++) {
			size_t n = 400;
			uint32_t *sym = gen_make((enum gen_kind)k, n, 5);
			struct rig r;

			rig_init(&r, 16);
			assert_int_equal(rig_open(&r, codecs[c]), BOB_OK);
			check(&r, sym, 0, 5);
			for (size_t i = 0; i < n; i++) {
				struct bob_run_head before = r.head, half;
				uint64_t count;
				uint32_t *out;

				assert_int_equal(rig_entry(r.enc, sym[i]), BOB_OK);
				check(&r, sym, i + 1, 64);
				/* the slot is flipped, the commit word not yet */
				half = r.head;
				half.commit = before.commit;
				out = rig_read(&half, &r, 64, &count);
				assert_non_null(out);
				assert_int_equal(count, half.cur == before.cur ? i : i + 1);
				assert_memory_equal(out, sym, count * 4);
				free(out);
				/* the other slot is written, not flipped */
				half = r.head;
				half.cur = before.cur;
				half.commit = before.commit;
				out = rig_read(&half, &r, 64, &count);
				assert_non_null(out);
				assert_int_equal(count, i);
				assert_memory_equal(out, sym, count * 4);
				free(out);
			}
			rig_fini(&r);
			free(sym);
		}
}

/* The stream ends at every length it can end at. */
static void test_grow_fails(void **state)
{
	(void)state;
	for (int c = 0; c < CODECS; c++)
		for (size_t limit = 0; limit < 120; limit++) {
			size_t n = 40000, took = 0;
			uint32_t *sym = gen_make(GEN_SORT, n, limit);
			bob_status st;
			struct rig r;

			rig_init(&r, 8);
			r.stretch_max = limit;
			st = rig_open(&r, codecs[c]);
			for (; st == BOB_OK && took < n; took += st == BOB_OK)
				st = rig_entry(r.enc, sym[took]);
			assert_int_equal(st, BOB_ERR_FULL);
			assert_int_equal(r.head.commit, took);
			for (int i = 0; i < 3; i++) {
				assert_int_equal(rig_entry(r.enc, sym[took]), BOB_ERR_FULL);
				assert_int_equal(bob_run_restart(r.enc), BOB_ERR_FULL);
			}
			assert_int_equal(r.head.commit, took);
			check(&r, sym, took, 100);
			assert_int_equal(bob_run_close(r.enc), BOB_ERR_FULL);
			check(&r, sym, took, 100);
			assert_int_equal(r.live, 0);
			rig_fini(&r);
			free(sym);
		}
}

static void test_alloc_fails(void **state)
{
	(void)state;
	for (int c = 0; c < 2; c++) {
		struct bob_run_input in = { codecs[c], NULL, 0, 5 };
		struct bob_run_dec *dec = calloc(1, bob_run_dec_size());
		struct rig r;

		rig_init(&r, 64);
		r.alloc_fail = 1;
		assert_int_equal(rig_open(&r, codecs[c]), BOB_ERR_NOMEM);
		assert_int_equal(bob_run_put(r.enc, 1), BOB_ERR_NOMEM);
		assert_int_equal(bob_run_close(r.enc), BOB_ERR_NOMEM);
		assert_int_equal(r.head.commit, 0);
		r.allocs = 0;
		assert_int_equal(bob_run_dec_open(dec, &in, &r.io), BOB_ERR_NOMEM);
		bob_run_dec_close(dec);
		free(dec);
		rig_fini(&r);
	}
}

/* Restarts and blocks ended by their number of symbols, at every distance. */
static void test_blocks(void **state)
{
	(void)state;
	for (int c = 0; c < CODECS; c++)
		for (uint32_t every = 1; every < 70; every += 3) {
			size_t n = 500;
			uint32_t *sym = gen_make(every & 1 ? GEN_NEST : GEN_EXT, n, 5);
			struct rig r;

			rig_init(&r, 40);
			assert_int_equal(rig_open(&r, codecs[c]), BOB_OK);
			if (every % 2)
				r.enc->block_symbols_max = every;
			for (size_t i = 0; i < n; i++) {
				if (every % 2 == 0 && i % every == 0)
					assert_int_equal(bob_run_restart(r.enc), BOB_OK);
				assert_int_equal(rig_entry(r.enc, sym[i]), BOB_OK);
			}
			check(&r, sym, n, 100);
			assert_true(r.head.slot[r.head.cur & 1].block_no >= (n - 1) / every);
			assert_int_equal(bob_run_close(r.enc), BOB_OK);
			check(&r, sym, n, 100);
			rig_fini(&r);
			free(sym);
		}
}

/* Counted, not kept; `block` stops now and then, and says that it is null. Every thousandth symbol
 * comes as from enter.c, whatever is left in the buffer. */
static void test_null(void **state)
{
	static const enum bob_codec codec[] = { BOB_CODEC_NULL, BOB_CODEC_BLOCK };

	(void)state;
	for (int c = 0; c < 2; c++) {
		uint32_t n = 3 * BLOCKWISE_SYMBOLS + 1, calls = 0;
		struct rig r;

		rig_init(&r, 64);
		assert_int_equal(rig_open(&r, codec[c]), BOB_OK);
		for (uint32_t i = 0; i < n; i++) {
			struct bob_run_fast *f = bob_run_fast(r.enc);

			if (f->dst == f->end || i % 1000 == 999) {
				assert_int_equal(bob_run_put(r.enc, i), BOB_OK);
				calls++;
				continue;
			}
			*f->dst = i;
			++*f->commit;
			++f->dst;
		}
		assert_in_range(calls, n / 1000, n / 1000 + n / 100);
		assert_int_equal(r.head.commit, n);
		assert_int_equal(bob_run_position(r.enc), n);
		assert_int_equal(r.head.codec, BOB_CODEC_NULL);
		assert_int_equal(r.stretch_count, 0);
		assert_int_equal(bob_run_restart(r.enc), BOB_OK);
		assert_int_equal(bob_run_put(r.enc, 1), BOB_OK);
		assert_int_equal(bob_run_put(r.enc, bob_sym_make_ext(BOB_SYM_END, 0)), BOB_OK);
		assert_int_equal(r.head.commit, n + 1); /* events only */
		assert_int_equal(bob_run_close(r.enc), BOB_OK);
		rig_fini(&r);
	}
}

/* Whatever one symbol adds stays under the promised bound, and so does a stream's memory. */
static void test_bounds(void **state)
{
	(void)state;
	for (int c = 0; c < CODECS; c++)
		for (int k = 0; k < GEN_COUNT; k++) {
			uint32_t *sym = gen_make((enum gen_kind)k, 60000, 9);
			struct rig r;
			uint64_t len = 0;

			rig_init(&r, 65536);
			assert_int_equal(rig_open(&r, codecs[c]), BOB_OK);
			for (size_t i = 0; i < 60000; i++) {
				uint64_t now;

				assert_int_equal(rig_entry(r.enc, sym[i]), BOB_OK);
				now = r.head.slot[r.head.cur & 1].out_len;
				assert_true(now - len <= BOB_RUN_SYMBOL_BYTES_MAX);
				len = now;
			}
			assert_true(r.live + bob_run_enc_size() <= 820000);
			assert_int_equal(r.allocs, codecs[c] == BOB_CODEC_NONE ? 0 : 1);
			rig_fini(&r);
			free(sym);
		}
}

/* Every byte of a small block damaged, and every length cut: symbols or an error, nothing else.
 * (Only NONE detects by itself that it was cut; for the others there is the checksum.) */
static void test_damage(void **state)
{
	(void)state;
	for (int c = 0; c < CODECS; c++) {
		uint32_t *sym = gen_make(GEN_SORT, 600, 2), *out = malloc(601 * 4);
		struct rig r;
		uint64_t len;
		uint8_t *bytes, *cut;

		rig_init(&r, 65536);
		assert_int_equal(rig_open(&r, codecs[c]), BOB_OK);
		encode(&r, sym, 600);
		assert_int_equal(bob_run_close(r.enc), BOB_OK);
		len = r.head.slot[r.head.cur & 1].out_len - sizeof(struct bob_run_block);
		bytes = r.stretch[0] + sizeof(struct bob_run_block);
		for (uint64_t i = 0; i <= len; i++) {
			struct bob_run_input in = { codecs[c], bytes, len, 600 };

			for (unsigned bit = 0; i < len && bit < 8; bit++) {
				bytes[i] ^= (uint8_t)(1u << bit);
				(void)rig_decode_block(&in, out, 50);
				bytes[i] ^= (uint8_t)(1u << bit);
			}
			cut = malloc(i + 1);	/* exactly as long, for the sanitizer */
			memcpy(cut, bytes, i);
			in.bytes = realloc(cut, i ? i : 1);
			in.len = i;
			if (codecs[c] == BOB_CODEC_NONE && i < len)
				assert_int_equal(rig_decode_block(&in, out, 50), BOB_ERR_CORRUPT);
			free((void *)(uintptr_t)in.bytes);
		}
		rig_fini(&r);
		free(sym);
		free(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_look_ahead_is_exact),
		cmocka_unit_test(test_position),
		cmocka_unit_test(test_readable_after_every_symbol),
		cmocka_unit_test(test_grow_fails),
		cmocka_unit_test(test_alloc_fails),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
