/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles images into which a debugger wrote breakpoints before the agent started: if memory and
 * file differ only in breakpoints, the key of the file is used. The plan is then valid for all
 * other code; entries are still compared byte by byte, and those with a breakpoint are not
 * patched. */
#include "agent/found.h"
#include "agent/os.h"

#define INT3 0xccu

enum difference { SAME, BREAKPOINTS, OTHER };

static enum difference compare(const uint8_t *memory, const uint8_t *file, uint64_t len)
{
	enum difference d = SAME;

	for (uint64_t i = 0; i < len; i++) {
		if (memory[i] == file[i])
			continue;
		if (memory[i] != INT3)
			return OTHER;
		d = BREAKPOINTS;
	}
	return d;
}

static bool is_code(const ElfW(Phdr) *p)
{
	return p->p_type == PT_LOAD && p->p_flags & PF_X;
}

static enum difference compare_code(const struct found *f, const uint8_t *file, uint64_t size)
{
	enum difference all = SAME;

	for (uint32_t i = 0; i < f->phnum; i++) {
		const ElfW(Phdr) *p = &f->phdr[i];
		enum difference d;

		if (!is_code(p))
			continue;
		if (p->p_offset > size || p->p_filesz > size - p->p_offset)
			return OTHER;
		d = compare((const uint8_t *)(f->bias + p->p_vaddr), file + p->p_offset,
			    p->p_filesz);
		if (d == OTHER)
			return OTHER;
		all = d ? d : all;
	}
	return all;
}

bool found_has_breakpoints(struct found *f)
{
	long fd = os_open(f->path, OS_READ), size = fd < 0 ? 0 : os_file_size(fd);
	const uint8_t *file = size > 0 ? os_map_file(fd, (size_t)size) : NULL;

	if (fd >= 0)
		os_close(fd);
	if (!file)
		return false;
	f->breakpoints = compare_code(f, file, (uint64_t)size) == BREAKPOINTS;
	if (f->breakpoints)
		f->key = found_key(f, file);
	os_unmap_bare(file, (size_t)size);
	return f->breakpoints;
}
