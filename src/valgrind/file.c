/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process file. Every chunk that grows has its own window of the file and fills it, so chunks
 * are adjacent. Only the first window has several: the file head, META and descriptors. Complete
 * data is published by an 8-byte store in the head of its chunk. */
#include "tool.h"

#include <pub_tool_clientstate.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_seqmatch.h>
#include <pub_tool_xarray.h>

#include "base/runtime_list.h"

#define META_BYTES (16u << 10)	/* of a META chunk, in the first window and later */
#define DESC_FIRST (44u << 10)
#define DESC_MAX (1u << 20)
#define FIRST_BYTES (BOB_FILE_HEAD_BYTES + META_BYTES + DESC_FIRST)

static struct {
	struct bob_file_head *head;
	HChar path[VGB_PATH];
	uint64_t end;		/* of the file */
	uint64_t count;
	struct vgb_chunk meta, desc;
	uint64_t desc_bytes;	/* size of the next chunk of descriptors */
	struct vgb_parent parent;
	Bool has_parent, stopped;
} file;

Bool vgb_stopped(void)
{
	return file.stopped;
}

uint32_t vgb_file_seq(void)
{
	return file.head ? file.head->seq : ~0u;
}

uint64_t vgb_file_count(void)
{
	return file.count;
}

void vgb_stop(enum bob_stop_reason why)
{
	file.stopped = True;
	if (file.head && file.head->state == BOB_FILE_OPEN)
		bob_file_end(file.head, BOB_FILE_STOPPED, why, vgb_time(False));
}

/* --- making the file --- */

/* Recorded environment variables: a name ends at '=', or with '*' is a prefix. */
static const HChar *const kept[] = {
	"OMP_*", "GOMP_*", "KMP_*", "OMPI_COMM_WORLD_*", "PMI_*", "PMIX_RANK=*", "MPI*", "SLURM_*",
	"PBS_*", "LSB_*", "FLUX_*", "LD_LIBRARY_PATH=*", "PATH=*", "HOSTNAME=*", NULL
};
static const HChar *const ours[] = { "BOBBIN_*", NULL };
/* Recorded by put_env with the values in use. */
static const HChar *const settled[] = { "BOBBIN_ENGINE=*", "BOBBIN_IMAGES=*", "BOBBIN_CODEC=*",
					NULL };

static Bool wanted(const HChar *var, const HChar *const *patterns)
{
	for (; *patterns; patterns++)
		if (VG_(string_match)(*patterns, var))
			return True;
	return False;
}

static void put_text(struct bob_meta *m, const HChar *text)
{
	bob_meta_append(m, text, VG_(strlen)(text) + 1);
}

static void put_env(struct bob_meta *m, enum bob_record_kind kind, const HChar *const *patterns)
{
	bob_meta_begin(m, kind);
	for (HChar **e = VG_(client_envp); e && *e; e++)
		if (wanted(*e, patterns) && !wanted(*e, settled))
			bob_meta_append(m, *e, VG_(strlen)(*e) + 1);
	if (patterns == ours) {
		static const HChar *const images[] = { [VGB_IMAGES_MAIN] = "BOBBIN_IMAGES=main",
						       [VGB_IMAGES_APP] = "BOBBIN_IMAGES=app",
						       [VGB_IMAGES_ALL] = "BOBBIN_IMAGES=all" };

		put_text(m, "BOBBIN_ENGINE=valgrind");
		put_text(m, images[vgb_options.images]);
		put_text(m, vgb_options.fold ? "BOBBIN_CODEC=fold" : "BOBBIN_CODEC=none");
	}
	bob_meta_end(m);
}

static void put_command(struct bob_meta *m)
{
	bob_meta_begin(m, BOB_REC_COMMAND);
	bob_meta_append(m, VG_(args_the_exename), VG_(strlen)(VG_(args_the_exename)) + 1);
	for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++) {
		const HChar *arg = *(HChar **)VG_(indexXA)(VG_(args_for_client), i);

		bob_meta_append(m, arg, VG_(strlen)(arg) + 1);
	}
	bob_meta_end(m);
}

