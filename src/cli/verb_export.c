/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin export: converts the trace to formats of other tools. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/terminal/complain.h"
#include "cli/exporting.h"
#include "table/numbers.h"
#include "cli/terminal/output.h"
#include "cli/code_place.h"
#include "cli/session.h"
#include "cli/verbs.h"

#define MAX_EVENTS_DEFAULT 1000000u

struct format {
	const char *name;
	bob_status (*write)(struct bob_export *x); /* function calls; NULL: not supported */
	bob_status (*write_mpi)(struct bob_export *x);
};

static const struct format formats[] = { { "folded", bob_export_folded, NULL },
					 { "callgrind", bob_export_callgrind, NULL },
					 { "chrome", bob_export_chrome, bob_export_mpi_chrome },
					 { "csv", bob_export_csv, bob_export_mpi_csv },
					 { "otf2", NULL, bob_export_mpi_otf2 } };

static const struct format *find_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

int cli_export_begin(struct bob_export *x, struct cli_session *s)
{
	uint32_t n = bob_trace_thread_count(s->trace), *threads;

	threads = malloc(((size_t)n + 1) * sizeof(*threads));
	if (!threads)
		return cli_fail(s->verb, "out of memory");
	x->trace = s->trace;
	x->functions = s->functions;
	x->name = cli_names_of;
	x->ctx = s->names;
	x->threads = threads;
	x->progress = &s->progress;
	x->place = cli_place_print;
	for (uint32_t i = cli_session_thread(s, 0); i < n; i = cli_session_thread(s, i + 1))
		threads[x->thread_count++] = i;
	return 0;
}

void cli_export_end(struct bob_export *x)
{
	free((void *)x->threads);
}

static void print_cut(const struct bob_export *x, const struct format *format)
{
	char a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	if (x->lost_messages)
		cli_warn("export",
			 "%s sends and receives have no arrows or events: they cross an "
			 "intercommunicator, could not be distinguished, or it is unknown what a "
			 "request was of",
			 bob_format_count(a, x->lost_messages));
	if (!x->cut_events)
		return;
	if (format->write == bob_export_chrome)
		cli_warn("export",
			 "%s calls were left out: the limit is %s, which --max-events changes (0 "
			 "writes all)",
			 bob_format_count(a, x->cut_events), bob_format_count(b, x->max_events));
	else
		cli_warn("export",
			 "%s calls have paths too many to keep apart; "
			 "they are counted for their callers",
			 bob_format_count(a, x->cut_events));
}

/* Result of an export in a child process. */
struct apart {
	bob_status status;
	uint64_t lost_messages, cut_events, limited;
	char said[BOB_EXPORT_SAID];
};

/* Runs in a child process, because the format's library may abort it. */
static struct apart *export_apart(struct cli_session *s, const struct format *format,
				  struct bob_export *x)
{
	struct apart *a =
		mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child;

