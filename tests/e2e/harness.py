# SPDX-License-Identifier: BSD-3-Clause
"""What the end-to-end tests share: compile with a cache, run natively and recorded in the same
environment, read dumps, collect cases. Standard library only, Python 3.11.

Nothing is retried. A case returns None (ok) or raises Failure or Skip. A test script ends with
`sys.exit(suite.run())`: 0 all ok, 77 nothing could run, 1 otherwise. Where it finds things:
    BOB_TEST_BOBBIN   the launcher (default build/release/bin/bobbin of this tree)
    BOB_TEST_DIR      compiled programs, traces and caches (default build/e2e)
    BOB_TEST_JOBS     cases at once (default 2: ctest runs more scripts than there are cores, and
                      half of them wait)
With --mem, what is recorded are memory accesses by engine native instead of calls, in programs
that run translated; checks that need calls are then left out. A line "# ctest: memory WORDS" in
a script makes ctest run the cases that match WORDS in this way, too; `make torture` runs all.

Of what is many times the same with other numbers (programs at random, programs of GCC, kills,
builds) `make check` runs a share, always the same one. BOBBIN_TEST_LONG=1, as in `make torture`:
all of it."""

import concurrent.futures
import contextlib
import functools
import gc
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROG = ROOT / "tests" / "prog"
BOBBIN = os.environ.get("BOB_TEST_BOBBIN", str(ROOT / "build" / "release" / "bin" / "bobbin"))
WORK = pathlib.Path(os.environ.get("BOB_TEST_DIR", str(ROOT / "build" / "e2e")))
JOBS = int(os.environ.get("BOB_TEST_JOBS", "2"))
LONG = os.environ.get("BOBBIN_TEST_LONG") == "1"
TIMEOUT = 120
MEM = "--mem" in sys.argv
# what the tests read are millions of small objects, none of which point in a circle
gc.set_threshold(100_000, 20, 20)


def share(check, everything):
    """How much of it: in `make check`, and in `make torture`."""
    return everything if LONG else check


class Failure(Exception):
    """The case failed; the text says what was expected and what came."""


class Skip(Exception):
    """The case cannot run here; the text says why."""


def need(*programs):
    for p in programs:
        if not shutil.which(p):
            raise Skip(f"{p} is not installed")


def check(condition, text):
    if not condition:
        raise Failure(text)


def show(data, limit=600):
    """Bytes for a message, shortened."""
    text = data.decode("utf-8", "backslashreplace") if isinstance(data, bytes) else str(data)
    return text if len(text) <= limit else text[: limit // 2] + "\n...\n" + text[-limit // 2 :]


# --- environment and processes ---

_compiler_path = {}


def link_fast():
    """Programs of this script are linked in half the time, by gold where it is installed: what they
    are to show has nothing to do with how they are laid out."""
    gold = shutil.which("ld.gold")
    if gold:
        folder = WORK / "gold"
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            (folder / "ld").symlink_to(gold)
        _compiler_path["COMPILER_PATH"] = str(folder)


def environment(extra=None):
    """The same for native and recorded runs: nothing of ours, nothing of the user's."""
    home = WORK / "home"
    (home / ".cache").mkdir(parents=True, exist_ok=True)
    env = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "LC_ALL": "C",
        "TERM": "dumb",
        "TZ": "UTC",
        # What Open MPI takes anyway where ranks share memory; asked for, it does not wait for the
        # cards of other networks,

        # which is half of its start.
        "OMPI_MCA_pml": "ob1",
        **_compiler_path,
    }
    env.update(extra or {})
    return env


class Result:
    """Status as Python gives it (negative: killed by that signal), output as bytes."""

    def __init__(self, argv, status, out, err, seconds):
        self.argv, self.status, self.out, self.err, self.seconds = argv, status, out, err, seconds

    def __str__(self):
        return (
            f"$ {shlex.join(map(str, self.argv))}\nstatus {self.status}\n"
            f"stdout: {show(self.out)}\nstderr: {show(self.err)}"
        )


