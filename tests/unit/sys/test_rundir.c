/* SPDX-License-Identifier: BSD-3-Clause */
/* The directory of a run: who joins, who moves whom away, what is refused, and eight at once. */
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

#include "sys/sys.h"

#define RANKS 8

static char base[64], home[BOB_SYS_PATH];

/* Every test has an empty current directory. */
static int enter_empty(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "/tmp/bob-rundir-XXXXXX");
	return !getcwd(home, sizeof(home)) || !mkdtemp(base) || chdir(base);
}

static int leave(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return chdir(home) || system(command);
}

static void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static bob_status prepare(const char *dir, const char *key)
{
	char abs[BOB_SYS_PATH] = "";
	struct bob_error err = { .text = NULL };
	bob_status st = bob_rundir_prepare(dir, key, abs, NULL, &err);

	if (st == BOB_OK)
		assert_true(abs[0] == '/' && exists(abs));
	else
		assert_true(err.text && err.code == st && err.path[0]);
	return st;
}

static void test_join(void **state)
{
	char abs[BOB_SYS_PATH], want[BOB_SYS_PATH + 8], cwd[BOB_SYS_PATH];

	(void)state;
	assert_int_equal(bob_rundir_prepare("t", "job 1", abs, NULL, NULL), BOB_OK);
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(want, sizeof(want), "%s/t", cwd);
	assert_string_equal(abs, want);
	put_file("t/p.bob", "x");
	assert_int_equal(prepare("t", "job 1"), BOB_OK);
	assert_int_equal(prepare("t/", "job 1"), BOB_OK);
	assert_int_equal(prepare("./t///", "job 1"), BOB_OK);
	assert_int_equal(prepare(want, "job 1"), BOB_OK);
	assert_true(exists("t/p.bob") && !exists("t.old"));
}

/* The newest of the older ones is t.old; of five the oldest is gone. */
static void test_rename(void **state)
{
	(void)state;
	assert_int_equal(prepare("t", "job 1"), BOB_OK);
	put_file("t/first.bob", "");
	assert_int_equal(prepare("t", "job 10"), BOB_OK); /* a longer key is another key */
	put_file("t/second.bob", "");
	assert_int_equal(prepare("t", "job 1"), BOB_OK); /* an old one does not come back */
	put_file("t/third.bob", "");
	assert_int_equal(prepare("t", "job 3"), BOB_OK);
	assert_true(exists("t.old/third.bob"));
	assert_true(exists("t.old.1/second.bob"));
	assert_true(exists("t.old.2/first.bob"));
	assert_true(exists("t/run.key") && !exists("t/third.bob"));
	assert_int_equal(prepare("t", "job 4"), BOB_OK);
	assert_true(exists("t.old/run.key") && exists("t.old.1/third.bob"));
	assert_true(exists("t.old.2/second.bob") && !exists("t.old.3"));
}

/* Files that the user put into a trace are never removed. The directory is renamed only once. */
static void test_rename_kept(void **state)
{
	(void)state;
	assert_int_equal(prepare("t", "job 1"), BOB_OK);
	put_file("t/notes.txt", "precious");
	for (int i = 2; i < 9; i++) {
		char key[16];

		snprintf(key, sizeof(key), "job %d", i);
		assert_int_equal(prepare("t", key), BOB_OK);
	}
	assert_true(exists("t.old/notes.txt"));
	assert_true(exists("t.old.3/run.key") && !exists("t.old.4"));
}

static void test_rename_taken(void **state)
{
	(void)state;
	put_file("t.old", "a file of that name stays");
	assert_int_equal(prepare("t", "a"), BOB_OK);
	assert_int_equal(prepare("t", "b"), BOB_OK);
	assert_true(exists("t.old.1/run.key"));
	FILE *f = fopen("t.old", "r");
	assert_non_null(f);
	assert_int_equal(fgetc(f), 'a');
	fclose(f);
}

