#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
# ctest: memory "regs app" "errno app" "seccomp filter app" "user_dispatch main" "vfork app"
# "sigchld app" "signals app" "clone app" "clone all" "cancel app" "cancel all" "leaves app" "daemon
# app" "exec_chain app" "exec_thread app" "descriptors app"
"""The program does not notice: same stdout, stderr, status or signal, and same files, with and
without recording, for programs of the system and for our own difficult ones. What may differ in
the environment is LD_PRELOAD and variables named BOBBIN_*; nothing else."""

import hashlib
import os
import shutil
import signal
import sys

import harness as h

# --native: run everything twice without recording; shows which cases do not repeat by themselves.
NATIVE = "--native" in sys.argv
suite = h.Suite("transparent")

HELLO_C = r"""
#include <stdio.h>
static int square(int x) { return x * x; }
int main(void)
{ int s = 0; for (int i = 0; i < 10; i++) s += square(i); printf("%d\n", s); return 0; }
"""
WORDS = "\n".join(f"line {i * 7919 % 1000} {'abc'[i % 3]} x{i}" for i in range(3000)) + "\n"
AWK = "{ n[$3] += $2 } END { for (k in n) print k, n[k] | \"sort\"; close(\"sort\"); exit 3 }"
BASH_TRAPS = r"""
trap 'echo usr1' USR1; trap 'echo bye $?' EXIT
kill -USR1 $$; ( trap 'echo inner' EXIT; echo sub; exit 4 ); echo "status $?"
seq 100 | while read n; do echo $((n * n)); done | sort -n | tail -1
f() { local x=$1; ((x == 0)) && return 0; f $((x - 1)); }; f 50
echo $(( $(echo 5) + $(echo 6) )) > >(cat); wait; (kill -TERM $BASHPID); echo "killed $?"
for i in 1 2 3; do (sleep 0.0$i; exit $i) & done; wait -n; wait; coproc cat; echo hi >&${COPROC[1]}
read -u ${COPROC[0]} line; echo "co $line"; exec 3</dev/null; exit 17
"""
PYTHON = r"""
import ctypes, multiprocessing, os, queue, re, signal, subprocess, sys, threading, json, decimal
q = queue.Queue()
ts = [threading.Thread(target=lambda i=i: q.put(sum(range(i * 1000)))) for i in range(8)]
[t.start() for t in ts]; [t.join() for t in ts]
print(sorted(q.get() for _ in ts))
print(subprocess.run(["sh", "-c", "echo out; echo err >&2; exit 6"], capture_output=True))
print(json.dumps({"a": [1, 2, {"b": None}]}), re.sub(r"(a+)b", r"\1", "aaab ab"),
      decimal.Decimal(2).sqrt())
pid = os.fork()
if pid == 0: os._exit(9)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
def handler(*a): print("alarm")
signal.signal(signal.SIGALRM, handler); signal.setitimer(signal.ITIMER_REAL, 0.01); signal.pause()
print(ctypes.CDLL(None).abs(-5))
cb = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
try: raise ValueError(3)
except ValueError as e: print(repr(e), file=sys.stderr)
sys.exit(12)
"""
SQL = """create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x+1 from c where x<3000)
insert into t select x, printf('%d-%d', x, x*x%97) from c;
create index i on t(b); select count(*), sum(a) from t where b like '%-3%';
select b, count(*) from t group by substr(b, -1) order by 2 desc limit 5; pragma integrity_check;
select * from nosuch;
"""
PERL = r"""
my %h; $h{$_ % 7} .= chr(65 + $_ % 26) for 1..500; print "$_=$h{$_}\n" for sort keys %h;
my $r = `echo sub; exit 3`; print $r, $? >> 8, "\n"; local $SIG{ALRM} = sub { die "alarm\n" };
eval { kill ALRM => $$; select(undef, undef, undef, 1) }; print $@; warn "w\n"; exit 5;
"""
GIT = """set -e
export GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
git init -q -b m r; cd r; git config user.name n; git config user.email e@x
for i in 1 2 3; do cp ../words w$i; echo $i >> w$i; git add .; git commit -qm c$i; done
git log --oneline; git diff HEAD~1 --stat; git gc -q; git fsck; git rev-parse HEAD
git status --short
git checkout -q nosuch
"""
MAKEFILE = ("all: a b c\n\tcat a b c > d\na b c:\n\techo $@ > $@\n\t@test -f $@ && echo made $@\n"
            "bad:\n\tfalse\n")
