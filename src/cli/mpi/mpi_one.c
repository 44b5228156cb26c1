/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks that format the words of a single call (mpi_one.h). */
#include "cli/mpi/mpi_one.h"

#include <inttypes.h>

#include "analysis/mpi/values.h"

#define ELEMENTS_SHOWN 64u	/* runs of equal elements count once */

static int constant(const struct cli_mpi_cells *c, uint32_t word, uint64_t *value)
{
	const struct cli_mpi_one *one = (const struct cli_mpi_one *)(const void *)c;

	*value = word < one->call->event.words ? one->call->event.word[word] : 0;
	return 1;
}

static void print_value(const struct cli_mpi_one *one, enum bob_mpi_role role, uint64_t v,
			FILE *out)
{
	uint64_t id = bob_mpi_request_id(v, one->thread, one->made);

	if (role != BOB_MPI_ROLE_REQUEST || !one->numbered || !id)
		bob_mpi_value_print(role, v, out);
	else if (id >> 32 == one->thread + 1u)
		fprintf(out, "request#%" PRIu32, (uint32_t)id + 1);
	else
		fprintf(out, "request#%" PRIu32 " of thread %" PRIu64, (uint32_t)id + 1,
			(id >> 32) - 1);
}

static void print_word(const struct cli_mpi_cells *c, uint32_t word, enum bob_mpi_role role,
		       FILE *out)
{
	const struct cli_mpi_one *one = (const struct cli_mpi_one *)(const void *)c;
	uint64_t v = 0;

	(void)constant(c, word, &v);
	if (role == BOB_MPI_ROLE_REQUEST && one->numbered && word > c->function->result && v == 2)
		fprintf(out, "request#%" PRIu64, one->made + 1);
	else
		print_value(one, role, v, out);
}

static uint64_t run_of(const uint64_t *at, uint64_t count, uint64_t step)
{
	uint64_t n = 1;

	while (n < count && at[n] == at[n - 1] + step)
		n++;
	return n;
}

static void print_values(const struct cli_mpi_one *one, const struct bob_value_vector *v,
			 enum bob_mpi_role role, FILE *out)
{
	uint64_t shown = 0, k = 0;

	while (k < v->count && shown < ELEMENTS_SHOWN) {
		uint64_t same = run_of(v->at + k, v->count - k, 0), up = 1;

		if (bob_mpi_value_is_number(role, v->at[k]))
			up = run_of(v->at + k, v->count - k, 1);
		fputs(shown++ ? ", " : "", out);
		print_value(one, role, v->at[k], out);
		if (up > 2)
			fprintf(out, "..%" PRIu64, v->at[k + up - 1]);
		else if (same > 1)
			fprintf(out, " x%" PRIu64, same);
		k += up > 2 ? up : same;
	}
	if (k < v->count)
		fputs(", ...", out);
}

static void print_statuses(const struct bob_value_vector *v, FILE *out)
{
	for (uint64_t k = 0; k < v->count && k < ELEMENTS_SHOWN; k++) {
		fputs(k ? "; " : "", out);
		bob_mpi_status_print(v->at + 3 * k, out);
	}
	if (v->count > ELEMENTS_SHOWN)
		fputs("; ...", out);
}

static void print_vector(const struct cli_mpi_cells *c, uint32_t vector, uint32_t length,
			 enum bob_mpi_role role, FILE *out)
{
	const struct cli_mpi_one *one = (const struct cli_mpi_one *)(const void *)c;
	const struct bob_value_vector *v = &one->call->event.vector[vector];
	struct bob_value_vector whole = *v;
	uint64_t bytes = 0, had = v->count;

	if (role == BOB_MPI_ROLE_STRING || role == BOB_MPI_ROLE_STRINGS ||
	    role == BOB_MPI_ROLE_ARGVS) {
		(void)constant(c, length, &bytes);
		bob_mpi_text_print(v->at, v->count, bytes, out);
		return;
	}
	if (v->words == 1 && bob_mpi_is_cut(v->at, v->count, &had))
		whole.count -= 2;
	fputc('[', out);
	if (role == BOB_MPI_ROLE_STATUS && v->words == 3)
		print_statuses(v, out);
	else
		print_values(one, &whole, role, out);
	fputs(whole.count < v->count ? ", ... not kept]" : "]", out);
	if (had > ELEMENTS_SHOWN || whole.count < v->count)
		fprintf(out, " of %" PRIu64, had);
}

void cli_mpi_one_print(struct cli_mpi_one *one, FILE *out)
{
	one->cells = (struct cli_mpi_cells){ .function = one->call->function,
					     .open = one->call->event.open,
					     .requests = one->numbered,
					     .constant = constant,
					     .word = print_word,
					     .vector = print_vector };
	cli_mpi_call_print(&one->cells, out);
}
