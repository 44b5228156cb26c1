/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiler wrapper. It instruments the C files of the command line that the commands name, with the
 * flags of the command line. The compiler gets a copy in a temporary directory, which is removed
 * afterwards. The copy refers to the original (#line), finds headers where the original does, and
 * contains Bobbin's headers. Dependency lists are corrected: the copy's name is replaced by the
 * original's. */
#define _GNU_SOURCE
#include "cli/source/instrument_compile.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/terminal/complain.h"
#include "cli/source/compiler_line.h"
#include "cli/source/instrument_depends.h"
#include "cli/source/instrument_refusals.h"
#include "table/numbers.h"

extern char **environ;

struct copy {
	const struct bob_request_file *file;
	const char *name;	/* as on the command line, ... */
	uint32_t argument;	/* ... in this argument */
	char path[PATH_MAX];	/* "": not written */
	char depends[PATH_MAX]; /* the object's dependency list; "": none */
	struct bob_source_result *result; /* NULL: none (yet) */
};

struct job {
	const char *verb, *commands;
	char folder[PATH_MAX];	/* of the commands */
	char **argv;
	uint32_t argc;
	uint32_t compiler;	/* index of the compiler, after words that start it */
	struct bob_request_file *files; /* of the commands, with names as seen from here */
	char (*paths)[PATH_MAX];
	uint32_t file_count;
	struct copy *copies;
	uint32_t count;
	char dir[PATH_MAX];	/* "": not there */
	char beside[PATH_MAX];	/* the folder of the originals */
	struct bob_source_options options;
};

/* --- files to compile --- */

static void join(char *to, const char *folder, const char *name)
{
	if (*name == '/')
		snprintf(to, PATH_MAX, "%s", name);
	else
		snprintf(to, PATH_MAX, "%.2000s/%.2000s", folder, name);
}

/* Quality of the match between a file of the commands and an argument: the same file is best, then
 * the longer common end of the paths; 0: no match. `root` (PATH_MAX) gets the path before the
 * common end. */
static size_t fit(const char *named, const char *folder, const char *argument, char *root)
{
	char joined[PATH_MAX], of_name[PATH_MAX], real[PATH_MAX];
	size_t len, end;

	if (!realpath(argument, real))
		return 0;
	join(joined, folder, named);
	snprintf(root, PATH_MAX, "%s", folder);
	if (realpath(joined, of_name) && !strcmp(of_name, real))
		return SIZE_MAX;
	while (!strncmp(named, "./", 2))
		named += 2;
	len = strlen(real);
	end = strlen(named);
	if (len <= end || real[len - end - 1] != '/' || strcmp(real + len - end, named) != 0)
		return 0;
	snprintf(root, PATH_MAX, "%.*s", (int)(len - end - 1), real);
	return end;
}

/* The file of the commands that matches best; file_count: none. */
static uint32_t find_file(const struct job *j, const char *argument, char *root)
{
	uint32_t found = j->file_count;
	char of_this[PATH_MAX];
	size_t best = 0;

	for (uint32_t k = 0; k < j->file_count; k++) {
		const size_t how = fit(j->files[k].path, j->folder, argument, of_this);

		if (how <= best)
			continue;
		best = how;
		found = k;
		memcpy(root, of_this, PATH_MAX);
	}
	return found;
}

/* Copies the list of files of the commands. False: out of memory. */
static bool find_files(struct job *j, const struct bob_request_file *files)
{
	uint32_t total = 0;

	for (const struct bob_request_file *f = files; f; f = f->next)
		total++;
	j->files = calloc(total + 1u, sizeof(*j->files));
	j->paths = calloc(total + 1u, sizeof(*j->paths));
	j->copies = calloc(j->argc + 1u, sizeof(*j->copies));
	if (!j->files || !j->paths || !j->copies)
		return false;
	for (const struct bob_request_file *f = files; f; f = f->next)
		j->files[j->file_count++] = *f;
	return true;
}

/* Finds the other files: relative to the commands, or next to the files that are compiled. */
static void find_others(struct job *j, const char *root)
{
	for (uint32_t k = 0; k < j->file_count; k++) {
		if (!*j->paths[k])
			join(j->paths[k], j->folder, j->files[k].path);
		if (access(j->paths[k], R_OK))
			join(j->paths[k], root, j->files[k].path);
		if (access(j->paths[k], R_OK)) {
			cli_warn(j->verb, "%s: not found, so %s is read without it",
				 j->files[k].path, j->copies[0].name);
			j->options.is_partial = true;
		}
		j->files[k].path = j->paths[k];
	}
}

/* Fortran files get their probes in advance, and a separate C file with the functions these
 * call. */
static void warn_of_fortran(const struct job *j, const char *argument)
{
	const char *suffix = strrchr(argument, '.');
	char probes[PATH_MAX];

	snprintf(probes, sizeof(probes), "%.*s_probes.c", (int)(suffix - argument), argument);
	if (access(probes, F_OK))
		cli_warn(j->verb,
			 "%s: compiled as it is, without probes: --compile is for C, Fortran files "
			 "are instrumented before (bobbin instrument -o DIR)",
			 argument);
}

/* Finds the files of the command line that get copies. */
static void find_copies(struct job *j)
{
	char root[PATH_MAX] = "";

	for (uint32_t i = 1; i < j->argc; i++) {
		if (cli_compiler_has_value(j->argv[i])) {
			i++;
			continue;
		}
		const enum bob_source_language language =
			*j->argv[i] == '-' ? BOB_SOURCE_UNKNOWN : bob_source_language(j->argv[i]);
		if (language == BOB_SOURCE_UNKNOWN)
			continue;
		const uint32_t k = find_file(j, j->argv[i], root);
		struct copy *c = &j->copies[j->count];

		if (k == j->file_count)
			continue;
		if (language != BOB_SOURCE_C) {
			warn_of_fortran(j, j->argv[i]);
			continue;
		}
		*c = (struct copy){ .file = &j->files[k], .name = j->argv[i], .argument = i };
		snprintf(j->paths[k], PATH_MAX, "%s", c->name);
		cli_depends_find(j->argv, c->name, c->depends);
		j->count++;
	}
	if (j->count)
		find_others(j, root);
}

/* --- copies --- */

/* Replaces the lines that include Bobbin's headers by the headers. */
static void put_text(FILE *to, const char *text, size_t len)
{
	while (len) {
		const char *line = memchr(text, '\n', len);
		const size_t n = line ? (size_t)(line - text) + 1 : len;
		const struct bob_embedded *e = bob_source_headers;
		char include[64];

		for (; e->path; e++) {
			const int is =
				snprintf(include, sizeof(include), "#include \"%s\"\n", e->path);

			if ((size_t)is == n && !memcmp(text, include, n))
				break;
		}
		if (e->path)
			fwrite(e->begin, 1, (size_t)(e->end - e->begin), to);
		else
			fwrite(text, 1, n, to);
		text += n;
		len -= n;
	}
}

static int write_copy(struct job *j, struct copy *c, const struct bob_source_result *r)
{
	const uint32_t number = (uint32_t)(c - j->copies);
	FILE *f;
	int bad;

	snprintf(c->path, sizeof(c->path), "%.2000s/%u", j->dir, number);
	bad = mkdir(c->path, 0700);
	snprintf(c->path, sizeof(c->path), "%.2000s/%u/%.1000s", j->dir, number, basename(c->name));
	f = bad ? NULL : fopen(c->path, "we");
	if (!f)
		return cli_fail(j->verb, "cannot write %s: %m", c->path);
	fprintf(f, "#line 1 \"%s\"\n", c->name);
	put_text(f, r->text, r->len);
	bad = ferror(f);
	return fclose(f) || bad ? cli_fail(j->verb, "cannot write %s: %m", c->path) : 0;
}

static void say_line(void *ctx, const char *line)
{
	cli_warn(ctx, "%s", line);
}

static int complain(const struct job *j, bob_status st, const struct bob_source_complaint *why)
{
	char text[2 * PATH_MAX];

	return cli_fail(j->verb, "%s",
			cli_complaint_print(j->commands, st, why, text, sizeof(text)));
}

static int instrument_copy(struct job *j, struct copy *c)
{
	struct bob_source_complaint why = { 0 };
	struct cli_refusals refusals = { 0 };
	struct bob_source_result *r;
	bob_status st = bob_source_instrument(c->file, &j->options, &r, &why);

	if (st != BOB_OK)
		return complain(j, st, &why);
	cli_refusals_put(&refusals, c->name, r, say_line, (void *)(uintptr_t)j->verb);
	cli_refusals_end(&refusals, say_line, (void *)(uintptr_t)j->verb);
	c->result = r;
	if (!r->left)
		return write_copy(j, c, r);
	cli_warn(j->verb, "%s: the file stays as it is, without probes", r->left);
	return 0;
}

static bool is_copied(const struct job *j, const struct bob_request_file *f)
{
	for (uint32_t i = 0; i < j->count; i++)
		if (j->copies[i].file == f)
			return true;
	return false;
}

/* List of the files: all readable ones, or only those with copies. */
static const struct bob_request_file *list(struct job *j, bool all)
{
	struct bob_request_file *first = NULL, **to = &first;

	for (uint32_t i = 0; i < j->file_count; i++) {
		struct bob_request_file *f = &j->files[i];

		if (!is_copied(j, f) && (!all || access(f->path, R_OK)))
			continue;
		f->next = NULL;
		*to = f;
		to = &f->next;
	}
	return first;
}

/* Parses the files of the commands as one group, if the flags of this command line suit all of
 * them; otherwise warns. */
static int open_group(struct job *j)
{
	struct bob_source_complaint why = { 0 };
	char text[2 * PATH_MAX];
	bob_status st = bob_source_group_open(list(j, true), &j->options, &j->options.group, &why);

	for (uint32_t i = 0; i < j->file_count && st == BOB_OK; i++) {
		const char *unread = bob_source_group_unread(j->options.group, &j->files[i]);

		j->options.is_partial |= unread != NULL; /* other flags may make it readable */
		if (unread && !is_copied(j, &j->files[i]))
			cli_warn(j->verb, "%s; so %s is read without it", unread,
				 j->copies[0].name);
	}
	if (st == BOB_OK)
		return 0;
	cli_warn(j->verb, "%s; so %s is read as if it were alone",
		 cli_complaint_print(j->commands, st, &why, text, sizeof(text)), j->copies[0].name);
	why = (struct bob_source_complaint){ 0 };
	j->options.is_partial = true;
	st = bob_source_group_open(list(j, false), &j->options, &j->options.group, &why);
	return st == BOB_OK ? 0 : complain(j, st, &why);
}

/* --- running the compiler --- */

/* Returns its exit status. */
static int run(const struct job *j, char **argv)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction interrupt, quit;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int error, status = W_EXITCODE(1, 0); /* if unknown */
	pid_t pid;

	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	sigemptyset(&defaults);
	if (interrupt.sa_handler != SIG_IGN)
		sigaddset(&defaults, SIGINT);
	if (quit.sa_handler != SIG_IGN)
		sigaddset(&defaults, SIGQUIT);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	error = posix_spawnp(&pid, argv[0], NULL, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	while (!error && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	if (error) {
		errno = error;
		cli_fail(j->verb, "%s: cannot be run: %m", argv[0]);
		return 127;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The command line with the copies' names. Quoted headers are searched for next to the original
 * first; debug information has the original's name. NULL: out of memory. */
static char **with_copies(struct job *j, char (*maps)[3 * PATH_MAX])
{
	char **to = calloc(j->argc + j->count + 3u, sizeof(*to));
	uint32_t n = j->compiler + 1, words;

	if (!to)
		return NULL;
	memcpy(to, j->argv, n * sizeof(*to));
	to[n++] = (char *)(uintptr_t) "-iquote";
	to[n++] = j->beside;
	for (uint32_t i = 0; i < j->count; i++) {
		const char *path = j->copies[i].name;

		snprintf(maps[i], sizeof(maps[i]), "-fdebug-prefix-map=%s/%u/=%.*s", j->dir, i,
			 (int)(basename(path) - path), path);
		to[n++] = maps[i];
	}
	words = n - j->compiler - 1;
	memcpy(to + n, j->argv + j->compiler + 1,
	       (j->argc - j->compiler) * sizeof(*to)); /* including the NULL */
	for (uint32_t i = 0; i < j->count; i++)
		if (*j->copies[i].path)
			to[words + j->copies[i].argument] = j->copies[i].path;
	return to;
}

static int mend_depends(const struct job *j, const struct copy *c)
{
	return cli_depends_mend(j->verb, c->depends, c->path, c->name, c->result->headers,
				c->result->header_count, j->argv);
}

static void drop(struct job *j)
{
	char path[PATH_MAX];

	for (uint32_t i = 0; i < j->count; i++) {
		if (!*j->copies[i].path)
			continue;
		snprintf(path, sizeof(path), "%.2000s/%u", j->dir, i);
		unlink(j->copies[i].path);
		rmdir(path);
	}
	if (*j->dir)
		rmdir(j->dir);
}

static int make_directory(struct job *j)
{
	const char *tmp = getenv("TMPDIR");

	if (tmp && strpbrk(tmp, " \t#$\\%:")) /* compilers escape these in different ways */
		tmp = NULL;
	snprintf(j->dir, sizeof(j->dir), "%.2000s/bobbin-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (mkdtemp(j->dir))
		return 0;
	cli_fail(j->verb, "cannot make %s: %m", j->dir);
	*j->dir = 0;
	return 1;
}

/* Finds the folder of the originals, which a flag adds to the search path of headers. The flag
 * applies to all files, so there can only be one. */
static int find_folder(struct job *j)
{
	char folder[PATH_MAX];
	struct stat first, st;

	for (uint32_t i = 0; i < j->count; i++) {
		const char *path = j->copies[i].name;
		const int len = (int)(basename(path) - path);

		snprintf(folder, PATH_MAX, "%.*s", len ? len : 1, len ? path : ".");
		if (stat(folder, i ? &st : &first))
			return cli_fail(j->verb, "%s: %m", folder);
		if (!i)
			strcpy(j->beside, folder);
		else if (st.st_dev != first.st_dev || st.st_ino != first.st_ino)
			return cli_fail(
				j->verb,
				"%s and %s are in different folders: they need a command line each",
				j->copies[0].name, path);
	}
	return 0;
}

/* Macros are expanded by asking this compiler. */
static int instrument_all(struct job *j)
{
	const char *cc = getenv("CC");
	char *before = cc ? strdup(cc) : NULL;
	int bad = find_folder(j) || make_directory(j);

	setenv("CC", j->argv[j->compiler], 1);
	bad = bad || open_group(j);
	for (uint32_t i = 0; i < j->count && !bad; i++)
		bad = instrument_copy(j, &j->copies[i]);
	bob_source_group_close(j->options.group);
	if (before)
		setenv("CC", before, 1);
	else
		unsetenv("CC");
	free(before);
	return bad;
}

static int compile(struct job *j)
{
	char(*maps)[3 * PATH_MAX] = calloc(j->count, sizeof(*maps));
	char **argv = maps ? with_copies(j, maps) : NULL;
	int status = argv ? run(j, argv) : cli_fail(j->verb, "out of memory");

	for (uint32_t i = 0; i < j->count && argv; i++)
		if (*j->copies[i].path && mend_depends(j, &j->copies[i]) && !status)
			status = 1;
	free(argv);
	free(maps);
	return status;
}

static void free_job(struct job *j)
{
	for (uint32_t i = 0; i < j->count; i++)
		bob_source_close(j->copies[i].result);
	free(j->files);
	free(j->paths);
	free(j->copies);
}

int cli_instrument_compile(const char *verb, const struct bob_request_file *files,
			   const char *commands, const struct bob_source_options *o, char **argv)
{
	struct job j = { .verb = verb, .commands = commands, .argv = argv };
	const char *slash = strrchr(commands, '/');
	int status;

	snprintf(j.folder, sizeof(j.folder), "%.*s", slash ? (int)(slash - commands) + 1 : 1,
		 slash ? commands : ".");
	/* a parent may have ignored it, and the compiler's status would be lost */
	signal(SIGCHLD, SIG_DFL);
	while (argv[j.argc])
		j.argc++;
	j.options = *o;
	j.compiler = cli_compiler_find(argv);
	j.options.flags = (const char *const *)(void *)(argv + j.compiler + 1);
	j.options.flag_count = j.argc - j.compiler - 1;
	if (!find_files(&j, files)) {
		free_job(&j);
		return cli_fail(verb, "out of memory");
	}
	if (!cli_compiler_only_looks(argv))
		find_copies(&j);
	if (j.count) {
		status = instrument_all(&j) ? 1 : compile(&j);
		drop(&j);
	} else {
		status = run(&j, argv);
	}
	free_job(&j);
	return status;
}
