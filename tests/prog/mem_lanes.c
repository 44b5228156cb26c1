/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions with gathers, scatters and masked moves, called like those of mem_kernels.c: mem has
 * 4096 numbers from 0 to 96. There are all forms of AVX2, and of AVX-512 if compiled for it; and
 * loops that compilers vectorize with such code. */
#include <immintrin.h>
#include <stdint.h>

#include "mem_kernels.h"

#define INT(at) ((int *)(mem + (at)))
#define WIDE(at) ((long long *)(mem + (at)))
#define FLOAT(at) ((float *)(mem + (at)))
#define DOUBLE(at) ((double *)(mem + (at)))

/* --- what compilers vectorise --- */

long k_rows(long *mem, long n)
{
	const double *x = DOUBLE(0), *v = DOUBLE(1024);
	const long *begin = mem + 3000;
	const int *column = INT(2048);
	double *y = DOUBLE(3500);

	for (long i = 0; i < n; i++) {
		double s = 0;

		for (long k = begin[i]; k < begin[i] + begin[i + 7] / 2; k++)
			s += v[k] * x[column[k]];
		y[i] = s;
	}
	return (long)y[1];
}

long k_indirect(long *mem, long n)
{
	const long *index = mem + 2048;
	long *y = mem + 3000, s = 0;

	for (long i = 0; i < 11 * n; i++)
		y[i] = mem[index[i]] + 1;
	for (long i = 0; i < 5 * n; i++)
		s += mem[1000 - index[i]];
	return s;
}

long k_scatter(long *mem, long n)
{
	const int *index = INT(2048);
	float *y = FLOAT(1000), *x = FLOAT(3000);

	for (long i = 0; i < 7 * n; i++)
		y[index[i] & 63] = x[i];
	return 0;
}

long k_choose(long *mem, long n)
{
	const float *c = FLOAT(100), *x = FLOAT(600);
	float *y = FLOAT(3000);
	double *z = DOUBLE(2000);

	for (long i = 0; i < 9 * n; i++)
		if (c[i] > 0)
			y[i] = x[i] + 1;
	for (long i = 0; i < 9 * n; i++)
		if (mem[i] > 40)
			z[i] = z[i + 100] * 2;
	return 0;
}

long k_tails(long *mem, long n)
{
	unsigned char *a = (unsigned char *)mem, *b = a + 8000, *c = a + 17000;
	short *d = (short *)(mem + 3000);

	for (long i = 0; i < 13 * n + 5; i++)
		c[i] = (unsigned char)(a[i] + b[i]);
	for (long i = 0; i < 13 * n + 1; i++)
		d[i] = (short)(d[i] + a[i]);
	return c[3];
}

#ifdef __AVX2__

/* --- each form --- */

/* A mask that changes from call to call, and one for a half. */
static __m256i mask8(const long *mem, long n)
{
	return _mm256_cmpgt_epi32(_mm256_loadu_si256((const __m256i *)(mem + 64 + n)),
				  _mm256_set1_epi32(20));
}

#define STORE256(at, v) _mm256_storeu_si256((__m256i *)(mem + (at)), (v))
#define STORE128(at, v) _mm_storeu_si128((__m128i *)(mem + (at)), (v))

__attribute__((noinline)) long k_gathers4(long *mem, long n)
{
	__m256i m = mask8(mem, n), i = _mm256_loadu_si256((const __m256i *)(mem + n));
	__m128i mh = _mm256_castsi256_si128(m), ih = _mm256_castsi256_si128(i);

	STORE256(3000, _mm256_mask_i32gather_epi32(i, INT(0), i, m, 4));
	STORE128(3008, _mm_mask_i32gather_epi32(ih, INT(3), ih, mh, 8));
	STORE256(3016, _mm256_castps_si256(_mm256_mask_i32gather_ps(
			       _mm256_castsi256_ps(i), FLOAT(7), i, _mm256_castsi256_ps(m), 2)));
	STORE128(3024, _mm_castps_si128(_mm_mask_i32gather_ps(_mm_castsi128_ps(ih), FLOAT(9), ih,
							      _mm_castsi128_ps(mh), 1)));
	STORE256(3032, _mm256_mask_i32gather_epi64(i, WIDE(0), ih, m, 8));
	STORE128(3040, _mm_mask_i32gather_epi64(ih, WIDE(0), ih, mh, 8));
	STORE256(3048, _mm256_castpd_si256(_mm256_i32gather_pd(DOUBLE(5), ih, 8)));
	STORE128(3056, _mm_castpd_si128(_mm_i32gather_pd(DOUBLE(5), ih, 8)));
	return 0;
}

