/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints statistics of the memory plan of an image, for `bobbin plan --mem`. */
#include <inttypes.h>

#include "plan/mem/mem.h"
#include "plan/plan.h"

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void print_totals(const struct bob_mem_plan *p, FILE *out)
{
	const struct bob_mem_stats *s = &p->stats;
	uint64_t functions = p->funcs.count, bytes = 0;

	for (unsigned i = 0; i < BOB_MEM_DECLINES; i++)
		bytes += s->bytes_by_decline[i];
	fprintf(out,
		"  %" PRIu64 " functions, %u translated (%.2f %%), %.2f %% of %" PRIu64
		" bytes; code grows %.1f times\n",
		functions, s->by_decline[0], percent(s->by_decline[0], (double)functions),
		percent((double)s->bytes_by_decline[0], (double)bytes), bytes,
		s->bytes_by_decline[0] ? (double)p->blob.count / (double)s->bytes_by_decline[0] :
					 0);
	fprintf(out,
		"  %u blocks, %u records (%u loops), %" PRIu64
		" accesses, %.2f words per access, %u probes save flags, "
		"%u registers saved%s\n",
		s->blocks, s->probes, s->loops, s->accesses,
		s->accesses ? (double)s->words / (double)s->accesses : 0, s->saved_flags, s->spills,
		s->flags_pass ? ", flags are passed between functions" : "");
	fprintf(out, "  %u landings, %u of them short, %u traps; %u calls, %u moved\n", s->landings,
		s->short_landings, s->traps, s->calls, s->moved_calls);
	for (unsigned i = 1; i < BOB_MEM_DECLINES; i++)
		if (s->by_decline[i])
			fprintf(out, "  %u declined, %" PRIu64 " bytes: %s\n", s->by_decline[i],
				s->bytes_by_decline[i], bob_mem_decline_text(i));
}

static void print_declined(const struct bob_plan_image *img, const struct bob_mem_plan *p,
			   FILE *out)
{
	for (size_t i = 0; i < p->funcs.count; i++) {
		const struct bob_mem_func *f = &p->funcs.at[i];
		const char *name = f->func == BOB_PLAN_NO_INDEX ? NULL :
								  img->funcs.at[f->func].name;

		if (f->decline)
			fprintf(out, "    %" PRIx64 " +%" PRIu64 " %s: %s at %" PRIx64 "\n",
				f->addr, f->bytes, name ? name : "?",
				bob_mem_decline_text(f->decline), f->decline_at);
	}
}

bob_status bob_plan_mem_report(const char *path, int each, FILE *out, struct bob_error *err)
{
	struct bob_plan_image img;
	struct bob_mem_plan plan;
	bob_status st = bob_mem_plan_open(path, &img, &plan, err);

	if (st == BOB_OK) {
		fprintf(out, "%s\n", path);
		print_totals(&plan, out);
		if (each)
			print_declined(&img, &plan, out);
	}
	bob_mem_plan_free(&plan);
	bob_plan_elf_close(&img);
	return st;
}

bob_status bob_plan_mem_declined(const char *path, uint32_t *count, const char **why,
				 struct bob_error *err)
{
	struct bob_plan_image img;
	struct bob_mem_plan plan;
	bob_status st = bob_mem_plan_open(path, &img, &plan, err);

	*count = 0;
	*why = "";
	for (size_t i = 0; st == BOB_OK && i < plan.funcs.count; i++)
		if (plan.funcs.at[i].decline && !(*count)++)
			*why = bob_mem_decline_text(plan.funcs.at[i].decline);
	bob_mem_plan_free(&plan);
	bob_plan_elf_close(&img);
	return st;
}
