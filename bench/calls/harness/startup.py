# SPDX-License-Identifier: BSD-3-Clause
"""What tracing costs before main and for each thread."""
import re
import shutil
import tempfile

from harness import programs, stats
from harness.measure import Bobbin, run_once
from harness.tables import FAILED, number

SHORT_CALLS, LONG_CALLS = 500, 1000000


def measure_startup(bobbin, built, work, cache, rounds, progress):
    """Rows (program, images, native, cold, warm: median wall ms, added cold and warm)."""
    rows = []
    subjects = [programs.Program('true', ['/bin/true']), programs.Program('hello', [built['hello']]),
                programs.Program('python3', [programs.python_path(), '-c', 'pass'])]
    for program in subjects:
        for images in ('main', 'all'):
            tool = Bobbin(bobbin, images, 'run')
            native, cold, warm = [], [], []
            run_once(program, tool, work, cache)
            for i in range(rounds):
                progress('start of %s, %s, round %d/%d' % (program.name, images, i + 1, rounds))
                fresh = tempfile.mkdtemp(dir=work)
                native.append(run_once(program, None, work))
                cold.append(run_once(program, tool, work, fresh))
                warm.append(run_once(program, tool, work, cache))
                shutil.rmtree(fresh, ignore_errors=True)
            rows.append([program.name, images] + startup_cells(native, cold, warm))
    return rows


def milliseconds(outcomes):
    return stats.median([o.wall_s * 1e3 for o in outcomes if o.error is None])


def startup_cells(native, cold, warm):
    base, first, later = milliseconds(native), milliseconds(cold), milliseconds(warm)
    return [number(base, 1)] + [FAILED if v is None else number(v, 1) for v in (first, later)] + \
        [FAILED if v is None or base is None else number(v - base, 1) for v in (first, later)]


def thread_run(program, tool, work, cache):
    """(peak kB, start ns) as the program itself saw them, or None."""
    outcome = run_once(program, tool, work, cache)
    found = re.search(r'peak_kb (\d+)\nstart_ns (\d+)', outcome.notes)
    return (int(found[1]), int(found[2])) if outcome.error is None and found else None


def per_thread(program_path, calls, tool, work, cache, rounds, threads=64):
    """(kB per thread beyond the first, start ns): medians, or None."""
    one = programs.Program('threads', [program_path, '1', str(calls)])
    many = programs.Program('threads', [program_path, str(threads + 1), str(calls)])
    sizes, starts = [], []
    for _ in range(rounds):
        low, high = (thread_run(p, tool, work, cache) for p in (one, many))
        if low and high:
            sizes.append((high[0] - low[0]) / threads)
            starts.append(high[1])
    return (stats.median(sizes), stats.median(starts)) if sizes else None


def measure_threads(bobbin, built, work, cache, rounds, progress):
    """Rows (calls per thread, images, native kB, traced kB, added kB, native start, added start)."""
    rows = []
    for calls in (SHORT_CALLS, LONG_CALLS):
        progress('memory of threads with %d calls' % calls)
        native = per_thread(built['threads'], calls, None, work, None, rounds)
        for images in ('main', 'all'):
            traced = per_thread(built['threads'], calls, Bobbin(bobbin, images, 'run'), work, cache,
                                rounds)
            if not native or not traced:
                rows.append([calls, images, FAILED, FAILED, FAILED, FAILED, FAILED])
                continue
            rows.append([calls, images, number(native[0], 1), number(traced[0], 1),
                         number(traced[0] - native[0], 1), number(native[1] / 1e3, 1),
                         number((traced[1] - native[1]) / 1e3, 1)])
    return rows