static void test_refuse(void **state)
{
	char name[BOB_SYS_PATH + 8];

	(void)state;
	put_file("file", "precious");
	assert_int_equal(prepare("file", "k"), BOB_ERR_INVAL);
	assert_int_equal(mkdir("thesis", 0777), 0);
	put_file("thesis/chapter", "precious");
	assert_int_equal(prepare("thesis", "k"), BOB_ERR_INVAL);
	assert_true(exists("thesis/chapter") && !exists("thesis.old"));
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	assert_int_equal(prepare("dangling", "k"), BOB_ERR_INVAL);
	assert_int_equal(prepare("no/such/parent", "k"), BOB_ERR_IO);
	assert_int_equal(prepare("/proc/nowhere", "k"), BOB_ERR_IO);
	assert_int_equal(prepare(".", "k"), BOB_ERR_INVAL);
	assert_int_equal(prepare("..", "k"), BOB_ERR_INVAL);
	assert_int_equal(prepare("x/..", "k"), BOB_ERR_INVAL);
	assert_int_equal(bob_rundir_prepare("", "k", name, NULL, NULL), BOB_ERR_INVAL);
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = 0;
	assert_int_equal(prepare(name, "k"), BOB_ERR_INVAL);
}

static void test_empty(void **state)
{
	(void)state;
	assert_int_equal(mkdir("t", 0777), 0);
	assert_int_equal(prepare("t", "k"), BOB_OK);
	assert_true(exists("t/run.key") && !exists("t.old"));
}

/* One of eight processes that begin at the same moment, as ranks do. */
static int rank_main(int gate, int rank, const char *key)
{
	char abs[BOB_SYS_PATH], path[32];
	FILE *f;
	char c;

	if (read(gate, &c, 1) < 0 || bob_rundir_prepare("t", key, abs, NULL, NULL) != BOB_OK)
		return 1;
	snprintf(path, sizeof(path), "t/rank%d.bob", rank);
	f = fopen(path, "wx");
	return !f || fclose(f);
}

static void run_ranks(int keys)
{
	pid_t pid[RANKS];
	int gate[2], bad = 0;

	assert_int_equal(pipe(gate), 0);
	for (int i = 0; i < RANKS; i++) {
		char key[16];

		snprintf(key, sizeof(key), "job %d", keys == 1 ? 0 : i);
		pid[i] = fork();
		if (pid[i] == 0) {
			close(gate[1]);
			_exit(rank_main(gate[0], i, key));
		}
		assert_true(pid[i] > 0);
	}
	close(gate[0]);
	close(gate[1]); /* all are let go */
	for (int i = 0; i < RANKS; i++) {
		int st = -1;

		assert_int_equal(waitpid(pid[i], &st, 0), pid[i]);
		bad += st != 0;
	}
	assert_int_equal(bad, 0);
}

static void test_ranks(void **state)
{
	char path[32];

	(void)state;
	for (int round = 0; round < 20; round++) {
		assert_int_equal(prepare("t", "an older run"), BOB_OK);
		run_ranks(1);
		for (int i = 0; i < RANKS; i++) {
			snprintf(path, sizeof(path), "t/rank%d.bob", i);
			assert_true(exists(path));
		}
		assert_true(exists("t.old") && exists("t.old.1") == (round > 0));
	}
}

/* Eight runs of different keys into one name, which have ended: each moves the one before it
 * away. */
static void test_foreign_runs(void **state)
{
	char path[48];
	int found = 0;

	(void)state;
	for (int i = 0; i < RANKS; i++) {
		char key[16];

		snprintf(key, sizeof(key), "job %d", i);
		pid_t pid = fork();
		if (pid == 0) {
			char abs[BOB_SYS_PATH];

			_exit(bob_rundir_prepare("t", key, abs, NULL, NULL) != BOB_OK);
		}
		assert_true(pid > 0);
	}
	for (int i = 0; i < RANKS; i++) {
		int st = -1;

		assert_true(wait(&st) > 0);
		assert_int_equal(st, 0);
	}
	for (int i = -2; i < RANKS; i++) {
		snprintf(path, sizeof(path),
			 i == -2 ? "t/run.key" :
			 i == -1 ? "t.old/run.key" :
				   "t.old.%d/run.key",
			 i + 1);
		found += exists(path);
	}
	assert_int_equal(found, 1 + BOB_RUNDIR_OLDER);
}

