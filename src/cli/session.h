/* SPDX-License-Identifier: BSD-3-Clause */
/* Common start of all verbs that read a trace: opens the directory, its functions and their names,
 * the chosen threads, and progress on stderr. */
#ifndef BOB_CLI_SESSION_H
#define BOB_CLI_SESSION_H

#include "analysis/analysis.h"
#include "analysis/naming.h"
#include "cli/names.h"
#include "cli/select.h"
#include "cli/terminal/options.h"

#define CLI_DIR_DEFAULT "bobbin.data"

struct cli_session {
	const char *verb;
	const char *dir;
	struct bob_trace *trace;
	struct bob_functions *functions;
	struct cli_names *names;
	struct cli_select select;
	int no_demangle;
	uint64_t max_events;	/* --max-events; 0: no limit */
	uint64_t limited;	/* cursors that ended at that limit in another process */
	struct bob_progress progress;
	uint64_t events_done, events_all;
	uint64_t progress_due_ns;
	int progress_shown;
	uint8_t *left_out;	/* by thread: excluded (between.h); NULL: none */
	int damaged;	/* threads that could not be read completely */
};

/* Terms of --group, for the struct cli_session at `session`. 0, or 2 after a complaint. */
int cli_session_select(const char *verb, void *session, const char *spec);
/* --rank=ARG and --thread=ARG: the same as the terms rank=ARG and thread=ARG. */
int cli_session_select_ranks(const char *verb, void *session, const char *ranks);
int cli_session_select_threads(const char *verb, void *session, const char *threads);
/* Rows of option tables; `type` is the verb's struct, `s` its session. */
#define CLI_MAX_EVENTS_HELP "read at most N events of each thread (default 0: all)"
#define CLI_OPTION_GROUP(type, s)                                                                  \
	{ "group", 'g', "SPEC", "only these threads: 0, 1.0, rank=0-3, pid=N, host=NAME",          \
	  CLI_TAKE(type, s, cli_session_select) }
#define CLI_OPTION_THREAD(type, s)                                                                 \
	{ "thread", 'T', "THREADS",                                                                \
	  "only these threads of each process; same as --group=thread=",                           \
	  CLI_TAKE(type, s, cli_session_select_threads) }
#define CLI_OPTION_MAX_EVENTS(type, s)                                                             \
	{ "max-events", 0, "N", CLI_MAX_EVENTS_HELP, CLI_COUNT(type, s.max_events) }
#define CLI_OPTION_NO_DEMANGLE(type, s)                                                            \
	{ "no-demangle", 0, NULL, "do not demangle C++ names",                                     \
	  CLI_FLAG(type, s.no_demangle) }
/* Warns if the option was given: it has no effect on `what`. */
void cli_session_no_limit(const struct cli_session *s, const char *what);
/* Opens the trace named by the operands argv[optind..] (at most one). 0, or an exit status after a
 * complaint. Set verb and no_demangle first. */
int cli_session_open(struct cli_session *s, int argc, char **argv);
int cli_session_open_dir(struct cli_session *s, const char *dir);
void cli_session_close(struct cli_session *s);

/* The next chosen thread at or after `thread`, or the thread count. */
uint32_t cli_session_thread(const struct cli_session *s, uint32_t thread);
/* All chosen threads, to be freed; NULL: out of memory. */
uint32_t *cli_session_threads(const struct cli_session *s, uint32_t *count);
/* 0 if a chosen thread has calls, else 1 after a complaint. */
int cli_session_need_calls(const struct cli_session *s);
/* Whether the chosen threads have folded memory accesses. */
int cli_session_has_folded(const struct cli_session *s);
/* Whether the chosen threads have MPI calls, and no function calls. */
int cli_session_is_mpi(const struct cli_session *s);
/* Whether the chosen threads have events of the program, and neither accesses nor calls, although
 * accesses were recorded. */
int cli_session_events_alone(const struct cli_session *s);
/* 0 if a chosen thread has MPI calls, else 1 after a complaint. */
int cli_session_need_mpi(const struct cli_session *s);
/* Complains about thread `thread` if reading it failed; reading goes on with the next. Returns 0 if
 * the work can go on, else an exit status. */
int cli_session_thread_done(struct cli_session *s, uint32_t thread, bob_status st,
			    const struct bob_error *err);
/* Name functions for tables of analyses; valid while the session is open. */
struct bob_naming cli_session_naming(const struct cli_session *s);
/* Erases the progress line, if any. */
void cli_session_progress_end(struct cli_session *s);

#endif