NODE = """
const f = n => n < 2 ? n : f(n - 1) + f(n - 2);
console.log(f(20)); const s = new Set([3, 1, 2].map(x => x * x)); console.log([...s].sort());
setTimeout(() => { console.error('late'); process.exit(4) }, 300);
new Promise(r => setImmediate(r)).then(() => console.log('promise'));
"""


def populate(d):
    d.mkdir()
    (d / "hello.c").write_text(HELLO_C)
    (d / "words").write_text(WORDS)
    (d / "traps.sh").write_text(BASH_TRAPS)
    (d / "s.py").write_text(PYTHON)
    (d / "Makefile").write_text(MAKEFILE)
    for path in [d, *d.iterdir()]:
        os.utime(path, (1577836800, 1577836800))


def contents(d):
    found = {}
    for path in sorted(d.rglob("*")):
        name = str(path.relative_to(d))
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            found[name] = "directory or other"
    return found


def both(argv, stdin=b"", opts=(), files=True, env=None, ignore=(), events=1, trace=True, **kw):
    """Run natively and recorded in a directory of the same path and content; compare all."""
    base = h.fresh("both")
    d = base / "w"
    seen = []
    for traced in (False, True):
        populate(d)
        args = dict(env=h.environment(env), cwd=d, stdin=stdin, **kw)
        recorded = traced and not NATIVE
        r = h.record(argv, opts, trace=base / "t", **args) if recorded else h.run(argv, **args)
        seen.append((r, contents(d)))
        shutil.rmtree(d)
    (native, before), (traced, after) = seen
    h.same(native, traced)
    if files:
        differ = {k for k in before.keys() | after.keys() if before.get(k) != after.get(k)}
        differ = {k for k in differ if not any(w in k for w in ignore)}
        h.check(not differ, f"files differ: {sorted(differ)[:10]}")
    if trace and not NATIVE:
        h.check_trace(base / "t")
        got = h.recorded(base / "t")
        h.check(got >= events, f"{got} events recorded, expected at least {events}")
    return traced


def system(name, argv, images=("app", "all"), **kw):
    """One case per --images value."""

    def one(mode):
        h.need(argv[0])
        both(argv, opts=[f"--images={mode}"], **kw)

    for mode in images:
        suite.add(f"{name} {mode}", one, mode)


A_FEW = ("all",)
system("ls", ["ls", "-la", "/usr/lib/x86_64-linux-gnu"])
system("ls fails", ["ls", "/nonexistent"])
system("true", ["true"])
system("false", ["false"], A_FEW)
system("sort", ["sort", "-k2", "-n", "-r", "--parallel=2", "words"])
system("grep", ["grep", "-nE", "(1|2)+ [ab] x[0-9]*5$", "words"])
system("sed", ["sed", "-ne", "s/line \\([0-9]*\\)/<\\1>/p;5q", "words"], A_FEW)
system("awk", ["awk", AWK, "words"])
system("perl", ["perl", "-e", PERL])
system("python", ["python3", "s.py"])
system("sqlite", ["sqlite3", ":memory:"], stdin=SQL.encode())
system("bash", ["bash", "traps.sh"])
system("dash", ["sh", "-c", "cat words | wc -l; (exit 3) || echo $?; kill -9 $$"], A_FEW)
system("tar", ["tar", "--sort=name", "-cvzf", "a.tgz", "words", "hello.c"], A_FEW, ignore=(".tgz",))
system("gzip", ["gzip", "-nkv9", "words"], A_FEW)
system("xz", ["xz", "-k", "-T2", "words"])
system("find", ["find", ".", "-name", "*.c", "-exec", "wc", "-l", "{}", ";"], A_FEW)
system("git", ["sh", "-c", GIT], A_FEW, ignore=("r/.git/index", "r/.git/logs"))
system("make", ["make", "all"])
system("make jobs", ["sh", "-c", "make -sj3 all >out; sort out; rm out"], A_FEW)
system("make fails", ["make", "bad"], A_FEW)
system("gcc", ["gcc", "-O2", "-g0", "-c", "-o", "hello.o", "hello.c"])
system("gcc links", ["gcc", "-o", "hello", "hello.c"], A_FEW)
system("gcc error", ["gcc", "-fsyntax-only", "-x", "c", "words"], A_FEW)
system("ld", ["ld", "--help"], A_FEW)
system("gdb", ["gdb", "--version"], A_FEW)
system("openssl", ["openssl", "dgst", "-sha256", "-sha512", "words"], A_FEW)
system("bc", ["bc", "-lq"], stdin=b"scale=50; 4*a(1)\n2^200\nquit\n")
system("node", ["node", "-e", NODE])
system("xargs", ["xargs", "-n1", "-P2", "sh", "-c", "exit 3"], A_FEW, stdin=b"1 2 3")
system("timeout", ["timeout", "-s", "INT", "0.2", "sleep", "5"], A_FEW)
system("env -i", ["env", "-i", "/bin/echo", "x"], A_FEW)
system("date", ["date", "-d", "@0"], A_FEW)
system("dd", ["dd", "if=/dev/zero", "bs=1k", "count=100", "status=none"], A_FEW)


