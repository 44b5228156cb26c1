/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats vectors that differ between calls, where each element follows a simple rule: "[0..99,
 * 4]", "[(1, 3), 0 x2]". */
#include <inttypes.h>

#include "cli/mpi/mpi_cells.h"
#include "analysis/mpi/values.h"

#define ELEMENTS_SHOWN 16u
#define LISTED 3u
#define VALUES_LOOKED_AT (1u << 20)

/* The distinct vectors of a member, in order: numbers base, base + step, ... */
struct turn {
	const struct bob_mpi_programs *programs;
	uint64_t base, step, count;
	uint64_t words;		/* of each vector */
};

/* 0: their numbers are not an arithmetic sequence. */
static int find_turn(const struct cli_mpi_leaf *leaf, uint32_t member, struct turn *t)
{
	const struct cli_mpi_series *s = &leaf->series[member];
	const struct bob_piece *p = &s->piece[0];
	uint32_t moving = 0;

	if (s->count != 1 || s->left)
		return 0;
	*t = (struct turn){ leaf->programs, p->base, 0, 1, 0 };
	for (uint32_t d = 0; d < p->dims; d++) {
		if (!p->step[d])
			continue;
		moving++;
		t->step = p->step[d];
		t->count = p->count[d];
	}
	for (uint32_t i = 0; p->dims && i < p->dims * (p->dims - 1) / 2; i++)
		moving += p->grow[i] ? 2 : 0;
	return moving < 2 && t->count <= VALUES_LOOKED_AT;
}

static const uint64_t *vector_of(const struct turn *t, uint64_t i, uint64_t *words)
{
	return bob_mpi_programs_vector(t->programs, t->base + i * t->step, words);
}

static uint64_t word_of(const struct turn *t, uint64_t i, uint64_t k)
{
	uint64_t words;
	const uint64_t *v = vector_of(t, i, &words);

	return v && k < words ? v[k] : 0;
}

/* Whether word k over the vectors is an arithmetic sequence. */
static int is_affine(const struct turn *t, uint64_t k)
{
	const uint64_t first = word_of(t, 0, k), step = word_of(t, 1, k) - first;

	for (uint64_t i = 2; i < t->count; i++)
		if (word_of(t, i, k) != first + i * step)
			return 0;
	return 1;
}

static int is_simple(struct turn *t, uint64_t most)
{
	uint64_t words;

	for (uint64_t i = 0; i < t->count; i++)
		if (!vector_of(t, i, &words) || (i && words != t->words))
			return 0;
		else
			t->words = words;
	if (!t->words || t->words > most || t->words * t->count > VALUES_LOOKED_AT)
		return 0;
	for (uint64_t k = 0; k < t->words && t->count > LISTED; k++)
		if (!is_affine(t, k))
			return 0;
	return 1;
}

static void print_word(const struct turn *t, uint64_t k, enum bob_mpi_role role, FILE *out)
{
	const uint64_t first = word_of(t, 0, k), last = word_of(t, t->count - 1, k),
		       step = word_of(t, 1, k) - first;
	int same = 1;

	for (uint64_t i = 1; i < t->count; i++)
		same &= word_of(t, i, k) == first;
	if (same) {
		bob_mpi_value_print(role, first, out);
	} else if (t->count <= LISTED) {
		for (uint64_t i = 0; i < t->count; i++) {
			fputs(i ? ", " : "(", out);
			bob_mpi_value_print(role, word_of(t, i, k), out);
		}
		fputc(')', out);
	} else {
		bob_mpi_value_print(role, first, out);
		fputs("..", out);
		bob_mpi_value_print(role, last, out);
		if (step != 1 && step != UINT64_MAX)
			fprintf(out, " step %" PRId64, (int64_t)step);
	}
}

static void print_status(const struct turn *t, uint64_t k, FILE *out)
{
	uint64_t any = 0;

	for (uint64_t i = 0; i < t->count; i++)
		for (uint64_t w = 0; w < 3; w++)
			any |= word_of(t, i, k + w);
	if (!any) {
		fputc('-', out);
		return;
	}
	fputs("from ", out);
	print_word(t, k, BOB_MPI_ROLE_RANK, out);
	fputs(", tag ", out);
	print_word(t, k + 1, BOB_MPI_ROLE_TAG, out);
	fputs(", ", out);
	print_word(t, k + 2, BOB_MPI_ROLE_BYTES, out);
	fputs(" B", out);
}

static void write_member(const struct cli_mpi_leaf *leaf, uint32_t member, enum bob_mpi_role role,
			 int relative, FILE *out)
{
	const int is_status = role == BOB_MPI_ROLE_STATUS;
	struct turn t;

	(void)relative;
	if (!find_turn(leaf, member, &t) || !is_simple(&t, ELEMENTS_SHOWN * 3))
		return; /* cli_mpi_varying_print has checked */
	fputc('[', out);
	for (uint64_t k = 0; k < t.words; k += is_status ? 3 : 1) {
		fputs(!k ? "" : is_status ? "; " : ", ", out);
		if (is_status)
			print_status(&t, k, out);
		else
			print_word(&t, k, role, out);
	}
	fputc(']', out);
}

int cli_mpi_varying_print(const struct cli_mpi_leaf *leaf, enum bob_mpi_role role, FILE *out)
{
	const uint64_t most = ELEMENTS_SHOWN * (role == BOB_MPI_ROLE_STATUS ? 3 : 1);
	struct turn t;
	uint64_t length;

	for (uint32_t i = 0; i < leaf->who.count; i++)
		if (!find_turn(leaf, i, &t) || !is_simple(&t, most) ||
		    (role == BOB_MPI_ROLE_STATUS && t.words % 3) ||
		    (role != BOB_MPI_ROLE_STATUS &&
		     bob_mpi_is_cut(vector_of(&t, 0, &length), t.words, &length)))
			return 0;
	cli_mpi_apart_print(leaf, write_member, role, out);
	return 1;
}
