/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats refused probes as messages, and collects those in system headers
 * (instrument_refusals.h). */
#include "cli/source/instrument_refusals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/numbers.h"

#define LINE_MAX_BYTES 8192

static void note_name(struct cli_refusals *to, const char *name)
{
	char *copy, **more;

	for (uint32_t i = 0; i < to->header_count; i++)
		if (!strcmp(to->headers[i], name))
			return;
	more = realloc(to->headers, (to->header_count + 1u) * sizeof(*more));
	if (more)
		to->headers = more;
	copy = more ? strdup(name) : NULL;
	if (copy)
		more[to->header_count++] = copy;
	else
		to->is_failed = 1;
}

static void note(struct cli_refusals *to, const char *path, const struct bob_source_result *r)
{
	uint32_t places = 0;

	for (uint32_t i = 0; i < r->refusal_count; i++)
		if (r->refusals[i].system) {
			places += r->refusals[i].count;
			note_name(to, r->refusals[i].system);
		}
	to->files += places != 0;
	to->places += places;
	if (places && !to->file)
		to->file = strdup(path);
}

static void say_one(const char *path, const struct bob_source_refusal *x, cli_refusals_say_fn say,
		    void *ctx)
{
	char place[24] = "", line[LINE_MAX_BYTES];

	if (x->line)
		snprintf(place, sizeof(place), ":%u", x->line);
	if (x->is_early)
		snprintf(line, sizeof(line),
			 "%s%s: reported before the statement at %u place%s: %s", path, place,
			 x->count, bob_plural(x->count), x->why);
	else if (x->count)
		snprintf(line, sizeof(line), "%s%s: no probe at %u place%s: %s", path, place,
			 x->count, bob_plural(x->count), x->why);
	else
		snprintf(line, sizeof(line), "%s%s: %s", path, place, x->why);
	say(ctx, line);
}

void cli_refusals_put(struct cli_refusals *to, const char *path, const struct bob_source_result *r,
		      cli_refusals_say_fn say, void *ctx)
{
	note(to, path, r);
	for (uint32_t i = 0; i < r->refusal_count; i++)
		if (!r->refusals[i].system)
			say_one(path, &r->refusals[i], say, ctx);
}

void cli_refusals_end(struct cli_refusals *to, cli_refusals_say_fn say, void *ctx)
{
	char line[LINE_MAX_BYTES], of[32] = "";

	if (to->files > 1)
		snprintf(of, sizeof(of), " of %u files", to->files);
	snprintf(line, sizeof(line),
		 "%s%sno probe at %u place%s%s: written in %s%u header%s of the system",
		 *of || !to->file ? "" : to->file, *of || !to->file ? "" : ": ", to->places,
		 bob_plural(to->places), of, to->is_failed ? "at least " : "", to->header_count,
		 bob_plural(to->header_count));
	if (to->files)
		say(ctx, line);
	while (to->header_count)
		free(to->headers[--to->header_count]);
	free(to->headers);
	free(to->file);
	*to = (struct cli_refusals){ 0 };
}

const char *cli_complaint_print(const char *commands, bob_status st,
				const struct bob_source_complaint *why, char *to, size_t size)
{
	if (st == BOB_ERR_NOMEM)
		snprintf(to, size, "out of memory");
	else if (why->command)
		snprintf(to, size, "%s:%u:%u: %s", commands, why->command, why->column, why->text);
	else
		snprintf(to, size, "%s", why->text);
	return to;
}
