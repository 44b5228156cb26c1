/* SPDX-License-Identifier: BSD-3-Clause */
/* Each linked function works on the array of 4160 numbers `d`, which it may change, and returns a
 * checksum. */
#ifndef KERNEL
#define KERNEL(name) long name(long *d, long n)
#endif

KERNEL(k_sum);
KERNEL(k_triad);
KERNEL(k_matmul);
KERNEL(k_switch);
KERNEL(k_strings);
KERNEL(k_struct);
KERNEL(k_list);
KERNEL(k_recurse);
KERNEL(k_pointers);
KERNEL(k_floats);
KERNEL(k_narrow);
KERNEL(k_atomics);
KERNEL(k_globals);
KERNEL(k_thread_local);
KERNEL(k_alloca);
KERNEL(k_sort);
KERNEL(k_goto);
KERNEL(k_bits);
KERNEL(k_aligned);
KERNEL(k_many);
KERNEL(k_tail);
KERNEL(k_long_double);
KERNEL(k_shifts);
KERNEL(k_csr);
KERNEL(k_lu);
KERNEL(k_cholesky);
/* mem_lanes.c */
KERNEL(k_rows);
KERNEL(k_indirect);
KERNEL(k_scatter);
KERNEL(k_choose);
KERNEL(k_tails);
KERNEL(k_gathers4);
KERNEL(k_gathers8);
KERNEL(k_nowhere);
KERNEL(k_maskmov);
KERNEL(k_maskmov_bytes);
KERNEL(k_gathers512);
KERNEL(k_high512);
KERNEL(k_masked512);
KERNEL(k_narrow512);
KERNEL(k_loops512);
