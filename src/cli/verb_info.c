/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin info: prints what was recorded, where and how, its sizes, and what is missing. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/plain.h"
#include "bobbin/version.h"
#include "cli/terminal/complain.h"
#include "cli/complete.h"
#include "cli/findings.h"
#include "cli/info_columns.h"
#include "cli/info_tables.h"
#include "cli/source/info_notes.h"
#include "cli/left_out.h"
#include "cli/merge/whole.h"
#include "table/numbers.h"
#include "cli/overhead.h"
#include "cli/overview.h"
#include "cli/source/of_source.h"
#include "cli/source/report_predicted.h"
#include "cli/untraced_functions.h"
#include "cli/verbs.h"
#include "cli/print_worlds.h"
#include "table/json.h"
#include "plan/plan.h"

struct info {
	struct cli_answer a;
	int json, all;
};

const struct cli_option info_options[] = {
	{ "json", 'j', NULL, "same as --format=json: one JSON object with stable keys",
	  CLI_FLAG(struct info, json) },
	{ "all", 'a', NULL, "same as --limit=0: every process and image, not the first 20",
	  CLI_FLAG(struct info, all) },
	{ "format", 'f', "FORMAT",
	  "text (default); json: one object with everything; csv: the table of processes",
	  CLI_WORD(struct info, a.view.format, CLI_FORMATS) },
	CLI_OPTIONS_ROWS(struct info, a),
	CLI_OPTIONS_OUTPUT(struct info, a),
	{ 0 },
};

#define ROWS_DEFAULT 20u
static const char *const codec_names[] = { "?", "run", "parlot", "none", "null" };
static const char *const thread_states[] = { "killed or still running", "ended",
					     "alive at process end" };

static const char *pick(const char *const *names, uint32_t count, uint32_t value)
{
	return value < count ? names[value] : "?";
}

static const char *codec_name(uint32_t codec)
{
	return pick(codec_names, 5, codec);
}

static const char *start_text(uint64_t real_ns, char *buf, size_t size)
{
	time_t t = (time_t)(real_ns / 1000000000u);
	struct tm tm;

	if (!real_ns || !localtime_r(&t, &tm) || !strftime(buf, size, "%Y-%m-%d %H:%M:%S", &tm))
		return "at an unknown time";
	return buf;
}

/* Quotes the word for a shell. */
static int print_word(const char *word, FILE *out)
{
	int n, has_control = 0;

	for (const char *c = word; *c; c++)
		has_control |= bob_text_is_control(*c);
	if (*word && !has_control && !word[strcspn(word, " \"'\\$`*?[]{}()<>|&;#~!")])
		return fprintf(out, "%s", word);
	n = fprintf(out, has_control ? "$'" : "'");
	for (; *word; word++)
		if (bob_text_is_control(*word))
			n += fprintf(out, "\\x%02x", (unsigned char)*word);
		else if (has_control && (*word == '\'' || *word == '\\'))
			n += fprintf(out, "\\%c", *word);
		else
			n += *word == '\'' ? fprintf(out, "'\\''") : fprintf(out, "%c", *word);
	return n + fprintf(out, "'");
}

static void print_command(const struct bob_process_info *p, FILE *out)
{
	int column = 12;

	for (int i = 0; p->argv && p->argv[i]; i++) {
		int len = (int)strlen(p->argv[i]);

		if (column + len > 96 && i) {
			fputs(" ..", out);
			break;
		}
		if (i)
			column += fprintf(out, " ");
		column += print_word(p->argv[i], out);
	}
	fputc('\n', out);
}

/* Duration until the last process's end; 0 if a process has none. */
static uint64_t whole_duration(const struct bob_trace *t)
{
	uint64_t duration = 0;

	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		const uint64_t end = bob_trace_process(t, i)->end_mono_ns;
		const uint64_t start = bob_trace_run_start(t, i);

		if (!end)
			return 0;
		if (end > start && end - start > duration)
			duration = end - start;
	}
	return duration;
}

static void sum_overhead(const struct bob_trace *t, struct cli_overhead *o)
{
	memset(o, 0, sizeof(*o));
	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		const struct bob_thread_info *th = bob_trace_thread(t, i);

		cli_overhead_add(o, bob_trace_process(t, th->process), th);
	}
}