def run(argv, env=None, cwd=None, stdin=b"", timeout=TIMEOUT, **popen):
    """Run to the end in a session of its own; a timeout kills that session and fails the case."""
    argv = [str(a) for a in argv]
    begin = time.monotonic()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.PIPE}
    pipes.update(popen)
    p = subprocess.Popen(
        argv, env=environment() if env is None else env, cwd=cwd, start_new_session=True, **pipes
    )
    feed = stdin if pipes["stdin"] == subprocess.PIPE else None
    try:
        out, err = p.communicate(feed, timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        out, err = p.communicate()
        raise Failure(f"no end after {timeout} s: {shlex.join(argv)}\n{show(out or b'')}") from None
    return Result(argv, p.returncode, out or b"", err or b"", time.monotonic() - begin)


def until(condition, text, seconds=60):
    """Wait for it, and no longer."""
    end = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < end, f"{text}: not within {seconds} s")
        time.sleep(0.005)


def have_bobbin():
    return os.access(BOBBIN, os.X_OK)


_serial = itertools.count()


def fresh(name):
    """A new empty directory of this run."""
    d = WORK / "run" / f"{os.getpid()}-{next(_serial)}-{name}"
    d.mkdir(parents=True)
    return d


def sweep():
    """Directories of this process go, and those of processes that are gone: suites run beside each
    other in one place."""
    for d in (WORK / "run").glob("*-*"):
        owner = d.name.split("-")[0]
        if owner == str(os.getpid()) or not pathlib.Path("/proc", owner).exists():
            shutil.rmtree(d, ignore_errors=True)


def record(argv, opts=(), trace=None, **kw):
    """Run under `bobbin record`; the result also has .trace, the trace directory."""
    trace = trace or fresh("trace") / "t"
    engine = ["--mem", "--engine=native"] if MEM else []
    r = run([BOBBIN, "record", "-q", "-o", trace, *opts, *engine, "--", *argv], **kw)
    r.trace = trace
    return r


def same(native, traced, what=""):
    """The program under record must behave as without it."""
    for field in ("status", "out", "err"):
        a, b = getattr(native, field), getattr(traced, field)
        if a != b:
            raise Failure(
                f"{what}{field} differs\n--- native {show(a)}\n--- recorded {show(b)}\n"
                f"--- recorded run: {traced}"
            )


def bobbin(*args, **kw):
    return run([BOBBIN, *args], **kw)


def info(trace):
    r = bobbin("info", "--json", trace)
    check(r.status == 0, f"bobbin info failed\n{r}")
    try:
        return json.loads(r.out)
    except ValueError as e:
        raise Failure(f"info --json is not JSON: {e}\n{show(r.out)}") from None


def recorded(trace):
    """How many calls, or accesses."""
    i = info(trace)
    return i["accesses"] if MEM else i["events"]


def users(trace):
    """Processes that have a file of the trace in their memory: programs that are dying still, and
    who finishes their traces."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if str(trace) in pathlib.Path("/proc", pid, "maps").read_text():
                found.append(int(pid))
        except OSError:
            pass
    return found


def await_end(trace, seconds=60):
    """`bobbin record` was killed: waits until no process writes any more."""
    end = time.monotonic() + seconds
    while users(trace):
        check(time.monotonic() < end, f"{trace} is in use for {seconds} s")
        time.sleep(0.005)


# Missing by what the program or its user did, not because a recording came to nothing.
MAY_MISS = re.compile(rb"missing (nothing was recorded|image |.* of tasks that share |.* left no "
                      rb"trace|.* a debugger attached)")


def intact(r):
    """Does this outcome of `bobbin check` speak of a trace without damage and without loss?"""
    missing = [x for x in r.out.splitlines() if x.startswith(b"missing")]
    return r.status == 0 or r.status == 3 and all(MAY_MISS.match(x) for x in missing)


def check_trace(trace):
    r = bobbin("check", trace)
    check(intact(r), f"bobbin check says the trace is damaged or not complete\n{r}")


def chunks_at(data):
    """Where a file's chunks begin."""
    return struct.unpack_from("<I", data, 16)[0]