def ours(name, argv, modes=("app", "all"), sources=None, flags=("-O2", "-pthread"), **kw):
    def one(mode):
        exe = h.compile(name, sources or [f"{name}.c"], "gcc", [*flags, "-w"])
        both([exe, *argv], opts=[f"--images={mode}"], **kw)

    for mode in modes:
        suite.add(" ".join([name, *argv, mode]), one, mode)


ours("errno", [], ("main", "app", "all"))
ours("regs", [], ("main", "app", "all"), sources=["regs.c", "regs_asm.S"])
for sandbox in ("strict", "filter", "errno"):
    ours("seccomp", [sandbox], trace=False)
ours("user_dispatch", [], ("main", "all"), trace=False)
PROCESS_MODES = """descriptors close_all wait_any sigchld vfork spawn exec_empty exec_fails
environment exec_chain exec_thread fork200 rlimit_nofile rlimit_as rlimit_fsize chroot deleted_cwd
signals dispositions clone thread_exit cancel main_thread_leaves daemon""".split()
# Recording may end early in these, so the trace is not asked to be whole.
EARLY = {"rlimit_nofile", "rlimit_as", "rlimit_fsize", "chroot", "close_all"}
for word in PROCESS_MODES:
    if h.MEM and word == "dispositions":
        continue  # /proc says that SIGTRAP has a handler: documented
    ours("process", [word], trace=word not in EARLY)


def stress(mode):
    exe = h.compile("stress", ["stress.c"], "gcc", ["-O2", "-w", "-pthread"], ["-ldl"])
    libs = [
        h.compile(f"libstress{i}.so", ["stress_lib.c"], "gcc",
                  ["-O2", "-fPIC", "-shared", f"-DCOPY={i}"])
        for i in range(3)
    ]
    both([exe, *libs], opts=[f"--images={mode}"])


for images in ("main", "app", "all"):
    suite.add(f"threads x fork x dlopen {images}", stress, images)


@suite.case("all modes of process.c are listed here")
def _():
    exe = h.compile("process", ["process.c"], "gcc", ["-O2", "-pthread", "-w"])
    h.check(h.run([exe, "list"]).out.decode().split() == PROCESS_MODES, "PROCESS_MODES is stale")


# --- environment and standard descriptors ---


@suite.case("environment: only LD_PRELOAD and BOBBIN_* differ")
def _():
    env = h.environment({"EMPTY": "", "WITH_NEWLINE": "a\nb", "LD_BIND_NOW": "1"})
    native = h.run(["env", "-0"], env=env)
    traced = h.record(["env", "-0"], env=env)

    def own(out):
        words = [w for w in out.split(b"\0") if w]
        return [w for w in words if not w.startswith((b"LD_PRELOAD=", b"BOBBIN_"))]

    h.check(own(native.out) == own(traced.out), f"native {native}\nrecorded {traced}")


@suite.case("environment: the user's LD_PRELOAD stays in effect")
def _():
    lib = h.compile("libstress0.so", ["stress_lib.c"], "gcc",
                    ["-O2", "-fPIC", "-shared", "-DCOPY=0"])
    env = h.environment({"LD_PRELOAD": str(lib)})
    script = "grep -c libstress0 /proc/self/maps"
    native = h.run(["sh", "-c", script], env=env)
    traced = h.record(["sh", "-c", script], env=env)
    h.check(int(native.out) > 0, "the test's own preload does not work")
    h.same(native, traced)


