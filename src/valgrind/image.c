/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Assigns code to images, once for each translated superblock. Valgrind's list of segments has the
 * mapped file; the file's program headers yield the load bias. Code in no file (JIT) and Valgrind's
 * replacements of functions have the number BOB_MEM_NO_IMAGE. */
#include "tool.h"

#include <elf.h>

#include <pub_tool_aspacemgr.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_seqmatch.h>
#include <pub_tool_vki.h>

#include "base/runtime_list.h"
#include "plan/format.h"

extern UWord *VG_(client_auxv);	/* in Valgrind's core */

#define PHDRS_MAX 64

struct image {
	struct vgb_image pub;
	struct bob_rec_image rec;
	HChar *path;
	uint64_t dev, ino;
	Bool gone;
};

/* An address range of mapped code, cached. */
struct range {
	Addr lo, hi;
	uint32_t image;		/* index; ~0: the range is in no image */
};

static struct {
	struct image *image;
	uint32_t image_count, image_capacity;
	struct range *range;
	uint32_t range_count, range_capacity;
	Bool jit_listed;
} all;

static const struct vgb_image no_image = { .number = BOB_MEM_NO_IMAGE, .chosen = False };
static const struct vgb_image jit_image = { .number = BOB_MEM_NO_IMAGE, .chosen = True };

static void *grow(void *array, uint32_t count, uint32_t *capacity, SizeT elem)
{
	if (count < *capacity)
		return array;
	*capacity = *capacity ? 2 * *capacity : 16;
	return VG_(realloc)("bobbin.images", array, *capacity * elem);
}

/* --- the program --- */

static UWord auxiliary(UWord type)
{
	for (const UWord *a = VG_(client_auxv); a && a[0]; a += 2)
		if (a[0] == type)
			return a[1];
	return 0;
}

Addr vgb_image_start(void)
{
	return auxiliary(AT_ENTRY);
}

static Bool same_file(const NSegment *a, const NSegment *b)
{
	return a && b && a->kind == SkFileC && b->kind == SkFileC && a->dev == b->dev &&
	       a->ino == b->ino;
}

/* Whether the segment is of the executable, which may have several code segments. */
static Bool is_main(const NSegment *seg)
{
	return same_file(seg, VG_(am_find_nsegment)(vgb_image_start()));
}

Bool vgb_image_in_main(Addr addr)
{
	const NSegment *seg = VG_(am_find_nsegment)(addr);

	return seg && seg->hasX && is_main(seg);
}

/* --- reading an ELF file --- */

static Bool read_at(Int fd, uint64_t off, void *to, SizeT len)
{
	return VG_(lseek)(fd, (Off64T)off, VKI_SEEK_SET) == (Off64T)off &&
	       VG_(read)(fd, to, (Int)len) == (Int)len;
}

static void find_build_id(Int fd, const Elf64_Phdr *p, struct bob_rec_image *rec)
{
	UChar bytes[1024];
	uint64_t len = p->p_filesz < sizeof(bytes) ? p->p_filesz : sizeof(bytes), id_len;
	const uint8_t *id;

	if (!read_at(fd, p->p_offset, bytes, len))
		return;
	id = bob_plan_build_id(bytes, len, p->p_align, &id_len);
	if (id)
		VG_(memcpy)(rec->build_id, id, id_len);
	rec->build_id_len = (uint8_t)id_len;
}

static uint32_t read_phdrs(Int fd, Elf64_Phdr *phdr)
{
	Elf64_Ehdr e;

	if (!read_at(fd, 0, &e, sizeof(e)) || VG_(memcmp)(e.e_ident, ELFMAG, SELFMAG) ||
	    e.e_phentsize != sizeof(*phdr) || e.e_phnum > PHDRS_MAX ||
	    !read_at(fd, e.e_phoff, phdr, e.e_phnum * sizeof(*phdr)))
		return 0;
	return e.e_phnum;
}

