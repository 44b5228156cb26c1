/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes as the entries of a folder; or, if the first one is odd, as a packed trace; or, if it is 2,
 * as one with so many bytes apart as the second says, which come first. What can be read is
 * expanded up to a bound, packed and unpacked: that gives the same bytes again. */
#include "../unit/fold/events.h"

#define EVENTS 20000u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void must(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "%s\n", what);
		abort();
	}
}

/* 1 if that is all there is of everyone. */
static int expand(const struct bob_folded *f)
{
	int all = bob_folded_count(f) <= 4;

	for (uint32_t i = 0; i < bob_folded_count(f) && i < 4; i++) {
		struct bob_fold_cursor *k;
		struct bob_fold_event event;

		must(bob_fold_cursor_open(f, i, &k) == BOB_OK, "no cursor");
		for (unsigned n = 0; n < EVENTS; n++) {
			struct bob_fold_shape shape;

			bob_status st = bob_fold_cursor_next(k, &event);

			if (st != BOB_OK) {
				all &= st == BOB_END;
				break;
			}
			all &= n + 1 < EVENTS;
			bob_folded_shape(f, event.shape, &shape);
			must(shape.words == event.words, "words");
		}
		bob_fold_cursor_close(k);
	}
	return all;
}

static int is_kept(void *ctx, uint32_t participant, const struct bob_fold_event *event)
{
	(void)ctx;
	return (event->shape + participant) % 3 != 0;
}

static void leave(void *ctx, const struct bob_fold_shape *shape, const uint64_t *id,
		  uint64_t *const *word, uint32_t count)
{
	(void)ctx, (void)id;
	for (uint32_t i = 0; i < count && shape->words; i++)
		word[i][0] = word[0][0];
}

/* Folding it anew gives up what was asked for, and reads nothing that is not there. */
static void fold_again(const struct bob_folded *f)
{
	const struct bob_fold_plugin plugin = { BOB_FOLD_PLUGIN_VERSION, sizeof(plugin), "f", NULL,
						NULL, leave };
	uint32_t *spread = calloc(bob_folded_shapes(f) + 1u, sizeof(*spread));
	struct bob_folded *out;

	must(spread != NULL, "no memory");
	(void)bob_folded_spread(f, NULL, spread);
	free(spread);
	if (bob_folded_select(f, is_kept, NULL, &events_alloc, &out) == BOB_OK)
		bob_folded_close(out);
	if (bob_folded_plug(f, &plugin, &events_alloc, &out) == BOB_OK)
		bob_folded_close(out);
}

static void pack_twice(const struct bob_folded *f)
{
	struct events_bytes first = { 0 }, second = { 0 };
	struct bob_folded *again;

	if (bob_folded_pack(f, events_write, &first) == BOB_OK) {
		must(bob_folded_unpack(first.at, first.len, &events_alloc, &again) == BOB_OK,
		     "what was packed is refused");
		must(bob_folded_pack(again, events_write, &second) == BOB_OK, "not packed again");
		must(first.len == second.len && !memcmp(first.at, second.at, first.len),
		     "packed again it is another");
		bob_folded_close(again);
	}
	free(first.at);
	free(second.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct bob_folded *f;
	bob_status st;

	if (!len)
		return 0;
	if (*bytes & 1)
		st = bob_folded_unpack(bytes, len, &events_alloc, &f); /* the version is odd */
	else if (*bytes == 2 && len > 1 && bytes[1] <= len - 2)
		st = bob_folded_unpack_apart(bytes + 2 + bytes[1], len - 2 - bytes[1], bytes + 2,
					     bytes[1], &events_alloc, &f);
	else
		st = bob_folded_open(bytes + 1, len - 1, 3, &events_alloc, &f);
	if (st != BOB_OK)
		return 0;
	if (expand(f))
		fold_again(f);
	pack_twice(f);
	bob_folded_close(f);
	return 0;
}
