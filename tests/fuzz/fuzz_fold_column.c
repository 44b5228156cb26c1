/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes first as pieces, which must be refused or walked without harm; then as a program of loop
 * nests, whose values go through a column, bytes and back. */
#include "../unit/fold/values.h"

#define VALUES 20000u
#define STEPS 100000u
#define DEPTH 4u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

struct program {
	const uint8_t *at, *end;
	struct values v;
	unsigned steps;		/* loops may go round without a value */
};

static unsigned take(struct program *p)
{
	return p->at < p->end ? *p->at++ : 0;
}

/* A loop: trip count, step, how the trip count changes, what is in it. */
static void loop(struct program *p, unsigned depth, uint64_t base)
{
	unsigned trips = take(p) % 40, what = take(p);
	int64_t step = (int8_t)take(p), grow = what % 8 == 1 ? (int8_t)take(p) % 3 : 0;
	const uint8_t *body = p->at;

	if (what % 8 == 2)
		step *= 1ll << 40;
	for (unsigned i = 0; i < trips && p->v.count < VALUES && p->steps++ < STEPS; i++) {
		uint64_t v = base + i * (uint64_t)step;

		if (depth < DEPTH && what & 128) {
			p->at = body; /* the same inside, unless it says otherwise */
			loop(p, depth + 1, v);
		} else {
			values_put(&p->v, v);
		}
		if (grow && trips < 60 && i < 30)
			trips = (unsigned)((int)trips + (int)grow);
		if (what & 64 && i % 16 == 15)
			body = p->at;
	}
}

static void walk_pieces(const uint8_t *at, const uint8_t *end)
{
	struct bob_piece p, part;
	struct bob_piece_walk w;
	uint64_t before = 0;

	for (; bob_piece_get(&at, end, before, &p) == BOB_OK; before = p.base) {
		bob_status st = bob_piece_begin(&p, 0, 0, &w);

		for (int i = 0; i < 300 && st == BOB_OK; i++) {
			for (unsigned d = 0; d + 1 < p.dims; d++)
				(void)bob_piece_part(&p, &w, d, &part);
			st = bob_piece_next(&p, 0, &w);
		}
		bob_piece_squeeze(&p);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct program p = { .at = bytes, .end = bytes + len };
	const char *wrong;

	walk_pieces(bytes, bytes + len);
	values_begin(&p.v);
	while (p.at < p.end && p.v.count < VALUES && p.steps < STEPS)
		loop(&p, 0, take(&p) * 1000u);
	wrong = values_end(&p.v);
	if (wrong) {
		fprintf(stderr, "%s\n", wrong);
		abort();
	}
	values_free(&p.v);
	return 0;
}
