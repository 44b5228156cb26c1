/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats vectors of a leaf element by element over the ranks, if the vector is the same in each
 * call: "[0..63]", "[4 x16]", "[rank-1, rank+1]". */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/mpi/mpi_cells.h"
#include "analysis/mpi/values.h"

#define ELEMENTS_SHOWN 16u	/* runs of equal elements count once */
#define STATUS_WORDS 3u

/* The vector of each member; elements of a status have three values. */
struct vectors {
	const uint64_t **at;
	uint64_t count;		/* values, the same number for all */
	uint64_t length;	/* full length if elements were omitted; else 0 */
};

static int are_constant(const struct cli_mpi_leaf *leaf)
{
	int all = 1;

	for (uint32_t i = 0; i < leaf->who.count; i++)
		all &= cli_mpi_series_is_constant(&leaf->series[i]);
	return all;
}

/* 0: vectors vary between calls, or have different lengths. */
static int same_length(const struct cli_mpi_leaf *leaf, struct vectors *v)
{
	v->at = calloc(leaf->who.count + 1u, sizeof(*v->at));
	for (uint32_t i = 0; v->at && i < leaf->who.count; i++) {
		uint64_t n = 0;

		if (!cli_mpi_series_is_constant(&leaf->series[i]))
			return 0;
		v->at[i] =
			bob_mpi_programs_vector(leaf->programs, leaf->series[i].piece[0].base, &n);
		if (!v->at[i] || (i && n != v->count))
			return 0;
		v->count = n;
	}
	return v->at != NULL;
}

/* Excludes the words that describe omitted elements; 0: these words differ between members. */
static int leave_rest(const struct cli_mpi_leaf *leaf, struct vectors *v)
{
	const uint64_t n = v->count;

	if (!leaf->who.count || !bob_mpi_is_cut(v->at[0], n, &v->length))
		return 1;
	for (uint32_t i = 0; i < leaf->who.count; i++)
		if (v->at[i][n - 2] != v->at[0][n - 2])
			return 0;
	v->count -= 2;
	return 1;
}

/* 0: no single expression fits some element of all members. */
static int have_forms(const struct cli_mpi_leaf *leaf, const struct vectors *v,
		      enum bob_mpi_role role)
{
	uint64_t *x = malloc((leaf->who.count + 1u) * sizeof(*x));
	int ok = x != NULL;

	for (uint64_t k = 0; k < v->count && ok; k++) {
		enum bob_mpi_role of = role != BOB_MPI_ROLE_STATUS ? role :
				       k % STATUS_WORDS == 0	   ? BOB_MPI_ROLE_RANK :
								     BOB_MPI_ROLE_BYTES;

		for (uint32_t i = 0; i < leaf->who.count; i++)
			x[i] = v->at[i][k];
		ok = cli_mpi_form_of(&leaf->who, of, x).kind != CLI_MPI_APART;
	}
	free(x);
	return ok;
}

static void write_word(const struct cli_mpi_leaf *leaf, const struct vectors *v, uint64_t k,
		       enum bob_mpi_role role, FILE *out)
{
	uint64_t *x = malloc((leaf->who.count + 1u) * sizeof(*x));
	struct cli_mpi_form f = { CLI_MPI_APART, 0, 0 };

	for (uint32_t i = 0; x && i < leaf->who.count; i++)
		x[i] = v->at[i][k];
	if (x)
		f = cli_mpi_form_of(&leaf->who, role, x);
	if (f.kind == CLI_MPI_APART)
		fputs("(by rank)", out);
	else
		cli_mpi_form_print(&leaf->who, &f, role, out);
	free(x);
}

static void write_element(const struct cli_mpi_leaf *leaf, const struct vectors *v, uint64_t k,
			  enum bob_mpi_role role, FILE *out)
{
	uint64_t any = 0;

	if (role != BOB_MPI_ROLE_STATUS) {
		write_word(leaf, v, k, role, out);
		return;
	}
	for (uint32_t i = 0; i < leaf->who.count; i++)
		for (uint32_t w = 0; w < STATUS_WORDS; w++)
			any |= v->at[i][k + w];
	if (!any) {
		fputc('-', out);
		return;
	}
	fputs("from ", out);
	write_word(leaf, v, k, BOB_MPI_ROLE_RANK, out);
	fputs(", tag ", out);
	write_word(leaf, v, k + 1, BOB_MPI_ROLE_TAG, out);
	fputs(", ", out);
	write_word(leaf, v, k + 2, BOB_MPI_ROLE_BYTES, out);
	fputs(" B", out);
}

