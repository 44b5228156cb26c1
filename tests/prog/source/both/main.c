/* C and Fortran pass arrays to each other and share variables: COMMON, BIND(C), a module's. */
#include <stdio.h>
#include <stdlib.h>

extern struct {
	double x[4];
	int n;
} shared_;
extern int counter;		/* of the module, by BIND(C) */
extern int __state_MOD_level;	/* ... by the compiler's name */
double c_sum(const double *v, int n);
void c_twice(double *v, const int *n);
void half_(double *v, const int *n);
void with_callback(void (*f)(double *));
void keep(void (*f)(double *));
void fill_(double *v, const int *n);
void start_(void);
void scale(double *v, int n, double by);
void through_pointer(double *v, int n);
extern double given[3];
double given[3];		/* Fortran has it by BIND(C) */

double c_sum(const double *v, int n)
{
	double s = 0;
	for (int i = 0; i < n; i++)
		s += v[i];
	return s;
}

void c_twice(double *v, const int *n)
{
	for (int i = 0; i < *n; i++)
		v[i] *= 2;
}

void half_(double *v, const int *n)
{
	for (int i = 0; i < *n; i++)
		v[i] /= 2;
}

void with_callback(void (*f)(double *))
{
	double here[2] = { 1, 2 };
	f(here);
	given[0] = here[1];
}

static void (*kept)(double *);

void keep(void (*f)(double *))
{
	kept = f;
}

int main(void)
{
	double pair[2], mine[5], *heap = malloc(3 * sizeof(double));
	const int five = 5;
	start_();
	shared_.x[2] = shared_.x[1] + 1;
	shared_.n++;
	counter += 2;
	__state_MOD_level = 7;
	fill_(mine, &five);
	const double four = c_sum(mine, 4);
	mine[4] = four;
	scale(mine + 1, 2, 3.0);
	for (int i = 0; i < 3; i++)
		heap[i] = i;
	through_pointer(heap, 3);
	pair[0] = 1;
	kept(pair);
	printf("%g %g %g %g %d %d %d\n", c_sum(mine, 5), heap[1], given[0] + given[2], shared_.x[2],
	       shared_.n, counter, __state_MOD_level);
	free(heap);
	return 0;
}
