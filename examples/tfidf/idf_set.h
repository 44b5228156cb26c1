/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of terms as a value set: the contributions of all ranks at an event become one table on
 * rank 0. */
#ifndef TFIDF_IDF_SET_H
#define TFIDF_IDF_SET_H

#include "terms.h"

/* At the end of events of that name, moves the contents of `own` to the set. In MPI_Finalize, *all
 * of rank 0 (NULL before) gets the sum of all ranks: free it with idf_set_free. Both must live
 * until then. Returns 0 if the program is not being recorded. */
int idf_set_add(const char *event, struct terms *own, const struct terms **all);
void idf_set_free(const struct terms *all);	/* NULL is allowed */

#endif
