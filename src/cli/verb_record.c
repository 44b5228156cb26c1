/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin record: starts a program with the agent, waits for it, completes the trace, and ends with
 * the program's exit status. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bobbin/trace.h"
#include "archive/format.h"
#include "cli/event_words.h"
#include "cli/record/collector.h"
#include "cli/record/end_status.h"
#include "cli/terminal/complain.h"
#include "cli/record/hook_prototype.h"
#include "cli/merge/folding.h"
#include "cli/record/mem_engine.h"
#include "cli/record/mem_only.h"
#include "cli/merge/merging.h"
#include "cli/record/mpi_shim.h"
#include "cli/memory/naming.h"
#include "table/numbers.h"
#include "cli/record/rank_functions.h"
#include "cli/record/record_env.h"
#include "cli/record/record_options.h"
#include "cli/record/keeper.h"
#include "cli/record/watching.h"
#include "archive/write/keeper.h"
#include "cli/verbs.h"
#include "cli/merge/whole.h"
#include "cli/record/wrap_library.h"

#define RANKS_WAIT_MS 2000	/* while their programs run */
#define RANKS_END_MS 60000	/* while only their launchers run */
#define RANKS_POLL_MS 20

/* This rank according to the MPI launcher, NULL: no MPI. */
static const char *own_rank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
					     "SLURM_PROCID" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *v = getenv(names[i]);

		if (v)
			return v;
	}
	return NULL;
}

static int is_rank_zero(void)
{
	const char *rank = own_rank();

	return !rank || !strcmp(rank, "0");
}

/* Whether this is the file of a running process of this host. Reads only the head, and not through
 * a mapping, which could fault: a process truncates its file when it ends. */
static int is_running(int dir, const char *name, const char *host)
{
	struct bob_file_head h;
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : pread(fd, &h, sizeof(h), 0);

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)sizeof(h) && h.magic == BOB_FORMAT_MAGIC &&
	       h.kind == BOB_FILE_PROCESS && h.state == BOB_FILE_OPEN &&
	       !strncmp(h.host, host, sizeof(h.host)) && !kill((pid_t)h.pid, 0);
}

static uint32_t ranks_running(const char *dir)
{
	char host[64] = "";
	DIR *d = opendir(dir);
	struct dirent *e;
	uint32_t n = 0;

	if (!d)
		return 0;
	gethostname(host, sizeof(host) - 1);
	while ((e = readdir(d)))
		n += e->d_name[0] == 'p' && is_running(dirfd(d), e->d_name, host);
	closedir(d);
	return n;
}

/* Rank 0 reports for all, so it gives other ranks a moment to end. With `run`: until it is the last
 * (1). */
static int await_ranks(const char *dir, int run)
{
	const struct timespec pause = { 0, RANKS_POLL_MS * 1000000L };

	for (int ms = 0;; ms += RANKS_POLL_MS) {
		uint32_t running = ranks_running(dir);

		if (!running && bob_rundir_is_last(run))
			return 1;
		if (ms >= (running ? RANKS_WAIT_MS : RANKS_END_MS))
			return bob_rundir_is_last(run);
		bob_rundir_stay(run);
		nanosleep(&pause, NULL);
	}
}

/* "calls", "accesses", "MPI calls", "events"; singular for a count of 1. */
static const char *counted(const struct bob_trace *t, const struct bob_trace_sizes *s,
			   uint64_t count)
{
	if (s->events)
		return count == 1 ? "call" : "calls";
	if (s->accesses)
		return count == 1 ? "access" : "accesses";
	return cli_event_words(t, count);
}

static uint64_t disk_bytes(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	struct stat sb;
	uint64_t n = 0;

	while (d && (e = readdir(d)))
		if (!fstatat(dirfd(d), e->d_name, &sb, AT_SYMLINK_NOFOLLOW) && S_ISREG(sb.st_mode))
			n += (uint64_t)sb.st_size;
	if (d)
		closedir(d);
	return n;
}

