/* SPDX-License-Identifier: BSD-3-Clause */
/* A random tree of functions that are logged (t_) and others of the same shape that are not (u_).
 * If only t_ is recorded, the path up from an entry leads over u_ frames that look alike: same
 * stack pointer, same return address, other frames above. */
#include "truth.h"

#include <alloca.h>
#include <string.h>

static unsigned long state = 12345;
static unsigned long entered;

static unsigned draw(unsigned n)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(state >> 33) % n;
}

typedef int node(int depth, int width);
static node *const nodes[];

static inline __attribute__((always_inline)) int children(int depth, int width)
{
	int sum = depth;

	for (int i = 0; i < width && depth < 9; i++) /* the same call site, one after another */
		sum += nodes[draw(8)](depth + 1, (int)draw(4));
	return sum;
}

#define T_NODE(name)                                                                               \
	TFN int name(int depth, int width)                                                         \
	{                                                                                          \
		int sum;                                                                           \
		ENTER(name);                                                                       \
		entered++;                                                                         \
		sum = children(depth, width);                                                      \
		LEAVE;                                                                             \
		return sum;                                                                        \
	}
#define U_NODE(name)                                                                               \
	TFN int name(int depth, int width)                                                         \
	{                                                                                          \
		return children(depth, width) ^ 1;                                                 \
	}

T_NODE(t_plain)
T_NODE(t_other)
U_NODE(u_plain)
U_NODE(u_other)

TFN int t_alloca(int depth, int width)
{
	char *p;
	int sum;

	ENTER(t_alloca);
	entered++;
	p = alloca(16 + draw(4) * 64);
	memset(p, depth, 16);
	sum = children(depth, width) + p[draw(16)];
	LEAVE;
	return sum;
}

TFN int u_alloca(int depth, int width)
{
	char *p = alloca(16 + draw(4) * 64);

	memset(p, depth, 16);
	return children(depth, width) + p[draw(16)];
}

TFN int u_many(int a, int b, int c, int d, int e, int f, int depth, int width)
{
	return children(depth, width) + a + b + c + d + e + f;
}

TFN int u_args(int depth, int width)
{
	return u_many(1, 2, 3, 4, 5, 6, depth, width) + 1;
}

static int by_value(const void *a, const void *b);

TFN int u_sort(int depth, int width)
{
	int v[6];

	for (int i = 0; i < 6; i++)
		v[i] = (int)draw(100);
	qsort(v, 6, sizeof(v[0]), by_value);
	return children(depth, width) + v[0];
}

TFN int t_compare(int a, int b)
{
	int r;

	ENTER(t_compare);
	entered++;
	r = a < b ? -1 : a > b;
	LEAVE;
	return r;
}

static int by_value(const void *a, const void *b)
{
	return t_compare(*(const int *)a, *(const int *)b);
}

static node *const nodes[] = { t_plain,	 t_other,  t_alloca, u_plain,
			       u_other, u_alloca, u_args,   u_sort };

int main(void)
{
	unsigned long sum = 0;

	truth_begin(0, 1 << 17);
	for (int i = 0; i < 300; i++)
		sum += (unsigned long)nodes[draw(8)](0, 3);
	printf("%lu\n", sum);
	return truth_end(entered, 1);
}
