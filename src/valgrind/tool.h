/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bobbin's Valgrind tool: records the loads and stores of a program in the format of
 * src/mem/record.h. It is a program of its own, linked with Valgrind's core. It runs in the process
 * of the traced program, one thread at a time (Valgrind's big lock), so it needs no locks. Its
 * functions are vgb_*, Valgrind's VG_(*).
 *
 * scan.c finds the accesses of a superblock; instrument.c inserts the code that writes records;
 * thread.c owns the cursors and the chunks that they point to; file.c writes the process file;
 * image.c assigns code to images; desc.c numbers descriptors; sync.c puts synchronisation marks. */
#ifndef BOB_VALGRIND_TOOL_H
#define BOB_VALGRIND_TOOL_H

#include <stddef.h>
#include <stdint.h>

#include <pub_tool_basics.h>

#include "archive/write/write.h"
#include "mem/record.h"
#include "mem/sync.h"

#define VGB_PAGE 4096u
#define VGB_PATH 4096u

enum vgb_images { VGB_IMAGES_MAIN, VGB_IMAGES_APP, VGB_IMAGES_ALL };

struct vgb_options {
	const HChar *dir;	/* directory of traces; NULL: recording is off */
	enum vgb_images images;
	Bool from_start;	/* record from the start, not from main on */
	Bool fold;		/* fold records; else they are kept raw */
	Bool null;		/* make records and drop them, to measure the cost of the engine
				 * alone */
};
extern struct vgb_options vgb_options;

/* --- os.c --- */

/* Allocate the range [off, off + size) of the file and map it for writing. NULL: failed, *why is
 * the reason. */
void *vgb_map(const HChar *path, uint64_t off, uint64_t size, enum bob_stop_reason *why);
void vgb_unmap(void *p, uint64_t size);
void *vgb_pages(uint64_t size); /* zeroed memory, freed by vgb_unmap; NULL: no memory */
Int vgb_create(const HChar *path); /* 0; -1: exists; -2: cannot be created */
uint64_t vgb_time(Bool real);
void vgb_hostname(HChar *buf, SizeT size);

/* --- file.c: one process file, created when something is first written --- */

/* The origin of a child of fork. */
struct vgb_parent {
	uint32_t pid, seq, stream;
};

/* A chunk with its own window. `head` is NULL once it is closed. */
struct vgb_chunk {
	struct bob_chunk_head *head;
	uint64_t bytes;		/* of the window, header included */
};

/* Ensure that the file exists. False: recording has stopped; the file's head has the reason. */
Bool vgb_file_ready(void);
/* False: as above. */
Bool vgb_chunk_open(struct vgb_chunk *c, enum bob_chunk_kind kind, uint32_t stream, uint64_t bytes,
		    uint64_t aux);
uint64_t vgb_file_end_of(void); /* the end of the most recent chunk */
/* Close a chunk with `len` bytes of payload. */
void vgb_chunk_close(struct vgb_chunk *c, uint64_t len);
/* Append a record to META; dropped if there is no space. */
void vgb_meta(enum bob_record_kind kind, const void *bytes, uint64_t len, const HChar *text);
/* Append encoded descriptors, numbered from `first` on. */
Bool vgb_file_descs(const uint8_t *bytes, uint64_t len, uint32_t first);
uint32_t vgb_file_seq(void); /* ~0: there is no file */
uint64_t vgb_file_count(void); /* number of files so far: increases when a child creates its own */
void vgb_file_state(enum bob_file_state state);
void vgb_file_status(UWord code); /* the process calls exit_group with this code */
/* Close META, descriptors and the file. */
void vgb_file_end(enum bob_file_state state);
void vgb_stop(enum bob_stop_reason why);
Bool vgb_stopped(void);
/* In the child of fork: detach from the parent's file. */
void vgb_file_forked(const struct vgb_parent *from);

/* --- image.c --- */

struct vgb_image {
	uint32_t number;	/* BOB_MEM_NO_IMAGE: none */
	uint64_t bias;
	Bool chosen;
	enum bob_sync_caller sync_caller;
	uint64_t fdes;		/* address of .eh_frame_hdr; 0: none */
};
/* The image that contains the code at `addr`. Valid until the next call. */
const struct vgb_image *vgb_image_at(Addr addr);
/* Whether a function begins at `addr`. */
Bool vgb_image_entry(const struct vgb_image *im, Addr addr);
/* Entry point of the program; 0: unknown. */
Addr vgb_image_start(void);
Bool vgb_image_in_main(Addr addr);
void vgb_image_unmapped(Addr addr, SizeT len);
/* Write all images again, to a new file. */
void vgb_image_describe(void);

/* --- desc.c --- */

/* The number of a descriptor; equal descriptors share it. ~0: recording has stopped. */
uint32_t vgb_desc_number(const struct bob_mem_desc *d);
/* Decode the descriptor into the caller's memory, as bob_mem_desc_get does. */
Bool vgb_desc_find(uint32_t number, struct bob_mem_desc *d, struct bob_mem_access *access,
		   struct bob_mem_step *step);
/* The decoded descriptor, which is never freed; NULL: there is none. */
const struct bob_mem_desc *vgb_desc_at(uint32_t number);
/* Write all descriptors again, to a new file. */
void vgb_desc_describe(void);

/* --- thread.c --- */

/* Position of the running thread's next record, and the end of its buffer. */
struct vgb_cursor {
	uint64_t at, end;
};
extern struct vgb_cursor vgb_cursor;

/* A header, and its placeholder while the words are being written, which readers do not take for a
 * header. Both are sign-extended 32-bit immediates. */
#define VGB_HEADER(number) (0xffffffff80000000ull | (number))
#define VGB_OPEN(number) ((uint64_t)(number) + 1)
#define VGB_NUMBERS_MAX 0x7ffffffeu

/* Called by instrumented code: reserve `bytes`. */
void vgb_buffer(HWord bytes);
/* Called by instrumented code: at the call of libc by the program's entry point, and at main. */
void vgb_start_called(HWord main);
void vgb_main_entered(void);
extern Addr vgb_main; /* address of main; 0: unknown yet */
extern Bool vgb_recording;

/* --- sync.c --- */
void vgb_sync_init(void);
/* A library with synchronisation functions was loaded: watch them. */
void vgb_sync_library(const HChar *path);
/* `parent` (0: none) creates `child` with this number; the child's first instruction; a fork: the
 * thread is alone in the child. */
void vgb_sync_thread(ThreadId parent, ThreadId child, uint64_t number);
void vgb_sync_begins(ThreadId id);
void vgb_sync_forked(ThreadId id);
enum vgb_watch { VGB_WATCH_NOTHING = 0, VGB_WATCH_ENTRY = 1, VGB_WATCH_RETURN = 2 };
/* What a superblock that begins at `at` must call. */
enum vgb_watch vgb_sync_watched(Addr at);
/* Called by instrumented code, with the superblock's address and registers. */
void vgb_sync_entered(HWord at, HWord rdi, HWord rsi, HWord rdx, HWord sp);
void vgb_sync_returned(HWord at, HWord rax, HWord sp);

/* Put a mark into the thread's stream at once. */
void vgb_thread_mark(ThreadId id, enum bob_sync_kind kind, const uint64_t *word, uint32_t words);
void vgb_thread_init(void);
void vgb_thread_end_all(void);
/* Before exec, and after an exec that failed. */
void vgb_thread_exec(Bool begins);

#endif