	if (a == MAP_FAILED)
		return NULL;
	a->status = BOB_ERR_IO;
	child = fork();
	if (!child) {
		const struct rlimit none = { 0, 0 };
		int null = open("/dev/null", O_WRONLY);

		(void)setrlimit(RLIMIT_CORE, &none);
		(void)dup2(null, STDERR_FILENO);
		x->said = a->said;
		a->status = format->write_mpi(x);
		a->lost_messages = x->lost_messages;
		a->cut_events = x->cut_events;
		a->limited = bob_trace_limited(x->trace);
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (child < 0)
		snprintf(a->said, sizeof(a->said), "%s", strerror(errno));
	x->lost_messages = a->lost_messages;
	x->cut_events = a->cut_events;
	s->limited = a->limited;
	return a;
}

/* An archive is a directory: it is created under another name, and renamed when complete. */
static int export_directory(struct cli_session *s, struct bob_export *x,
			    const struct format *format, const char *output)
{
	char name[PATH_MAX];
	struct apart *a;
	int status;

	if (cli_output_directory("export", output, name))
		return 1;
	x->directory = name;
	x->progress = NULL;
	a = export_apart(s, format, x);
	if (a && (a->status == BOB_OK || a->status == BOB_ERR_CORRUPT)) {
		status = cli_output_directory_done("export", name, output);
		if (a->status != BOB_OK)
			status =
				cli_fail("export", "not all MPI calls could be read: bobbin check");
		print_cut(x, format);
	} else {
		cli_output_directory_drop(name);
		if (!a || a->status == BOB_ERR_NOMEM)
			status = cli_fail("export", "out of memory");
		else if (a->status == BOB_ERR_UNSUPPORTED)
			status = cli_fail("export", "this bobbin was built without OTF2 (Debian's "
						    "libopen-trace-format2-dev)");
		else
			status = cli_fail("export", "cannot write %s: %s", output, a->said);
	}
	if (a)
		munmap(a, sizeof(*a));
	return status;
}

static int export_file(struct cli_session *s, struct bob_export *x, const struct format *format,
		       bob_status (*write)(struct bob_export *x), const char *output)
{
	bob_status st;
	int status;

	x->out = cli_output_open("export", output);
	if (!x->out)
		return 1;
	st = write(x);
	cli_session_progress_end(s);
	status = cli_output_close("export", x->out, output);
	if (st != BOB_OK && !status) /* otherwise the failure has been reported */
		status = cli_fail_status("export", "not all threads could be read to their end", st,
					 x->err);
	print_cut(x, format);
	return status;
}

static int export_to(struct cli_session *s, const struct format *format, int mpi,
		     uint64_t max_events, const char *output)
{
	struct bob_error err = { .text = "" };
	struct bob_export x = { .max_events = max_events, .err = &err };
	int status;

	mpi |= !format->write || cli_session_is_mpi(s);
	if (mpi && !format->write_mpi)
		return cli_misuse("export", "--format=%s is not for MPI calls", format->name);
	if (!format->write && (!output || !strcmp(output, "-")))
		return cli_misuse("export", "an archive is a directory: say -o NAME");
	if ((mpi ? cli_session_need_mpi(s) : cli_session_need_calls(s)) || cli_export_begin(&x, s))
		return 1;
	if (!format->write)
		status = export_directory(s, &x, format, output);
	else
		status =
			export_file(s, &x, format, mpi ? format->write_mpi : format->write, output);
	cli_export_end(&x);
	return status;
}

struct exporting {
	struct cli_session s;
	const struct format *format;
	const char *output;
	int mpi;
};

static int take_format(const char *verb, void *format, const char *arg)
{
	const struct format **f = format;

	*f = find_format(arg);
	return *f ? 0 : cli_misuse(verb, "there is no format '%s'", arg);
}

const struct cli_option export_options[] = {
	{ "format", 'f', "FORMAT",
	  "folded (flame graphs), callgrind (KCachegrind), chrome (Perfetto) or csv (a "
	  "table of functions); of MPI calls chrome, csv (one line per call) or otf2 "
	  "(Vampir, Scalasca, ...)",
	  .values = "folded|callgrind|chrome|csv|otf2",
	  CLI_TAKE(struct exporting, format, take_format) },
	{ "output", 'o', "FILE",
	  "write to FILE instead of standard output; for otf2 FILE is a new directory",
	  CLI_TEXT(struct exporting, output) },
	{ "mpi", 0, NULL, "use the MPI calls, even if the trace has other calls",
	  CLI_FLAG(struct exporting, mpi) },
	CLI_OPTION_GROUP(struct exporting, s),
	{ "max-events", 'n', "N",
	  "chrome: write at most N calls (default 1M, 0 for all), because viewers cannot "
	  "load large files; other formats: read at most N events of each thread (default "
	  "0: all)",
	  CLI_COUNT(struct exporting, s.max_events) },
	CLI_OPTION_NO_DEMANGLE(struct exporting, s),
	{ 0 },
};

int verb_export(int argc, char **argv)
{
	struct exporting e = { .s = { .verb = "export" } };
	uint64_t max_events = 0, given;
	int status = cli_options_read_given("export", argc, argv, &e, &given);

	if (status != CLI_GO_ON)
		return status;
	if (!e.format)
		return cli_misuse("export", "say --format=folded, callgrind, chrome, csv or otf2");
	if (e.format->write == bob_export_chrome) {
		/* its limit applies to all threads together, and cut calls are counted */
		max_events = cli_options_given("export", given, "max-events") ? e.s.max_events :
										MAX_EVENTS_DEFAULT;
		e.s.max_events = 0;
	}
	status = cli_session_open(&e.s, argc, argv);
	if (status)
		return status;
	status = export_to(&e.s, e.format, e.mpi, max_events, e.output);
	cli_session_close(&e.s);
	return status;
}
