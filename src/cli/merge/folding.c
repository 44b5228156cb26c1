/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of folding, and folding of the processes of a trace in place or into another directory
 * (folding.h). */
#define _GNU_SOURCE
#include "cli/merge/folding.h"

#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bobbin/fold.h"
#include "cli/terminal/complain.h"
#include "table/numbers.h"
#include "sys/sys.h"

#define WINDOW_MAX 64u		/* BOB_MEM_WINDOW_MAX */
#define NAME_BYTES 256

/* --- options --- */

int cli_folding_plugin(const char *verb, void *folding, const char *file)
{
	struct cli_folding *f = folding;
	char *path = realpath(file, NULL);
	const struct bob_fold_plugin *p = NULL;
	const char *why;

	if (!path)
		return cli_misuse(verb, "--fold-plugin: %s is not there", file);
	f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	why = f->library ? NULL : dlerror();
	if (f->library)
		p = dlsym(f->library, "bob_fold_plugin");
	if (!p)
		return cli_misuse(verb, "--fold-plugin: %s",
				  why ? why : "the file defines no bob_fold_plugin");
	if (p->version != BOB_FOLD_PLUGIN_VERSION || p->size < sizeof(*p))
		return cli_misuse(verb,
				  "--fold-plugin: %s is of version %" PRIu32
				  ", this bobbin wants %u",
				  file, p->version, BOB_FOLD_PLUGIN_VERSION);
	if (!p->name || !*p->name || strpbrk(p->name, " \n"))
		return cli_misuse(verb, "--fold-plugin: %s has no name, or one with spaces", file);
	f->how.plugin = p;
	return 0;
}

/* *n is unchanged if the argument is omitted. */
static int take_number(const char *verb, const char *option, const char *arg, uint64_t least,
		       uint64_t most, uint64_t *n)
{
	if (!arg || (!cli_parse_count(arg, n) && *n >= least && *n <= most))
		return 0;
	return cli_misuse(verb, "--%s is a number from %" PRIu64 " to %" PRIu64 ", not '%s'",
			  option, least, most, arg);
}

int cli_folding_tolerance(const char *verb, void *folding, const char *arg)
{
	struct cli_folding *f = folding;

	return take_number(verb, "tolerance", arg, 0, 1ull << 62, &f->how.tolerance);
}

int cli_folding_unordered(const char *verb, void *folding, const char *arg)
{
	struct cli_folding *f = folding;
	uint64_t n = WINDOW_MAX;
	const int status = take_number(verb, "unordered", arg, 2, WINDOW_MAX, &n);

	f->how.window = (uint32_t)n;
	return status;
}

int cli_folding_drop_below(const char *verb, void *folding, const char *arg)
{
	struct cli_folding *f = folding;
	uint64_t n = 0;
	const int status = take_number(verb, "drop-below", arg, 0, UINT32_MAX, &n);

	f->how.drop_below = (uint32_t)n;
	return status;
}

/* --- files --- */

static int copy(const char *verb, const char *from, const char *to)
{
	FILE *in = fopen(from, "rbe"), *out = in ? fopen(to, "wbe") : NULL;
	char buffer[65536];
	size_t n;
	int bad = !out;

	while (!bad && (n = fread(buffer, 1, sizeof(buffer), in)) > 0)
		bad = fwrite(buffer, 1, n, out) != n;
	bad |= in && ferror(in);
	if (in)
		fclose(in);
	if (out)
		bad |= fclose(out) != 0;
	return bad ? cli_fail(verb, "%s cannot be copied to %s", from, to) : 0;
}

/* Whether it is a process's file, which is folded or copied separately. */
static int is_process(const struct bob_trace *t, const char *name)
{
	for (uint32_t i = 0; i < bob_trace_process_count(t); i++)
		if (!strcmp(bob_trace_process(t, i)->file, name))
			return 1;
	return 0;
}

/* Copies the other files of a trace: images, marks. */
static int copy_others(const char *verb, const struct bob_trace *t, const char *dir, const char *to)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int status = 0;

	if (!d)
		return cli_fail(verb, "%s cannot be read", dir);
	while (!status && (e = readdir(d))) {
		char *from = NULL, *beside = NULL;
		struct stat st;

		if (e->d_name[0] == '.' || !strcmp(e->d_name, "run.key") ||
		    is_process(t, e->d_name))
			continue;
		if (asprintf(&from, "%s/%s", dir, e->d_name) < 0 ||
		    asprintf(&beside, "%s/%s", to, e->d_name) < 0)
			status = cli_fail(verb, "out of memory");
		else if (!stat(from, &st) && S_ISREG(st.st_mode))
			status = copy(verb, from, beside);
		free(from);
		free(beside);
	}
	closedir(d);
	return status;
}

/* --- folding --- */

struct folding {
	const char *verb, *dir, *to;	/* `to`: destination; equal to dir for folding in place */
	const struct bob_trace *t;
	const struct bob_fold_settings *how;
	uint64_t max_events;
	struct cli_merged *result;
};

static uint64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

/* Writes a temporary file next to `path` and renames it to `path`. BOB_NONE: nothing to fold. */
static bob_status write_process(const struct folding *f, uint32_t process, const char *path,
				struct bob_error *err)
{
	bob_status st = BOB_ERR_NOMEM;
	char *beside;
	FILE *file;

