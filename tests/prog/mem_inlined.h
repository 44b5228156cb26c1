/* SPDX-License-Identifier: BSD-3-Clause */
/* Inline functions in a header, nested in each other, for mem_inlined.c and mem_inlined.cc. */
#ifndef MEM_INLINED_H
#define MEM_INLINED_H

static inline double at(const double *a, int i)
{
	return a[i];
}

static inline double pair(const double *a, int i)
{
	return at(a, i) * at(a, i + 1);
}

static inline void put(double *a, int i, double x)
{
	a[i] = x + pair(a, i) / 4;
}

#endif
