/* SPDX-License-Identifier: BSD-3-Clause */
/* Other programs started, and the end of this one; the mode is argv[1]. What went wrong once:
 *   pointers  execve with a bad environment is an error of the kernel; the agent, which adds
 *             variables of its own, read the pointer itself and the program died by SIGSEGV
 *   spawn N   each spawn with an own environment left the agent's copy of it in the parent
 *   race US   threads were being made while the process exited: their blocks were freed twice
 *   leader N  the first thread has ended: /proc/self/maps is empty then, so the stack of a new
 *             thread was not found and the recording ended */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define GROWN_KB 2048 /* it was 68 kB for each spawn */

static char *const program_argv[] = { (char *)"true", NULL };

/* --- pointers --- */

static void try_exec(const char *what, const char *path, char *const *argv, char *const *env)
{
	errno = 0;
	int r = execve(path, argv, env);

	printf("%s: %d errno %d\n", what, r, errno);
}

/* An array that ends at a page which is not there. */
static char **cut_off(char *last)
{
	char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED || munmap(map + 4096, 4096))
		exit(3);
	char **env = (char **)(map + 4096) - 2;
	env[0] = (char *)"A=b";
	env[1] = last;
	return env;
}

static int mode_pointers(void)
{
	char *bad_text[] = { (char *)"A=b", (char *)8, NULL };
	char **volatile nowhere = (char **)8, **volatile kernel = (char **)~0xfffull;
	pid_t pid;
	int st = -1;

	try_exec("no file, bad environment", "/nonexistent", program_argv, nowhere);
	try_exec("bad environment", "/bin/true", program_argv, nowhere);
	try_exec("environment of the kernel", "/bin/true", program_argv, kernel);
	try_exec("environment not ended", "/bin/true", program_argv, cut_off((char *)"C=d"));
	try_exec("text of it at the end", "/bin/true", program_argv, cut_off((char *)8));
	try_exec("bad text", "/bin/true", program_argv, bad_text);
	try_exec("bad arguments", "/bin/true", nowhere, program_argv + 1);
	try_exec("bad path", (const char *)nowhere, program_argv, program_argv + 1);
	printf("spawn: %d\n", posix_spawn(&pid, "/bin/true", NULL, NULL, program_argv, nowhere));
	int r = posix_spawn(&pid, "/bin/true", NULL, NULL, program_argv, NULL);
	if (r == 0)
		waitpid(pid, &st, 0);
	printf("spawn without any: %d status %d\n", r, st);
	return 0;
}

/* --- spawn --- */

static long mapped_kb(void)
{
	char line[256];
	long kb = -1;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && kb < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "VmSize: %ld", &kb);
	if (!f || kb < 0)
		exit(3);
	fclose(f);
	return kb;
}

static int mode_spawn(int count)
{
	char *env[] = { (char *)"A=b", NULL };
	long before = 0;

	for (int i = 0; i < count + 4; i++) {
		pid_t pid;
		int st = -1;

		if (i == 4)
			before = mapped_kb();
		if (posix_spawn(&pid, "/bin/true", NULL, NULL, program_argv, env) ||
		    waitpid(pid, &st, 0) != pid || st) {
			printf("spawn %d: status %#x\n", i, st);
			return 1;
		}
	}
	long grown = mapped_kb() - before;
	if (grown > GROWN_KB)
		printf("grew by %ld kB\n", grown);
	printf("%d spawned\n", count);
	return grown > GROWN_KB;
}

/* --- race --- */

static volatile long sum;

__attribute__((noinline)) static void work(int n)
{
	sum += n;
}

static void *short_thread(void *arg)
{
	for (int i = 0; i < 3; i++)
		work(i);
	return arg;
}

/* They are created detached: pthread_detach of a thread that is about to end reads its control
 * block again, which may be freed by then (glibc 2.36, bug 19951), recorded or not. */
static void *make_threads(void *arg)
{
	pthread_attr_t detached;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (;;) {
		pthread_t t;

		pthread_create(&t, &detached, short_thread, NULL);
	}
	return arg;
}

static int mode_race(int us)
{
	pthread_t t;

	for (int i = 0; i < 4; i++)
		pthread_create(&t, NULL, make_threads, NULL);
	usleep((useconds_t)us);
	_exit(7);
}

/* --- leader --- */

static int leader_has_ended(void)
{
	char path[64], text[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", getpid(), getpid());
	FILE *f = fopen(path, "r");
	if (!f)
		return 1;
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	char *p = strrchr(text, ')');
	return p && p[2] == 'Z';
}

/* Not recorded: the thread's first event must come later. */
static void *wait_for_leader(void *count)
{
	while (!leader_has_ended())
		usleep(1000);
	for (int i = 0; i < *(int *)count; i++)
		work(i);
	printf("%ld\n", sum);
	exit(9);
}

static int mode_leader(int n)
{
	static int count;
	pthread_t t;

	count = n;
	if (pthread_create(&t, NULL, wait_for_leader, &count))
		return 3;
	pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "pointers"))
		return mode_pointers();
	if (argc == 3 && !strcmp(mode, "spawn"))
		return mode_spawn(atoi(argv[2]));
	if (argc == 3 && !strcmp(mode, "race"))
		return mode_race(atoi(argv[2]));
	if (argc == 3 && !strcmp(mode, "leader"))
		return mode_leader(atoi(argv[2]));
	return 2;
}
