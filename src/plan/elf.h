/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to reading ELF files: libelf's handles (elf.c), and data that points to code
 * (pointers.c). Threads: one per image. */
#ifndef BOB_PLAN_ELF_H
#define BOB_PLAN_ELF_H

#include <gelf.h>
#include <libelf.h>

#include "plan/image.h"

struct bob_plan_elf {
	int fd, debug_fd;
	Elf *elf, *debug;	/* debug: the separate file with .symtab; NULL: none */
	uint64_t file_bytes;
	size_t names;		/* index of the section with section names */
};

/* Collect addresses of code that data or relocations contain, in img->pointers. img->codes must be
 * set. */
bob_status bob_plan_read_pointers(struct bob_plan_image *img);
/* Read the soname, and add the addresses of DT_INIT and DT_FINI to the pointers. */
void bob_plan_read_dynamic(struct bob_plan_image *img);

#endif
