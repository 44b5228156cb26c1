/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats the words of calls over iterations and ranks (mpi_cells.h). A cell has a series of values
 * from each member. If the series differ only in their first values, these are written as one
 * expression of the rank, if there is one; otherwise members with equal texts are grouped. */
#define _GNU_SOURCE
#include "cli/mpi/mpi_cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/mpi/values.h"

#define TEXTS_SHOWN 6u		/* different texts, with their ranks */

static int is_flat(const struct bob_piece *p)
{
	uint64_t steps = 0;

	for (uint32_t d = 0; d < p->dims; d++)
		steps |= p->step[d];
	return !steps;
}

static int take_piece(void *ctx, const struct bob_piece *p)
{
	struct cli_mpi_series *s = ctx;

	if (s->count < CLI_MPI_PIECES)
		s->piece[s->count] = *p;
	s->same &= is_flat(p) && p->base == s->piece[0].base;
	return ++s->count > CLI_MPI_PIECES && !s->same;
}

/* Merges pieces with one common value. */
void cli_mpi_series_read(const struct bob_mpi_program *p, uint32_t part, uint32_t item,
			 uint32_t word, struct cli_mpi_series *s)
{
	memset(s, 0, sizeof(*s));
	s->same = 1;
	(void)bob_folded_pieces(p->folded, 0, part, item, word, take_piece, s, &s->left);
	if (s->same && s->count && !s->left)
		s->count = 1;
}

int cli_mpi_series_is_constant(const struct cli_mpi_series *s)
{
	return s->count == 1 && !s->left && is_flat(&s->piece[0]);
}

static int same_shape(const struct bob_piece *a, const struct bob_piece *b)
{
	uint32_t pairs = a->dims * (a->dims - (a->dims != 0)) / 2;

	return a->dims == b->dims && !memcmp(a->count, b->count, a->dims * sizeof(*a->count)) &&
	       !memcmp(a->step, b->step, a->dims * sizeof(*a->step)) &&
	       !memcmp(a->grow, b->grow, pairs * sizeof(*a->grow));
}

/* Equal except for their first values. Constants are parallel, whatever their counts. */
static int are_parallel(const struct cli_mpi_series *a, const struct cli_mpi_series *b)
{
	if (cli_mpi_series_is_constant(a) && cli_mpi_series_is_constant(b))
		return 1;
	if (a->count != b->count || a->left != b->left)
		return 0;
	for (uint32_t i = 0; i < a->count && i < CLI_MPI_PIECES; i++)
		if (!same_shape(&a->piece[i], &b->piece[i]))
			return 0;
	return 1;
}

int cli_mpi_leaf_read(const struct cli_mpi_leaf *leaf, uint32_t word)
{
	int parallel = 1;

	for (uint32_t i = 0; i < leaf->who.count; i++) {
		cli_mpi_series_read(leaf->member[i], leaf->part, leaf->item, word,
				    &leaf->series[i]);
		parallel &= are_parallel(&leaf->series[0], &leaf->series[i]);
	}
	return parallel;
}

/* --- the values of one series --- */

/* Prints the loops that change the value, the outermost first. A loop whose step continues the next
 * inner one is joined with it. */
static void print_steps(const struct bob_piece *p, FILE *out)
{
	for (uint32_t d = p->dims; d-- > 0;)
		if (p->step[d])
			fprintf(out, " (%" PRId64 " x %+" PRId64 ")", (int64_t)p->count[d],
				(int64_t)p->step[d]);
}

static uint32_t moving(const struct bob_piece *p, uint32_t *which)
{
	uint32_t n = 0;

	for (uint32_t d = 0; d < p->dims; d++)
		if (p->step[d]) {
			*which = d;
			n++;
		}
	return n;
}

#define LISTED 3u /* limit of values that are listed */

/* Lists a few values, each in full. */
static void print_list(const struct cli_mpi_leaf *leaf, const struct bob_piece *p, uint32_t d,
		       const struct cli_mpi_form *f, enum bob_mpi_role role, FILE *out)
{
	struct cli_mpi_form one = *f;

	fputc('(', out);
	for (uint64_t i = 0; i < p->count[d]; i++) {
		fputs(i ? ", " : "", out);
		cli_mpi_form_print(&leaf->who, &one, role, out);
		one.base += p->step[d];
	}
	fputc(')', out);
}