/* While a launcher writes to t, another run has t.3, as t.2 is no trace, a third one t.4, and late
 * ranks find their own. */
static void test_in_use(void **state)
{
	char abs[BOB_SYS_PATH];
	int run[4];

	(void)state;
	assert_int_equal(bob_rundir_prepare("t", "job 1", abs, &run[0], NULL), BOB_OK);
	assert_int_equal(mkdir("t.2", 0777), 0);
	put_file("t.2/chapter", "precious");
	assert_int_equal(bob_rundir_prepare("t", "job 2", abs, &run[1], NULL), BOB_OK);
	assert_string_equal(strrchr(abs, '/'), "/t.3");
	assert_int_equal(bob_rundir_prepare("t", "job 3", abs, &run[2], NULL), BOB_OK);
	assert_string_equal(strrchr(abs, '/'), "/t.4");
	close(run[0]);
	assert_int_equal(bob_rundir_prepare("t", "job 3", abs, &run[3], NULL), BOB_OK);
	assert_string_equal(strrchr(abs, '/'), "/t.4");
	assert_true(exists("t.2/chapter"));
	assert_true(!exists("t.old"));
	assert_int_equal(bob_rundir_prepare("t", "job 4", abs, &run[0], NULL), BOB_OK);
	assert_string_equal(strrchr(abs, '/'), "/t");
	assert_true(exists("t.old"));
	for (int i = 0; i < 4; i++)
		assert_int_equal(close(run[i]), 0);
	assert_int_equal(bob_rundir_prepare("nowhere/t", "k", abs, &run[0], NULL), BOB_ERR_IO);
	assert_int_equal(run[0], -1);
}

/* The answer is no until one process is left, which may have got that answer before. */
static void test_last(void **state)
{
	int run[3];

	(void)state;
	assert_int_equal(prepare("t", "k"), BOB_OK);
	for (int i = 0; i < 3; i++)
		assert_true((run[i] = bob_rundir_join("t")) >= 0);
	assert_int_equal(bob_rundir_is_last(run[1]), 0);
	assert_int_equal(bob_rundir_is_last(run[0]), 0);
	bob_rundir_stay(run[0]);
	assert_int_equal(bob_rundir_is_last(run[2]), 0);
	assert_int_equal(bob_rundir_is_last(run[0]), 1);
	assert_int_equal(bob_rundir_is_last(run[1]), 0); /* while the last one is at work */
	for (int i = 0; i < 3; i++)
		close(run[i]);
	run[0] = bob_rundir_join("t");
	run[1] = bob_rundir_join("t");
	close(run[0]); /* or is killed */
	assert_int_equal(bob_rundir_is_last(run[1]), 1);
	close(run[1]);
	assert_int_equal(bob_rundir_join("nowhere"), -1);
	bob_rundir_stay(-1);
	assert_int_equal(bob_rundir_is_last(-1), 1);
}

/* A moved directory is found again, a removed one is not, and another one of its name is not taken
 * for it. */
static void test_moved(void **state)
{
	char abs[BOB_SYS_PATH], now[BOB_SYS_PATH], want[BOB_SYS_PATH + 16];
	int run;

	(void)state;
	assert_int_equal(bob_rundir_prepare("t", "k", abs, &run, NULL), BOB_OK);
	assert_ptr_equal(bob_rundir_now(run, abs, now), abs);
	assert_ptr_equal(bob_rundir_now(-1, abs, now), abs);
	assert_int_equal(rename("t", "t (deleted)"), 0);
	snprintf(want, sizeof(want), "%s (deleted)", abs);
	assert_string_equal(bob_rundir_now(run, abs, now), want);
	assert_int_equal(prepare("t", "other"), BOB_OK);
	assert_string_equal(bob_rundir_now(run, abs, now), want);
	assert_int_equal(unlink("t (deleted)/run.key") || rmdir("t (deleted)"), 0);
	assert_ptr_equal(bob_rundir_now(run, abs, now), abs);
	close(run);
}

