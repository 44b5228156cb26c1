#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""kill -9 at random moments, 60 or (BOBBIN_TEST_LONG=1) 200: what is decoded is an exact prefix of
the known sequence of calls, at least as long as the program had come for certain. A third of the
kills each is of the program, of the launcher, and of both. A program without a launcher goes on to
its end; what is recorded of it then is a prefix, too, at least as long as it had come when the
launcher died."""

import mmap
import os
import random
import re
import signal
import struct
import sys
import time

import harness as h

KILLS = int(os.environ.get("BOB_TEST_KILLS", h.share(60, 200)))
GROUPS = 10
LIMIT = 1_000_000
STEP = re.compile(rb"> \d+ (?:[^!\n]*!)?s_(\d+)\b")


def sequence(n):
    """The calls of killseq.c: its generator, in Python."""
    names = [b"%d%d" % (r, c) for r in range(1, 9) for c in range(8)]
    seed, out, mask = 1, [], (1 << 64) - 1
    for i in range(n):
        if i >> 9 & 1:
            seed = (seed * 6364136223846793005 + 1442695040888963407) & mask
        else:
            seed = (seed + (1 << 58)) & mask
        out.append(names[seed >> 58])
    return out


EXPECTED = sequence(LIMIT)


def program():
    return h.compile("killseq", ["killseq.c"], "gcc", ["-O2", "-w"])


def start(argv, shared):
    """A process that has begun to make its calls, and its progress words."""
    with open(shared, "w+b") as f:
        f.truncate(4096)
        words = mmap.mmap(f.fileno(), 4096)
    null = h.subprocess.DEVNULL
    p = h.subprocess.Popen(
        [str(a) for a in argv], env=h.environment(), start_new_session=True, stdout=null,
        stderr=null
    )
    end = time.monotonic() + 30
    while struct.unpack_from("Q", words, 8)[0] == 0:
        if p.poll() is not None or time.monotonic() > end:
            raise h.Failure(f"the program made no calls (status {p.poll()})")
        time.sleep(0.0005)
    return p, words


def kill_once(n, images):
    d = h.fresh("kill")
    trace = d / "t"
    whom = ("program", "both", "launcher")[n % 3]
    limit = LIMIT // 3 if whom == "launcher" else LIMIT  # it comes to its end
    argv = [h.BOBBIN, "record", "-q", f"--images={images}", "-o", trace, "--", program(),
            d / "shared"]
    p, words = start([*argv, str(limit), "12"], d / "shared")
    try:
        goal = random.Random(n).randrange(LIMIT // 4)
        while (done := struct.unpack_from("Q", words, 8)[0]) < goal and p.poll() is None:
            time.sleep(0.0005)  # the processor is the program's
        try:
            if whom == "both":
                os.killpg(p.pid, signal.SIGKILL)
            else:
                os.kill(p.pid if whom == "launcher" else struct.unpack_from("Q", words, 0)[0],
                        signal.SIGKILL)
        except ProcessLookupError:
            return None  # it came to its end first: no kill
        least = struct.unpack_from("Q", words, 8)[0]
        status = p.wait(timeout=30)
        if whom == "launcher":
            h.until(lambda: struct.unpack_from("Q", words, 8)[0] == limit,
                    "the program does not go on")
    except h.subprocess.TimeoutExpired:
        raise h.Failure("the launcher did not end with its program") from None
    finally:
        if p.poll() is None:
            os.killpg(p.pid, signal.SIGKILL)
    h.await_end(trace)
    last = struct.unpack_from("Q", words, 8)[0]
    words.close()
    if status == 0 and last == limit:
        return None
    least = last if whom != "launcher" else least
    h.check(status == -signal.SIGKILL, f"status {status}, expected death by SIGKILL")
    r = h.bobbin("dump", trace)
    h.check(r.status == 0, f"dump failed\n{r.err!r}")
    got = STEP.findall(r.out)
    h.check(len(got) >= least,
            f"{least} calls were done for certain ({done} before the kill), {len(got)} decoded")
    h.check(len(got) <= last + 1 or last == limit,
            f"{len(got)} calls decoded, only {last} + 1 can have begun")
    if got != EXPECTED[: len(got)]:
        i = next(i for i, (a, b) in enumerate(zip(got, EXPECTED)) if a != b)
        raise h.Failure(f"call {i} of {len(got)} is s_{got[i].decode()}, was "
                        f"s_{EXPECTED[i].decode()}")
    h.shutil.rmtree(d)
    return last


def group(first, images):
    done = []
    for n in range(first, first + 20 * KILLS, KILLS):  # other moments where one came too late
        for k in range(n, n + KILLS // GROUPS - len(done)):
            if (last := kill_once(k, images)) is not None:
                done.append(last)
        if len(done) == KILLS // GROUPS:
            break
    h.check(len(done) == KILLS // GROUPS, f"only {len(done)} kills came before the program's end")
    return f"{len(done)} kills after {min(done)} to {max(done)} calls"


def native():
    """The program reaches its end and says so."""
    d = h.fresh("kill")
    p, words = start([program(), d / "shared", "2000", "1"], d / "shared")
    h.check(p.wait(30) == 0 and struct.unpack_from("Q", words, 8)[0] == 2000,
            "killseq does not work")


def children(images):
    """Children that are killed while the recorder begins with them leave nothing that looks
    damaged."""
    exe = h.compile("kill_child", ["kill_child.c"], "gcc", ["-O1"])
    r = h.record([exe], [images])
    h.check((r.status, r.out) == (0, b"400 killed\n"), str(r))
    h.check_trace(r.trace)
    extra = [f.name for f in r.trace.iterdir() if f.suffix not in (".bob", ".key")]
    h.check(not extra, f"left over: {extra}")


def main():
    suite = h.Suite("kill9")
    suite.add("the program itself", native)
    if "--native" not in sys.argv:
        h.require_bobbin()
        for g in range(GROUPS):
            images = ("app", "main", "all")[g % 3]
            suite.add(f"kills {g} {images}", group, g * KILLS // GROUPS, images)
        for images in ("app", "all"):
            suite.add(f"children {images}", children, f"--images={images}")
    return suite.run()


if __name__ == "__main__":
    sys.exit(main())
