/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions k_*(memory, numbers) for the tests of memory tracing: what compilers generate for
 * ordinary code. `d` has 4096 longs, which are small numbers. The functions call only each other
 * and a few functions of the C library, and return the same result for the same memory. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define N 4096

#include "mem_kernels.h"

long k_sum(long *d, long n)
{
	long s = 0;

	for (long i = 0; i < n; i++)
		s += d[i];
	return s;
}

long k_triad(long *d, long n)
{
	double *a = (double *)d, *b = a + 100, *c = a + 200;

	for (long i = 0; i < n && i < 100; i++)
		a[i] = b[i] + 3.0 * c[i];
	return (long)(a[0] != a[0]);
}

long k_matmul(long *d, long n)
{
	long m = n % 9 + 2, *a = d, *b = d + 200, *c = d + 400;

	for (long i = 0; i < m; i++)
		for (long j = 0; j < m; j++) {
			long s = 0;

			for (long k = 0; k < m; k++)
				s += a[i * m + k] * b[k * m + j];
			c[i * m + j] = s;
		}
	return c[m];
}

/* Triangles: addresses of three registers, which compilers generate for two rows of one matrix.
 * They are cubic, and step through the matrix. */
#define ROW 12
long k_lu(long *d, long n)
{
	long(*a)[ROW] = (long(*)[ROW])d;

	n = n < ROW ? n : ROW - 1;
	for (long k = 0; k < n; k++)
		for (long i = k + 1; i < n; i++) {
			a[i][k] /= a[k][k] | 1;
			for (long j = k + 1; j < n; j++)
				a[i][j] -= a[i][k] * a[k][j];
		}
	return a[n - 1][n - 1];
}

long k_cholesky(long *d, long n)
{
	static long c[ROW][ROW];
	long(*b)[ROW] = (long(*)[ROW])d;

	n = n < ROW ? n : ROW - 1;
	for (int j = 0; j < n; j++)
		for (int i = j; i < n; i++) {
			long s = b[i][j];

			for (int k = 0; k < j; k++)
				s -= c[i][k] * c[j][k];
			c[i][j] = s / (1 | c[j][j]);
		}
	return c[n - 1][n - 1];
}

long k_switch(long *d, long n)
{
	long s = 0;

	for (long i = 0; i < n; i++) {
		switch (d[i] & 15) {
		case 0:
			s += d[i + 1];
			break;
		case 1:
			s -= d[i + 2];
			break;
		case 2:
			d[i + 3] = s;
			break;
		case 3:
			s ^= 77;
			break;
		case 4:
			d[i] += s;
			break;
		case 5:
			s *= d[5];
			break;
		case 6:
			s |= 1;
			break;
		case 7:
			d[7]++;
			break;
		case 9:
			s += 9;
			break;
		case 10:
			s = -s;
			break;
		default:
			s++;
		}
	}
	return s;
}

long k_strings(long *d, long n)
{
	char *p = (char *)d, b[64];

	memcpy(b, p, 63);
	b[63] = 0;
	memset(p + 100, (int)n, 33);
	for (int i = 0; b[i]; i++)
		p[200 + i] = b[i] == 'a' ? 'b' : b[i];
	return (long)strlen(b) + memcmp(p, p + 100, 20) % 2;
}

struct item {
	char tag;
	short small;
	int middle;
	long big;
	double real;
	struct item *next;
};

long k_struct(long *d, long n)
{
	struct item *it = (struct item *)d, copy;
	long s = 0;

	for (long i = 0; i < n; i++) {
		it[i].tag = (char)i;
		it[i].small = (short)(it[i].tag * 3);
		it[i].middle += it[i].small;
		it[i].big -= it[i].middle;
		it[i].real = (double)(it[i].big % 1000);
		copy = it[i];
		s += copy.middle + (long)copy.real;
	}
	return s;
}

long k_list(long *d, long n)
{
	struct item *it = (struct item *)d, *p;
	long s = 0;

	for (long i = 0; i < n; i++) {
		it[i].next = &it[(i * 7 + 3) % n];
		it[i].big = i;
	}
	p = it;
	for (long i = 0; i < 2 * n; i++) {
		s += p->big;
		p->big ^= s;
		p = p->next;
	}
	return s;
}

