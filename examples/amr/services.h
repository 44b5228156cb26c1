/* SPDX-License-Identifier: BSD-3-Clause */
/* What the solver is not about, as hooks at its events: pictures, refining the mesh, balancing the load, statistics. */
#ifndef AMR_SERVICES_H
#define AMR_SERVICES_H

#include "mesh.h"

/* At "pour", "step", "burst" and "run". `m` and `prefix` must live as long as the program does. Returns 0 if the program is not being
 * recorded: then nothing of all this happens, and the mesh stays as it is. */
int services_add(struct mesh *m, const char *prefix);

#endif
