/* SPDX-License-Identifier: BSD-3-Clause */
/* Visits the symbols of an image, from both symbol tables, unchanged. */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#include "plan/image.h"

static void visit_table(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, bool is_dynamic,
			void (*visit)(void *ctx, const struct bob_plan_name *s), void *ctx)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const uint64_t count = data ? data->d_size / sizeof(Elf64_Sym) : 0;

	for (uint64_t i = 1; i < count && i < INT32_MAX; i++) {
		struct bob_plan_name s = { .is_dynamic = is_dynamic };
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym))
			return;
		s.name = elf_strptr(elf, sh->sh_link, sym.st_name);
		s.value = sym.st_value;
		s.is_defined = sym.st_shndx != SHN_UNDEF;
		s.type = GELF_ST_TYPE(sym.st_info);
		s.bind = GELF_ST_BIND(sym.st_info);
		if (s.name && *s.name)
			visit(ctx, &s);
	}
}

bob_status bob_plan_names(const char *path, void (*visit)(void *ctx, const struct bob_plan_name *s),
			  void *ctx, struct bob_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *scn = NULL;
	GElf_Ehdr e;
	GElf_Shdr sh;
	Elf *elf;

	if (fd < 0)
		return bob_plan_fail(err, BOB_ERR_NOENT, path, "it cannot be opened");
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &e) ||
	    e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_machine != EM_X86_64) {
		elf_end(elf);
		close(fd);
		return bob_plan_fail(err, BOB_ERR_UNSUPPORTED, path,
				     "no x86-64 program or library");
	}
	while ((scn = elf_nextscn(elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) &&
		    (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			visit_table(elf, scn, &sh, sh.sh_type == SHT_DYNSYM, visit, ctx);
	elf_end(elf);
	close(fd);
	return BOB_OK;
}
