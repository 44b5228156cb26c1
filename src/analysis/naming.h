/* SPDX-License-Identifier: BSD-3-Clause */
/* How analyses get the names that their tables show: the caller knows whether C++ names are
 * demangled. All texts are borrowed, never NULL, and valid until the next call. */
#ifndef BOB_ANALYSIS_NAMING_H
#define BOB_ANALYSIS_NAMING_H

#include <stdint.h>

struct bob_naming {
	const char *(*function)(void *ctx, uint32_t number); /* numbers of bob_functions */
	const char *(*image)(void *ctx, uint32_t number);    /* short name of its image, or "" */
	void *ctx;
};

#endif
