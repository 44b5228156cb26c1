/* SPDX-License-Identifier: BSD-3-Clause */
/* Services of the solver, as hooks at its events: pictures, refining, balancing the load,
 * statistics. */
#ifndef AMR_SERVICES_H
#define AMR_SERVICES_H

#include "mesh.h"

/* At "pour", "step", "burst" and "run". `m` and `prefix` must live as long as the program. Returns
 * 0 if the program is not being recorded: then no service runs, and the mesh does not change. */
int services_add(struct mesh *m, const char *prefix);

#endif