__attribute__((noinline)) long k_gathers8(long *mem, long n)
{
	__m256i m = mask8(mem, n), i = _mm256_loadu_si256((const __m256i *)(mem + n));
	__m128i mh = _mm256_castsi256_si128(m), ih = _mm256_castsi256_si128(i);

	i = _mm256_sub_epi64(_mm256_setzero_si256(), i); /* backwards */
	STORE128(3000, _mm256_mask_i64gather_epi32(ih, INT(200), i, mh, 4));
	STORE128(3008, _mm_mask_i64gather_epi32(ih, INT(200), ih, mh, 4));
	STORE128(3016, _mm_castps_si128(_mm256_i64gather_ps(FLOAT(200), i, 4)));
	STORE128(3024, _mm_castps_si128(_mm_i64gather_ps(FLOAT(200), ih, 4)));
	STORE256(3032, _mm256_mask_i64gather_epi64(i, WIDE(200), i, m, 8));
	STORE128(3040, _mm_mask_i64gather_epi64(ih, WIDE(200), ih, mh, 8));
	STORE256(3048, _mm256_castpd_si256(_mm256_i64gather_pd(DOUBLE(200), i, 8)));
	STORE128(3056, _mm_castpd_si128(_mm_i64gather_pd(DOUBLE(200), ih, 8)));
	return 0;
}

__attribute__((noinline)) long k_maskmov(long *mem, long n)
{
	__m256i m = mask8(mem, n), v = _mm256_maskload_epi32(INT(100), m);
	__m128i mh = _mm256_castsi256_si128(m), vh = _mm_maskload_epi64(WIDE(104), mh);

	_mm256_maskstore_epi32(INT(3000), m, v);
	_mm_maskstore_epi32(INT(3008), mh, vh);
	_mm256_maskstore_epi64(WIDE(3016), m, _mm256_maskload_epi64(WIDE(108), m));
	_mm_maskstore_epi64(WIDE(3024), mh, vh);
	_mm256_maskstore_ps(FLOAT(3032), m, _mm256_maskload_ps(FLOAT(112), m));
	_mm_maskstore_pd(DOUBLE(3040), mh, _mm_maskload_pd(DOUBLE(116), mh));
	_mm256_maskstore_pd(DOUBLE(3048), m, _mm256_maskload_pd(DOUBLE(116), m));
	return 0;
}

/* Lanes that are left out are at address 0, or where no program is. */
__attribute__((noinline)) long k_nowhere(long *mem, long n)
{
	for (long i = 0; i < 5 * n; i++) {
		__m256i v = _mm256_loadu_si256((const __m256i *)(mem + i));
		__m256i m = _mm256_cmpgt_epi64(v, _mm256_set1_epi64x(30));
		__m256i at = _mm256_add_epi64(_mm256_slli_epi64(v, 3),
					      _mm256_set1_epi64x((long long)(intptr_t)mem));

		at = _mm256_and_si256(at, m);
		if (i & 1)
			at = _mm256_or_si256(at,
					     _mm256_andnot_si256(m, _mm256_set1_epi64x(INT64_MIN)));
		STORE256(3000 + i, _mm256_mask_i64gather_epi64(v, (const long long *)0, at, m, 1));
	}
	return 0;
}

#ifndef NO_BYTES
__attribute__((noinline)) long k_maskmov_bytes(long *mem, long n)
{
	__m128i m = _mm256_castsi256_si128(mask8(mem, n)), v = _mm_loadu_si128((__m128i *)mem);

	_mm_maskmoveu_si128(v, m, (char *)mem + 25000 + n);
	__asm__ volatile(
		"movdqu (%0), %%xmm9\n\tmovdqu 80(%0), %%xmm3\n\tpslld $27, %%xmm3\n\t"
		"movq %%rdi, %%rax\n\tleaq 25200(%0), %%rdi\n\tmaskmovdqu %%xmm3, %%xmm9\n\t"
		"movq 80(%0), %%mm1\n\tpslld $27, %%mm1\n\tmaskmovq %%mm1, %%mm0\n\temms\n\t"
		"movq %%rax, %%rdi"
		:
		: "b"(mem)
		: "rax", "memory", "xmm3", "xmm9");
	return 0;
}
#endif
#endif

