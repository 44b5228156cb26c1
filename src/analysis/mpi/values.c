/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats words of MPI calls by their roles: handles, requests, ranks, constants, bit sets,
 * strings. */
#include "analysis/mpi/values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_NEW 256u
#define RANGES_SHOWN 12u
#define TEXT_MAX 200u		/* maximal number of bytes shown */

static const char *kind_of(enum bob_mpi_role role)
{
	switch (role) {
	case BOB_MPI_ROLE_COMM:
		return "comm";
	case BOB_MPI_ROLE_GROUP:
		return "group";
	case BOB_MPI_ROLE_TYPE:
		return "type";
	case BOB_MPI_ROLE_OP:
		return "op";
	case BOB_MPI_ROLE_WIN:
		return "win";
	case BOB_MPI_ROLE_FILE:
		return "file";
	case BOB_MPI_ROLE_ERRH:
		return "errhandler";
	case BOB_MPI_ROLE_INFO:
		return "info";
	case BOB_MPI_ROLE_MESSAGE:
		return "message";
	case BOB_MPI_ROLE_SESSION:
		return "session";
	case BOB_MPI_ROLE_KEYVAL:
		return "keyval";
	default:
		return NULL;
	}
}

static void print_handle(enum bob_mpi_role role, const char *kind, uint64_t v, FILE *out)
{
	const struct bob_mpi_name *name = v && v < FIRST_NEW ? bob_mpi_name_of(role, v) : NULL;

	if (name)
		fputs(name->name, out);
	else if (!v)
		fprintf(out, "no %s", kind);
	else if (v == UINT64_MAX)
		fprintf(out, "%s?", kind);
	else
		fprintf(out, "%s#%" PRIu64, kind, v - FIRST_NEW + 1);
}

/* The name of a request is the number of requests that the thread created since. */
static void print_request(uint64_t v, FILE *out)
{
	if (!v)
		fputs("null", out);
	else if (v == 1)
		fputs("request?", out);
	else if (v & 1)
		fprintf(out, "request#%" PRIu32 " of thread %" PRIu64, (uint32_t)(v >> 1) + 1,
			(v >> 33) - 1);
	else if (v == 2)
		fputs("last", out);
	else
		fprintf(out, "last-%" PRIu64, v / 2 - 1);
}

static void print_rank(int64_t v, FILE *out)
{
	static const char *const names[] = { "ANY_SOURCE", "PROC_NULL", "ROOT", "UNDEFINED" };

	if (v >= 0)
		fprintf(out, "%" PRId64, v);
	else if (v >= -4)
		fputs(names[-v - 1], out);
	else
		fprintf(out, "%" PRId64, v + 1000);
}

static void print_code(enum bob_mpi_role role, uint64_t v, FILE *out)
{
	const struct bob_mpi_name *name = bob_mpi_name_of(role, v);

	if (name)
		fputs(name->name, out);
	else
		fprintf(out, "value %" PRId32, (int32_t)(uint32_t)v);
}

/* "MODE_CREATE|MODE_RDWR" */
static void print_bits(enum bob_mpi_role role, uint64_t v, FILE *out)
{
	int n = 0;

	if (!v)
		fputc('0', out);
	for (uint32_t i = 0; i < 32; i++) {
		const struct bob_mpi_name *name = v >> i & 1 ? bob_mpi_name_of(role, i + 1) : NULL;

		if (name)
			fprintf(out, "%s%s", n++ ? "|" : "", name->name);
	}
	if (v >> 32)
		fprintf(out, "%svalue 0x%" PRIx64, n ? "|" : "", v >> 32);
}

static int is_bits(enum bob_mpi_role role)
{
	return role == BOB_MPI_ROLE_MODE || role == BOB_MPI_ROLE_ASSERTION;
}

/* The shortest text that reads back as the same double. */
static void print_double(uint64_t bits, FILE *out)
{
	char text[32];
	double d;

	memcpy(&d, &bits, sizeof(d));
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	fputs(text, out);
}