@suite.case("argv, cwd, umask and stdin arrive unchanged")
def _():
    script = 'pwd; umask; printf "%s|" "$0" "$@"; cat'
    argv = ["sh", "-c", script, "zero", "", "a b", "--", "-o", "x", "*"]
    both(argv, stdin=b"some input\0more", umask=0o027)


def closed(which):
    """Start with standard descriptors closed: the program must not find ours in their place."""
    exe = h.compile("process", ["process.c"], "gcc", ["-O2", "-pthread", "-w"])
    out = h.fresh("closed") / "out"
    shell = f'exec "$@" > "{out}" {which}'
    seen = []
    for argv in ([exe, "descriptors"], None):
        if argv is None:
            trace = h.fresh("trace") / "t"
            argv = [h.BOBBIN, "record", "-q", "-o", trace, "--", exe, "descriptors"]
        r = h.run(["sh", "-c", shell, "sh", *argv])
        seen.append((r.status, out.read_bytes()))
    h.check(seen[0] == seen[1], f"native {seen[0]}, recorded {seen[1]}")


for which in ("<&-", "2>&-", "<&- 2>&-"):
    suite.add(f"closed descriptors {which}", closed, which)


@suite.case("closed stdout")
def _():
    exe = h.compile("process", ["process.c"], "gcc", ["-O2", "-pthread", "-w"])
    trace = h.fresh("trace") / "t"
    native = h.run(["sh", "-c", '"$@" >&-', "sh", exe, "exit", "13"])
    argv = [h.BOBBIN, "record", "-q", "-o", trace, "--", exe, "exit", "13"]
    h.same(native, h.run(["sh", "-c", '"$@" >&-', "sh", *argv]))


# --- status conventions and refusals ---


def small():
    return h.compile("process", ["process.c"], "gcc", ["-O2", "-pthread", "-w"])


for code in (0, 1, 2, 77, 125, 126, 127, 128, 255):
    suite.add(f"exit status {code}", lambda code=code: both([small(), "exit", str(code)]) and None)

for sig in ("HUP", "INT", "QUIT", "ABRT", "KILL", "SEGV", "PIPE", "ALRM", "TERM", "USR1", "BUS",
            "XCPU"):
    suite.add(
        f"ends by SIG{sig}",
        lambda sig=sig: both(["sh", "-c", f"ulimit -c 0; kill -{sig} $$; sleep 1"], files=False)
        and None,
    )


@suite.case("signals sent to the launcher reach the program")
def _():
    script = 'trap "echo got term; exit 9" TERM; echo ready; while :; do sleep 0.02; done'
    trace = h.fresh("trace") / "t"
    argv = [h.BOBBIN, "record", "-q", "-o", str(trace), "--", "bash", "-c", script]
    pipes = {"stdout": h.subprocess.PIPE, "stderr": h.subprocess.PIPE}
    with h.subprocess.Popen(argv, env=h.environment(), start_new_session=True, **pipes) as p:
        try:
            h.check(p.stdout.readline() == b"ready\n", "the program did not start")
            p.send_signal(signal.SIGTERM)
            out, err = p.communicate(timeout=20)
        except h.subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            raise h.Failure("SIGTERM to the launcher did not end the program") from None
    h.check((p.returncode, out) == (9, b"got term\n"), f"status {p.returncode}, {out!r}, {err!r}")


def refusal(argv, status, started=b"", **kw):
    """The tool's own failure: that status, one message on stderr, nothing from the program."""
    r = h.record(argv, **kw)
    h.check(r.status == status, f"expected status {status}\n{r}")
    h.check(r.err.strip() != b"", f"no message\n{r}")
    h.check(not started or started not in r.out, f"the program was started\n{r}")
    return r


@suite.case("missing program: 127")
def _():
    refusal(["/nonexistent/program"], 127)
    refusal(["no-such-program-anywhere"], 127)


@suite.case("not executable: 126")
def _():
    path = h.fresh("file") / "plain"
    path.write_text("echo hi\n")
    refusal([path], 126)
    refusal([path.parent], 126)


@suite.case("unwritable directory: 125, program not started")
def _():
    refusal(["echo", "started"], 125, b"started", trace="/proc/nowhere/t")


