/* SPDX-License-Identifier: BSD-3-Clause */
/* Names for traces that have only addresses: functions of images, and source lines and variables of
 * the accesses and events that occur. After the program has ended, the planner reads names and
 * debug information from the binaries and adds them to the trace, so readers need no binaries. */
#ifndef BOB_CLI_NAMING_H
#define BOB_CLI_NAMING_H

#include "bobbin/trace.h"

/* Adds names to each recorded image of the trace `t` in `dir` whose file has not changed, or whose
 * names are in the cache. Others stay without names. Functions that processes enter later may lack
 * names until this is called again. Returns the number of image files written. */
uint32_t cli_name_images(const char *dir, const struct bob_trace *t);
/* Writes the functions of images whose file a process could not write into `dir`, from the cache of
 * plans or from the image. */
void cli_restore_images(const char *dir);
/* Compresses the image files in `dir` that the agent wrote, so that they are as small as those. */
void cli_pack_images(const char *dir);

#endif
