/* SPDX-License-Identifier: BSD-3-Clause */
/* What is sent to the group and what to this process alone, in every order. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/witness.h"

static sigset_t all;

static int take(struct bob_witness *w, int sig)
{
	const struct timespec none = { 0, 0 };

	assert_int_equal(sigtimedwait(&all, NULL, &none), sig);
	return bob_witness_saw(w, sig);
}

static void test_distinguished(void **state)
{
	struct bob_witness w;
	int rt = SIGRTMIN + 1;

	(void)state;
	bob_witness_open(&w);
	assert_int_not_equal(w.pid, 0);
	kill(getpid(), SIGUSR1);
	assert_false(take(&w, SIGUSR1));
	kill(0, SIGUSR1);
	kill(getpid(), SIGUSR2);
	kill(0, SIGTERM);
	assert_true(take(&w, SIGUSR1));
	assert_false(take(&w, SIGUSR2));
	assert_true(take(&w, SIGTERM));
	kill(getpid(), SIGTERM);
	assert_false(take(&w, SIGTERM));
	for (int i = 0; i < 3; i++)
		kill(0, rt);
	for (int i = 0; i < 3; i++)
		assert_true(take(&w, rt));
	bob_witness_close(&w);
	assert_int_equal(w.pid, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* Only the witness got it: that must not count for a later one of ours. */
static void test_stale(void **state)
{
	struct bob_witness w;

	(void)state;
	bob_witness_open(&w);
	kill(w.pid, SIGUSR1);
	kill(getpid(), SIGUSR2);
	assert_false(take(&w, SIGUSR2));
	kill(getpid(), SIGUSR1);
	assert_false(take(&w, SIGUSR1));
	bob_witness_close(&w);
}

/* One that does not answer, is gone, or was never there saw nothing. */
static void test_absent(void **state)
{
	struct bob_witness w;

	(void)state;
	for (int sig = SIGSTOP; sig; sig = sig == SIGSTOP ? SIGKILL : 0) {
		bob_witness_open(&w);
		kill(w.pid, sig);
		kill(0, SIGUSR1);
		assert_false(take(&w, SIGUSR1));
		assert_int_equal(w.pid, 0);
		kill(0, SIGUSR1);
		assert_false(take(&w, SIGUSR1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distinguished),
		cmocka_unit_test(test_stale),
		cmocka_unit_test(test_absent),
	};

	setpgid(0, 0);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	sigdelset(&all, SIGCHLD);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