/* The launchers of Open MPI, MPICH (hydra) and SLURM pass the rank in the environment. */
static void put_rank(struct bob_meta *m)
{
	static const HChar *const names[][2] = { { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
						 { "PMI_RANK", "PMI_SIZE" },
						 { "SLURM_PROCID", "SLURM_NTASKS" } };

	for (UInt i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const HChar *rank = VG_(getenv)(names[i][0]), *size = VG_(getenv)(names[i][1]);
		uint32_t v[2];

		if (!rank || !size)
			continue;
		v[0] = (uint32_t)VG_(strtoll10)(rank, NULL);
		v[1] = (uint32_t)VG_(strtoll10)(size, NULL);
		bob_meta_put(m, BOB_REC_RANK, v, sizeof(v));
		return;
	}
}

static void describe_process(void)
{
	struct bob_chunk_head *h = file.meta.head;
	struct bob_meta m;
	const HChar *wd = VG_(get_startup_wd)();
	SSizeT n;
	HChar *exe = VG_(malloc)("bobbin.exe", VGB_PATH);

	bob_meta_init(&m, bob_chunk_data(h), h->size);
	put_command(&m);
	VG_(client_fname)(exe, VGB_PATH, False);
	n = (SSizeT)VG_(strlen)(exe);
	bob_meta_put(&m, BOB_REC_EXE, exe, (uint64_t)n);
	VG_(free)(exe);
	if (wd)
		bob_meta_put(&m, BOB_REC_CWD, wd, VG_(strlen)(wd));
	put_rank(&m);
	put_env(&m, BOB_REC_CONFIG, ours);
	if (vgb_options.images == VGB_IMAGES_APP)
		bob_meta_put(&m, BOB_REC_RUNTIME_LIST, BOB_RUNTIME_LIST,
			     sizeof(BOB_RUNTIME_LIST) - 1);
	/* last, because it is the longest and the least important */
	put_env(&m, BOB_REC_ENV, kept);
	bob_chunk_set_len(h, m.len);
}

static void fill_head(struct bob_file_head *h, uint32_t seq, const HChar *host)
{
	bob_file_begin(h, BOB_FILE_PROCESS, host);
	h->pid = (uint32_t)VG_(getpid)();
	h->ppid = (uint32_t)VG_(getppid)();
	h->seq = seq;
	h->start_real_ns = vgb_time(True);
	h->start_mono_ns = vgb_time(False);
	if (file.has_parent) {
		h->parent_pid = file.parent.pid;
		h->parent_seq = file.parent.seq;
		h->parent_stream = file.parent.stream;
	}
	bob_file_seal(h);
}

static Bool create_named(uint32_t *seq, const HChar *host)
{
	HChar name[BOB_NAME_BYTES];

	for (*seq = 0; *seq < 100000; ++*seq) {
		Int got;

		bob_name_process(name, sizeof(name), host, (uint32_t)VG_(getpid)(), *seq);
		VG_(snprintf)(file.path, sizeof(file.path), "%s/%s", vgb_options.dir, name);
		got = vgb_create(file.path);
		if (got != -1)
			return got == 0;
	}
	return False;
}

static void place(struct vgb_chunk *c, void *at, enum bob_chunk_kind kind, uint32_t stream,
		  uint64_t bytes, uint64_t aux)
{
	c->head = at;
	c->bytes = bytes;
	bob_chunk_begin(c->head, kind, stream, bytes - sizeof(*c->head), aux);
}

static Bool open_file(void)
{
	enum bob_stop_reason why;
	HChar host[64];
	uint32_t seq;
	UChar *w = NULL;

	vgb_hostname(host, sizeof(host));
	if (create_named(&seq, host)) {
		w = vgb_map(file.path, 0, FIRST_BYTES, &why);
		if (!w)
			VG_(unlink)(file.path); /* leave no incomplete file */
	}
	if (!w) {
		file.stopped = True;
		return False;
	}
	file.head = (struct bob_file_head *)(void *)w;
	file.end = FIRST_BYTES;
	file.count++;
	file.desc_bytes = 2 * DESC_FIRST & ~(uint64_t)(VGB_PAGE - 1);
	fill_head(file.head, seq, host);
	place(&file.meta, w + BOB_FILE_HEAD_BYTES, BOB_CHUNK_META, BOB_STREAM_NONE, META_BYTES, 0);
	place(&file.desc, w + BOB_FILE_HEAD_BYTES + META_BYTES, BOB_CHUNK_MEM_DESC, BOB_STREAM_NONE,
	      DESC_FIRST, 0);
	describe_process();
	bob_file_set_used(file.head, file.end);
	vgb_image_describe();
	vgb_desc_describe();
	return !file.stopped;
}

Bool vgb_file_ready(void)
{
	if (file.stopped || !vgb_options.dir)
		return False;
	return file.head || open_file();
}

/* --- chunks --- */

Bool vgb_chunk_open(struct vgb_chunk *c, enum bob_chunk_kind kind, uint32_t stream, uint64_t bytes,
		    uint64_t aux)
{
	enum bob_stop_reason why;
	void *w;

	if (!vgb_file_ready())
		return False;
	w = vgb_map(file.path, file.end, bytes, &why);
	if (!w) {
		vgb_stop(why);
		return False;
	}
	place(c, w, kind, stream, bytes, aux);
	file.end += bytes;
	bob_file_set_used(file.head, file.end);
	return True;
}

uint64_t vgb_file_end_of(void)
{
	return file.end;
}

/* Whether the chunk is in the first window, which stays mapped. */
static Bool in_first(const struct vgb_chunk *c)
{
	const UChar *p = (const UChar *)c->head, *w = (const UChar *)file.head;

	return p >= w && p < w + FIRST_BYTES;
}

void vgb_chunk_close(struct vgb_chunk *c, uint64_t len)
{
	if (!c->head)
		return;
	bob_chunk_seal(c->head, len);
	if (!in_first(c))
		vgb_unmap(c->head, c->bytes);
	c->head = NULL;
}

void vgb_meta(enum bob_record_kind kind, const void *bytes, uint64_t len, const HChar *text)
{
	uint64_t need = sizeof(struct bob_record) + len + (text ? VG_(strlen)(text) : 0) + 8;
	struct bob_chunk_head *h;
	struct bob_meta m;

	if (!vgb_file_ready())
		return;
	h = file.meta.head;
	if (h && h->size - h->len < need) {
		vgb_chunk_close(&file.meta, h->len);
		h = NULL;
	}
	if (!h) {
		if (!vgb_chunk_open(&file.meta, BOB_CHUNK_META, BOB_STREAM_NONE, META_BYTES, 0))
			return;
		h = file.meta.head;
	}
	bob_meta_init(&m, bob_chunk_data(h), h->size);
	m.len = h->len;
	bob_meta_begin(&m, kind);
	bob_meta_append(&m, bytes, len);
	if (text)
		bob_meta_append(&m, text, VG_(strlen)(text));
	if (bob_meta_end(&m) == BOB_OK)
		bob_chunk_set_len(h, m.len);
}

Bool vgb_file_descs(const uint8_t *bytes, uint64_t len, uint32_t first)
{
	struct bob_chunk_head *h;

	if (!vgb_file_ready())
		return False;
	h = file.desc.head;
	if (h && h->size - h->len < len) {
		vgb_chunk_close(&file.desc, h->len);
		h = NULL;
	}
	if (!h) {
		while (file.desc_bytes < len + sizeof(*h))
			file.desc_bytes *= 2;
		if (!vgb_chunk_open(&file.desc, BOB_CHUNK_MEM_DESC, BOB_STREAM_NONE,
				    file.desc_bytes, first))
			return False;
		if (file.desc_bytes < DESC_MAX)
			file.desc_bytes *= 2;
		h = file.desc.head;
	}
	VG_(memcpy)((UChar *)bob_chunk_data(h) + h->len, bytes, len);
	bob_chunk_set_len(h, h->len + len);
	return True;
}

/* --- closing --- */

void vgb_file_state(enum bob_file_state state)
{
	if (file.head && !file.stopped)
		bob_file_end(file.head, state, BOB_STOP_NONE,
			     state == BOB_FILE_OPEN ? 0 : vgb_time(False));
}

void vgb_file_status(UWord code)
{
	if (file.head)
		bob_file_status(file.head, BOB_END_SELF, bob_exit_status(code));
}

void vgb_file_end(enum bob_file_state state)
{
	if (!file.head)
		return;
	vgb_chunk_close(&file.meta, file.meta.head ? file.meta.head->len : 0);
	vgb_chunk_close(&file.desc, file.desc.head ? file.desc.head->len : 0);
	vgb_file_state(state);
}

void vgb_file_forked(const struct vgb_parent *from)
{
	if (file.head) {
		if (file.meta.head && !in_first(&file.meta))
			vgb_unmap(file.meta.head, file.meta.bytes);
		if (file.desc.head && !in_first(&file.desc))
			vgb_unmap(file.desc.head, file.desc.bytes);
		vgb_unmap(file.head, FIRST_BYTES);
	}
	file.meta.head = file.desc.head = NULL;
	file.has_parent = from->seq != ~0u;
	file.parent = *from;
	file.head = NULL;
}
