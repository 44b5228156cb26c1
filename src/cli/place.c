/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/place.h"

#include <inttypes.h>

void cli_place_print(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
		     FILE *out)
{
	const struct bob_image_info *im = bob_trace_image(t, process, image);
	struct bob_function_info f;

	if (im && bob_trace_function_at(t, process, image, pc, &f) == BOB_OK && *f.name)
		fprintf(out, "%s+0x%" PRIx64, f.name, pc - f.addr);
	else if (im)
		fprintf(out, "%s+0x%" PRIx64, im->soname, pc);
	else
		fprintf(out, "0x%" PRIx64, pc);
}