/* Number of its functions that were recorded, with calls or with memory accesses. */
static uint64_t recorded_of(const struct cli_session *s, const struct bob_function_image *f)
{
	const struct bob_image_info *im = bob_trace_image(s->trace, f->process, f->image);
	struct bob_mem_coverage c;
	uint64_t n = f->count;

	bob_trace_mem_coverage(s->trace, f->process, &c);
	if (!c.functions)
		return im->patched;
	for (uint32_t i = 0; i < bob_trace_unrecorded_count(s->trace, f->process); i++)
		n -= n && bob_trace_unrecorded(s->trace, f->process, i)->image == f->image;
	return im->chosen ? n : 0;
}

static int print_images(struct cli_answer *a)
{
	static const struct bob_column columns[] = {
		{ "functions", NULL, BOB_COLUMN_COUNT, 0, NULL },
		{ "recorded", NULL, BOB_COLUMN_COUNT, 0, "functions that were recorded" },
		{ "image", NULL, BOB_COLUMN_TEXT, BOB_COLUMN_SUBJECT, "short name" },
		{ "path", NULL, BOB_COLUMN_TEXT, 0, NULL },
	};
	const uint32_t n = bob_functions_image_count(a->s.functions);
	struct bob_table *t;

	if (!n)
		return 0;
	fputc('\n', a->text);
	t = bob_table_create("images", "image", columns, sizeof(columns) / sizeof(columns[0]));
	for (uint32_t i = 0; i < n; i++) {
		const struct bob_function_image *im = bob_functions_image(a->s.functions, i);

		bob_table_count(t, im->count);
		bob_table_count(t, recorded_of(&a->s, im));
		bob_table_text(t, im->soname);
		bob_table_text(t, im->path);
	}
	return cli_answer_second_table(a, t);
}

/* Settings by which parts of Bobbin find each other; only --json prints them. */
static int is_plumbing(const char *setting)
{
	static const char *const names[] = { "BOBBIN_AGENT=", "BOBBIN_PLANNER=", "BOBBIN_DIR=",
					     "BOBBIN_CACHE=", "BOBBIN_KEEPER=",
					     "BOBBIN_NS_", CLI_RUN_VARIABLE "=" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(setting, names[i], strlen(names[i])))
			return 1;
	return 0;
}

static void print_config(const struct bob_process_info *p, FILE *out)
{
	int n = 0;

	for (int i = 0; p->config && p->config[i]; i++)
		if (!is_plumbing(p->config[i]))
			fprintf(out, "%s%s\n", n++ ? "                 " : "recorded    with ",
				p->config[i]);
	if (!n)
		fputs("recorded    with the default options\n", out);
}

static void print_missing(const struct cli_session *s, FILE *out)
{
	uint32_t n = bob_trace_problem_count(s->trace);

	for (uint32_t i = 0; i < n && i < ROWS_DEFAULT; i++) {
		const struct bob_problem *p = bob_trace_problem(s->trace, i);

		fprintf(out, "%s%s: %s", i ? "            " : "\nproblems    ", p->file, p->text);
		if (p->offset)
			fprintf(out, " at byte %" PRIu64, p->offset);
		fputc('\n', out);
	}
	if (n > ROWS_DEFAULT)
		fprintf(out, "            ... %" PRIu32 " more, see bobbin check\n",
			n - ROWS_DEFAULT);
}

static void print_whether_complete(const struct bob_trace *t, FILE *out)
{
	struct bob_table *missing = cli_findings_create();
	int damaged = 0;

	for (uint32_t i = 0; i < bob_trace_problem_count(t); i++)
		damaged |= bob_trace_problem(t, i)->lost;
	cli_missing(t, missing);
	if (damaged)
		fputs("complete    no: files are damaged, see the problems below\n", out);
	cli_findings_print(missing, "complete    no: ", out);
	if (bob_table_is_incomplete(missing))
		fputs("complete    unknown: out of memory\n", out);
	else if (!damaged && !bob_table_rows(missing))
		fputs("complete    yes\n", out);
	bob_table_destroy(missing);
}

