/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of variables, the trace `shapes`: of each kind, in any order, several of one address; and
 * invalid records, in another process. */
#ifndef BOB_TESTS_GOLDEN_SHAPES_H
#define BOB_TESTS_GOLDEN_SHAPES_H

#include "syncs.h"

#define SHAPE_BASE 0x2001000000000ull
#define SHAPE_AT(variable) (SHAPE_BASE + ((uint64_t)(variable) << 36))

static inline void build_shape(struct bob_meta *m, uint64_t address, uint32_t element,
			       uint32_t flags, uint32_t rank, const int64_t (*bounds)[2])
{
	const struct bob_rec_shape s = { address, element, rank, flags, 0 };

	bob_meta_begin(m, BOB_REC_SHAPE);
	bob_meta_append(m, &s, sizeof(s));
	if (rank)
		bob_meta_append(m, bounds, rank * sizeof(*bounds));
	bob_meta_end(m);
}

#define BOUNDS(...)                                                                                \
	(const int64_t[][2])                                                                       \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

static inline void golden_shapes_meta(struct build *b)
{
	uint8_t buf[2048];
	struct bob_meta m;

	bob_meta_init(&m, buf, sizeof(buf));
	build_shape(&m, SHAPE_AT(2), 8, 0, 3, BOUNDS({ -1, 4 }, { 1, 3 }, { 0, 2 }));
	build_shape(&m, SHAPE_AT(0), 4, 1, 2, BOUNDS({ 0, 50 }, { 0, 100 }));
	build_shape(&m, SHAPE_AT(1), 8, 1, 0, NULL);
	build_shape(&m, SHAPE_AT(3), 8, 0, 2, BOUNDS({ 1, 10 }, { 1, 3 }));
	build_shape(&m, SHAPE_AT(3), 8, 0, 2, BOUNDS({ 1, 10 }, { 1, 7 }));
	build_shape(&m, SHAPE_AT(3), 8, 0, 2, BOUNDS({ 1, 10 }, { 1, 3 }));
	build_sealed(b, BOB_CHUNK_META, 0, buf, m.len);
	bob_meta_init(&m, buf, sizeof(buf));
	build_shape(&m, SHAPE_AT(4), 8, 0, 2, BOUNDS({ 1, 10 }, { 1, 3 }));
	build_shape(&m, SHAPE_AT(4), 8, 0, 2, BOUNDS({ 1, 5 }, { 1, 20 }));
	build_shape(&m, SHAPE_AT(5), 1, 1, 1, BOUNDS({ -(1ll << 62), 1ll << 48 }));
	build_sealed(b, BOB_CHUNK_META, 0, buf, m.len);
}

static inline void golden_shapes_process(struct build *b)
{
	uint32_t thread;

	golden_memory_process(b);
	golden_shapes_meta(b);
	thread = build_mem_thread(b, "one");
	build_mem_raw(b, thread, MEM_WORDS(MEM_HEAD(MEM_PAIR), SHAPE_AT(0), SHAPE_AT(2) + 4), 0,
		      MEM_SEALED);
	bob_file_end(build_head(b), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
}

/* Of these nothing is told. */
static inline void build_no_shapes(struct bob_meta *m)
{
	static const struct bob_rec_shape deep = { SHAPE_BASE, 8, 16, 0, 0 },
					  cut = { SHAPE_BASE, 8, 1, 0, 0 };
	const int64_t large[2] = { (1ll << 62) + 1, 1 };

	build_shape(m, SHAPE_BASE, 0, 0, 0, NULL);
	build_shape(m, SHAPE_BASE, 8, 0, 1, BOUNDS({ 0, 0 }));
	build_shape(m, SHAPE_BASE, 8, 0, 1, BOUNDS({ 0, -3 }));
	build_shape(m, SHAPE_BASE, 8, 0, 1, &large);
	build_shape(m, SHAPE_BASE, 8, 0, 2, BOUNDS({ 0, 1ll << 40 }, { 0, 33 }));
	build_shape(m, SHAPE_BASE, 8, 0, 1, BOUNDS({ 0, INT64_MAX }));
	bob_meta_put(m, BOB_REC_SHAPE, &deep, sizeof(deep));
	bob_meta_put(m, BOB_REC_SHAPE, &cut, sizeof(cut));
	bob_meta_put(m, BOB_REC_SHAPE, &cut, 12);
}

#endif
