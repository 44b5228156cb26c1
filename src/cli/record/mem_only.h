/* SPDX-License-Identifier: BSD-3-Clause */
/* `record --mem-only`: variables and addresses become BOBBIN_MEM_BOXES (agent/mem/select.c). One
 * thread. */
#ifndef BOB_CLI_MEM_ONLY_H
#define BOB_CLI_MEM_ONLY_H

#include "cli/record/recording.h"

/* `list` as the user gave it, items separated by commas, for the program at `path`: its variables,
 * and those of the libraries that it is linked with. Each item:
 *
 *     NAME              every variable of this name: x, f::x, mod::x, /blk/x, /blk/ (all of a COMMON block)
 *     FILE:NAME         in this source file, or this library (which may be loaded later: then FILE is its path)
 *     NAME+OFF..+BYTES  some of its bytes; OFF may be left out
 *     0xA..0xB, 0xA..+BYTES   addresses
 *
 * 0, or 125 after a complaint. */
int cli_mem_only(struct cli_vars *v, const char *path, const char *list);

#endif
