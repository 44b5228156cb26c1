/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads, their streams, and the record buffers. A buffer is a mapped chunk, so its contents
 * survive the process. Full buffers are folded (archive/write/mem_write.h) or kept raw.
 * Instrumented code writes at vgb_cursor.at, the words first and the header last, and requests
 * space once per superblock. While recording is off, it writes to scratch memory instead. */
#include "tool.h"

#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_machine.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_tooliface.h>
#include <pub_tool_xarray.h>

#include "archive/write/mem_write.h"

#define SCRATCH_BYTES (256u << 10)
#define BUFFER_FIRST (64u << 10)
#define BUFFER_MAX (4u << 20)

struct thread {
	uint64_t at, end;	/* the thread's cursor while it is not running */
	Bool has_buffer;
	struct vgb_chunk head;
	struct bob_mem_writer *writer; /* of a folded stream; NULL: raw or not begun */
	void *fold_mem;		/* working memory of the writer */
	XArray *windows;	/* of struct vgb_chunk: the chunks that the writer got */
	struct vgb_chunk raw;	/* of a raw stream */
	uint64_t words;		/* in closed chunks */
	uint64_t capacity;		/* size of the next chunk in bytes */
	uint32_t stream;
	uint64_t file;		/* vgb_file_count when the stream was opened; 0: no stream */
	Int tid;
};

struct vgb_cursor vgb_cursor;
Addr vgb_main;
Bool vgb_recording;

static struct thread *threads; /* indexed by Valgrind's thread number */
static uint64_t *scratch;
static ThreadId running;	/* owner of vgb_cursor; VG_INVALID_THREADID: none */
static uint32_t made; /* number of threads so far; streams are numbered in this order */

static void use_scratch(void)
{
	vgb_cursor.at = (uint64_t)scratch;
	vgb_cursor.end = vgb_cursor.at + SCRATCH_BYTES;
}

static Bool in_scratch(uint64_t at)
{
	return at - (uint64_t)scratch <= SCRATCH_BYTES;
}

/* --- streams --- */

static struct bob_stream_head *stream_head(struct thread *t)
{
	return bob_chunk_data(t->head.head);
}

static Bool open_stream(struct thread *t)
{
	struct bob_stream_head *h;

	if (!vgb_file_ready())
		return False;
	if (!vgb_chunk_open(&t->head, BOB_CHUNK_STREAM, t->stream, VGB_PAGE, 0))
		return False;
	t->file = vgb_file_count();
	t->words = 0;
	t->capacity = BUFFER_FIRST;
	h = stream_head(t);
	/* the stream has no calls: use the codec that stores nothing */
	h->run.codec = BOB_CODEC_NULL;
	h->tid = (uint32_t)(t->tid ? t->tid : VG_(gettid)());
	h->start_mono_ns = vgb_time(False);
	bob_chunk_set_len(t->head.head, sizeof(*h));
	return True;
}

/* --- raw buffers --- */

static void close_raw(struct thread *t)
{
	uint64_t len;

	if (!t->raw.head)
		return;
	len = t->at - (uint64_t)bob_chunk_data(t->raw.head);
	t->words += len / 8;
	vgb_chunk_close(&t->raw, len);
}

static Bool open_raw(struct thread *t, uint64_t need)
{
	uint64_t bytes = t->capacity;

	close_raw(t);
	while (bytes - sizeof(struct bob_chunk_head) < need)
		bytes *= 2;
	if (t->capacity < BUFFER_MAX)
		t->capacity *= 2;
	if (!vgb_chunk_open(&t->raw, BOB_CHUNK_RAW, t->stream, bytes, t->words))
		return False;
	t->at = (uint64_t)bob_chunk_data(t->raw.head);
	t->end = t->at + t->raw.head->size;
	return True;
}

/* --- folded buffers --- */

/* Create a chunk of whole pages for the writer; it stays mapped until the thread ends. */
static struct bob_chunk_head *new_chunk(void *ctx, enum bob_chunk_kind kind, uint32_t stream,
					uint64_t size, uint64_t aux, uint64_t *off)
{
	struct thread *t = ctx;
	struct vgb_chunk c;
	uint64_t bytes = (size + sizeof(*c.head) + VGB_PAGE - 1) & ~(uint64_t)(VGB_PAGE - 1);

	if (!vgb_chunk_open(&c, kind, stream, bytes, aux))
		return NULL;
	*off = vgb_file_end_of() - bytes;
	VG_(addToXA)(t->windows, &c);
	return c.head;
}