/* Prints a piece whose first value has the form `f`. */
static void print_piece(const struct cli_mpi_leaf *leaf, const struct bob_piece *p,
			const struct cli_mpi_form *f, enum bob_mpi_role role, FILE *out)
{
	uint32_t d = 0, n = moving(p, &d);
	int grows = 0;

	for (uint32_t i = 0; p->dims && i < p->dims * (p->dims - 1) / 2; i++)
		grows |= p->grow[i] != 0;
	if (n == 1 && !grows && p->count[d] <= LISTED &&
	    (f->kind == CLI_MPI_ABSOLUTE || f->kind == CLI_MPI_RELATIVE)) {
		print_list(leaf, p, d, f, role, out);
		return;
	}
	cli_mpi_form_print(&leaf->who, f, role, out);
	if (f->kind != CLI_MPI_ABSOLUTE || !bob_mpi_value_is_number(role, f->base) || grows ||
	    n != 1) {
		print_steps(p, out);
		return;
	}
	fprintf(out, "..%" PRId64, (int64_t)(f->base + (p->count[d] - 1) * p->step[d]));
	if ((int64_t)p->step[d] != 1 && (int64_t)p->step[d] != -1)
		fprintf(out, " step %" PRId64, (int64_t)p->step[d]);
}

/* Prints the number of repetitions of a value in one of several pieces. */
static void print_times(const struct bob_piece *p, FILE *out)
{
	struct bob_piece ones = *p;
	uint64_t n;

	ones.base = 1;
	if (is_flat(p) && bob_piece_sum(&ones, &n) == BOB_OK && n > 1)
		fprintf(out, " x%" PRIu64, n);
}

/* For parallel series: `forms` are the forms of their pieces' first values. */
static void print_series(const struct cli_mpi_leaf *leaf, const struct cli_mpi_series *s,
			 const struct cli_mpi_form *forms, enum bob_mpi_role role, FILE *out)
{
	if (!s->count && !s->left)
		fputc('?', out);
	if (s->count > 1 || s->left)
		fputc('(', out);
	for (uint32_t i = 0; i < s->count && i < CLI_MPI_PIECES; i++) {
		fputs(i ? ", " : "", out);
		print_piece(leaf, &s->piece[i], &forms[i], role, out);
		if (s->count > 1 || s->left)
			print_times(&s->piece[i], out);
	}
	if (s->count > CLI_MPI_PIECES || s->left)
		fputs(s->count ? ", ..." : "...", out);
	if (s->count > 1 || s->left)
		fputc(')', out);
}

static int forms_of(const struct cli_mpi_leaf *leaf, const struct cli_mpi_series *series,
		    enum bob_mpi_role role, struct cli_mpi_form *forms)
{
	uint64_t *v = malloc((leaf->who.count + 1u) * sizeof(*v));
	int apart = !v;

	for (uint32_t k = 0; v && k < series->count && k < CLI_MPI_PIECES && !apart; k++) {
		for (uint32_t i = 0; i < leaf->who.count; i++)
			v[i] = series[i].piece[k].base;
		forms[k] = cli_mpi_form_of(&leaf->who, role, v);
		apart = forms[k].kind == CLI_MPI_APART;
	}
	free(v);
	return !apart;
}

/* --- different texts, with their ranks --- */

struct texts {
	char **text;		/* per member */
	uint32_t count;
};

static void print_ranks_of(const struct cli_mpi_leaf *leaf, const struct texts *t, uint32_t first,
			   FILE *out)
{
	uint32_t *rank = malloc((t->count + 1u) * sizeof(*rank)), n = 0;

	for (uint32_t i = first; rank && i < t->count; i++)
		if (t->text[i] && t->text[first] && !strcmp(t->text[i], t->text[first]))
			rank[n++] = leaf->rank[i];
	if (rank)
		bob_mpi_ranges_print(rank, n, out);
	fputs(": ", out);
	free(rank);
}

static uint32_t different(const struct texts *t, uint8_t *is_first)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t k = 0;

		while (k < i && (!is_first[k] || !t->text[k] || !t->text[i] ||
				 strcmp(t->text[k], t->text[i]) != 0))
			k++;
		is_first[i] = k == i;
		n += is_first[i];
		if (n > TEXTS_SHOWN)
			break;
	}
	return n;
}

/* Writes the text of each member. 0: out of memory. */
static int make_texts(const struct cli_mpi_leaf *leaf, struct texts *t, cli_mpi_write_fn write,
		      enum bob_mpi_role role, int relative)
{
	t->count = leaf->who.count;
	t->text = calloc(leaf->who.count + 1u, sizeof(*t->text));
	for (uint32_t i = 0; t->text && i < leaf->who.count; i++) {
		size_t len;
		FILE *f = open_memstream(&t->text[i], &len);

		if (!f)
			return 0;
		write(leaf, i, role, relative, f);
		fclose(f);
	}
	return t->text != NULL;
}

