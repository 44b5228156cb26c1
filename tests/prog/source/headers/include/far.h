#ifndef FAR_H
#define FAR_H
static inline double far_last(const double *p, int n)
{
	return p[n - 1];
}
#endif