/* Length of the run from element k on that increases by one, equally in all members. */
static uint64_t run_of(const struct cli_mpi_leaf *leaf, const struct vectors *v, uint64_t k,
		       enum bob_mpi_role role)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < leaf->who.count; i++)
		if (v->at[i][k] != v->at[0][k])
			return 1;
	while (k + n < v->count && bob_mpi_value_is_number(role, v->at[0][k + n])) {
		for (uint32_t i = 0; i < leaf->who.count; i++)
			if (v->at[i][k + n] != v->at[0][k] + n)
				return n ? n : 1;
		n++;
	}
	return n ? n : 1;
}

static void print_elements(const struct cli_mpi_leaf *leaf, const struct vectors *v,
			   enum bob_mpi_role role, FILE *out)
{
	uint64_t words = role == BOB_MPI_ROLE_STATUS ? STATUS_WORDS : 1, k = 0;
	char *text = NULL, *next = NULL;
	uint32_t shown = 0;

	fputc('[', out);
	while (k + words <= v->count && shown < ELEMENTS_SHOWN) {
		uint64_t run = words == 1 ? run_of(leaf, v, k, role) : 1, same = 0;
		size_t len;

		fputs(!shown++ ? "" : words > 1 ? "; " : ", ", out);
		if (run > 2) {
			fprintf(out, "%" PRIu64 "..%" PRIu64, v->at[0][k], v->at[0][k + run - 1]);
			k += run;
			continue;
		}
		for (;; same++, k += words) {
			FILE *f = k + words <= v->count ? open_memstream(&next, &len) : NULL;

			if (!f)
				break;
			write_element(leaf, v, k, role, f);
			fclose(f);
			if (text && strcmp(text, next) != 0)
				break;
			free(text);
			text = next;
			next = NULL;
		}
		fputs(text ? text : "?", out);
		if (same > 1)
			fprintf(out, " x%" PRIu64, same);
		free(text);
		free(next);
		text = next = NULL;
		if (!same)
			break;
	}
	if (v->length)
		fprintf(out, "%s... not kept] of %" PRIu64, v->count ? ", " : "", v->length);
	else
		fputs(k + words <= v->count ? ", ...]" : "]", out);
	if (!v->length && k + words <= v->count)
		fprintf(out, " of %" PRIu64, v->count / words);
}

/* Writes the vector of one member on its own. */
static void write_member(const struct cli_mpi_leaf *leaf, uint32_t member, enum bob_mpi_role role,
			 int relative, FILE *out)
{
	struct cli_mpi_leaf one = *leaf;
	const uint64_t *at;
	struct vectors v = { &at, 0, 0 };

	(void)relative;
	one.who = (struct cli_mpi_who){ 1, leaf->who.me + member, leaf->who.peers };
	one.series = leaf->series + member;
	if (!cli_mpi_series_is_constant(one.series)) {
		fputs("[varies]", out);
		return;
	}
	at = bob_mpi_programs_vector(leaf->programs, one.series->piece[0].base, &v.count);
	if (at && role != BOB_MPI_ROLE_STATUS)
		(void)leave_rest(&one, &v);
	if (at)
		print_elements(&one, &v, role, out);
	else
		fputs("[?]", out);
}

void cli_mpi_vector_print(const struct cli_mpi_cells *c, uint32_t vector, uint32_t length,
			  enum bob_mpi_role role, FILE *out)
{
	const struct cli_mpi_leaf *leaf = (const struct cli_mpi_leaf *)(const void *)c;
	struct vectors v = { 0 };
	uint64_t bytes;
	int strings = role == BOB_MPI_ROLE_STRING || role == BOB_MPI_ROLE_STRINGS ||
		      role == BOB_MPI_ROLE_ARGVS;

	(void)cli_mpi_leaf_read(leaf, c->function->words + vector);
	if (same_length(leaf, &v) && !strings &&
	    (role == BOB_MPI_ROLE_STATUS || leave_rest(leaf, &v)) && have_forms(leaf, &v, role))
		print_elements(leaf, &v, role, out);
	else if (!strings && are_constant(leaf))
		cli_mpi_apart_print(leaf, write_member, role, out);
	else if (v.at && v.at[0] && strings && cli_mpi_series_is_constant(&leaf->series[0]) &&
		 c->constant(c, length, &bytes))
		bob_mpi_text_print(v.at[0], v.count, bytes, out);
	else if (strings || !cli_mpi_varying_print(leaf, role, out)) {
		cli_mpi_cell_print(leaf, length, BOB_MPI_ROLE_COUNT, out);
		fputs(strings ? " bytes" : " that vary", out);
	}
	free(v.at);
}
