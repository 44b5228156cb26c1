/* SPDX-License-Identifier: BSD-3-Clause */
/* Each works on the array of 4160 numbers `d`, which it may change, and returns a checksum. */
long k_sum(long *d, long n);
long k_triad(long *d, long n);
long k_matmul(long *d, long n);
long k_switch(long *d, long n);
long k_strings(long *d, long n);
long k_struct(long *d, long n);
long k_list(long *d, long n);
long k_recurse(long *d, long n);
long k_pointers(long *d, long n);
long k_floats(long *d, long n);
long k_narrow(long *d, long n);
long k_atomics(long *d, long n);
long k_globals(long *d, long n);
long k_thread_local(long *d, long n);
long k_alloca(long *d, long n);
long k_sort(long *d, long n);
long k_goto(long *d, long n);
long k_bits(long *d, long n);
long k_aligned(long *d, long n);
long k_many(long *d, long n);
long k_tail(long *d, long n);
long k_long_double(long *d, long n);
long k_shifts(long *d, long n);
long k_csr(long *d, long n);
long k_lu(long *d, long n);
long k_cholesky(long *d, long n);
