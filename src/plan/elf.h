/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the reading of ELF files: libelf's handles (elf.c), and what of data points into code
 * (pointers.c). One image, one thread. */
#ifndef BOB_PLAN_ELF_H
#define BOB_PLAN_ELF_H

#include <gelf.h>
#include <libelf.h>

#include "plan/image.h"

struct bob_plan_elf {
	int fd, debug_fd;
	Elf *elf, *debug;	/* debug: the separate file with .symtab, or NULL */
	uint64_t file_bytes;
	size_t names;		/* section of section names */
};

/* Addresses in code that data or relocations hold, into img->pointers; its codes are there. */
bob_status bob_plan_read_pointers(struct bob_plan_image *img);
/* The soname, and the addresses of DT_INIT and DT_FINI among the pointers. */
void bob_plan_read_dynamic(struct bob_plan_image *img);

#endif
