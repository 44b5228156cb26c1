/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts and prints untraced functions, images and memory accesses of the chosen images, by reason
 * (untraced_functions.h). */
#include "cli/untraced_functions.h"

#include <inttypes.h>
#include <string.h>

#include "cli/merge/folding.h"
#include "table/numbers.h"
#include "plan/plan.h"

#define IMAGES_SHOWN 10u
/* An image is looked up in this many processes and in its own: ranks share most images. */
#define FIRST_PROCESSES 8u

static int has_no_calls(const struct bob_process_info *p)
{
	for (int i = 0; p->config && p->config[i]; i++)
		if (!strcmp(p->config[i], "BOBBIN_CALLS=0"))
			return 1;
	return 0;
}

/* A trace of events with values alone traces no functions. */
static int is_of_values(const struct bob_trace *t)
{
	struct bob_trace_sizes sizes;

	bob_trace_sizes(t, &sizes);
	for (uint32_t i = 0; i < bob_trace_process_count(t) && sizes.mpi_calls; i++)
		if (!has_no_calls(bob_trace_process(t, i)))
			return 0;
	return sizes.mpi_calls != 0;
}

void cli_untraced_count(const struct cli_session *s, struct cli_untraced *out)
{
	memset(out, 0, sizeof(*out));
	if (is_of_values(s->trace))
		return;
	for (uint32_t i = 0; i < bob_functions_image_count(s->functions); i++) {
		const struct bob_function_image *f = bob_functions_image(s->functions, i);
		const struct bob_image_info *im = bob_trace_image(s->trace, f->process, f->image);

		if (!im->chosen)
			continue;
		out->functions += f->count;
		for (uint32_t k = 0; k < f->count; k++) {
			struct bob_function_info fn;
			uint32_t image;

			if (bob_functions_get(s->functions, f->first + k, &fn, &image) == BOB_OK)
				out->by_reason[fn.skip < 32 ? fn.skip : 31]++;
		}
	}
}

static int is_among(const struct cli_session *s, uint32_t process, uint32_t n, const char *path,
		    uint32_t reason)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t why = 0;
		const char *other = bob_trace_skipped_image(s->trace, process, i, &why);

		if (why == reason && !strcmp(other, path))
			return 1;
	}
	return 0;
}

/* Whether the image was listed already, in one of the first processes or earlier in its own. */
static int seen_before(const struct cli_session *s, uint32_t process, uint32_t index,
		       const char *path, uint32_t reason)
{
	for (uint32_t p = 0; p < process && p < FIRST_PROCESSES; p++)
		if (is_among(s, p, bob_trace_skipped_image_count(s->trace, p), path, reason))
			return 1;
	return is_among(s, process, index, path, reason);
}

/* Prints images of all processes that were left out, each path once. */
static void print_images(const struct cli_session *s, FILE *out)
{
	uint32_t shown = 0, more = 0;

	for (uint32_t p = 0; p < bob_trace_process_count(s->trace); p++) {
		uint32_t n = bob_trace_skipped_image_count(s->trace, p);

		for (uint32_t i = 0; i < n; i++) {
			uint32_t reason = 0;
			const char *path = bob_trace_skipped_image(s->trace, p, i, &reason);

			if (seen_before(s, p, i, path, reason))
				continue;
			if (shown++ < IMAGES_SHOWN)
				fprintf(out, "  image %s: %s\n", path, bob_skip_text(reason));
			else
				more++;
		}
	}
	if (more)
		fprintf(out, "  ... %" PRIu32 " more images\n", more);
}

static void print_untraced(const struct cli_session *s, FILE *out)
{
	struct cli_untraced u;
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	cli_untraced_count(s, &u);
	if (!u.functions) {
		fputs("\ntraced      nothing\n", out);
		return;
	}
	fprintf(out, "\ntraced      %s of %s functions", bob_format_count(a, u.by_reason[0]),
		bob_format_count(b, u.functions));
	fprintf(out, " (%s) in the chosen images%s\n",
		bob_format_share(a, u.by_reason[0], u.functions),
		u.by_reason[0] < u.functions ? "; not traced:" : "");
	for (uint32_t r = 1; r < 32; r++)
		if (u.by_reason[r])
			fprintf(out, "%10s  %s\n", bob_format_count(a, u.by_reason[r]),
				bob_skip_text(r));
}

/* --- memory accesses --- */

/* Counts code once per program: a process whose program was already counted is skipped. */
static int is_new_program(const struct bob_trace *t, uint32_t process)
{
	const struct bob_process_info *p = bob_trace_process(t, process);

	for (uint32_t i = 0; i < process; i++)
		if (!strcmp(bob_trace_process(t, i)->exe, p->exe))
			return 0;
	return 1;
}

void cli_unrecorded_count(const struct bob_trace *t, struct cli_unrecorded *out)
{
	memset(out, 0, sizeof(*out));
	for (uint32_t p = 0; p < bob_trace_process_count(t); p++) {
		struct bob_mem_coverage c;

		if (!is_new_program(t, p))
			continue;
		bob_trace_mem_coverage(t, p, &c);
		out->functions += c.functions;
		out->bytes += c.bytes;
		for (uint32_t i = 0; i < bob_trace_unrecorded_count(t, p); i++) {
			const struct bob_unrecorded *u = bob_trace_unrecorded(t, p, i);

			out->missing++;
			out->missing_bytes += u->bytes;
			out->by_reason[u->reason < 32 ? u->reason : 31]++;
		}
	}
}

static void print_unrecorded(const struct cli_unrecorded *u, FILE *out)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	fprintf(out, "\nrecorded    %s of %s functions",
		bob_format_count(a, u->functions - u->missing), bob_format_count(b, u->functions));
	fprintf(out, " (%s of the code) in the chosen images%s\n",
		bob_format_share(a, u->bytes - u->missing_bytes, u->bytes),
		u->missing ? "; not recorded:" : "");
	for (uint32_t r = 1; r < 32; r++)
		if (u->by_reason[r])
			fprintf(out, "%10s  %s\n", bob_format_count(a, u->by_reason[r]),
				bob_mem_decline_text(r));
}

void cli_untraced_print(const struct cli_session *s, FILE *out)
{
	struct cli_unrecorded u;

	for (uint32_t i = 0; i < bob_trace_process_count(s->trace); i++)
		if (cli_loss_print(s->trace, i, "", out))
			break;
	cli_unrecorded_count(s->trace, &u);
	if (u.functions)
		print_unrecorded(&u, out);
	else if (!is_of_values(s->trace))
		print_untraced(s, out);
	print_images(s, out);
}