static long fib(long n, long *d)
{
	d[n]++;
	return n < 2 ? n : fib(n - 1, d) + fib(n - 2, d);
}

long k_recurse(long *d, long n)
{
	return fib(n % 9 + 3, d);
}

static long add(long a, long b)
{
	return a + b;
}

static long subtract(long a, long b)
{
	return a - b;
}

static long (*const ops[])(long, long) = { add, subtract, add };

long k_pointers(long *d, long n)
{
	long s = 0;

	for (long i = 0; i < n; i++)
		s = ops[d[i] % 3 & 1](s, d[i]);
	return s;
}

long k_floats(long *d, long n)
{
	float *f = (float *)d;
	double t = 0;

	for (long i = 0; i < n; i++)
		f[i] = (float)(i * 3 % 17);
	for (long i = 1; i < n; i++) {
		f[i] = f[i] * f[i - 1] + 1.5f;
		if (f[i] > 100.0f)
			f[i] = f[i] / 256;
		t += f[i] < 3 ? 1.0 : (double)f[i];
	}
	return (long)t;
}

long k_narrow(long *d, long n)
{
	uint8_t *b = (uint8_t *)d;
	uint16_t *h = (uint16_t *)(d + 512);
	int32_t *w = (int32_t *)(d + 1024);
	long s = 0;

	for (long i = 0; i < n; i++) {
		h[i] = (uint16_t)(b[i] * 5);
		w[i] += (int8_t)b[i + 1] - h[i];
		b[i]--;
		s += w[i] > 100 ? h[i] : b[i];
	}
	return s;
}

long k_atomics(long *d, long n)
{
	long s = 0, old;

	for (long i = 0; i < n; i++) {
		s += __atomic_fetch_add(&d[i], 3, __ATOMIC_SEQ_CST);
		s ^= __atomic_exchange_n(&d[i + 1], i, __ATOMIC_SEQ_CST);
		old = d[i];
		__atomic_compare_exchange_n(&d[i], &old, i * 2, 0, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST);
		__atomic_store_n(&d[i + 2], s & 0xff, __ATOMIC_SEQ_CST);
		__atomic_or_fetch((int *)&d[i], 4, __ATOMIC_SEQ_CST);
	}
	return s;
}

