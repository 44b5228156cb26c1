/* Goes round and round over two arrays, and is killed in the middle, by itself. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static double a[1000], b[1000];

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 1;

	for (int r = 0; r < rounds; r++)
		for (int i = 0; i < 1000; i++) {
			a[i] += b[i * 7 % 1000];
			if (r == rounds - 2 && i == 500)
				kill(getpid(), SIGKILL);
		}
	return 0;
}
