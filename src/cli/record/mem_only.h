/* SPDX-License-Identifier: BSD-3-Clause */
/* `record --mem-only`: converts variables and addresses to BOBBIN_MEM_BOXES
 * (agent/mem/select_addresses.c). One thread. */
#ifndef BOB_CLI_MEM_ONLY_H
#define BOB_CLI_MEM_ONLY_H

#include "cli/record/recording.h"

/* `list` has items separated by commas, for the program at `path`: variables of the program, and of
 * the libraries that it is linked with. Each item:
 *
 *     NAME              every variable of this name: x, f::x, mod::x, /blk/x, or /blk/ (all of
 *                       a COMMON block)
 *     FILE:NAME         in this source file, or this library (FILE is a path if it is loaded later)
 *     NAME+OFF..+BYTES  a part of it; OFF may be omitted
 *     0xA..0xB, 0xA..+BYTES   addresses
 *
 * 0, or 125 after a complaint. */
int cli_mem_only(struct cli_vars *v, const char *path, const char *list);

#endif
