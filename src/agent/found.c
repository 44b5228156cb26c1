/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads an image as the loader mapped it: program headers, build-id, plan key and code segments. */
#include "agent/found.h"

#include <elf.h>
#include <string.h>

#include "agent/os.h"

static char main_path[BOB_PATH_MAX];

/* glibc's and musl's names. */
extern struct r_debug _r_debug __attribute__((weak));
extern struct r_debug *_dl_debug_addr __attribute__((weak));

const struct r_debug *found_loader(void)
{
	return &_r_debug ? &_r_debug : &_dl_debug_addr ? _dl_debug_addr : NULL;
}

static uint64_t aux(uint64_t type)
{
	for (const uint64_t *a = bob_process.auxv; a && a[0]; a += 2)
		if (a[0] == type)
			return a[1];
	return 0;
}

void found_program(char path[BOB_PATH_MAX])
{
	const char *name = (const char *)(uintptr_t)aux(AT_EXECFN);
	size_t n = 0;

	if (os_readlink("/proc/self/exe", path, BOB_PATH_MAX) > 0 || !name)
		return;
	/* without /proc: the name that was executed, relative to the current directory */
	if (name[0] != '/' && os_getcwd(path, BOB_PATH_MAX) > 0)
		n = text_add(path, BOB_PATH_MAX, text_len(path), "/");
	text_add(path, BOB_PATH_MAX, n, name);
}

bool found_read(const struct link_map *m, bool main, struct found *f)
{
	if (!main_path[0])
		found_program(main_path);
	*f = (struct found){ .bias = m->l_addr, .main = main };
	if (main) {
		f->phdr = (const ElfW(Phdr) *)aux(AT_PHDR);
		f->phnum = (uint32_t)aux(AT_PHNUM);
		f->path = main_path;
		return f->phdr && main_path[0];
	}
	const ElfW(Ehdr) *e = (const ElfW(Ehdr) *)m->l_addr;
	if (!m->l_name || !m->l_name[0] || text_starts(m->l_name, "linux-vdso"))
		return false;
	f->path = m->l_name;
	/* patchelf and BOLT may move the program headers out of the first page, perhaps out of
	 * memory; a library may be linked to a fixed address. Such an image is listed as having no
	 * plan. */
	if (!e || m->l_addr & (BOB_PAGE - 1) || !os_is_mapped(m->l_addr) ||
	    memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_phentsize != sizeof(ElfW(Phdr)) ||
	    e->e_phoff > BOB_PAGE || e->e_phoff + e->e_phnum * sizeof(ElfW(Phdr)) > BOB_PAGE)
		return true;
	f->phdr = (const ElfW(Phdr) *)(m->l_addr + e->e_phoff);
	f->phnum = e->e_phnum;
	return true;
}

static const uint8_t *find_build_id(const struct found *f, uint64_t *len)
{
	const uint8_t *id = NULL;

	*len = 0;
	for (uint32_t i = 0; i < f->phnum && !id; i++) {
		const ElfW(Phdr) *p = &f->phdr[i];

		if (p->p_type == PT_NOTE)
			id = bob_plan_build_id((const void *)(f->bias + p->p_vaddr), p->p_filesz,
					       p->p_align, len);
	}
	return id;
}

uint64_t found_key(const struct found *f, const uint8_t *file)
{
	uint64_t len, key;
	const uint8_t *id = find_build_id(f, &len);

	key = bob_plan_key_begin(id, len);
	for (uint32_t i = 0; i < f->phnum; i++) {
		const ElfW(Phdr) *p = &f->phdr[i];

		const void *at = file ? (const void *)(file + p->p_offset) :
					(const void *)(f->bias + p->p_vaddr);

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		key = f->wants == FOUND_SPECIAL ?
			      bob_plan_key_sample(key, p->p_vaddr, at, p->p_filesz, !len) :
			      bob_plan_key_segment(key, p->p_vaddr, at, p->p_filesz);
	}
	return key;
}

bool found_before(const struct found *f, bool with_plan)
{
	for (const struct bob_image *im = bob_process.retired; im; im = im->next)
		if (!im->phdr && !im->plan == !with_plan && text_equal(im->path, f->path))
			return true;
	return false;
}

void found_plans(struct found *f, uint32_t n, enum found_plan kind)
{
	static const char *paths[FOUND_MAX]; /* protected by the lock */
	const bool special = kind == FOUND_SPECIAL;
	uint32_t missing = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (f[i].wants != kind)
			continue;
		f[i].key = found_key(&f[i], NULL);
		f[i].plan = plan_load(f[i].key, special);
		if (!f[i].plan && found_has_breakpoints(&f[i]))
			f[i].plan = plan_load(f[i].key, special);
		if (!f[i].plan && !found_before(&f[i], false))
			paths[missing++] = f[i].path;
	}
	if (!missing)
		return;
	plan_request(paths, missing, special ? "--special" : NULL);
	for (uint32_t i = 0; i < n; i++)
		if (f[i].wants == kind && !f[i].plan)
			f[i].plan = plan_load(f[i].key, special);
}

uint64_t found_first_text(const struct found *f)
{
	for (uint32_t i = 0; i < f->phnum; i++)
		if (f->phdr[i].p_type == PT_LOAD && f->phdr[i].p_flags & PF_X)
			return f->bias + f->phdr[i].p_vaddr;
	return 0;
}

void found_text(const struct found *f, struct bob_image *im)
{
	im->lo = ~0ull;
	im->hi = 0;
	im->text_count = 0;
	for (uint32_t i = 0; i < f->phnum; i++) {
		const ElfW(Phdr) *p = &f->phdr[i];
		uint64_t lo = (f->bias + p->p_vaddr) & ~(uint64_t)(BOB_PAGE - 1);
		uint64_t hi = (f->bias + p->p_vaddr + p->p_memsz + BOB_PAGE - 1) &
			      ~(uint64_t)(BOB_PAGE - 1);

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		if (im->text_count < BOB_TEXT_SEGMENTS) {
			im->text[im->text_count].prot = (p->p_flags & PF_R ? 1 : 0) |
							(p->p_flags & PF_W ? 2 : 0) | 4;
			im->text[im->text_count].lo = lo;
			im->text[im->text_count++].hi = hi;
		}
		im->lo = lo < im->lo ? lo : im->lo;
		im->hi = hi > im->hi ? hi : im->hi;
	}
}
