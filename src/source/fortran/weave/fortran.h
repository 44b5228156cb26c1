/* SPDX-License-Identifier: BSD-3-Clause */
/* The Fortran front end of the instrumenter, as source/instrument.h has front ends. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_FORTRAN_H
#define BOB_SOURCE_FORTRAN_WEAVE_FORTRAN_H

#include "source/instrument.h"

bob_status bob_source_fortran_instrument(const struct bob_wish_file *f,
					 const struct bob_source_options *o,
					 struct bob_source_result **out,
					 struct bob_source_complaint *why);

#endif