@suite.case("no command, unknown option: 125")
def _():
    for argv in (["record"], ["record", "--"], ["record", "--no-such-option", "--", "true"]):
        r = h.run([h.BOBBIN, *argv])
        h.check(r.status == 125 and r.err, f"expected 125 and a message\n{r}")
    r = h.run([h.BOBBIN, "record", "--images=some", "--", "true"])
    h.check(r.status == 125, f"a bad value of --images\n{r}")


@suite.case("static program: clear refusal")
def _():
    exe = h.compile("static", ["process.c"], "gcc", ["-O2", "-static", "-w", "-pthread"])
    r = refusal([exe, "list"], 125, b"wait_any")
    h.check(b"static" in r.err, f"the message does not say why\n{r}")


@suite.case("32-bit program: clear refusal")
def _():
    path = h.fresh("file") / "i386"
    # the ELF header of an i386 executable with no segments
    head = bytes.fromhex("7f454c4601010100000000000000000002000300010000000000000034000000")
    path.write_bytes(head + bytes(12) + bytes.fromhex("340020000000280000000000"))
    path.chmod(0o755)
    r = refusal([path], 125)
    h.check(b"32" in r.err, f"the message does not say why\n{r}")


@suite.case("setuid program: clear refusal")
def _():
    if os.geteuid() != 0:
        raise h.Skip("needs root to make a setuid program")
    path = h.fresh("file") / "suid"
    shutil.copy("/bin/true", path)
    os.chown(path, 1, 1)
    path.chmod(0o4755)
    try:
        r = refusal([path], 125)
        h.check(b"set" in r.err, f"the message does not say why\n{r}")
    finally:
        path.unlink()


@suite.case("a script with an interpreter line is recorded")
def _():
    path = h.fresh("file") / "script"
    path.write_text("#!/bin/sh\necho from script $1\nexit 8\n")
    path.chmod(0o755)
    both([path, "x"])


@suite.case("--no-follow leaves children alone")
def _():
    r = both(["sh", "-c", "ls / | sort; exit 2"], opts=["--no-follow"], files=False)
    if not NATIVE:
        got = h.info(r.trace)["processes"]
        h.check(got == 1, f"{got} processes were recorded")


@suite.case("children are recorded without being asked for")
def _():
    r = both(["sh", "-c", "ls / | sort; exit 2"], files=False)
    if not NATIVE:
        # a forked child of the shell has a file of its own until it becomes ls or sort
        all_of_them = h.info(r.trace)["process_list"]
        got = [p["exe"].rsplit("/", 1)[-1] for p in all_of_them if "exec" not in p["state"]]
        h.check(sorted(got)[1:] == ["ls", "sort"] and len(got) == 3,
                f"recorded to their end: {got}")


@suite.case("a failing planner or a missing cache costs nothing")
def _():
    for cache in ("/proc/nowhere", "/dev/null", ""):
        env = h.environment({"XDG_CACHE_HOME": cache})
        h.same(h.run(["ls", "/"], env=env), h.record(["ls", "/"], env=env))


@suite.case("disk full: the program goes on, the trace ends", alone=True)
def _():
    d = h.fresh("full")
    if os.geteuid() != 0 or h.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", d]).status:
        raise h.Skip("cannot mount a small tmpfs (needs root)")
    try:
        exe = h.compile("seccomp", ["seccomp.c"], "gcc", ["-O2", "-pthread", "-w"])
        for filler in (0, 700, 1010):
            shutil.rmtree(d / "t", ignore_errors=True)
            (d / "filler").write_bytes(bytes(filler * 1024))
            r = h.record(["sort", "-R", "--random-source=/dev/zero"],
                         ["--codec=none", "--images=all"], trace=d / "t", stdin=WORDS.encode() * 20)
            h.check(r.status == 0 and r.out.count(b"\n") == 60000,
                    f"with {filler} KB filled\n{r.status} {r.err}")
            c = h.bobbin("check", r.trace)
            h.check(c.status == 3 and b"no space" in c.out + c.err or filler == 1010
                    and b"no trace" in c.err,
                    f"with {filler} KB filled the trace does not say why it ends\n{c}")
            exe_r = h.record([exe, "errno"], ["--codec=none"], trace=d / "t2")
            h.check(exe_r.status in (0, 125), f"with {filler} KB filled\n{exe_r}")
            shutil.rmtree(d / "t2", ignore_errors=True)
    finally:
        h.run(["umount", d])


if __name__ == "__main__":
    if not {"--list", "--native"} & set(sys.argv):
        h.require_bobbin()
    sys.exit(suite.run())
