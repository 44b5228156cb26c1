/* SPDX-License-Identifier: BSD-3-Clause */
/* Instruments a file: parse; walk once to find variables whose address is taken, and once to insert
 * probes. If headers have requested references, this is repeated with the headers in the text. If
 * macros or the word `register` prevent probes, it is repeated without them. */
#include "source/c/copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool take_names(const struct bob_c_sources *s, struct bob_source_c_result *r)
{
	r->headers = calloc(s ? s->files : 1u, sizeof(*r->headers));
	for (uint32_t i = 1; r->headers && s && i < s->files; i++) {
		r->headers[i - 1] = strdup(s->path[i]);
		if (!r->headers[i - 1])
			return false;
		r->header_count = i;
	}
	return r->headers != NULL;
}

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
	if (!take_names(u->sources, r)) {
		bob_source_c_close(r);
		return BOB_ERR_NOMEM;
	}
	r->counts = u->counts;
	*out = r;
	return BOB_OK;
}

/* Parses and scans. `text`: NULL, or the new text, which the unit then owns. NULL: `why` has the
 * reason. */
static struct bob_c_unit *scan(const char *path, char *text, size_t len,
			       const struct bob_c_sources *sources,
			       const struct bob_source_c_options *options, bob_status *st,
			       struct bob_source_c_complaint *why)
{
	struct bob_c_unit *u = calloc(1, sizeof(*u));

	*st = u ? bob_c_unit_open(u, path, text, len, sources, options, why) : BOB_ERR_NOMEM;
	if (!u) {
		free(text);
		return NULL;
	}
	if (*st == BOB_OK) {
		u->is_scan = true;
		bob_c_copies_begin(u);
		bob_c_predict_file(u);
		bob_c_walk_file(u);
		*st = bob_c_check_requests(u, why);
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
				     const struct bob_c_sources *sources,
				     const struct bob_source_c_options *options, bob_status *st,
				     struct bob_source_c_complaint *why)
{
	struct bob_c_unit *u = scan(path, text, len, sources, options, st, why);

	if (!u)
		return NULL;
	bob_c_copies_plan(u);
	bob_c_walk_file(u);
	bob_c_emit_frame(u);
	bob_predict_variables(options->predict, (uint32_t)u->rows.count);
	return u;
}

static void close_unit(struct bob_c_unit *u)
{
	bob_c_unit_close(u);
	free(u);
}

/* The same for the text with headers. The caller frees *sources, after the unit. */
static struct bob_c_unit *with_headers(struct bob_c_unit *u, struct bob_c_sources **sources)
{
	struct bob_c_unit *again;
	bob_status st;
	char *text;
	size_t len;

	*sources = NULL;
	if (!bob_c_take_headers(u, &text, &len, sources))
		return u;
	again = instrument(u->path, text, len, *sources, u->options, &st, NULL);
	if (!again || bob_c_is_too_early(again)) {
		if (again)
			close_unit(again);
		bob_c_sources_free(*sources);
		*sources = NULL;
		return u;
	}
	close_unit(u);
	return again;
}

/* The same for the text without obstacles. */
static struct bob_c_unit *without_obstacles(struct bob_c_unit *u)
{
	struct bob_c_unit *again;
	bob_status st;
	char *text;
	size_t len;

	if (!bob_c_remove_obstacles(u, &text, &len))
		return u;
	again = instrument(u->path, text, len, u->sources, u->options, &st, NULL);
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
	struct bob_c_sources *sources;
	struct bob_c_unit *u = instrument(path, NULL, 0, NULL, options, &st, why);

	if (!u)
		return st;
	u = without_obstacles(with_headers(u, &sources));
	st = finish(u, out);
	if (st != BOB_OK && why)
		snprintf(why->text, sizeof(why->text), "%.255s: no memory", path);
	close_unit(u);
	bob_c_sources_free(sources);
	return st;
}

bob_status bob_source_c_reach(const char *path, const struct bob_source_c_options *options,
			      struct bob_source_c_reach **out, struct bob_source_c_complaint *why)
{
	bob_status st;
	struct bob_c_unit *u = scan(path, NULL, 0, NULL, options, &st, why);
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
	for (uint32_t i = 0; r && i < r->refused_count; i++) {
		free(r->refused[i].why);
		free(r->refused[i].system);
	}
	for (uint32_t i = 0; r && i < r->header_count; i++)
		free(r->headers[i]);
	if (r) {
		free(r->headers);
		free(r->refused);
		free(r->text);
	}
	free(r);
}