static int print_text(struct cli_answer *answer)
{
	const struct cli_session *s = &answer->s;
	const uint64_t limit = answer->view.limit;
	FILE *out = answer->text;
	const struct bob_trace *t = s->trace;
	uint32_t processes = bob_trace_process_count(t), threads = bob_trace_thread_count(t);
	const struct bob_process_info *first = bob_trace_process(t, 0);
	uint64_t duration = whole_duration(t);
	struct bob_trace_sizes sizes;
	struct cli_overhead overhead;
	int status;
	char buf[64], a[BOB_NUMBER_MAX], b[BOB_NUMBER_MAX];

	bob_trace_sizes(t, &sizes);
	fprintf(out, "trace       %s\n", s->dir);
	if (first) {
		fputs("command     ", out);
		print_command(first, out);
		fprintf(out, "when        %s on %s",
			start_text(first->start_real_ns, buf, sizeof(buf)), first->host);
		fprintf(out, duration ? ", for %s\n" : "\n", bob_format_seconds(a, duration));
		print_config(first, out);
	}
	fprintf(out, "what        %s process%s, %s thread%s\n", bob_format_count(a, processes),
		processes == 1 ? "" : "es", bob_format_count(b, threads), bob_plural(threads));
	cli_worlds_print(t, "worlds      ", out);
	print_whether_complete(t, out);
	cli_info_sizes(t, &sizes, out);
	cli_source_variables(t, out);
	cli_info_moments(s->trace, &sizes, out);
	sum_overhead(t, &overhead);
	cli_overhead_print(&overhead, out);
	status = cli_info_columns(answer);
	fputc('\n', out);
	if (!status)
		status = cli_answer_table(answer, cli_info_processes(t, &sizes));
	if (status)
		return status;
	cli_info_last(t,
		      limit == BOB_TABLE_LIMIT_DEFAULT ? ROWS_DEFAULT :
		      limit && limit < UINT32_MAX      ? (uint32_t)limit :
							 UINT32_MAX,
		      out);
	status = print_images(answer);
	cli_untraced_print(s, out);
	(void)cli_left_out_print(s, "", out);
	print_missing(s, out);
	cli_report_prediction(t, out);
	cli_info_notes(t, out);
	return status;
}

/* --- JSON --- */

static void json_sizes(struct bob_json *j, const struct cli_session *s)
{
	struct bob_trace_sizes sizes;

	bob_trace_sizes(s->trace, &sizes);
	bob_json_uint(j, "events", sizes.events);
	bob_json_uint(j, "accesses", sizes.accesses);
	bob_json_uint(j, "mpi_calls", sizes.mpi_calls);
	bob_json_uint(j, "raw_bytes", sizes.raw_bytes);
	bob_json_uint(j, "stream_bytes", sizes.stream_bytes);
	bob_json_uint(j, "meta_bytes", sizes.meta_bytes);
	bob_json_uint(j, "mark_bytes", sizes.mark_bytes);
	bob_json_uint(j, "file_bytes", sizes.file_bytes);
	bob_json_real(j, "ratio", cli_info_ratio(&sizes));
	bob_json_uint(j, "processes", bob_trace_process_count(s->trace));
	bob_json_uint(j, "threads", bob_trace_thread_count(s->trace));
	bob_json_uint(j, "images", bob_functions_image_count(s->functions));
	bob_json_uint(j, "functions", bob_functions_count(s->functions) - 1);
	bob_json_uint(j, "duration_ns", whole_duration(s->trace));
}

/* null where `report` prints unknown */
static void json_overhead(struct bob_json *j, const struct bob_trace *t)
{
	struct cli_overhead o;

	sum_overhead(t, &o);
	if (!o.events || o.unknown) {
		bob_json_string(j, "overhead", NULL);
		return;
	}
	bob_json_object(j, "overhead");
	bob_json_uint(j, "added_ns", o.added_ns);
	if (o.no_lives)
		bob_json_string(j, "threads_ns", NULL);
	else
		bob_json_uint(j, "threads_ns", o.lives_ns);
	bob_json_uint(j, "call_ps", o.most.call_ps);
	bob_json_uint(j, "bit_ps", o.most.bit_ps);
	bob_json_uint(j, "slow_entries", o.slow);
	bob_json_end(j, '}');
}

static void json_strings(struct bob_json *j, const char *key, const char *const *list)
{
	bob_json_array(j, key);
	for (int i = 0; list && list[i]; i++)
		bob_json_string(j, NULL, list[i]);
	bob_json_end(j, ']');
}