#ifdef __AVX512F__

#define LOAD512(at) _mm512_loadu_si512(mem + (at))
#define STORE512(at, v) _mm512_storeu_si512(mem + (at), (v))
#define HALF(v) _mm512_castsi512_si256(v)

/* Bits that follow no rule. */
static __mmask64 bits(const long *mem, long n, int at)
{
	return (__mmask64)((unsigned long)mem[n + at] * 0x9e3779b97f4a7c15ul ^
			   (unsigned long)mem[at] << 33);
}

__attribute__((noinline)) long k_gathers512(long *mem, long n)
{
	__m512i i = LOAD512(n), w = _mm512_sub_epi64(_mm512_setzero_si512(), LOAD512(n + 8));
	__mmask64 m = bits(mem, n, 3);

	STORE512(3000, _mm512_mask_i32gather_epi32(i, (__mmask16)m, i, INT(0), 4));
	STORE512(3010, _mm512_mask_i32gather_epi64(i, (__mmask8)m, HALF(i), WIDE(0), 8));
	STORE256(3020, _mm512_mask_i64gather_epi32(HALF(i), (__mmask8)m, w, INT(200), 4));
	STORE512(3030, _mm512_mask_i64gather_epi64(i, (__mmask8)m, w, WIDE(200), 8));
	STORE512(3040, _mm512_castps_si512(_mm512_i32gather_ps(i, FLOAT(0), 4)));
	STORE512(3050, _mm512_castpd_si512(_mm512_i64gather_pd(w, DOUBLE(200), 8)));
	_mm512_mask_i32scatter_epi32(INT(3100), (__mmask16)m, i, w, 4);
	_mm512_mask_i32scatter_epi64(WIDE(3200), (__mmask8)(m >> 7), HALF(i), w, 8);
	_mm512_mask_i64scatter_epi32(INT(3400), (__mmask8)m, w, HALF(i), 4);
	_mm512_i64scatter_epi64(WIDE(3500), w, i, 8);
	_mm512_mask_i32scatter_ps(FLOAT(3600), (__mmask16)m, i, _mm512_castsi512_ps(w), 4);
	_mm512_mask_i32scatter_pd(DOUBLE(3700), 0, HALF(i), _mm512_castsi512_pd(w), 8);
	return 0;
}

/* Registers that only EVEX can encode; no base; two gathers with one mask, which the first
 * clears. */
__attribute__((noinline)) long k_high512(long *mem, long n)
{
	__asm__ volatile(
		"vmovdqu64 (%0), %%zmm29\n\tvpsllq $3, %%zmm29, %%zmm28\n\t"
		"vpbroadcastq %0, %%zmm27\n\tvpaddq %%zmm27, %%zmm28, %%zmm28\n\t"
		"kmovw %k1, %%k7\n\tkmovw %%k7, %%k6\n\t"
		"vmovdqa64 %%zmm29, %%zmm20\n\tvmovdqa64 %%zmm29, %%zmm21\n\t"
		"vpgatherqq 16(,%%zmm28,1), %%zmm20%{%%k7%}\n\t"
		"vpgatherdd 8(%0,%%zmm29,8), %%zmm21%{%%k6%}\n\t"
		"vmovdqu64 %%zmm20, 24000(%0)\n\tvmovdqu64 %%zmm21, 24100(%0)\n\t"
		"kmovw %%k7, 24200(%0)\n\tkmovw %k1, %%k7\n\t"
		"vpgatherqq (%0,%%zmm29,8), %%zmm21%{%%k7%}\n\tvmovdqu64 %%zmm21, 24300(%0)"
		:
		: "r"(mem), "r"((unsigned)bits(mem, n, 9))
		: "memory", "xmm20", "xmm21", "xmm27", "xmm28", "xmm29", "k6", "k7");
	return 0;
}

