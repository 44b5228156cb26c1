/* SPDX-License-Identifier: BSD-3-Clause */
/* Combines the rules of all functions, inlined or not, that contain an instruction. */
#include "cli/memory/choice.h"

#include "archive/archive.h"

#define FRAMES_MAX 255u

uint8_t cli_choice_at_inlined(const struct cli_choice *c, const struct bob_trace *t,
			      uint32_t process, uint32_t image, uint64_t pc)
{
	struct bob_inlined_frame frame[FRAMES_MAX];
	const uint32_t n = bob_trace_inlined(t, process, image, pc, frame, FRAMES_MAX);
	uint8_t rule = 0;

	for (uint32_t i = 0; i < n; i++)
		rule |= c->rule_of(c->ctx, frame[i].function);
	return rule;
}

uint8_t cli_choice_of(const struct cli_choice *c, const struct bob_trace *t, uint32_t process,
		      uint32_t image, uint64_t pc)
{
	struct bob_function_info f;
	uint32_t id = ~0u;

	if (bob_trace_function_at(t, process, image, pc, &f) == BOB_OK)
		id = f.id;
	return c->rules[bob_functions_number(c->functions, process, id)];
}

uint8_t cli_choice_at(const struct cli_choice *c, const struct bob_trace *t, uint32_t process,
		      uint32_t image, uint64_t pc)
{
	return cli_choice_of(c, t, process, image, pc) |
	       cli_choice_at_inlined(c, t, process, image, pc);
}

/* --- does any inlined function have a rule? --- */

struct looking {
	const struct cli_choice *choice;
	const struct bob_trace *trace;
	uint32_t process;
	uint8_t found;
};

static void look(void *ctx, uint32_t image, uint64_t pc)
{
	struct looking *l = ctx;

	l->found |= cli_choice_at_inlined(l->choice, l->trace, l->process, image, pc);
}

int cli_choice_has_inlined(const struct cli_choice *c, const struct bob_trace *t, uint8_t rule)
{
	struct looking l = { .choice = c, .trace = t };

	for (; l.process < bob_trace_process_count(t) && !(l.found & rule); l.process++)
		(void)bob_archive_used(t, l.process, look, &l); /* damage is reported elsewhere */
	return (l.found & rule) != 0;
}