static void json_thread(struct bob_json *j, const struct bob_trace *t, uint32_t index)
{
	const struct bob_thread_info *th = bob_trace_thread(t, index);
	char last[CLI_LAST_MAX];

	bob_json_object(j, NULL);
	bob_json_uint(j, "number", th->number);
	bob_json_uint(j, "tid", th->tid);
	bob_json_string(j, "name", th->name);
	bob_json_string(j, "state", pick(thread_states, 3, th->state));
	if (th->state != 1)
		bob_json_string(j, "last_entry", cli_last_entry(t, index, last));
	bob_json_uint(j, "start_mono_ns", th->start_mono_ns);
	bob_json_uint(j, "end_mono_ns", th->end_mono_ns);
	bob_json_string(j, "codec", codec_name(th->codec));
	bob_json_uint(j, "events", th->events);
	bob_json_uint(j, "accesses", bob_trace_accesses(t, index));
	bob_json_uint(j, "mpi_calls", bob_trace_value_events(t, index, BOB_VALUES_MPI));
	bob_json_uint(j, "symbols", th->symbols);
	bob_json_uint(j, "stream_bytes", th->stream_bytes);
	bob_json_uint(j, "top_mismatch", th->top_mismatch);
	bob_json_uint(j, "orphans", th->orphans);
	bob_json_uint(j, "sp_rule", th->sp_rule);
	bob_json_uint(j, "slow_entries", th->slow_entries);
	bob_json_uint(j, "site_misses", th->site_misses);
	bob_json_uint(j, "queued", th->queued);
	bob_json_uint(j, "lost", th->lost);
	bob_json_uint(j, "switches", th->switches);
	bob_json_uint(j, "restarts", th->restarts);
	bob_json_uint(j, "calls_beside", th->beside);
	bob_json_uint(j, "accesses_outside", th->outside);
	bob_json_end(j, '}');
}

static void json_unrecorded(struct bob_json *j, const struct bob_trace *t, uint32_t process)
{
	bob_json_array(j, "unrecorded");
	for (uint32_t i = 0; i < bob_trace_unrecorded_count(t, process); i++) {
		const struct bob_unrecorded *u = bob_trace_unrecorded(t, process, i);

		bob_json_object(j, NULL);
		bob_json_uint(j, "image", u->image);
		bob_json_uint(j, "addr", u->addr);
		bob_json_uint(j, "bytes", u->bytes);
		bob_json_string(j, "reason", bob_mem_decline_text(u->reason));
		bob_json_end(j, '}');
	}
	bob_json_end(j, ']');
}

/* null: unknown, or not applicable */
static void json_end(struct bob_json *j, const struct bob_process_info *p)
{
	const int status = (int)p->end_status;

	if (p->end_source && WIFEXITED(status))
		bob_json_int(j, "exit_status", WEXITSTATUS(status));
	else
		bob_json_string(j, "exit_status", NULL);
	if (p->end_source && WIFSIGNALED(status))
		bob_json_int(j, "signal", WTERMSIG(status));
	else
		bob_json_string(j, "signal", NULL);
	bob_json_bool(j, "core_dumped", p->end_source && WCOREDUMP(status));
	if (p->debugged_mono_ns)
		bob_json_uint(j, "debugger_attached_ns", p->debugged_mono_ns - p->start_mono_ns);
}

static void json_process(struct bob_json *j, const struct bob_trace *t, uint32_t index)
{
	const struct bob_process_info *p = bob_trace_process(t, index);

	bob_json_object(j, NULL);
	bob_json_uint(j, "pid", p->pid);
	bob_json_uint(j, "ppid", p->ppid);
	bob_json_int(j, "rank", p->rank);
	bob_json_int(j, "world", p->world);
	bob_json_int(j, "world_size", p->world_size);
	bob_json_int(j, "parent", p->parent == ~0u ? -1 : (int64_t)p->parent);
	bob_json_string(j, "state", cli_process_state(p));
	json_end(j, p);
	bob_json_string(j, "stopped", p->stop_text[0] ? p->stop_text : NULL);
	bob_json_string(j, "host", p->host);
	bob_json_string(j, "exe", p->exe);
	bob_json_string(j, "cwd", p->cwd);
	bob_json_string(j, "file", p->file);
	bob_json_uint(j, "start_real_ns", p->start_real_ns);
	bob_json_uint(j, "start_mono_ns", p->start_mono_ns);
	bob_json_uint(j, "end_mono_ns", p->end_mono_ns);
	json_strings(j, "command", p->argv);
	json_strings(j, "config", p->config);
	json_strings(j, "loss", p->loss);
	json_strings(j, "left_out", p->left_out);
	bob_json_string(j, "log", bob_trace_log(t, index));
	bob_json_array(j, "skipped_images");
	for (uint32_t i = 0; i < bob_trace_skipped_image_count(t, index); i++) {
		uint32_t reason = 0;
		const char *path = bob_trace_skipped_image(t, index, i, &reason);

		bob_json_object(j, NULL);
		bob_json_string(j, "path", path);
		bob_json_string(j, "reason", bob_skip_text(reason));
		bob_json_end(j, '}');
	}
	bob_json_end(j, ']');
	json_unrecorded(j, t, index);
	bob_json_array(j, "thread_list");
	for (uint32_t i = 0; i < p->thread_count; i++)
		json_thread(j, t, p->first_thread + i);
	bob_json_end(j, ']');
	bob_json_end(j, '}');
}

