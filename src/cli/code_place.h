/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats the place of an instruction: function, file, line. */
#ifndef BOB_CLI_CODE_PLACE_H
#define BOB_CLI_CODE_PLACE_H

#include <stdio.h>

#include "bobbin/trace.h"

/* Global setting of demangling: C++ names without parameters, "space::thing::run+0x1a". A session
 * sets it to 0 for --no-demangle. */
void cli_place_demangle(int on);

/* Prints "function  file.c:12", "function+0x1a" if the line is unknown, "image+0x101a" if the
 * function is unknown, or "0x101a". `pc` is a link address of the process's image, or ~0. */
void cli_place_print(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
		     FILE *out);

/* Prints only the function's name, and only the line: "file.c:12", or as cli_place_print if it is
 * unknown. */
void cli_function_print(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
			FILE *out);
void cli_line_print(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
		    FILE *out);

/* Prints a symbol, demangled without parameters, and shortened if it is long. */
void cli_name_print(const char *symbol, FILE *out);

/* "MPI_Send", of a function of MPI; constant, or in `text`. */
#define CLI_MPI_NAME_MAX 64
const char *cli_place_mpi(uint32_t what, char text[CLI_MPI_NAME_MAX]);
/* "MPI_Send", "MPI_Reduce begins", "the call of MPI ends": `mark` is an enum bob_value_mark, `what`
 * the function. */
void cli_place_print_mpi(uint32_t mark, uint32_t what, FILE *out);

#endif
