/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that are walked in all ways: rows, columns, backwards, lists, libc functions, recursion,
 * threads, handlers, a fork child, a loaded object. Prints sums. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 40
#define OUT __attribute__((noinline))

double a[N][N], b[N][N];
static double c[N][N];
long order[500];
static struct {
	int count;
	char text[20];
	short more[8];
} rec[30];
volatile long handled;
volatile __thread long own;

static OUT void fill(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = i + j;
			b[i][j] = i - j;
		}
	for (int i = 0; i < 500; i++)
		order[i] = i * 7919 % (N * N);
}

static OUT void product(int from, int to)
{
	for (int i = from; i < to; i++)
		for (int j = 0; j < N; j++) {
			double s = 0;

			for (int k = 0; k < N; k++)
				s += a[i][k] * b[k][j];
			c[i][j] = s;
		}
}

static OUT double gather(const double *x, const long *list, int n)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += x[list[i]];
	return s;
}

static OUT void backwards(double *x)
{
	for (int i = N * N - 1; i > 0; i--)
		x[i] += x[i - 1];
}

static OUT void triangle(void)
{
	for (int i = 1; i < N; i++)
		for (int j = 0; j < i; j++)
			c[i][j] -= c[j][i];
}

static OUT int recurse(int depth)
{
	rec[depth].count += depth;
	if (!depth)
		return 0;
	return recurse(depth - 1) + rec[depth].count + (depth & 1 ? recurse(depth / 3) : 0);
}

static void on_signal(int sig)
{
	(void)sig;
	a[3][handled % N] += 1;
	handled++;
}

static void *work(void *arg)
{
	long t = (long)arg;

	own = t;
	product((int)(t * N / 4), (int)((t + 1) * N / 4));
	for (int i = 0; i < 100; i++)
		b[t][i % N] += (double)own;
	return NULL;
}

static void threads(void)
{
	pthread_t t[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void child(void)
{
	pid_t pid = fork();

	if (!pid) {
		backwards(&a[0][0]);
		printf("child %g\n", a[5][5]);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	double *heap = malloc(sizeof(a));

	fill();
	product(0, N);
	triangle();
	memcpy(heap, a, sizeof(a));
	backwards(heap);
	backwards(&c[0][0]);
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 7; i++)
		raise(SIGUSR1);
	strcpy(rec[4].text, "a text of 19 bytes.");
	rec[5] = rec[4];
	printf("%g %g %d\n", gather(&a[0][0], order, 500), gather(heap, order, 500), recurse(25));
	if (argc > 1 && strchr(argv[1], 't'))
		threads();
	if (argc > 1 && strchr(argv[1], 'f'))
		child();
	if (argc > 2) {
		void *lib = dlopen(argv[2], RTLD_NOW);
		double (*fn)(double *, int) =
			lib ? (double (*)(double *, int))dlsym(lib, "work_of_library") : NULL;

		printf("%g library %p\n", fn ? fn(&a[0][0], N) : -1,
		       lib ? dlsym(lib, "of_library") : NULL);
	}
	printf("%g %g %g %ld\n", a[7][7], b[3][3], c[9][9], handled);
	if (argc > 1 && strchr(argv[1], 'e'))
		execl("/bin/echo", "echo", "there", (char *)NULL);
	return 0;
}
