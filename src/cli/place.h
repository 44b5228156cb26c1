/* SPDX-License-Identifier: BSD-3-Clause */
/* Where an instruction is, for people. */
#ifndef BOB_CLI_PLACE_H
#define BOB_CLI_PLACE_H

#include <stdio.h>

#include "bobbin/trace.h"

/* "function+0x1a", "image+0x101a" if no function is known there, or "0x101a". `pc` is a link address of the image, which
 * is one of the process, or ~0. */
void cli_place_print(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
		     FILE *out);

#endif