static void print_totals(const char *dir, const struct bob_trace *t,
			 const struct bob_trace_sizes *s)
{
	const char *quote = dir[strcspn(dir, " \t\"\\$`*?[]{}()<>|&;#~!")] ? "'" : "";
	char events[BOB_NUMBER_MAX], bytes[BOB_NUMBER_MAX], disk[BOB_NUMBER_MAX], ratio[64] = "",
										  left[64] = "";
	uint64_t count = s->events ? s->events : s->accesses ? s->accesses : s->mpi_calls;
	const uint32_t threads = bob_trace_thread_count(t);
	uint64_t outside = 0;
	const char *next = s->events ? "report" : s->accesses ? "replay --mem" : "show";

	if (s->stream_bytes && s->raw_bytes >= 2 * s->stream_bytes)
		snprintf(ratio, sizeof(ratio), ", %.0f times less than raw",
			 (double)s->raw_bytes / (double)s->stream_bytes);
	for (uint32_t i = 0; i < threads; i++)
		outside += bob_trace_thread(t, i)->outside;
	if (outside) {
		snprintf(left, sizeof(left), ", %s others left out,",
			 bob_format_count(events, outside));
		next = s->accesses ? "show" : next;
	}
	fprintf(stderr,
		"bobbin: %s %s%s of %u thread%s in %s, %s on disk (the stream %s%s); next: bobbin "
		"%s %s%s%s\n",
		bob_format_count(events, count), counted(t, s, count), left, threads,
		bob_plural(threads), dir, bob_format_bytes(disk, disk_bytes(dir)),
		bob_format_bytes(bytes, s->stream_bytes), ratio, next, quote, dir, quote);
}

/* `t` is NULL if there is no trace. */
static void closing_line(const char *dir, const struct bob_trace *t)
{
	struct bob_trace_sizes s;

	if (!t) {
		cli_warn("record",
			 "nothing was recorded in %s; is there space for it, and does the program "
			 "take LD_PRELOAD?",
			 dir);
		return;
	}
	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		const struct bob_process_info *p = bob_trace_process(t, i);

		if (p->stop_reason)
			cli_warn("record", "recording of process %u stopped early: %s", p->pid,
				 p->stop_text);
	}
	bob_trace_sizes(t, &s);
	if (s.events || s.accesses || s.mpi_calls)
		print_totals(dir, t, &s);
	else
		cli_warn("record",
			 "nothing was recorded; `bobbin info %s` says what was not traced and why",
			 dir);
}

/* Whether the trace is merged and named at the end. */
static int is_folded(const struct recording *r)
{
	return r->mem || r->mpi || r->events;
}

/* End of a launcher: completes its program's files and, if it is the last launcher or reports for
 * all, the whole trace. */
static void finish(struct recording *r, const char *dir, uint32_t child, int status, int joined)
{
	int is_last = 0, speaks = !r->quiet && is_rank_zero();
	struct cli_merged threads, merged;
	struct bob_trace *t = NULL;

	cli_end_status(dir, child, status);
	if (is_folded(r)) /* an unfolded trace is complete without merging and names */
		(void)(bob_fold_settings_any(&r->folding.how) ?
			       cli_fold("record", dir, child, 0, &r->folding, NULL, &merged) :
			       cli_merge("record", dir, child, &merged));
	if (speaks && own_rank())
		is_last = await_ranks(dir, is_folded(r) ? joined : -1);
	else if (is_folded(r))
		is_last = bob_rundir_is_last(joined);
	is_last &= is_folded(r);
	const int packs = is_last || !is_folded(r);
	/* a killed rank keeps its own file */
	if (is_last && r->events)
		cli_ranks_clear(dir);
	if (is_last && (r->mpi || r->events) && cli_mpi_level_is(&r->vars, "all|custom")) {
		(void)cli_merge_all("record", dir, 0, &threads, &merged);
		is_last = 0; /* names are complete */
	}
	if (is_last || (speaks && !(r->report && r->calls)))
		(void)bob_trace_open(dir, &t, NULL);
	if (is_last && t)
		cli_name_images(dir, t);
	/* Another launcher may be naming them at the same time; without folding there are no
	 * names. */
	if (packs)
		cli_pack_images(dir);
	if (speaks && r->report && r->calls)
		cli_short_report(dir, stderr);
	else if (speaks)
		closing_line(dir, t);
	bob_trace_close(t);
	if (joined >= 0)
		close(joined);
}

/* Whether a collector folds what the program records. */
static int is_collected(const struct recording *r)
{
	return r->source && !cli_vars_get(&r->vars, "BOBBIN_CODEC") &&
	       (!r->collector || !strcmp(r->collector, "process"));
}

static void name_launcher(struct cli_vars *v)
{
	char pid[24];

	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	cli_vars_set(v, "BOBBIN_LAUNCHER", pid);
}

/* 0: there is no launcher or no agent, or watching failed. */
static int begin_watching(struct cli_watching *w, struct recording *r, const char *dir)
{
	char keeper[CLI_KEEPER_ADDRESS];

	if (r->exec || (r->mem && !cli_mem_is_native(&r->engine)) ||
	    cli_watching_begin(w, dir, cli_vars_get(&r->vars, "BOBBIN_CACHE"), keeper))
		return 0;
	if (keeper[0])
		cli_vars_set(&r->vars, BOB_KEEPER_VARIABLE, keeper);
	w->takes_marks = r->calls && strcmp(r->time, "none") != 0;
	w->translates = r->mem || r->source;
	return 1;
}

