/* SPDX-License-Identifier: BSD-3-Clause */
/* In the place of the other files here where OTF2's library was not found when this was built. */
#include "export/export.h"

bob_status bob_export_mpi_otf2(struct bob_export *x)
{
	(void)x;
	return BOB_ERR_UNSUPPORTED;
}
