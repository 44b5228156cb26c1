/* SPDX-License-Identifier: BSD-3-Clause */
/* The first byte: how many that follow are a signature tree; the others are a trace under it. A
 * tree that can be read gives the same bytes again, alone and merged with itself, and numbers its
 * paths; a trace gives, packed twice, the same bytes. */
#include "../unit/fold/events.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void must(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "%s\n", what);
		abort();
	}
}

static void check_tree(const struct bob_fold_tree *t, const uint8_t *bytes, size_t len)
{
	struct events_bytes b = { 0 }, twice = { 0 };
	struct bob_fold_tree *both;

	for (uint32_t i = 1; i <= bob_fold_tree_count(t); i++) {
		uint32_t parent;
		uint64_t place;

		must(bob_fold_tree_path(t, i, &parent, &place) && parent < i, "a path");
		must(bob_fold_tree_find(t, parent, place) == i, "another number");
	}
	must(bob_fold_tree_pack(t, events_write, &b) == BOB_OK, "not packed");
	/* integers can be longer than they need be */
	must(b.len <= len && (b.len < len || !memcmp(b.at, bytes, len)), "another tree");
	must(bob_fold_tree_merge(t, t, &events_alloc, &both) == BOB_OK, "not merged");
	must(bob_fold_tree_pack(both, events_write, &twice) == BOB_OK, "not packed");
	must(twice.len == b.len && !memcmp(twice.at, b.at, b.len), "merged it is another");
	bob_fold_tree_close(both);
	free(b.at);
	free(twice.at);
}

static void check_trace(const struct bob_folded *f, const struct bob_fold_tree *t)
{
	struct events_bytes first = { 0 }, second = { 0 };
	struct bob_folded *again;

	if (bob_folded_pack_under(f, t, events_write, &first) == BOB_OK) {
		must(bob_folded_unpack_under(first.at, first.len, t, &events_alloc, &again) ==
			     BOB_OK,
		     "what was packed is refused");
		must(bob_folded_pack_under(again, t, events_write, &second) == BOB_OK,
		     "not packed again");
		must(first.len == second.len && !memcmp(first.at, second.at, first.len),
		     "packed again it is another");
		bob_folded_close(again);
	}
	free(first.at);
	free(second.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct bob_fold_tree *t;
	struct bob_folded *f;
	size_t n;

	if (!len)
		return 0;
	n = bytes[0] < len - 1 ? bytes[0] : len - 1;
	if (bob_fold_tree_unpack(bytes + 1, n, &events_alloc, &t) != BOB_OK)
		return 0;
	check_tree(t, bytes + 1, n);
	if (bob_folded_unpack_under(bytes + 1 + n, len - 1 - n, t, &events_alloc, &f) == BOB_OK) {
		check_trace(f, t);
		bob_folded_close(f);
	}
	bob_fold_tree_close(t);
	return 0;
}
