/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds and prints expressions of the rank (mpi_forms.h), by trying the forms from the simplest
 * on. */
#include "cli/mpi/mpi_forms.h"

#include <inttypes.h>

#include "analysis/mpi/values.h"

static int fits(const struct cli_mpi_who *who, const struct cli_mpi_form *f, const uint64_t *v)
{
	for (uint32_t i = 0; i < who->count; i++) {
		uint64_t r = who->me[i], x;

		switch (f->kind) {
		case CLI_MPI_ABSOLUTE:
			x = f->base;
			break;
		case CLI_MPI_RELATIVE:
			x = r + f->base;
			break;
		case CLI_MPI_AROUND:
			x = (r + f->base) % who->peers;
			break;
		case CLI_MPI_XOR:
			x = r ^ f->base;
			break;
		default:
			x = f->base + r * f->step;
			break;
		}
		if (x != v[i])
			return 0;
	}
	return 1;
}

/* The simplest form that fits the values of all members. */
struct cli_mpi_form cli_mpi_form_of(const struct cli_mpi_who *who, enum bob_mpi_role role,
				    const uint64_t *v)
{
	struct cli_mpi_form f = { CLI_MPI_ABSOLUTE, v[0], 0 };
	int numbers = who->count > 1, ranks = role == BOB_MPI_ROLE_RANK && who->peers;

	if (fits(who, &f, v))
		return f;
	for (uint32_t i = 0; i < who->count; i++)
		numbers &= bob_mpi_value_is_number(role, v[i]) && who->me[i] != ~0u;
	if (!numbers)
		return (struct cli_mpi_form){ CLI_MPI_APART, 0, 0 };
	f = (struct cli_mpi_form){ CLI_MPI_RELATIVE, v[0] - who->me[0], 0 };
	if (fits(who, &f, v))
		return f;
	if (ranks) {
		f = (struct cli_mpi_form){ CLI_MPI_AROUND,
					   (v[0] + who->peers - who->me[0]) % who->peers, 0 };
		if (who->count > 2 && fits(who, &f, v))
			return f;
	}
	if (who->count > 2 && who->me[1] != who->me[0]) {
		uint64_t step = (v[1] - v[0]) / (uint64_t)(who->me[1] - who->me[0]);

		if ((int64_t)(v[1] - v[0]) < 0)
			step = -((v[0] - v[1]) / (uint64_t)(who->me[1] - who->me[0]));
		f = (struct cli_mpi_form){ CLI_MPI_AFFINE, v[0] - who->me[0] * step, step };
		if (fits(who, &f, v))
			return f;
		f = (struct cli_mpi_form){ CLI_MPI_XOR, v[0] ^ who->me[0], 0 };
		if (ranks && fits(who, &f, v))
			return f;
	}
	return (struct cli_mpi_form){ CLI_MPI_APART, 0, 0 };
}

/* "rank", "rank+1", "rank-1"; modulo `peers`, -1 is also the largest number. */
static void print_offset(uint64_t base, FILE *out)
{
	int64_t b = (int64_t)base;

	fputs("rank", out);
	if (b)
		fprintf(out, "%+" PRId64, b);
}

void cli_mpi_form_print(const struct cli_mpi_who *who, const struct cli_mpi_form *f,
			enum bob_mpi_role role, FILE *out)
{
	switch (f->kind) {
	case CLI_MPI_RELATIVE:
		print_offset(f->base, out);
		break;
	case CLI_MPI_AROUND:
		fputc('(', out);
		print_offset(f->base > who->peers / 2 ? f->base - who->peers : f->base, out);
		fprintf(out, ") mod %" PRIu32, who->peers);
		break;
	case CLI_MPI_XOR:
		fprintf(out, "rank^%" PRIu64, f->base);
		break;
	case CLI_MPI_AFFINE:
		if (f->base)
			fprintf(out, "%" PRId64, (int64_t)f->base);
		fprintf(out, f->base ? "%+" PRId64 "*rank" : "%" PRId64 "*rank", (int64_t)f->step);
		break;
	default:
		bob_mpi_value_print(role, f->base, out);
	}
}