	if (asprintf(&beside, "%s.%ld.new", path, (long)getpid()) < 0)
		return st;
	file = fopen(beside, "w+bxe");
	st = file ? bob_archive_fold(f->t, process, f->how, file, err) : BOB_ERR_IO;
	if (file && fclose(file) && st == BOB_OK)
		st = BOB_ERR_IO;
	if (st == BOB_OK && rename(beside, path))
		st = BOB_ERR_IO;
	if (file && st != BOB_OK)
		unlink(beside);
	free(beside);
	return st;
}

/* 0, or 1 after a complaint. Folding anew expands folded accesses one by one. */
static int refuse_large(const struct folding *f, uint32_t process)
{
	const struct bob_process_info *p = bob_trace_process(f->t, process);
	char number[BOB_NUMBER_MAX];
	uint32_t participant;

	for (uint32_t i = 0; f->max_events && i < p->thread_count; i++) {
		const struct bob_folded *folded =
			bob_trace_folded(f->t, p->first_thread + i, &participant);
		const uint64_t n = folded ? bob_folded_events(folded, participant) : 0;

		if (n > f->max_events)
			return cli_fail(f->verb,
					"thread %" PRIu32 ".%" PRIu32
					" has %s memory records, more "
					"than --max-events says",
					process, i, bob_format_count(number, n));
	}
	return 0;
}

static int fold_process(const struct folding *f, uint32_t process)
{
	const char *name = bob_trace_process(f->t, process)->file;
	struct bob_error err = { .text = "the file cannot be written" };
	char *from, *path = NULL;
	uint64_t before;
	bob_status st;
	int status = 0;

	if (asprintf(&from, "%s/%s", f->dir, name) < 0)
		return cli_fail(f->verb, "out of memory");
	if (asprintf(&path, "%s/%s", f->to, name) < 0) {
		free(from);
		return cli_fail(f->verb, "out of memory");
	}
	before = size_of(from);
	st = before ? write_process(f, process, path, &err) : BOB_ERR_NOENT;
	if (st == BOB_ERR_NOENT) {
		status = cli_fail(f->verb,
				  "the processes of this trace are in one file already; fold "
				  "before bobbin merge");
	} else if (st == BOB_OK) {
		f->result->processes++;
		f->result->before += before;
		f->result->after += size_of(path);
	} else if (st != BOB_NONE) {
		status = cli_fail_status(f->verb, "a process is not folded", st, &err);
	} else if (f->to != f->dir) {
		status = copy(f->verb, from, path);
	}
	free(from);
	free(path);
	return status;
}

static int make_dir(const char *verb, const char *name, char *dir)
{
	struct bob_error err = { .text = "" };
	char key[NAME_BYTES];

	snprintf(key, sizeof(key), "fold %ld %lld", (long)getpid(), (long long)time(NULL));
	if (bob_rundir_prepare(name, key, dir, NULL, &err) != BOB_OK)
		return cli_fail(verb, "%s: %s; choose another place with -o", err.path, err.text);
	return 0;
}

static int fold_all(struct folding *f, uint32_t root, int raw)
{
	int status = 0;

	for (uint32_t i = 0; i < bob_trace_process_count(f->t) && !status; i++) {
		if (root && !cli_is_below(f->t, i, root))
			continue;
		if (!raw && !bob_trace_process(f->t, i)->state)
			f->result->left++;
		else
			status = fold_process(f, i);
	}
	return status;
}

int cli_fold(const char *verb, const char *dir, uint32_t root, int raw,
	     const struct cli_folding *how, const char *to, struct cli_merged *result)
{
	struct folding f = { .verb = verb, .dir = dir, .to = dir, .how = &how->how,
			     .max_events = how->max_events, .result = result };
	struct bob_error err = { .text = "" };
	char made[BOB_SYS_PATH];
	struct bob_trace *t;
	int status = 0;
	bob_status st;

	memset(result, 0, sizeof(*result));
	st = root ? bob_archive_open_below(dir, root, &t, &err) : bob_trace_open(dir, &t, &err);
	if (st == BOB_ERR_NOENT && root)
		return 1; /* nothing was recorded: the recorder reports that, if asked to */
	if (st != BOB_OK)
		return cli_fail_open(verb, dir, st, &err);
	f.t = t;
	for (uint32_t i = 0; i < bob_trace_process_count(t) && !status; i++)
		status = refuse_large(&f, i); /* before anything is written */
	if (to && !status) {
		status = make_dir(verb, to, made);
		f.to = made;
		if (!status)
			status = copy_others(verb, t, dir, made);
	}
	if (!status)
		status = fold_all(&f, root, raw);
	bob_trace_close(t);
	return status;
}

/* --- information loss --- */

int cli_loss_print(const struct bob_trace *t, uint32_t process, const char *before, FILE *out)
{
	const char *const *loss = bob_trace_process(t, process)->loss;

	if (!*loss)
		return 0;
	fprintf(out, "%snot exact: folded with", before);
	for (int i = 0; loss[i]; i++)
		fprintf(out, "%s --%s", i ? "," : "", loss[i]);
	fputc('\n', out);
	return 1;
}
