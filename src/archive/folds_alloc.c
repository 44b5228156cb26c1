/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for the folding library: malloc, and fresh pages for folders. */
#include <stdlib.h>
#include <sys/mman.h>

#include "archive/folds.h"

static void *resize(void *ctx, void *old, size_t old_size, size_t size)
{
	(void)ctx, (void)old_size;
	if (size)
		return realloc(old, size);
	free(old);
	return NULL;
}

const struct bob_alloc bob_alloc_malloc = { resize, NULL };

/* Not calloc: after a large block was freed, malloc would take the next one from its heap and clear
 * it, which touches all pages. */
void *bob_folder_map(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return mem == MAP_FAILED ? NULL : mem;
}

void bob_folder_unmap(void *mem, size_t size)
{
	if (mem)
		munmap(mem, size);
}
