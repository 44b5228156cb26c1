/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads x fork x dlopen: threads load, call and unload a library (argv[1], built from
 * stress_lib.c, as N copies argv[1], argv[2], ...) while others fork, call, and come and go. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 25

static char **libs;
static int lib_count;

__attribute__((noinline)) long mix(long n)
{
	return n < 2 ? n : mix(n - 1) + mix(n - 2);
}

static void *loader(void *arg)
{
	long bad = 0;
	int me = (int)(long)arg;

	for (int i = 0; i < ROUNDS; i++) {
		void *h = dlopen(libs[(i + me) % lib_count], i % 2 ? RTLD_NOW : RTLD_LAZY);
		long (*f)(long, long (*)(long));

		if (!h)
			return (void *)1000L;
		*(void **)&f = dlsym(h, "stress_call");
		bad += !f || f(10, mix) != 55 + 10;
		dlclose(h);
	}
	return (void *)bad;
}

static void *forker(void *arg)
{
	long bad = 0;
	int me = (int)(long)arg;

	for (int i = 0; i < ROUNDS; i++) {
		pid_t pid = fork();
		int st = -1;

		if (pid == 0)
			_exit(mix(8) == 21 ? me : 99);
		if (pid < 0 || waitpid(pid, &st, 0) != pid || WEXITSTATUS(st) != me)
			bad++;
	}
	return (void *)bad;
}

static void *short_lived(void *arg)
{
	return (void *)(mix(7) - 13 + (long)arg);
}

static void *starter(void *arg)
{
	long bad = 0;

	for (int i = 0; i < 4 * ROUNDS; i++) {
		pthread_t id;
		void *r = (void *)1;

		if (pthread_create(&id, NULL, short_lived, NULL) || pthread_join(id, &r) || r)
			bad++;
	}
	(void)arg;
	return (void *)bad;
}

int main(int argc, char **argv)
{
	static void *(*const jobs[])(void *) = { loader, forker, starter, loader, forker, starter };
	pthread_t id[6];
	long bad = 0;

	if (argc < 2)
		return 2;
	libs = argv + 1;
	lib_count = argc - 1;
	for (long i = 0; i < 6; i++)
		if (pthread_create(&id[i], NULL, jobs[i], (void *)i))
			return 97;
	for (int i = 0; i < 6; i++) {
		void *r;

		pthread_join(id[i], &r);
		bad += (long)r;
	}
	printf("%ld wrong\n", bad);
	return bad != 0;
}
