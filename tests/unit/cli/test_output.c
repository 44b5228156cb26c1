/* SPDX-License-Identifier: BSD-3-Clause */
/* What -o names is there whole or not at all, also after a signal. The program's own objects are no
 * library, so the files are included. */
#define _GNU_SOURCE
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/terminal/complain.c"
#include "cli/terminal/output.c"
#include "cli/terminal/unfinished.c"

static char base[64], home[PATH_MAX];

/* Every test has an empty current directory. */
static int enter_empty(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "/tmp/bob-output-XXXXXX");
	return !getcwd(home, sizeof(home)) || !mkdtemp(base) || chdir(base);
}

/* Fails if anything is left. */
static int leave(void **state)
{
	(void)state;
	return chdir(home) || rmdir(base);
}

static void fill(const char *dir)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/inner", dir);
	if (mkdir(path, 0777))
		_exit(1);
	snprintf(path, sizeof(path), "%s/inner/file", dir);
	FILE *f = fopen(path, "w");
	if (!f || fclose(f))
		_exit(1);
}

enum what { A_FILE, A_DIRECTORY, FINISHED, IGNORED };

static void child_main(enum what what, int sig)
{
	char name[PATH_MAX] = "";
	FILE *f = NULL;

	signal(sig, what == IGNORED ? SIG_IGN : SIG_DFL);
	if (what == A_DIRECTORY && !cli_output_directory("test", "out", name))
		fill(name);
	else
		f = cli_output_open("test", "out");
	if (f)
		fputs("text", f);
	if (what == FINISHED && cli_output_close("test", f, "out"))
		_exit(1);
	raise(sig);
	_exit(what == IGNORED && !cli_output_close("test", f, "out") ? 0 : 2);
}

static void check(enum what what, int sig)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		child_main(what, sig);
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (what == IGNORED)
		assert_int_equal(status, 0);
	else
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == sig);
	if (what == FINISHED || what == IGNORED)
		assert_int_equal(unlink("out"), 0);
}

static void test_signals(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		for (enum what w = A_FILE; w <= IGNORED; w++)
			check(w, signals[i]);
}

static void test_failed(void **state)
{
	char name[PATH_MAX];

	(void)state;
	assert_null(cli_output_open("test", "nowhere/out"));
	assert_int_equal(cli_output_directory("test", "nowhere/out", name), 1);
	assert_int_equal(cli_output_directory("test", "out", name), 0);
	fill(name);
	cli_output_directory_drop(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_signals, enter_empty, leave),
		cmocka_unit_test_setup_teardown(test_failed, enter_empty, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