static const struct bob_mem_desc *find_desc(void *ctx, uint32_t number)
{
	(void)ctx;
	return vgb_desc_at(number);
}

static Bool begin_folded(struct thread *t)
{
	t->fold_mem = vgb_pages(bob_mem_writer_size());
	if (!t->fold_mem) {
		vgb_stop(BOB_STOP_MEMORY);
		return False;
	}
	t->windows = VG_(newXA)(VG_(malloc), "bobbin.windows", VG_(free), sizeof(struct vgb_chunk));
	t->writer = VG_(malloc)("bobbin.writer", sizeof(*t->writer));
	return bob_mem_writer_begin(t->writer, t->fold_mem, new_chunk, t, t->stream, find_desc,
				    NULL) == BOB_OK;
}

static Bool open_folded(struct thread *t, uint64_t need)
{
	uint64_t *at, *end;
	bob_status why;

	if (!t->writer && !begin_folded(t))
		return False;
	at = bob_mem_writer_next(t->writer, (uint64_t *)t->at, need, &end, &why);
	if (!at) {
		if (why != BOB_ERR_FULL)
			vgb_stop(BOB_STOP_INTERNAL);
		return False;
	}
	t->at = (uint64_t)at;
	t->end = (uint64_t)end;
	return True;
}

/* Free the memory of a folded stream; its windows remain in the file. */
static void forget_folded(struct thread *t)
{
	if (t->windows)
		for (Word i = 0; i < VG_(sizeXA)(t->windows); i++) {
			struct vgb_chunk *c = VG_(indexXA)(t->windows, i);

			vgb_unmap(c->head, c->bytes);
		}
	if (t->windows)
		VG_(deleteXA)(t->windows);
	VG_(free)(t->writer);
	if (t->fold_mem)
		vgb_unmap(t->fold_mem, bob_mem_writer_size());
	t->windows = NULL;
	t->writer = NULL;
	t->fold_mem = NULL;
}

/* --- buffers --- */

static Bool open_buffer(struct thread *t, uint64_t need)
{
	if (t->file != vgb_file_count() || !t->file)
		if (!open_stream(t))
			return False;
	t->has_buffer = vgb_options.fold ? open_folded(t, need) : open_raw(t, need);
	return t->has_buffer;
}

static void close_buffer(struct thread *t)
{
	if (t->writer && t->has_buffer)
		bob_mem_writer_end(t->writer, (uint64_t *)t->at);
	close_raw(t);
	forget_folded(t);
	t->has_buffer = False;
}

/* --- the running thread's cursor --- */

static void on_start(ThreadId id, ULong blocks)
{
	(void)blocks;
	running = id;
	vgb_cursor.at = threads[id].at;
	vgb_cursor.end = threads[id].end;
}

/* Save vgb_cursor as the running thread's cursor. */
static void save_cursor(ThreadId id)
{
	/* scratch is shared; while recording, a thread without a buffer requests one */
	if (in_scratch(vgb_cursor.at) || !threads[id].has_buffer) {
		threads[id].at = threads[id].end = 0;
		return;
	}
	threads[id].at = vgb_cursor.at;
	threads[id].end = vgb_cursor.end;
}

/* --- records written by the tool itself --- */

static void put_record(struct thread *t, uint32_t number, const uint64_t *word, uint32_t words)
{
	uint64_t *to;

	if (number == ~0u)
		return;
	if (!t->has_buffer || t->end - t->at < 8 * (words + 1ull))
		if (!open_buffer(t, 8 * (words + 1ull)))
			return;
	to = (uint64_t *)t->at;
	for (uint32_t i = 0; i < words; i++)
		to[1 + i] = word[i];
	__atomic_store_n(to, VGB_HEADER(number), __ATOMIC_RELEASE);
	t->at += 8 * (words + 1ull);
}

