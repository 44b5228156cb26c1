/* Headers: functions, lines included twice, `#pragma once`, neighbours, -I, one that must stay. */
#include "x.h"
#include <stdio.h>
#include "deep/d.h"
#include <far.h>
#include "deep/d.h"
#include "once2.h"
#include "once.h"
#include "stays.h"
double a[8];
int hits;
int main(void)
{
	for (int i = 0; i < 8; i++)
		a[i] = i;
	printf("%g %g\n", x_sum(a, 8), d_first(a));
	printf("%g %s %s %d\n", far_last(a, 8), where(), __FILE__, __LINE__);
	hits = once_bump(a);
#define T double
#define NAME one
#include "tmpl.inc"
#define T float
#define NAME other
#include "tmpl.inc"
	printf("%d %g %g %g\n", hits, one, other, stays(a));
	return 0;
}