/* `joined`: result of bob_rundir_join, held while the program runs. */
static int run(struct recording *r, const char *path, char **argv, const char *dir, const char *abs,
	       int joined)
{
	struct cli_collectors collectors = { .ask = -1 };

	if (!r->exec && is_collected(r) && !cli_collectors_begin(&collectors, abs))
		name_launcher(&r->vars);
	struct cli_watching watching;
	const int watches = begin_watching(&watching, r, abs);
	char **env = cli_record_environment(&r->vars);
	struct bob_launch l = { .argv = argv, .path = path, .env = env,
				.tick = watches ? cli_watching_tick : NULL, .ctx = &watching,
				.wake = watches ? watching.wake : -1 };
	struct bob_error err = { .text = "" };
	char moved[BOB_SYS_PATH];
	int status = 0, child = 0;

	if (!env)
		return cli_collectors_end(&collectors), cli_fail("record", "out of memory"), 125;
	if (r->exec) {
		execve(path, argv, env);
		cli_fail("record", "%s: the system refused to execute it", path);
		free(env);
		return 126;
	}
	bob_status st = bob_launch_run(&l, &child, &status, &err);
	const char *now = bob_rundir_now(joined, dir, moved);
	if ((watches && cli_watching_end(&watching, child)) || now != dir)
		cli_restore_images(now);
	cli_collectors_end(&collectors);
	free(env);
	if (st != BOB_OK) {
		cli_fail("record", "%s: %s", path, err.text);
		return child > 0 ? 126 : 125;
	}
	finish(r, now, (uint32_t)child, status, joined);
	cli_vars_free(&r->vars);
	cli_mem_free(&r->engine);
	free(r->mem_only);
	bob_launch_end(status);
	return 0;
}

/* Sets up events with values, in addition or alone. 0, or 125 after a complaint. */
static int choose_events(struct recording *r, const char *path)
{
	const char *mpi = NULL;

	if (bob_target_is_musl(path))
		return cli_fail("record",
				"%s is linked with musl; events, MPI and wrappers are recorded in "
				"programs of glibc, calls and memory accesses in this one, too",
				path),
		       125;
	if (r->mem && !cli_mem_is_native(&r->engine))
		return cli_misuse("record", "--mpi and --events with --mem need --engine=native"),
		       125;
	if (r->mem && cli_vars_get(&r->vars, "BOBBIN_HOOK_FUNCTIONS"))
		return cli_misuse("record", "--hook-functions cannot be recorded with --mem"), 125;
	if (r->mpi)
		mpi = cli_mpi_find("record", path, r->which_mpi);
	if (r->mpi && !mpi)
		return 125;
	if (r->events)
		cli_vars_set(&r->vars, "BOBBIN_EVENTS", "1");
	if (r->source)
		cli_vars_set(&r->vars, "BOBBIN_MEM", "source");
	if (!r->calls)
		cli_vars_set(&r->vars, "BOBBIN_CALLS", "0");
	cli_vars_set(&r->vars, "BOBBIN_TIME", r->time);
	if (bob_fold_settings_any(&r->folding.how) || cli_vars_get(&r->vars, "BOBBIN_CODEC"))
		cli_vars_set(&r->vars, "BOBBIN_MERGE",
			     "0"); /* merging while it runs needs exact folding */
	const int bad = cli_mpi_choose(&r->vars, "record", mpi) ||
			cli_wrap_preload(&r->wrap, &r->vars);

	cli_wrap_close(&r->wrap);
	return bad ? 125 : 0;
}

/* Sets up events of a spec, and MPI if it has MPI functions. 0, or 125 after a complaint. */
static int choose_wrappers(struct recording *r, const char *path)
{
	if (cli_wrap_open(&r->wrap, path, r->quiet) || cli_wrap_mpi(&r->wrap, &r->vars, r->mpi))
		return 125;
	r->events |= r->wrap.spec != NULL;
	r->mpi |= r->wrap.mpi != 0;
	return 0;
}

/* Sets up --mem-only. 0, or 125 after a complaint. */
static int choose_addresses(struct recording *r, const char *path)
{
	if (!cli_mem_is_native(&r->engine))
		return cli_misuse("record", "--mem-only needs --engine=native"), 125;
	return cli_mem_only(&r->vars, path, r->mem_only);
}

