/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks up a symbol in the symbol tables of a program: the dynamic one, and the static one unless
 * it was stripped. All offsets in the file are bounds-checked. */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/sys.h"

struct image {
	const uint8_t *at;
	uint64_t size;
};

/* `count` elements of `size` bytes at `off`; NULL if they exceed the file. */
static const void *piece(const struct image *f, uint64_t off, uint64_t count, uint64_t size)
{
	if (off % 8 || off > f->size || count > (f->size - off) / size)
		return NULL;
	return f->at + off;
}

static int is_name(const struct image *f, const Elf64_Shdr *names, uint32_t at, const char *name)
{
	const uint64_t len = strlen(name) + 1;

	if (names->sh_offset > f->size || names->sh_size > f->size - names->sh_offset ||
	    at > names->sh_size || names->sh_size - at < len)
		return 0;
	return !memcmp(f->at + names->sh_offset + at, name, len);
}

static int is_in(const struct image *f, const Elf64_Shdr *table, const Elf64_Shdr *names,
		 const char *name)
{
	const uint64_t count = table->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *sym = piece(f, table->sh_offset, count, sizeof(*sym));

	for (uint64_t i = 0; sym && i < count; i++)
		if (sym[i].st_shndx != SHN_UNDEF && is_name(f, names, sym[i].st_name, name))
			return 1;
	return 0;
}

static int look(const struct image *f, const char *name)
{
	const Elf64_Ehdr *e = piece(f, 0, 1, sizeof(*e));
	const Elf64_Shdr *s;

	if (!e || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
	    e->e_shentsize != sizeof(*s))
		return 0;
	s = piece(f, e->e_shoff, e->e_shnum, sizeof(*s));
	for (uint32_t i = 0; s && i < e->e_shnum; i++)
		if ((s[i].sh_type == SHT_SYMTAB || s[i].sh_type == SHT_DYNSYM) &&
		    s[i].sh_link < e->e_shnum && is_in(f, &s[i], &s[s[i].sh_link], name))
			return 1;
	return 0;
}

int bob_target_defines(const char *path, const char *name)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), found = 0;
	struct stat st;
	void *p;

	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && st.st_size > 0) {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED) {
			found = look(&(struct image){ p, (uint64_t)st.st_size }, name);
			munmap(p, (size_t)st.st_size);
		}
	}
	close(fd);
	return found;
}
