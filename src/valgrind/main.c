/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tool's interface to Valgrind: options, start, end, and exec by the traced program.
 *   --dir=DIR  --images=main|app|all --from-start=yes|no --fold=yes|no --null=yes|no */
#include "instrument.h"

#include <elf.h>

#include <pub_tool_xarray.h>
#include <pub_tool_clientstate.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

extern Bool VG_(clo_trace_children); /* in Valgrind's core */

struct vgb_options vgb_options = { .fold = True };

static Bool follow; /* the value of --trace-children */

static Bool on_option(const HChar *arg)
{
	const HChar *images;

	if (VG_STR_CLO(arg, "--dir", vgb_options.dir)) {
	} else if (VG_BOOL_CLO(arg, "--from-start", vgb_options.from_start)) {
	} else if (VG_BOOL_CLO(arg, "--null", vgb_options.null)) {
	} else if (VG_BOOL_CLO(arg, "--fold", vgb_options.fold)) {
	} else if (VG_STR_CLO(arg, "--images", images)) {
		if (!VG_(strcmp)(images, "main"))
			vgb_options.images = VGB_IMAGES_MAIN;
		else if (!VG_(strcmp)(images, "app"))
			vgb_options.images = VGB_IMAGES_APP;
		else if (!VG_(strcmp)(images, "all"))
			vgb_options.images = VGB_IMAGES_ALL;
		else
			return False;
	} else {
		return False;
	}
	return True;
}

static void print_usage(void)
{
	VG_(printf)
	("    --dir=<directory>         where the trace goes\n"
	 "    --images=main|app|all     whose accesses [main]\n"
	 "    --from-start=no|yes       also those before main [no]\n"
	 "    --fold=yes|no             fold them [yes]\n"
	 "    --null=no|yes             write them nowhere, to time the rest [no]\n");
}

static void print_debug_usage(void)
{
	VG_(printf)("    (none)\n");
}

/* Every load must be visible, even if its value is not used: register updates after each
 * instruction prevent that VEX removes it as dead code. A superblock must end at a call. */
static void on_options_read(void)
{
	VG_(clo_vex_control).iropt_register_updates_default = VexRegUpdAllregsAtEachInsn;
	VG_(clo_px_file_backed) = VexRegUpdAllregsAtEachInsn;
	VG_(clo_vex_control).guest_chase = False;
	follow = VG_(clo_trace_children);
	/* set the name of the process to that of the program */
	VG_(prctl)(VKI_PR_SET_NAME, (ULong)VG_(basename)(VG_(args_the_exename)), 0, 0, 0);
	vgb_thread_init();
}

static void on_unmap(Addr a, SizeT len)
{
	vgb_image_unmapped(a, len);
}

/* --- exec --- */

/* Whether this tool could run the program. It cannot run 32-bit and set-user-ID programs, which
 * must run untraced. */
static Bool can_follow(const HChar *path)
{
	struct vg_stat st;
	Elf64_Ehdr e;
	SysRes fd;
	Int n;

	if (sr_isError(VG_(stat)(path, &st)) || st.mode & (VKI_S_ISUID | VKI_S_ISGID))
		return False;
	fd = VG_(open)(path, VKI_O_RDONLY, 0);
	if (sr_isError(fd))
		return False;
	n = VG_(read)((Int)sr_Res(fd), &e, sizeof(e));
	VG_(close)((Int)sr_Res(fd));
	if (n >= 2 && ((const HChar *)&e)[0] == '#' && ((const HChar *)&e)[1] == '!')
		return True;
	return n == (Int)sizeof(e) && !VG_(memcmp)(e.e_ident, ELFMAG, SELFMAG) &&
	       e.e_ident[EI_CLASS] == ELFCLASS64 && e.e_machine == EM_X86_64;
}

static void on_syscall(ThreadId id, UInt number, UWord *args, UInt count)
{
	(void)id, (void)count;
	if (number == __NR_exit_group)
		vgb_file_status(args[0]);
	if (number != __NR_execve && number != __NR_execveat)
		return;
	VG_(clo_trace_children) = follow && number == __NR_execve && args[0] &&
				  can_follow((const HChar *)args[0]);
	vgb_thread_exec(True);
	vgb_file_state(BOB_FILE_EXEC);
}

/* The process that waited for a child records its exit status. */
static void on_waited(UInt number, const UWord *args, UWord result)
{
	const vki_siginfo_t *info = (const vki_siginfo_t *)args[2];
	struct bob_rec_waited w;

	if (number == __NR_wait4 && (Int)result > 0 && args[1]) {
		w.pid = (uint32_t)result;
		w.status = *(const uint32_t *)args[1];
	} else if (number == __NR_waitid && !result && info && info->si_signo == VKI_SIGCHLD) {
		w.pid = (uint32_t)info->_sifields._sigchld._pid;
		w.status = bob_waitid_status(info->si_code, info->_sifields._sigchld._status);
	} else {
		return;
	}
	if (!w.pid || !bob_status_is_end(w.status))
		return;
	w.mono_ns = vgb_time(False);
	vgb_meta(BOB_REC_WAITED, &w, sizeof(w), NULL);
}

static void on_syscall_done(ThreadId id, UInt number, UWord *args, UInt count, SysRes result)
{
	(void)id, (void)count;
	if (!sr_isError(result))
		on_waited(number, args, sr_Res(result));
	if (number != __NR_execve && number != __NR_execveat)
		return;
	vgb_thread_exec(False); /* exec failed: continue */
	vgb_file_state(BOB_FILE_OPEN);
}

/* Valgrind's log is next to the trace; it is usually empty. */
static void remove_empty_log(void)
{
	HChar *path = VG_(malloc)("bobbin.log", VGB_PATH);
	struct vg_stat st;

	VG_(snprintf)(path, VGB_PATH, "%s/valgrind-%d.log", vgb_options.dir, VG_(getpid)());
	if (!sr_isError(VG_(stat)(path, &st)) && !st.size)
		VG_(unlink)(path);
	VG_(free)(path);
}

static void on_end(Int status)
{
	(void)status;
	vgb_thread_end_all();
	vgb_file_end(BOB_FILE_CLOSED);
	if (vgb_options.dir)
		remove_empty_log();
}

static void init(void)
{
	VG_(details_name)("bobbin");
	VG_(details_version)(NULL);
	VG_(details_description)("records memory accesses");
	VG_(details_copyright_author)
	("Copyright (C) the authors of Bobbin, GPL version 2 or later.");
	VG_(details_bug_reports_to)("the authors of Bobbin");
	VG_(details_avg_translation_sizeB)(400);
	VG_(basic_tool_funcs)(on_options_read, vgb_instrument, on_end);
	VG_(needs_command_line_options)(on_option, print_usage, print_debug_usage);
	VG_(needs_syscall_wrapper)(on_syscall, on_syscall_done);
	VG_(track_die_mem_munmap)(on_unmap);
}

VG_DETERMINE_INTERFACE_VERSION(init)