/* Name of the trace: the user's, unless another recording is in progress there. */
static const char *chosen_name(const char *said, const char *dir)
{
	const char *end = said + strlen(said), *begin, *name = strrchr(dir, '/') + 1;

	while (end > said + 1 && end[-1] == '/')
		end--;
	for (begin = end; begin > said && begin[-1] != '/';)
		begin--;
	if (!strncmp(begin, name, (size_t)(end - begin)) && !name[end - begin])
		return said;
	cli_warn("record", "another recording is being written to %s; this one is in %s", said,
		 dir);
	return dir;
}

int verb_record(int argc, char **argv)
{
	struct recording r = { .output = "bobbin.data", .time = "marks", .engine.engine = "auto" };
	char path[BOB_SYS_PATH], dir[BOB_SYS_PATH], key[512], run_name[CLI_RUN_BYTES];
	struct bob_error err = { .text = "" };
	int bad = record_options_read(&r, argc, argv), joined;

	if (bad)
		return bad < 0 ? 0 : bad;
	if (!r.exec)
		bob_launch_survive_limits();
	if (optind >= argc)
		return cli_misuse("record", "no command given"), 125;

	if (r.calls + r.mem + r.source > 1)
		return cli_misuse("record",
				  "--calls, --mem and --source cannot be recorded together"),
		       125;
	if (r.collector && !r.source)
		return cli_misuse("record", "--collector is of --source"), 125;
	r.events |= r.mpi && !cli_mpi_level_is(&r.vars, "off|flat|rank|all");
	r.calls |= !r.mem && !r.mpi && !r.events && !r.wrap.spec;
	if (!r.mpi && !r.events && cli_vars_get(&r.vars, "BOBBIN_FLUSH_EVERY"))
		return cli_misuse("record", "--flush-every is of --mpi and --events"), 125;
	enum bob_target t = bob_target_find(argv[optind], path);
	int is_static = t == BOB_TARGET_STATIC;
	if (r.mem && is_static)
		t = BOB_TARGET_OK; /* Valgrind needs no loader */
	if (cli_recording_problem(t)) {
		cli_fail("record", "%s: %s", argv[optind], cli_recording_problem(t));
		return t == BOB_TARGET_MISSING ? 127 : t == BOB_TARGET_DENIED ? 126 : 125;
	}
	if ((bad = choose_wrappers(&r, t == BOB_TARGET_SCRIPT ? NULL : path)))
		return bad;
	if (!r.mem && (r.engine.complete || r.engine.from_start))
		return cli_misuse("record", "--%s is of --mem",
				  r.engine.complete ? "require-complete" : "from-start"),
		       125;
	if (bob_fold_settings_any(&r.folding.how) && (!r.mem || r.exec))
		return cli_misuse("record",
				  "folding otherwise than exactly needs --mem, and comes when "
				  "the program has ended: not with --exec"),
		       125;
	if (r.mem && ((bad = cli_mem_check(&r.engine, &r.vars, is_static)) ||
		      (bad = cli_mem_require(&r.engine, &r.vars, path))))
		return bad;
	if (r.mem_only && (bad = choose_addresses(&r, path)))
		return bad;
	if (!r.mpi && !r.events && !strcmp(r.time, "exact:mpi"))
		return cli_misuse("record", "--time=exact:mpi is of --mpi and --events"), 125;
	if ((r.mpi || r.events) && (bad = choose_events(&r, path)))
		return bad;
	bob_run_key(key, sizeof(key));
	if (bob_rundir_prepare(r.output, key, dir, &joined, &err) != BOB_OK) {
		cli_fail("record", "%s: %s; choose another place with -o", err.path, err.text);
		return 125;
	}
	r.output = chosen_name(r.output, dir);
	cli_run_name(key, run_name);
	cli_vars_set(&r.vars, CLI_RUN_VARIABLE, run_name);
	if (r.mem && cli_mem_is_native(&r.engine)) {
		cli_mem_native(&r.engine, &r.vars);
	} else if (r.mem) {
		bad = cli_mem_finish(&r.engine, &r.vars, dir, argv + optind);
		cli_vars_free(&r.vars); /* the engine has options, no variables */
		return bad ? bad : run(&r, r.engine.path, r.engine.argv, r.output, dir, joined);
	}
	bad = cli_recording_finish(&r.vars, "record", dir);
	if (bad)
		return bad;
	/* with --exec, our children would become the program's */
	if (r.calls)
		cli_recording_costs(&r.vars, !r.exec);
	return run(&r, path, argv + optind, r.output, dir, joined);
}