static void json_image(struct bob_json *j, const struct cli_session *s, uint32_t index)
{
	const struct bob_function_image *f = bob_functions_image(s->functions, index);
	const struct bob_image_info *im = bob_trace_image(s->trace, f->process, f->image);
	char id[41] = "";

	for (int i = 0; i < im->build_id_len && i < 20; i++)
		snprintf(id + 2 * i, 3, "%02x", im->build_id[i]);
	bob_json_object(j, NULL);
	bob_json_string(j, "path", im->path);
	bob_json_string(j, "soname", im->soname);
	bob_json_string(j, "build_id", id);
	bob_json_uint(j, "functions", im->count);
	bob_json_uint(j, "patched", im->patched);
	bob_json_bool(j, "chosen", im->chosen);
	bob_json_bool(j, "runtime", im->runtime_list);
	bob_json_end(j, '}');
}

static void json_missing(struct bob_json *j, const struct bob_trace *t)
{
	struct bob_table *missing = cli_findings_create();
	const char *text;

	cli_missing(t, missing);
	bob_json_array(j, "missing");
	for (size_t i = 0; (text = cli_finding_text(missing, i)); i++)
		bob_json_string(j, NULL, text);
	if (bob_table_is_incomplete(missing))
		bob_json_string(j, NULL, "unknown: out of memory");
	bob_json_end(j, ']');
	bob_table_destroy(missing);
}

static void print_json(const struct cli_session *s, FILE *out)
{
	struct bob_json j = { .out = out };

	bob_json_object(&j, NULL);
	bob_json_string(&j, "bobbin", BOB_VERSION);
	bob_json_string(&j, "trace", s->dir);
	json_sizes(&j, s);
	json_overhead(&j, s->trace);
	bob_json_array(&j, "process_list");
	for (uint32_t i = 0; i < bob_trace_process_count(s->trace); i++)
		json_process(&j, s->trace, i);
	bob_json_end(&j, ']');
	bob_json_array(&j, "image_list");
	for (uint32_t i = 0; i < bob_functions_image_count(s->functions); i++)
		json_image(&j, s, i);
	bob_json_end(&j, ']');
	json_missing(&j, s->trace);
	bob_json_array(&j, "problems");
	for (uint32_t i = 0; i < bob_trace_problem_count(s->trace); i++) {
		const struct bob_problem *p = bob_trace_problem(s->trace, i);

		bob_json_object(&j, NULL);
		bob_json_string(&j, "file", p->file);
		bob_json_uint(&j, "offset", p->offset);
		bob_json_string(&j, "text", p->text);
		bob_json_bool(&j, "lost", p->lost);
		bob_json_end(&j, '}');
	}
	bob_json_end(&j, ']');
	bob_json_end(&j, '}');
}

static int print(struct cli_answer *a)
{
	struct bob_trace_sizes sizes;

	if (a->view.format == BOB_TABLE_TEXT && !cli_answer_is_help(a))
		return print_text(a);
	if (a->view.format == BOB_TABLE_JSON && !cli_answer_is_help(a)) {
		print_json(&a->s, a->out);
		return 0;
	}
	bob_trace_sizes(a->s.trace, &sizes);
	return cli_answer_table(a, cli_info_processes(a->s.trace, &sizes));
}

int verb_info(int argc, char **argv)
{
	struct info info = { .a = CLI_ANSWER("info", ROWS_DEFAULT) };
	int status = cli_options_read("info", argc, argv, &info);

	if (status != CLI_GO_ON)
		return status;
	if (info.json)
		info.a.view.format = BOB_TABLE_JSON;
	if (info.all)
		info.a.view.limit = 0;
	status = cli_session_open(&info.a.s, argc, argv);
	if (status)
		return status;
	status = cli_answer_begin(&info.a);
	if (!status)
		status = cli_answer_end(&info.a, print(&info.a));
	cli_session_close(&info.a.s);
	return status;
}
