/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of work: read; walk once for the addresses that are taken, and once for the probes; put in. If macros or the
 * word `register` were in the way of probes, the same again without them. */
#include "source/c/copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bob_status finish(struct bob_c_unit *u, struct bob_source_c_result **out)
{
	struct bob_source_c_result *r = calloc(1, sizeof(*r));
	bob_status st = r ? bob_c_apply(u, &r->text, &r->len) : BOB_ERR_NOMEM;

	if (st == BOB_OK)
		st = bob_c_refusals_take(u, r);
	if (st != BOB_OK) {
		bob_source_c_close(r);
		return st;
	}
	r->counts = u->counts;
	*out = r;
	return BOB_OK;
}

/* `text`: NULL, or what the file becomes, for the unit. NULL: `why` says it. */
static struct bob_c_unit *scan(const char *path, char *text, size_t len,
			       const struct bob_source_c_options *options, bob_status *st,
			       struct bob_source_c_complaint *why)
{
	struct bob_c_unit *u = calloc(1, sizeof(*u));

	*st = u ? bob_c_unit_open(u, path, text, len, options, why) : BOB_ERR_NOMEM;
	if (!u) {
		free(text);
		return NULL;
	}
	if (*st == BOB_OK) {
		u->is_scan = true;
		bob_c_copies_begin(u);
		bob_predict_file(options->predict, path, BOB_PREDICT_C);
		bob_c_walk_file(u);
		*st = bob_c_check_wishes(u, why);
	}
	if (*st != BOB_OK) {
		bob_c_unit_close(u);
		free(u);
		return NULL;
	}
	u->is_scan = false;
	return u;
}

static struct bob_c_unit *instrument(const char *path, char *text, size_t len,
				     const struct bob_source_c_options *options, bob_status *st,
				     struct bob_source_c_complaint *why)
{
	struct bob_c_unit *u = scan(path, text, len, options, st, why);

	if (!u)
		return NULL;
	bob_c_copies_plan(u);
	bob_c_walk_file(u);
	bob_c_emit_frame(u);
	bob_predict_variables(options->predict, (uint32_t)u->row_count);
	return u;
}

static void close_unit(struct bob_c_unit *u)
{
	bob_c_unit_close(u);
	free(u);
}

/* The same once more, of the file without what was in the way. */
static struct bob_c_unit *without_obstacles(struct bob_c_unit *u)
{
	struct bob_c_unit *again;
	bob_status st;
	char *text;
	size_t len;

	if (!bob_c_remove_obstacles(u, &text, &len))
		return u;
	again = instrument(u->path, text, len, u->options, &st, NULL);
	if (!again)
		return u;
	close_unit(u);
	return again;
}

bob_status bob_source_c_instrument(const char *path, const struct bob_source_c_options *options,
				   struct bob_source_c_result **out,
				   struct bob_source_c_complaint *why)
{
	bob_status st;
	struct bob_c_unit *u = instrument(path, NULL, 0, options, &st, why);

	if (!u)
		return st;
	u = without_obstacles(u);
	st = finish(u, out);
	if (st != BOB_OK && why)
		snprintf(why->text, sizeof(why->text), "%.255s: no memory", path);
	close_unit(u);
	return st;
}

bob_status bob_source_c_reach(const char *path, const struct bob_source_c_options *options,
			      struct bob_source_c_reach **out, struct bob_source_c_complaint *why)
{
	bob_status st;
	struct bob_c_unit *u = scan(path, NULL, 0, options, &st, why);
	struct bob_source_c_reach *r = u ? bob_c_reach(u) : NULL;

	if (!u)
		return st;
	close_unit(u);
	if (!r)
		return BOB_ERR_NOMEM;
	*out = r;
	return BOB_OK;
}

void bob_source_c_close(struct bob_source_c_result *r)
{
	for (uint32_t i = 0; r && i < r->refused_count; i++)
		free(r->refused[i].why);
	if (r) {
		free(r->refused);
		free(r->text);
	}
	free(r);
}
