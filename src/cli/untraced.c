/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/untraced.h"

#include <inttypes.h>
#include <string.h>

#include "archive/format.h"
#include "cli/numbers.h"

#define IMAGES_SHOWN 10u

void cli_untraced_count(const struct cli_session *s, struct cli_untraced *out)
{
	memset(out, 0, sizeof(*out));
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

/* Left out images of all processes, each path once. */
static void print_images(const struct cli_session *s, FILE *out)
{
	uint32_t shown = 0, more = 0, chosen_out = 0;

	for (uint32_t p = 0; p < bob_trace_process_count(s->trace); p++) {
		uint32_t n = bob_trace_skipped_image_count(s->trace, p);

		for (uint32_t i = 0; i < n; i++) {
			uint32_t reason = 0;
			const char *path = bob_trace_skipped_image(s->trace, p, i, &reason);

			if (p)	/* the first process stands for all: ranks load the same */
				continue;
			if (reason == BOB_SKIP_IMAGES)
				chosen_out++;
			else if (shown++ < IMAGES_SHOWN)
				fprintf(out, "  image %s: %s\n", path, bob_skip_text(reason));
			else
				more++;
		}
	}
	if (more)
		fprintf(out, "  ... %" PRIu32 " more images\n", more);
	if (chosen_out)
		fprintf(out, "  %" PRIu32 " image%s left out by the choice of images (--images)\n",
			chosen_out, cli_plural(chosen_out));
}

void cli_untraced_print(const struct cli_session *s, FILE *out)
{
	struct cli_untraced u;
	char a[CLI_NUMBER_MAX], b[CLI_NUMBER_MAX];

	cli_untraced_count(s, &u);
	if (!u.functions)
		return;
	fprintf(out, "\ntraced      %s of %s functions", cli_count(a, u.by_reason[0]),
		cli_count(b, u.functions));
	fprintf(out, " (%s) in the chosen images; not traced:\n",
		cli_share(a, u.by_reason[0], u.functions));
	for (uint32_t r = 1; r < 32; r++)
		if (u.by_reason[r])
			fprintf(out, "%10s  %s\n", cli_count(a, u.by_reason[r]), bob_skip_text(r));
	print_images(s, out);
}