__attribute__((noinline)) long k_masked512(long *mem, long n)
{
	__mmask64 m = bits(mem, n, 5);
	__m512i a = LOAD512(n), b = _mm512_mask_loadu_epi32(a, (__mmask16)m, mem + 40);

	_mm512_mask_storeu_epi32(mem + 3000, (__mmask16)m, b);
	_mm512_mask_storeu_epi32(mem + 3010, (__mmask16)m, a); /* the same mask */
	_mm512_mask_storeu_epi64(mem + 3020, (__mmask8)(m >> 5), b);
	_mm512_mask_storeu_epi64(mem + 3030, 0, b);
	a = _mm512_mask_add_epi64(a, (__mmask8)m, b, LOAD512(60));
	a = _mm512_mask_add_epi64(a, (__mmask8)(m & 0x20), b, _mm512_set1_epi64(mem[70]));
	a = _mm512_mask_add_epi32(a, (__mmask16)(m & 0x100), b, _mm512_set1_epi32(INT(70)[1]));
	_mm512_mask_cvtepi64_storeu_epi8(mem + 3040, (__mmask8)m, a);
	_mm512_mask_cvtepi32_storeu_epi16(mem + 3044, (__mmask16)m, a);
	_mm512_mask_compressstoreu_epi32(mem + 3050, (__mmask16)m, a);
	_mm512_mask_compressstoreu_epi64(mem + 3060, (__mmask8)m, a);
	a = _mm512_mask_expandloadu_epi32(a, (__mmask16)(m >> 3), mem + 80);
	a = _mm512_mask_expandloadu_epi64(a, (__mmask8)(m >> 30), mem + 80);
	STORE512(3080, a);
	return (long)_mm512_reduce_add_epi64(b);
}

#if defined(__AVX512BW__) && defined(__AVX512VL__)
__attribute__((noinline)) long k_narrow512(long *mem, long n)
{
	__mmask64 m = bits(mem, n, 11);
	__m128i h = _mm_maskz_loadu_epi64((__mmask8)m, mem + 10);

	_mm512_mask_storeu_epi8(mem + 3000, m, LOAD512(n));
	_mm512_mask_storeu_epi16(mem + 3010, (__mmask32)m, LOAD512(n));
	_mm256_mask_storeu_epi8(mem + 3020, (__mmask32)m, _mm256_loadu_si256((void *)mem));
	_mm_mask_storeu_epi8(mem + 3030, (__mmask16)m, h);
	_mm_mask_storeu_epi32(mem + 3040, (__mmask8)m, h);
	_mm_mask_compressstoreu_epi64(mem + 3050, (__mmask8)m, h);
	_mm256_mask_compressstoreu_epi32(mem + 3060, (__mmask8)(m >> 9),
					 _mm256_loadu_si256((void *)mem));
	h = _mm_mask_add_epi64(h, (__mmask8)m, h, _mm_set1_epi64x(mem[90]));
	h = _mm_mask_i64gather_epi32(h, INT(0), _mm_loadu_si128((void *)mem), h, 4);
	_mm_mask_i32scatter_epi32(INT(3100), (__mmask8)m, _mm_loadu_si128((void *)mem), h, 4);
	_mm256_mask_i32scatter_epi64(mem + 3200, (__mmask8)m, _mm_loadu_si128((void *)mem),
				     _mm256_loadu_si256((void *)mem), 8);
	return 0;
}

/* A mask in each iteration, and a constant one. */
__attribute__((noinline)) long k_loops512(long *mem, long n)
{
	__mmask16 still = (__mmask16)bits(mem, n, 13);

	for (long i = 0; i < 5 * n; i++) {
		__m512i a = _mm512_maskz_loadu_epi32(still, mem + 8 * i);

		__asm__ volatile("" : "+v"(a));
		_mm512_mask_storeu_epi32(mem + 2000 + 8 * i, still, a);
	}
	for (long i = 0; i < 5 * n; i++) {
		__mmask16 m = (__mmask16)(mem[i] * 77);
		__m512i a = _mm512_maskz_loadu_epi32(m, mem + 8 * i + 4);

		_mm512_mask_compressstoreu_epi32(mem + 3000 + 8 * i, m, a);
	}
	for (long i = 0; i < 5 * n; i++) /* a mask that needs its last bit */
		_mm512_mask_storeu_epi8(mem + 3000 + 8 * i, (__mmask64)mem[i] << 57 | 3,
					LOAD512(i));
	return 0;
}
#endif
#endif
