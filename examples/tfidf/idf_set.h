/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of terms as a value set: what all ranks bring at an event becomes one table on rank 0. */
#ifndef TFIDF_IDF_SET_H
#define TFIDF_IDF_SET_H

#include "terms.h"

/* At the end of events of that name, `own` is added. In MPI_Finalize `all` of rank 0 becomes what all ranks added. Both must live
 * until then. Returns 0 if the program is not being recorded. */
int idf_set_add(const char *event, struct terms *own, struct terms *all);

#endif