static long table[64];
static const int weights[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
long k_exported = 5;

long k_globals(long *d, long n)
{
	for (long i = 0; i < n; i++) {
		table[i % 64] += d[i] * weights[i % 8];
		k_exported += table[(i * 5) % 64];
	}
	return k_exported;
}

static __thread long mine[8] = { 1, 2, 3 };
static __thread long counter;

long k_thread_local(long *d, long n)
{
	for (long i = 0; i < n; i++) {
		mine[i & 7] += d[i];
		counter += mine[(i + 3) & 7];
	}
	d[0] = counter;
	memset(mine, 0, sizeof(mine));
	counter = 0;
	return d[0];
}

long k_alloca(long *d, long n)
{
	long m = n % 50 + 1, v[m], s = 0;

	for (long i = 0; i < m; i++)
		v[i] = d[i] + i;
	for (long i = m - 1; i > 0; i--)
		s += v[i] * v[i - 1];
	return s;
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return x < y ? -1 : x > y;
}

/* Called back from a library that is not translated. */
long k_sort(long *d, long n)
{
	qsort(d, (size_t)(n % 40), sizeof(*d), compare);
	return d[0];
}

long k_goto(long *d, long n)
{
	static const void *const label[] = { &&one, &&two, &&three, &&stop };
	long s = 0, i = 0;

	goto *label[d[0] % 3];
one:
	s += d[i];
	i++;
	goto *label[i < n ? 1 : 3];
two:
	s ^= 5;
	i++;
	goto *label[i < n ? 2 : 3];
three:
	d[i] = s;
	i++;
	goto *label[i < n ? d[i] % 3 : 3];
stop:
	return s;
}

/* Distances from a label, as glibc's printf has them; other branches lead to the labels, too. */
long k_goto_near(long *d, long n)
{
	static const int distance[] = { &&odd - &&even, 0, &&stop - &&even, &&odd - &&even };
	long s = 0, i = 0;

	if (n < 2)
		goto odd;
even:
	s += d[i++];
	if (i == 3)
		goto odd;
	goto *(&&even + distance[i < n ? s & 1 : 2]);
odd:
	s ^= d[i++] << 1;
	if (i == 5)
		goto even;
	goto *(&&even + distance[i < n ? d[i] & 1 : 2]);
stop:
	return s;
}

long k_bits(long *d, long n)
{
	uint64_t *u = (uint64_t *)d;
	long s = 0;

	for (long i = 0; i < n; i++) {
		s += __builtin_popcountll(u[i]) + (u[i] ? __builtin_ctzll(u[i]) : 0);
		u[i] = u[i] << (i & 63) | u[i] >> (64 - (i & 63)) % 64;
		if (u[i] & (1ull << (i & 31)))
			u[i] ^= 0x55;
		s += (long)__builtin_bswap64(u[i]) >> 40;
	}
	return s;
}

long k_aligned(long *d, long n)
{
	long v[16] __attribute__((aligned(64)));

	for (int i = 0; i < 16; i++)
		v[i] = d[i];
	for (long i = 0; i < n; i++)
		v[i & 15] += v[(i * 3) & 15] + d[i];
	return v[0] + v[7] + v[15];
}

/* Needs more registers than there are. */
long k_many(long *d, long n)
{
	long a = d[0], b = d[1], c = d[2], e = d[3], f = d[4], g = d[5], h = d[6], i = d[7],
	     j = d[8], k = d[9], l = d[10], m = d[11], o = d[12], p = d[13], q = d[14], r = d[15],
	     t = d[16];

	for (long x = 0; x < n; x++) {
		a += b * d[x & 31];
		b ^= c + d[c & 31];
		c += e;
		e -= f + d[e & 63];
		f ^= g;
		g += h;
		h -= i;
		i += j ^ d[j & 15];
		j += k;
		k -= l;
		l ^= m;
		m += o;
		o -= p;
		p += q;
		q ^= r;
		r += t;
		t -= a;
		d[x & 7] = a + h + q;
	}
	return a + b + c + e + f + g + h + i + j + k + l + m + o + p + q + r + t;
}

static __attribute__((noinline)) long tail_two(long *d, long n)
{
	return n > 0 ? d[n] + d[0] : -1;
}

static __attribute__((noinline)) long tail_one(long *d, long n)
{
	d[1] = n;
	return tail_two(d, n - 1);
}

long k_tail(long *d, long n)
{
	d[2] += n;
	return tail_one(d, n);
}

long k_long_double(long *d, long n)
{
	long double s = 1, *v = (long double *)d;

	for (long i = 0; i < n % 100; i++)
		v[i] = (long double)i / 3;
	for (long i = 0; i < n % 100; i++)
		s = s * 1.25L - v[i];
	return (long)(s < 0);
}

long k_shifts(long *d, long n)
{
	unsigned __int128 x = 1;

	for (long i = 0; i < n; i++) {
		x = x * (unsigned long)(d[i] | 1) + (unsigned long)i;
		d[i] = (long)(x >> 64 & 0xff);
		x >>= d[i + 1] & 7;
	}
	return (long)x;
}

long k_csr(long *d, long n)
{
	long rows = n % 30 + 1, *start = d, *col = d + 64, *val = d + 1024, *x = d + 2048,
	     *y = d + 3072;
	long at = 0, sum = 0;

	for (long i = 0; i < rows; i++) {
		start[i] = at;
		for (long k = 0; k < (i * 7) % 5; k++)
			col[at++] = (i * 13 + k * 5) % 100;
	}
	start[rows] = at;
	for (long i = 0; i < rows; i++) {
		long s = 0;

		for (long k = start[i]; k < start[i + 1]; k++)
			s += val[k] * x[col[k]];
		y[i] = s;
		sum += s;
	}
	return sum;
}
