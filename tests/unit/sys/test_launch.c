/* SPDX-License-Identifier: BSD-3-Clause */
/* How a program is run and how its end is reported. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <fcntl.h>
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

#include "folder.h"
#include "sys/sys.h"

static int launch(const char *command, const char *shell)
{
	char *argv[] = { (char *)(uintptr_t)command, (char *)"-c", (char *)(uintptr_t)shell, NULL };
	struct bob_launch l = { .argv = argv, .path = command, .env = environ };
	int status = -1, child = 0;

	assert_int_equal(bob_launch_run(&l, &child, &status, NULL), BOB_OK);
	return status;
}

static void test_launch(void **state)
{
	int st;

	(void)state;
	st = launch("/bin/sh", "exit 42");
	assert_true(WIFEXITED(st) && WEXITSTATUS(st) == 42);
	st = launch("/bin/sh", "ulimit -c 0; kill -SEGV $$");
	assert_true(WIFSIGNALED(st) && WTERMSIG(st) == SIGSEGV);
	signal(SIGCHLD, SIG_IGN); /* inherited from some daemon */
	st = launch("/bin/sh", "exit 9");
	assert_true(WIFEXITED(st) && WEXITSTATUS(st) == 9);
	signal(SIGCHLD, SIG_DFL);
	static const char text[] = "exit 7\n"; /* a script without #!, as a shell runs it */
	st = launch(put("bare", text, strlen(text), 0755), "");
	assert_true(WIFEXITED(st) && WEXITSTATUS(st) == 7);
}

static unsigned count_tick(void *ctx, int child)
{
	assert_true(child > 0 && !kill(child, 0));
	++*(int *)ctx;
	return 10;
}

static void test_tick(void **state)
{
	int ticks = 0, status = -1, child = 0;
	char *argv[] = { (char *)"sleep", (char *)"0.2", NULL };
	struct bob_launch l = { .argv = argv, .path = "/bin/sleep", .env = environ,
				.tick = count_tick, .ctx = &ticks, .wake = -1 };

	(void)state;
	assert_int_equal(bob_launch_run(&l, &child, &status, NULL), BOB_OK);
	assert_int_equal(status, 0);
	assert_true(ticks >= 2 && ticks <= 22);
}

static unsigned read_wake(void *ctx, int child)
{
	const int *pipe = ctx;
	char byte;

	/* the first tick comes by itself; then only what can be read wakes before the program
	 * ends */
	if (read(pipe[0], &byte, 1) == 1)
		kill(child, SIGTERM);
	else
		assert_int_equal(write(pipe[1], "", 1), 1);
	return 60000;
}

static void test_wake(void **state)
{
	int pipe[2], status = -1, child = 0;
	char *argv[] = { (char *)"sleep", (char *)"60", NULL };
	struct bob_launch l = { .argv = argv, .path = "/bin/sleep", .env = environ,
				.tick = read_wake, .ctx = pipe };

	(void)state;
	assert_int_equal(pipe2(pipe, O_NONBLOCK | O_CLOEXEC), 0);
	l.wake = pipe[0];
	assert_int_equal(bob_launch_run(&l, &child, &status, NULL), BOB_OK);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	close(pipe[0]);
	close(pipe[1]);
}

static void test_no_start(void **state)
{
	char *argv[] = { (char *)"x", NULL };
	static const char text[] = "#!/nonexistent/interpreter\n";
	struct bob_launch l = { .argv = argv, .env = environ };
	struct bob_error err = { .text = NULL };
	int status = -1, child = 0;

	(void)state;
	l.path = put("badscript", text, strlen(text), 0755);
	assert_int_equal(bob_launch_run(&l, &child, &status, &err), BOB_ERR_IO);
	assert_non_null(err.text);
	assert_string_equal(err.path, l.path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_launch),
		cmocka_unit_test(test_tick),
		cmocka_unit_test(test_wake),
		cmocka_unit_test(test_no_start),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
