#pragma once
static int once_bump(double *p)
{
	p[0] += 1;
	return (int)p[0];
}
