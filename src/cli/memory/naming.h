/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of a memory trace's images, and the source lines and variables of the accesses that
 * occur. The engine records addresses only. When the program has ended, the planner reads the names
 * and the debug information from the files and adds them to the trace, so readers need no
 * binaries. */
#ifndef BOB_CLI_NAMING_H
#define BOB_CLI_NAMING_H

#include "bobbin/trace.h"

/* For every recorded image of the trace `t` in `dir` whose file is still what it was, or whose
 * names are in the cache. What cannot be read stays without names. What processes did that are not
 * in `t` may be without, too, until this is done again. Returns how many files of images were
 * written. */
uint32_t cli_name_images(const char *dir, const struct bob_trace *t);
/* Functions of images whose file a process could not write into `dir`: from the cache of plans, or
 * from the image. */
void cli_restore_images(const char *dir);
/* Files of images that the agent wrote, in `dir`, become as small as those are. */
void cli_pack_images(const char *dir);

#endif
