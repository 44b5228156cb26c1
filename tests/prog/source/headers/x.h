#ifndef X_H
#define X_H
static inline double x_sum(const double *p, int n)
{
	double s = 0;
	for (int i = 0; i < n; i++)
		s += p[i];
	return s;
}
#define TWICE(n) (2 * (n))
static inline const char *where(void)
{
	return __FILE__;
}
#endif
