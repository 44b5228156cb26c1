/* SPDX-License-Identifier: BSD-3-Clause */
/* A recursive function of the depth tests. */
#include "truth.h"

TFN int t_deep(int n)
{
	int r;

	ENTER(t_deep);
	r = n ? t_deep(n - 1) + 1 : 0;
	LEAVE;
	return r;
}