def image_bytes(path):
    """An image's file, as it was before its chunks were compressed."""
    data = path.read_bytes()
    off = chunks_at(data)
    out = data[:off]
    while off + 64 <= len(data):
        flags, size, length = (struct.unpack_from(f, data, off + at)[0]
                               for f, at in (("<H", 6), ("<Q", 16), ("<Q", 32)))
        payload = data[off + 64:off + 64 + length]
        if flags & 2:
            payload = subprocess.run(["zstd", "-dcq"], input=payload, stdout=subprocess.PIPE,
                                     check=True).stdout
        out += data[off:off + 64] + payload
        off += 64 + size + -size % 64
    return out


# --- dumps ---

NOTES = re.compile(r"((?: !?(?:signal|orphan|gap|lost|stack(?: \d+)?))+)$")
NOTE = re.compile(r"(signal|orphan|gap|lost|stack)(?: (\d+))?")


@functools.lru_cache(1 << 16)
def parts(rest):
    """(image, function, notes, stack) of the part of a line of a dump after the depth."""
    notes, stack = (), None
    m = NOTES.search(rest)
    if m:
        rest = rest[: m.start()]
        found = NOTE.findall(m[1])
        notes = tuple(word for word, _ in found)
        for word, number in found:
            if word == "stack":
                stack = int(number) if number else -1
    image, bang, function = rest.partition("!")
    return (image, function, notes, stack) if bang else ("", rest, notes, stack)


class Event:
    __slots__ = ("index", "entry", "depth", "image", "function", "notes", "stack")

    def __init__(self, index, entry, depth, rest):
        self.index, self.entry, self.depth = index, entry, depth
        self.image, self.function, self.notes, self.stack = parts(rest)


def parse_dump(text):
    """[(process, thread, [Event])] of `bobbin dump` output; fails on a line it does not know."""
    threads, events = [], None
    for number, line in enumerate(text.decode("utf-8", "replace").splitlines(), 1):
        word = line.split(" ", 3)
        if len(word) == 4 and word[1] in ("<", ">") and events is not None:
            events.append(Event(int(word[0]), word[1] == ">", int(word[2]), word[3]))
        elif line.startswith("thread "):
            process, _, thread = line.split()[1].partition(".")
            events = []
            threads.append((int(process), int(thread), events))
        elif line.strip() and not line.startswith("#"):
            raise Failure(f"dump line {number} is not understood: {line!r}")
    return threads


def dump(trace):
    r = bobbin("dump", trace, timeout=TIMEOUT)
    check(r.status == 0, f"bobbin dump failed\n{r}")
    return parse_dump(r.out)


def cached(function):
    """What the function gives for its arguments, made once; cases that run beside each other get
    the same."""
    lock, made = threading.RLock(), functools.cache(function)

    @functools.wraps(function)
    def get(*args):
        with lock:
            return made(*args)

    return get


