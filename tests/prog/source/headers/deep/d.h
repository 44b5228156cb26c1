#ifndef D_H
#define D_H
#include "e.h"
#include "../x.h"
static double d_first(const double *p)
{
	return e_get(p, 0);
}
#endif