void bob_mpi_value_print(enum bob_mpi_role role, uint64_t v, FILE *out)
{
	static const char *const buffers[] = { "NULL", "IN_PLACE", "buffer" };
	const char *kind = kind_of(role);

	if (kind)
		print_handle(role, kind, v, out);
	else if (role == BOB_MPI_ROLE_REQUEST)
		print_request(v, out);
	else if (is_bits(role))
		print_bits(role, v, out);
	else if (role > BOB_MPI_ROLE_NONE)
		print_code(role, v, out);
	else if (role == BOB_MPI_ROLE_RANK || role == BOB_MPI_ROLE_ROOT)
		print_rank((int64_t)v, out);
	else if (role == BOB_MPI_ROLE_TAG && v == UINT64_MAX)
		fputs("ANY_TAG", out);
	else if (role == BOB_MPI_ROLE_DOUBLE)
		print_double(v, out);
	else if (role == BOB_MPI_ROLE_BUF && v < 3)
		fputs(buffers[v], out);
	else if (role == BOB_MPI_ROLE_POINTER || role == BOB_MPI_ROLE_FUNCTION)
		fputs(v ? "given" : "NULL", out);
	else
		fprintf(out, "%" PRId64, (int64_t)v);
}

int bob_mpi_value_is_number(enum bob_mpi_role role, uint64_t v)
{
	switch (role) {
	case BOB_MPI_ROLE_RANK:
	case BOB_MPI_ROLE_ROOT:
	case BOB_MPI_ROLE_TAG:
		return (int64_t)v >= 0;
	case BOB_MPI_ROLE_COUNT:
	case BOB_MPI_ROLE_BYTES:
	case BOB_MPI_ROLE_DISP:
	case BOB_MPI_ROLE_INDEX:
	case BOB_MPI_ROLE_INT:
	case BOB_MPI_ROLE_IOSTATUS:
	case BOB_MPI_ROLE_WEIGHT:
	case BOB_MPI_ROLE_NONE:
		return 1;
	default:
		return 0;
	}
}

void bob_mpi_text_print(const uint64_t *word, uint64_t words, uint64_t bytes, FILE *out)
{
	uint64_t n = bytes < 8 * words ? bytes : 8 * words, shown = n < TEXT_MAX ? n : TEXT_MAX;

	while (shown && !(word[(shown - 1) / 8] >> 8 * ((shown - 1) % 8) & 255))
		shown--;
	fputc('"', out);
	for (uint64_t i = 0; i < shown; i++) {
		unsigned c = (unsigned)(word[i / 8] >> 8 * (i % 8) & 255);

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (!c)
			fputc(' ', out);
		else if (c < ' ' || c > '~')
			fprintf(out, "\\x%02x", c);
		else
			fputc((int)c, out);
	}
	fputs(n > TEXT_MAX ? "\"..." : "\"", out);
}

void bob_mpi_status_print(const uint64_t word[3], FILE *out)
{
	if (!word[0] && !word[1] && !word[2]) {
		fputc('-', out);
		return;
	}
	fputs("from ", out);
	bob_mpi_value_print(BOB_MPI_ROLE_RANK, word[0], out);
	fputs(", tag ", out);
	bob_mpi_value_print(BOB_MPI_ROLE_TAG, word[1], out);
	fprintf(out, ", %" PRIu64 " B", word[2]);
}

void bob_mpi_ranges_print(const uint32_t *number, uint32_t count, FILE *out)
{
	uint32_t shown = 0;

	for (uint32_t i = 0, last; i < count; i = last + 1, shown++) {
		uint32_t step = i + 1 < count ? number[i + 1] - number[i] : 1;

		if (shown == RANGES_SHOWN) {
			fprintf(out, ", ... %" PRIu32 " in all", count);
			return;
		}
		last = i;
		while (last + 1 < count && number[last + 1] - number[last] == step)
			last++;
		if (last < i + 2)
			last = i;
		fprintf(out, "%s%" PRIu32, i ? ", " : "", number[i]);
		if (last > i)
			fprintf(out, "-%" PRIu32, number[last]);
		if (last > i && step > 1)
			fprintf(out, " by %" PRIu32, step);
	}
}