/* Ranks that end at the same moment. Each holds what it was given until all have asked. */
static void test_last_of_ranks(void **state)
{
	(void)state;
	assert_int_equal(prepare("t", "k"), BOB_OK);
	for (int round = 0; round < 20; round++) {
		int ready[2], gate[2], answered[2], last = 0;
		pid_t pid[RANKS];
		char c;

		assert_true(!pipe(ready) && !pipe(gate) && !pipe(answered));
		for (int i = 0; i < RANKS; i++) {
			pid[i] = fork();
			if (pid[i] == 0) {
				int run = bob_rundir_join("t");

				close(gate[1]);
				if (write(ready[1], "r", 1) != 1 || read(gate[0], &c, 1) < 0)
					_exit(1);
				c = bob_rundir_is_last(run) ? '1' : '0';
				if (write(answered[1], &c, 1) != 1)
					_exit(1);
				pause();
			}
		}
		for (int i = 0; i < RANKS; i++)
			assert_int_equal(read(ready[0], &c, 1), 1);
		close(gate[1]);
		for (int i = 0; i < RANKS; i++) {
			assert_int_equal(read(answered[0], &c, 1), 1);
			last += c == '1';
		}
		for (int i = 0; i < RANKS; i++) {
			assert_int_equal(kill(pid[i], SIGKILL), 0);
			assert_int_equal(waitpid(pid[i], NULL, 0), pid[i]);
		}
		close(ready[0]), close(ready[1]), close(gate[0]), close(answered[0]),
			close(answered[1]);
		assert_int_equal(last, 1);
	}
}

static void test_key(void **state)
{
	static const char *const names[] = { "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
					     "SLURM_JOB_ID", "SLURM_STEP_ID", "PBS_JOBID",
					     "LSB_JOBID", "FLUX_JOB_ID", "PMI_RANK" };
	char one[512], two[512], small[8];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
	bob_run_key(one, sizeof(one));
	bob_run_key(two, sizeof(two));
	assert_string_equal(one, two);
	assert_null(strchr(one, '\n'));
	for (size_t i = 4; i < 7; i++) { /* of a batch script, of its ranks */
		setenv(names[i], "job5", 1);
		bob_run_key(two, sizeof(two));
		assert_string_equal(one, two);
		setenv("PMI_RANK", "3", 1);
		bob_run_key(two, sizeof(two));
		assert_non_null(strstr(two, "job5"));
		unsetenv("PMI_RANK");
		unsetenv(names[i]);
	}
	setenv("PMI_RANK", "3", 1); /* the key is the common parent's now */
	bob_run_key(two, sizeof(two));
	assert_string_not_equal(one, two);
	setenv("SLURM_JOB_ID", "77", 1); /* a batch script: many runs, so not without a step */
	bob_run_key(one, sizeof(one));
	assert_string_equal(one, two);
	setenv("SLURM_STEP_ID", "0", 1);
	bob_run_key(one, sizeof(one));
	setenv("SLURM_STEP_ID", "1", 1);
	bob_run_key(two, sizeof(two));
	assert_non_null(strstr(one, "77"));
	assert_string_not_equal(one, two);
	bob_run_key(small, sizeof(small));
	assert_true(strlen(small) < sizeof(small));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, enter_empty, leave)
	const struct CMUnitTest tests[] = {
		TEST(test_join),  TEST(test_rename), TEST(test_rename_taken), TEST(test_refuse),
		TEST(test_empty), TEST(test_ranks),  TEST(test_foreign_runs),  TEST(test_key),
		TEST(test_last),  TEST(test_last_of_ranks), TEST(test_rename_kept),
		TEST(test_in_use), TEST(test_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