static void free_texts(struct texts *t)
{
	for (uint32_t i = 0; t->text && i < t->count; i++)
		free(t->text[i]);
	free(t->text);
}

static uint64_t last_of(const struct bob_piece *p)
{
	uint64_t v = p->base;

	for (uint32_t d = 0; d < p->dims; d++)
		v += (p->count[d] - 1) * p->step[d];
	return v;
}

static void write_member(const struct cli_mpi_leaf *leaf, uint32_t member, enum bob_mpi_role role,
			 int relative, FILE *out)
{
	const struct cli_mpi_series *s = &leaf->series[member];
	struct cli_mpi_form forms[CLI_MPI_PIECES];

	for (uint32_t k = 0; k < s->count && k < CLI_MPI_PIECES; k++) {
		uint64_t base = s->piece[k].base;

		forms[k] = (struct cli_mpi_form){ CLI_MPI_ABSOLUTE, base, 0 };
		if (relative && bob_mpi_value_is_number(role, base) &&
		    bob_mpi_value_is_number(role, last_of(&s->piece[k])) &&
		    leaf->who.me[member] != ~0u)
			forms[k] = (struct cli_mpi_form){ CLI_MPI_RELATIVE,
							  base - leaf->who.me[member], 0 };
	}
	print_series(leaf, s, forms, role, out);
}

/* "{0: 3; 1-3: rank-1}" */
static void print_texts(const struct cli_mpi_leaf *leaf, const struct texts *t,
			const uint8_t *first, uint32_t n, FILE *out)
{
	uint32_t shown = 0;

	if (n > 1)
		fputc('{', out);
	for (uint32_t i = 0; i < t->count && shown < TEXTS_SHOWN; i++) {
		if (!first[i] || !t->text[i])
			continue;
		fputs(shown++ ? "; " : "", out);
		if (n > 1)
			print_ranks_of(leaf, t, i, out);
		fputs(t->text[i], out);
	}
	if (n > TEXTS_SHOWN)
		fputs("; ...", out);
	if (n > 1)
		fputc('}', out);
}

void cli_mpi_apart_print(const struct cli_mpi_leaf *leaf, cli_mpi_write_fn write,
			 enum bob_mpi_role role, FILE *out)
{
	struct texts t = { 0 }, other = { 0 };
	uint8_t *first = calloc(leaf->who.count + 1u, 1);
	uint8_t *other_first = calloc(leaf->who.count + 1u, 1);
	uint32_t n, relative;

	if (first && other_first && make_texts(leaf, &t, write, role, 0)) {
		n = different(&t, first);
		if (role == BOB_MPI_ROLE_RANK && n > 2 &&
		    make_texts(leaf, &other, write, role, 1)) {
			relative = different(&other, other_first);
			if (relative < n)
				print_texts(leaf, &other, other_first, relative, out);
			else
				print_texts(leaf, &t, first, n, out);
		} else {
			print_texts(leaf, &t, first, n, out);
		}
	}
	free_texts(&t);
	free_texts(&other);
	free(first);
	free(other_first);
}

void cli_mpi_cell_print(const struct cli_mpi_leaf *leaf, uint32_t word, enum bob_mpi_role role,
			FILE *out)
{
	struct cli_mpi_form forms[CLI_MPI_PIECES];

	if (cli_mpi_leaf_read(leaf, word) && forms_of(leaf, leaf->series, role, forms))
		print_series(leaf, &leaf->series[0], forms, role, out);
	else
		cli_mpi_apart_print(leaf, write_member, role, out);
}

/* --- callbacks --- */

static int constant(const struct cli_mpi_cells *c, uint32_t word, uint64_t *value)
{
	const struct cli_mpi_leaf *leaf = (const struct cli_mpi_leaf *)(const void *)c;

	(void)cli_mpi_leaf_read(leaf, word);
	for (uint32_t i = 0; i < leaf->who.count; i++)
		if (!cli_mpi_series_is_constant(&leaf->series[i]) ||
		    leaf->series[i].piece[0].base != leaf->series[0].piece[0].base)
			return 0;
	*value = leaf->series[0].piece[0].base;
	return 1;
}

static void print_word(const struct cli_mpi_cells *c, uint32_t word, enum bob_mpi_role role,
		       FILE *out)
{
	cli_mpi_cell_print((const struct cli_mpi_leaf *)(const void *)c, word, role, out);
}

void cli_mpi_leaf_begin(struct cli_mpi_leaf *leaf)
{
	leaf->cells.constant = constant;
	leaf->cells.word = print_word;
	leaf->cells.vector = cli_mpi_vector_print;
}
