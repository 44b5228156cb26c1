#ifndef E_H
#define E_H
static double e_get(const double *p, int i)
{
	return p[i];
}
#endif
