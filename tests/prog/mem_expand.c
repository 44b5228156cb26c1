/* SPDX-License-Identifier: BSD-3-Clause */
/* mem_expand PLAN RECORDS: the accesses of one thread as mem_preload.c kept them, one a line:
 *     kind (L, S, A), address (without a word: link address), size, program counter (link address)
 * and with -p PLAN the program counters that the plan covers, as ranges. For tests. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem/record.h"
#include "plan/mem/format.h"

static const uint8_t *map_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY);
	struct stat sb;
	void *p;

	if (fd < 0 || fstat(fd, &sb) != 0)
		exit(2);
	*len = (size_t)sb.st_size;
	if (!*len)
		exit(0);
	p = mmap(NULL, *len, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		exit(2);
	return p;
}

static void print_ranges(const struct bob_mem_plan_head *h)
{
	const struct bob_mem_patch *p = (const void *)((const uint8_t *)h + h->patches.off);

	for (uint64_t i = 0; i < h->patches.len / sizeof(*p); i++)
		printf("%" PRIx64 " %" PRIx64 "\n", p[i].addr, p[i].addr + p[i].len);
}

/* Kept in one block each: access, step. */
static struct bob_mem_desc *read_descs(const struct bob_mem_plan_head *h)
{
	static struct bob_mem_access access[BOB_MEM_ACCESSES_MAX];
	static struct bob_mem_step step[BOB_MEM_WORDS_MAX];
	const uint8_t *at = (const uint8_t *)h + h->descs.off, *end = at + h->descs.len;
	struct bob_mem_desc *d = calloc(h->desc_count + 1, sizeof(*d));

	for (uint32_t i = 0; i < h->desc_count; i++) {
		struct bob_mem_access *a;
		struct bob_mem_step *s;

		if (bob_mem_desc_get(&at, end, &d[i], access, step) != BOB_OK)
			exit(3);
		a = malloc((d[i].access_count + 1) * sizeof(*a));
		s = malloc(sizeof(step));
		memcpy(a, access, d[i].access_count * sizeof(*a));
		memcpy(s, step, sizeof(step));
		d[i].access = a;
		d[i].step = s;
	}
	return d;
}

int main(int argc, char **argv)
{
	size_t len, bytes;
	const struct bob_mem_plan_head *h;
	const uint64_t *w, *end;
	struct bob_mem_desc *d;

	if (argc < 3)
		return 2;
	h = (const void *)map_file(argv[argc > 2 && !strcmp(argv[1], "-p") ? 2 : 1], &len);
	if (bob_mem_plan_check(h, len, 0) != BOB_OK)
		return 2;
	if (!strcmp(argv[1], "-p")) {
		print_ranges(h);
		return 0;
	}
	d = read_descs(h);
	w = (const void *)map_file(argv[argc - 1], &bytes);
	end = w + bytes / 8;
	while (w < end) {
		const struct bob_mem_desc *q = &d[*w & BOB_MEM_NUMBER];
		struct bob_mem_walk walk;
		struct bob_mem_event e;
		size_t count;
		bob_status st;

		if (!(*w & BOB_MEM_HEADER) || (*w & BOB_MEM_NUMBER) >= h->desc_count ||
		    bob_mem_record_count(q, w + 1, (size_t)(end - w - 1), 0, &count) != BOB_OK ||
		    bob_mem_walk_begin(&walk, q, w + 1, count, 0) != BOB_OK)
			return 3;
		while ((st = bob_mem_walk_next(&walk, &e)) != BOB_END)
			if (st == BOB_OK)
				printf("%c %" PRIx64 " %u %" PRIx64 "\n", "LSA"[e.type], e.address,
				       e.size, e.pc);
		w += 1 + count;
	}
	return 0;
}
