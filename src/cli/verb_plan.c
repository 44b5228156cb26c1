/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin plan: creates the patch plans of images in advance, and prints statistics about them. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/terminal/complain.h"
#include "base/host/clock.h"
#include "cli/verbs.h"
#include "plan/plan.h"

struct request {
	const char *dir;
	char own_dir[4096];	/* what `dir` points to without --cache */
	int closure, dump, mem, patches, special, verbose;
	int status;
};

static int take_verbose(const char *verb, void *level, const char *arg)
{
	(void)verb;
	(void)arg;
	++*(int *)level;
	return 0;
}

const struct cli_option plan_options[] = {
	{ "cache", 0, "DIR", "directory of the plans (default: the user's cache)",
	  .env = "BOBBIN_CACHE", CLI_TEXT(struct request, dir) },
	{ "closure", 0, NULL, "also plan every library with which the programs start",
	  CLI_FLAG(struct request, closure) },
	{ "dump", 0, NULL, "print each function, its patch and its trampoline",
	  CLI_FLAG(struct request, dump) },
	{ "mem", 0, NULL, "also plan the translation for memory traces",
	  CLI_FLAG(struct request, mem) },
	{ "patches", 0, NULL, "print each range of bytes that a patch overwrites",
	  CLI_FLAG(struct request, patches) },
	{ "special", 0, NULL,
	  "plan only the few functions of libc and the loader that every recording needs",
	  CLI_FLAG(struct request, special) },
	{ "verbose", 'v', NULL, "print the result for each image",
	  CLI_TAKE(struct request, verbose, take_verbose) },
	{ 0 },
};

static double now_ms(void)
{
	return (double)bob_clock_ns(CLOCK_MONOTONIC) / 1e6;
}

static void print_stats(const char *path, const struct bob_plan_stats *s, double ms)
{
	double percent = s->candidates ? 100.0 * s->patched / s->candidates : 0;

	printf("%s\n  %u functions, %u hooked (%.2f %%), %u through holes, %u with a moved call, "
	       "%u frame entries, %u rows, %u table targets, %.1f ms\n",
	       path, s->candidates, s->patched, percent, s->holes, s->displaced_calls, s->fdes,
	       s->rows, s->jump_table_targets, ms);
	for (unsigned i = 1; i < 32; i++)
		if (s->by_skip[i])
			printf("  %u not hooked: %s\n", s->by_skip[i], bob_plan_skip_text(i));
}

/* Names the file first: it may be a library of the named one. */
static int complain(const char *path, bob_status st, const struct bob_error *err)
{
	return cli_fail("plan", "%s: %s", err->path[0] ? err->path : path,
			err->text && *err->text ? err->text : bob_status_text(st));
}

/* Plans again, even if the plan is cached: the table has the costs of planning. */
static void show(struct request *r, const char *path)
{
	struct bob_plan_stats stats;
	struct bob_error err = { 0 };
	double start = now_ms();
	void *plan;
	size_t len;
	bob_status st = bob_plan_image(path, &plan, &len, &stats, &err);

	if (st != BOB_OK) {
		r->status = complain(path, st, &err);
		return;
	}
	if (r->verbose)
		print_stats(path, &stats, now_ms() - start);
	if (r->verbose && r->mem)
		st = bob_plan_mem_report(path, r->verbose > 1, stdout, &err);
	if (st != BOB_OK)
		r->status = complain(path, st, &err);
	if (r->dump)
		bob_plan_dump(plan, stdout);
	if (r->patches)
		bob_plan_print_patches(plan, stdout);
	free(plan);
}

static void plan_one(void *ctx, const char *path)
{
	struct request *r = ctx;
	struct bob_error err = { 0 };
	bob_status st;

	if (r->dump || r->patches || r->verbose)
		show(r, path);
	if (r->dump || r->patches)
		return;
	st = r->special ? bob_plan_cache_special(r->dir, path, NULL, &err) :
			  bob_plan_cache(r->dir, path, NULL, NULL, &err);
	if (st == BOB_OK && r->mem)
		st = bob_plan_cache_mem(r->dir, path, NULL, &err);
	if (st != BOB_OK)
		r->status = complain(path, st, &err);
}

static int plan_all(struct request *r, int argc, char **argv)
{
	struct bob_error err = { 0 };

	if (!r->dir && !r->dump && !r->patches) {
		bob_status st = bob_plan_cache_dir(r->own_dir, sizeof(r->own_dir), &err);

		if (st != BOB_OK)
			return cli_fail_status("plan", "no cache directory", st, &err);
		r->dir = r->own_dir;
	}
	for (int i = 0; i < argc; i++) {
		bob_status st = BOB_OK;

		if (r->closure)
			st = bob_plan_closure(argv[i], plan_one, r, &err);
		else
			plan_one(r, argv[i]);
		if (st != BOB_OK)
			r->status = complain(argv[i], st, &err);
	}
	return r->status;
}

int verb_plan(int argc, char **argv)
{
	struct request r = { 0 };
	int status = cli_options_read("plan", argc, argv, &r);

	if (status != CLI_GO_ON)
		return status;
	if (optind == argc)
		return cli_misuse("plan", "no file given");
	return plan_all(&r, argc - optind, argv + optind);
}