def put(path, text):
    """The file has this text, and the time of its last change if it had it before; scripts beside
    this one see all of it."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as f:
            f.write(text)
        os.replace(f.name, path)
    return path


# --- compiling ---

_locks, _locks_guard = {}, threading.Lock()
_tool_versions = {}


def _version(tool):
    if tool not in _tool_versions:
        need(tool)
        r = run([tool, "--version"], env=environment())
        _tool_versions[tool] = r.out.splitlines()[0] if r.out else b""
    return _tool_versions[tool]


def compile(name, sources, cc="gcc", flags=(), libs=()):
    """Path of the program built from files of tests/prog; built once per content and command.
    Raises Skip if the compiler is missing, Failure if it refuses."""
    sources = [str(PROG / s) for s in sources]  # an absolute path stays what it is
    h = hashlib.sha256()
    h.update(_version(cc) + b"\0"
             + repr((cc, tuple(flags), tuple(libs), bool(_compiler_path))).encode())
    folders = {PROG, ROOT / "include" / "bobbin", *(pathlib.Path(s).parent for s in sources)}
    for s in [*sources, *sorted(str(header) for folder in folders
                                for header in folder.glob("*.h"))]:
        h.update(s.encode() + b"\0" + pathlib.Path(s).read_bytes())
    out = WORK / "bin" / f"{h.hexdigest()[:16]}" / name
    with _locks_guard:
        lock = _locks.setdefault(str(out), threading.Lock())
    with lock:
        if out.exists():
            return out
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent) as tmp:
            r = run([cc, *flags, "-o", f"{tmp}/p", *sources, *libs], cwd=tmp)
            check(r.status == 0, f"does not compile\n{r}")
            os.replace(f"{tmp}/p", out)
    return out


# --- pairs ---


def all_pairs(factors, allowed=lambda row: True):
    """Rows (dicts) such that every allowed pair of values of two factors occurs in one of them;
    greedy, deterministic. `allowed` sees partial rows too and must accept them then."""
    names = list(factors)
    missing = set()
    for a, b in itertools.combinations(names, 2):
        for va, vb in itertools.product(factors[a], factors[b]):
            if allowed({a: va, b: vb}):
                missing.add((a, va, b, vb))
    rows = []

    def pairs(row):
        got = [n for n in names if n in row]
        return {(a, row[a], b, row[b]) for a, b in itertools.combinations(got, 2)}

    while missing:
        a, va, b, vb = min(missing, key=repr)
        row = {a: va, b: vb}
        for n in names:
            if n in row:
                continue
            best = None
            for v in factors[n]:
                trial = {**row, n: v}
                if allowed(trial):
                    gain = len(pairs(trial) & missing)
                    if best is None or gain > best[0]:
                        best = (gain, v)
            if best is None:
                break
            row[n] = best[1]
        missing -= pairs(row)
        missing.discard((a, va, b, vb))
        if len(row) == len(names):
            rows.append(row)
    return rows


# --- cases ---


class Suite:
    """Cases run JOBS at once and print one line each, in order of their end, then a summary."""

    def __init__(self, name, jobs=JOBS):
        self.name, self.jobs, self.cases = name, jobs, []

    def add(self, name, function, *args, alone=False):
        """`alone`: not beside others (timing matters)."""
        self.cases.append((name, function, args, alone))

    def case(self, name, alone=False):
        def register(function):
            self.add(name, function, alone=alone)
            return function

        return register

    def _one(self, name, function, args):
        begin = time.monotonic()
        try:
            note = function(*args)
            return name, "ok", note or "", time.monotonic() - begin
        except Skip as e:
            return name, "skip", str(e), time.monotonic() - begin
        except Failure as e:
            return name, "FAIL", str(e), time.monotonic() - begin
        except Exception as e:  # pylint: disable=broad-except
            return name, "FAIL", f"{type(e).__name__}: {e}", time.monotonic() - begin

    def _report(self, result):
        name, verdict, text, seconds = result
        first, *rest = text.splitlines() or [""]
        print(f"{verdict:4} {name}{': ' + first if first else ''} ({seconds:.2f} s)")
        if verdict == "FAIL":
            for line in rest[:60]:
                print("     | " + line)
        sys.stdout.flush()

    def run(self, argv=None):
        """Arguments: substrings that choose cases, and --list."""
        argv = sys.argv[1:] if argv is None else argv
        words = [a for a in argv if not a.startswith("-")]
        cases = [c for c in self.cases if not words or any(w in c[0] for w in words)]
        if "--list" in argv:
            print("\n".join(c[0] for c in cases))
            return 0
        WORK.mkdir(parents=True, exist_ok=True)
        begin, results = time.monotonic(), []
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            jobs = [pool.submit(self._one, *c[:3]) for c in cases if not c[3]]
            for job in concurrent.futures.as_completed(jobs):
                results.append(job.result())
                self._report(results[-1])
        for c in cases:
            if c[3]:
                results.append(self._one(*c[:3]))
                self._report(results[-1])
        count = {v: sum(r[1] == v for r in results) for v in ("ok", "skip", "FAIL")}
        if not count["FAIL"]:
            sweep()
        print(
            f"{self.name}: {count['ok']} passed, {count['FAIL']} failed, {count['skip']} skipped"
            f" in {time.monotonic() - begin:.0f} s"
        )
        for r in results:
            if r[1] == "FAIL":
                print(f"failed: {r[0]}")
        if count["FAIL"] or not results:
            return 1
        return 0 if count["ok"] else 77


def require_bobbin():
    if not have_bobbin():
        print(f"no launcher at {BOBBIN}; build it first (make) or set BOB_TEST_BOBBIN")
        sys.exit(1)
