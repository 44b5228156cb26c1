/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces the other files of this folder in builds without the OTF2 library. */
#include "export/export.h"

bob_status bob_export_mpi_otf2(struct bob_export *x)
{
	(void)x;
	return BOB_ERR_UNSUPPORTED;
}