/* Read load bias, build id, key and frame table, as far as the file has them. */
static void read_elf(struct image *im, const NSegment *seg)
{
	SysRes fd = VG_(open)(im->path, VKI_O_RDONLY, 0);
	Elf64_Phdr phdr[PHDRS_MAX];
	uint32_t n;

	im->pub.bias = seg->start - (uint64_t)seg->offset;
	if (sr_isError(fd))
		return;
	n = read_phdrs((Int)sr_Res(fd), phdr);
	for (uint32_t i = 0; i < n; i++) {
		const Elf64_Phdr *p = &phdr[i];
		uint64_t first = p->p_offset & ~(uint64_t)(VGB_PAGE - 1);

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && (uint64_t)seg->offset >= first &&
		    (uint64_t)seg->offset < p->p_offset + p->p_filesz)
			im->pub.bias =
				seg->start - ((uint64_t)seg->offset - p->p_offset + p->p_vaddr);
		if (p->p_type == PT_NOTE && !im->rec.build_id_len)
			find_build_id((Int)sr_Res(fd), p, &im->rec);
	}
	for (uint32_t i = 0; i < n; i++)
		if (phdr[i].p_type == PT_GNU_EH_FRAME)
			im->pub.fdes = im->pub.bias + phdr[i].p_vaddr;
	VG_(close)((Int)sr_Res(fd));
	im->rec.key = bob_plan_key_begin(im->rec.build_id, im->rec.build_id_len);
	for (uint32_t i = 0; i < n; i++) {
		Addr at = im->pub.bias + phdr[i].p_vaddr;

		if (phdr[i].p_type == PT_LOAD && phdr[i].p_flags & PF_X &&
		    VG_(am_is_valid_for_client)(at, phdr[i].p_filesz, VKI_PROT_READ))
			im->rec.key = bob_plan_key_segment(im->rec.key, phdr[i].p_vaddr,
							   (const void *)at, phdr[i].p_filesz);
	}
}

/* --- images --- */

static Bool in_runtime_list(const HChar *path)
{
	static const HChar list[] = BOB_RUNTIME_LIST;
	const HChar *base = VG_(strrchr)(path, '/');
	HChar pattern[64];

	base = base ? base + 1 : path;
	for (const HChar *p = list; *p;) {
		SizeT n = 0;

		while (p[n] && p[n] != ':')
			n++;
		VG_(memcpy)(pattern, p, n);
		pattern[n] = 0;
		if (VG_(string_match)(pattern, base))
			return True;
		p += n + (p[n] == ':');
	}
	return False;
}

static void list_skipped(const HChar *path)
{
	uint32_t reason[2] = { BOB_SKIP_IMAGES, 0 };

	vgb_meta(BOB_REC_IMAGE_SKIPPED, reason, sizeof(reason), path);
}

static void describe(const struct image *im)
{
	if (im->pub.chosen)
		vgb_meta(BOB_REC_IMAGE, &im->rec, sizeof(im->rec), im->path);
	else
		list_skipped(im->path);
	if (im->pub.chosen && im->gone) {
		uint32_t v[2] = { im->pub.number, 0 };

		vgb_meta(BOB_REC_UNLOAD, v, sizeof(v), NULL);
	}
}

static const HChar *base_of(const HChar *path)
{
	const HChar *slash = VG_(strrchr)(path, '/');

	return slash ? slash + 1 : path;
}

/* Selected images are numbered, others only listed. */
static uint32_t add_image(const NSegment *seg, const HChar *path)
{
	struct image *im;

	all.image = grow(all.image, all.image_count, &all.image_capacity, sizeof(*all.image));
	im = &all.image[all.image_count];
	VG_(memset)(im, 0, sizeof(*im));
	im->path = VG_(strdup)("bobbin.image", path);
	im->dev = seg->dev;
	im->ino = seg->ino;
	im->pub.chosen = is_main(seg) || vgb_options.images == VGB_IMAGES_ALL ||
			 (vgb_options.images == VGB_IMAGES_APP && !in_runtime_list(path));
	read_elf(im, seg);
	im->pub.number = BOB_MEM_NO_IMAGE;
	if (im->pub.chosen) {
		im->pub.number = 0;
		for (uint32_t i = 0; i < all.image_count; i++)
			im->pub.number += all.image[i].pub.chosen;
	}
	im->rec.image = im->pub.number;
	im->rec.bias = im->pub.bias;
	im->rec.chosen = im->pub.chosen;
	im->pub.sync_caller = bob_sync_caller_of(base_of(path));
	if (bob_sync_is_library(base_of(path)))
		vgb_sync_library(path);
	describe(im); /* may create the file, which writes all previous images */
	return all.image_count++;
}

static uint32_t find_image(const NSegment *seg, const HChar *path)
{
	for (uint32_t i = 0; i < all.image_count; i++) {
		const struct image *im = &all.image[i];

		/* another code segment of the same mapping, or a further mapping elsewhere? */
		if (!im->gone && im->dev == seg->dev && im->ino == seg->ino) {
			struct image again = { .path = (HChar *)path };

			read_elf(&again, seg);
			if (again.pub.bias == im->pub.bias)
				return i;
		}
	}
	return add_image(seg, path);
}