static void put_mark(struct thread *t, enum bob_mem_mark mark, const uint64_t *word, uint32_t words)
{
	struct bob_mem_desc d = { .kind = BOB_MEM_MARK, .mark = (uint8_t)mark,
				  .words = (uint8_t)words, .image = BOB_MEM_NO_IMAGE };

	put_record(t, vgb_desc_number(&d), word, words);
}

void vgb_thread_mark(ThreadId id, enum bob_sync_kind kind, const uint64_t *word, uint32_t words)
{
	struct bob_mem_desc d = { .kind = BOB_MEM_MARK, .mark = BOB_MEM_SYNC, .sync = (uint8_t)kind,
				  .words = (uint8_t)words, .image = BOB_MEM_NO_IMAGE };

	if (running == id)
		save_cursor(id);
	put_record(&threads[id], vgb_desc_number(&d), word, words);
	if (running == id)
		on_start(id, 0);
}

/* An instruction faulted within a piece. The preceding accesses of the piece have happened; they
 * become a record with a truncated descriptor. If the program continues, the rest begins another
 * piece. */
static void cut_open_record(struct thread *t, Addr pc)
{
	static struct bob_mem_access access[BOB_MEM_ACCESSES_MAX];
	static struct bob_mem_step step[BOB_MEM_WORDS_MAX];
	uint64_t *at = (uint64_t *)t->at, word[BOB_MEM_WORDS_MAX];
	const struct vgb_image *im;
	struct bob_mem_desc d;
	uint32_t used = 0, n = 0;

	if (!t->has_buffer || t->at >= t->end || !*at || *at & BOB_MEM_HEADER)
		return;
	if (!vgb_desc_find((uint32_t)*at - 1, &d, access, step))
		return;
	im = vgb_image_at(pc);
	VG_(memcpy)(word, at + 1, d.words * sizeof(*word));
	VG_(memset)(at, 0, (d.words + 1u) * sizeof(*at)); /* free space must be zeroed */
	while (n < d.access_count && d.pc + d.access[n].pc < pc - im->bias)
		n++;
	for (uint32_t i = 0; i < n; i++) {
		if (access[i].word != BOB_MEM_NO_WORD && access[i].word >= used)
			used = access[i].word + 1u;
		if (access[i].guard != BOB_MEM_NO_WORD && access[i].guard >= used)
			used = access[i].guard + 1u;
	}
	d.flow &= BOB_MEM_ENTERS;
	if (d.flow && d.sp_word >= used)
		used = d.sp_word + 1u;
	if (!d.flow)
		d.sp_word = BOB_MEM_NO_WORD;
	d.sp_end = d.sp_begin;
	if (!n && !d.flow)
		return;
	d.last = n ? access[n - 1].pc : 0;
	d.access_count = n;
	d.words = (uint8_t)used;
	put_record(t, vgb_desc_number(&d), word, used);
}

/* --- called by instrumented code --- */

void vgb_buffer(HWord bytes)
{
	struct thread *t = &threads[VG_(get_running_tid)()];

	if (vgb_recording && !vgb_stopped()) {
		if (t->has_buffer)
			t->at = vgb_cursor.at;
		if (open_buffer(t, bytes)) {
			vgb_cursor.at = t->at;
			vgb_cursor.end = t->end;
			return;
		}
	}
	t->has_buffer = False;
	tl_assert(bytes <= SCRATCH_BYTES);
	use_scratch();
}

void vgb_main_entered(void)
{
	if (vgb_recording || vgb_options.null)
		return;
	vgb_recording = True;
	vgb_cursor.at = vgb_cursor.end = 0;
}

/* The first argument of __libc_start_main is main. If it is not an address in the executable,
 * recording starts here. */
void vgb_start_called(HWord main)
{
	if (vgb_image_in_main(main))
		vgb_main = main;
	else
		vgb_main_entered();
}

/* --- callbacks of Valgrind --- */

static void on_stop(ThreadId id, ULong blocks)
{
	(void)blocks;
	save_cursor(id);
	running = VG_INVALID_THREADID;
}

static void on_create(ThreadId id, ThreadId child)
{
	(void)id;
	VG_(memset)(&threads[child], 0, sizeof(threads[child]));
	threads[child].stream = made++;
	vgb_sync_thread(id == child ? VG_INVALID_THREADID : id, child, threads[child].stream);
}