const struct vgb_image *vgb_image_at(Addr addr)
{
	const NSegment *seg;
	const HChar *path;
	struct range *r;

	for (uint32_t i = 0; i < all.range_count; i++)
		if (addr - all.range[i].lo < all.range[i].hi - all.range[i].lo)
			return &all.image[all.range[i].image].pub;
	seg = VG_(am_find_nsegment)(addr);
	path = seg ? VG_(am_get_filename)(seg) : NULL;
	if (!seg || seg->kind == SkFileV || seg->kind == SkAnonV)
		return vgb_options.images == VGB_IMAGES_ALL ? &jit_image : &no_image;
	if (seg->kind != SkFileC || !path) {
		if (vgb_options.images != VGB_IMAGES_MAIN)
			return &jit_image;
		if (!all.jit_listed)
			list_skipped("code made at run time");
		all.jit_listed = True;
		return &no_image;
	}
	all.range = grow(all.range, all.range_count, &all.range_capacity, sizeof(*all.range));
	r = &all.range[all.range_count];
	r->lo = seg->start;
	r->hi = seg->end + 1;
	r->image = find_image(seg, path);
	all.range_count++;
	return &all.image[r->image].pub;
}

void vgb_image_unmapped(Addr addr, SizeT len)
{
	for (uint32_t i = 0; i < all.range_count;) {
		struct range *r = &all.range[i];
		struct image *im = &all.image[r->image];

		if (r->hi <= addr || r->lo >= addr + len) {
			i++;
			continue;
		}
		*r = all.range[--all.range_count];
		if (im->pub.chosen && !im->gone) {
			uint32_t v[2] = { im->pub.number, 0 };

			vgb_meta(BOB_REC_UNLOAD, v, sizeof(v), NULL);
		}
		im->gone = True;
	}
}

void vgb_image_describe(void)
{
	for (uint32_t i = 0; i < all.image_count; i++)
		describe(&all.image[i]);
	if (all.jit_listed)
		list_skipped("code made at run time");
}

/* --- functions --- */

/* Binary search in the table of .eh_frame_hdr: sorted pairs of 32-bit offsets from its start.
 * Returns the FDE that begins at `addr`, or 0. Supports only the encoding that all compilers
 * emit. */
static Addr find_fde(const struct vgb_image *im, Addr addr)
{
	const UChar *h = (const UChar *)im->fdes;
	const Int *table;
	UInt lo = 0, n;

	if (!h || !VG_(am_is_valid_for_client)(im->fdes, 12, VKI_PROT_READ) || h[0] != 1 ||
	    h[1] != 0x1b || h[2] != 0x03 || h[3] != 0x3b)
		return 0;
	VG_(memcpy)(&n, h + 8, sizeof(n));
	if (!VG_(am_is_valid_for_client)(im->fdes, 12 + (SizeT)n * 8, VKI_PROT_READ))
		return 0;
	table = (const Int *)(const void *)(h + 12);
	while (lo < n) {
		UInt mid = lo + (n - lo) / 2;
		Addr at = im->fdes + (Addr)(Long)table[2 * mid];

		if (at == addr)
			return im->fdes + (Addr)(Long)table[2 * mid + 1];
		if (at < addr)
			lo = mid + 1;
		else
			n = mid;
	}
	return 0;
}

/* Whether the FDE is of a part that a compiler split off a function. Such a part starts within an
 * existing frame, so its FDE begins by defining the CFA. */
static Bool is_part(Addr fde)
{
	const UChar *p = (const UChar *)fde;
	UInt len, aug;

	if (!VG_(am_is_valid_for_client)(fde, 32, VKI_PROT_READ))
		return False;
	VG_(memcpy)(&len, p, sizeof(len));
	aug = p[16];
	if (len < 14 || len >= 0xfffffff0u || aug > 8)
		return False;
	p += 17 + aug;
	return (p[0] >= 0x0c && p[0] <= 0x0f) || (p[0] >= 0x80 && p[0] < 0xc0);
}

/* Whether the FDE is of a section of stubs (.plt.got, .plt.sec). It has one FDE, which begins with
 * a stub: a jump through memory. A function that consists of such a jump has 6 or 10 bytes, a stub
 * 8 or 16. */
static Bool is_stub(Addr fde, Addr addr)
{
	static const UChar endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const UChar *p = (const UChar *)addr;
	UInt range;

	if (!VG_(am_is_valid_for_client)(fde, 32, VKI_PROT_READ))
		return False;
	VG_(memcpy)(&range, (const UChar *)fde + 12, sizeof(range));
	if (!VG_(memcmp)(p, endbr64, sizeof(endbr64)))
		p += sizeof(endbr64);
	p += *p == 0xf2; /* bnd prefix */
	return p[0] == 0xff && p[1] == 0x25 && range % 8 == 0;
}

Bool vgb_image_entry(const struct vgb_image *im, Addr addr)
{
	const HChar *name;
	Addr fde;
	SizeT n;

	if (im->number == BOB_MEM_NO_IMAGE)
		return False;
	fde = find_fde(im, addr);
	if (fde)
		return !is_part(fde) && !is_stub(fde, addr);
	if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), addr, &name))
		return False;
	n = VG_(strlen)(name);
	return n < 5 || VG_(strcmp)(name + n - 5, ".cold");
}