static void on_first_instruction(ThreadId id)
{
	threads[id].tid = VG_(gettid)();
	if (vgb_recording && !vgb_stopped())
		vgb_sync_begins(id);
}

static void end_thread(ThreadId id, enum bob_thread_state state)
{
	struct thread *t = &threads[id];

	if (t->head.head) {
		struct bob_stream_head *h = stream_head(t);

		close_buffer(t);
		h->end_mono_ns = vgb_time(False);
		h->state = (uint32_t)state;
		vgb_chunk_close(&t->head, sizeof(*h));
	}
	VG_(memset)(t, 0, sizeof(*t));
}

static void on_exit(ThreadId id)
{
	end_thread(id, BOB_THREAD_ENDED);
}

/* A fault is delivered within a superblock, other signals between superblocks. */
static void on_signal(ThreadId id, Int signal, Bool alt_stack)
{
	uint64_t word[2] = { (uint64_t)signal, 0 };

	(void)alt_stack;
	if (!vgb_recording || vgb_stopped())
		return;
	if (running == id)
		save_cursor(id);
	cut_open_record(&threads[id], VG_(get_IP)(id));
	put_mark(&threads[id], BOB_MEM_SIGNAL_BEGIN, word, 2);
	if (running == id)
		on_start(id, 0);
}

static void on_signal_return(ThreadId id, Int signal)
{
	(void)signal;
	if (!vgb_recording || vgb_stopped())
		return;
	if (running == id)
		save_cursor(id);
	put_mark(&threads[id], BOB_MEM_SIGNAL_END, NULL, 0);
	if (running == id)
		on_start(id, 0);
}

/* Only the forking thread exists in the child. It gets a stream in a new file as soon as it has
 * something to write. The buffers belong to the parent. */
static void on_fork_child(ThreadId id)
{
	struct vgb_parent from = { .pid = (uint32_t)VG_(getppid)(), .seq = vgb_file_seq(),
				   .stream = threads[id].head.head ? threads[id].stream : ~0u };

	for (UInt i = 0; i < VG_N_THREADS; i++) {
		struct thread *t = &threads[i];

		forget_folded(t);
		if (t->raw.head)
			vgb_unmap(t->raw.head, t->raw.bytes);
		if (t->head.head)
			vgb_unmap(t->head.head, t->head.bytes);
		VG_(memset)(t, 0, sizeof(*t));
	}
	made = 1;
	vgb_sync_forked(id);
	threads[id].tid = VG_(gettid)();
	vgb_file_forked(&from);
}

void vgb_thread_init(void)
{
	threads = VG_(calloc)("bobbin.threads", VG_N_THREADS, sizeof(*threads));
	scratch = VG_(malloc)("bobbin.scratch", SCRATCH_BYTES);
	vgb_recording = vgb_options.from_start && !vgb_options.null;
	vgb_sync_init();
	VG_(track_start_client_code)(on_start);
	VG_(track_stop_client_code)(on_stop);
	VG_(track_pre_thread_ll_create)(on_create);
	VG_(track_pre_thread_first_insn)(on_first_instruction);
	VG_(track_pre_thread_ll_exit)(on_exit);
	VG_(track_pre_deliver_signal)(on_signal);
	VG_(track_post_deliver_signal)(on_signal_return);
	VG_(atfork)(NULL, NULL, on_fork_child);
}

void vgb_thread_exec(Bool begins)
{
	for (UInt i = 0; i < VG_N_THREADS; i++) {
		struct bob_stream_head *h;

		if (!threads[i].head.head)
			continue;
		h = stream_head(&threads[i]);
		h->state = begins ? BOB_THREAD_AT_EXIT : BOB_THREAD_LIVE;
		h->end_mono_ns = begins ? vgb_time(False) : 0;
	}
}

void vgb_thread_end_all(void)
{
	for (UInt i = 0; i < VG_N_THREADS; i++) {
		if (threads[i].has_buffer)
			cut_open_record(&threads[i], VG_(get_IP)(i));
		if (threads[i].head.head)
			end_thread(i, BOB_THREAD_AT_EXIT);
	}
}
