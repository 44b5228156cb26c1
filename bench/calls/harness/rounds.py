# SPDX-License-Identifier: BSD-3-Clause
"""The order of runs: the most important first, breadth before depth. So an interrupted benchmark
has some results of every kind."""
from harness import programs
from harness.measure import Bobbin, Callgrind, Counted, Native, Uftrace, run_once
from harness.rows import Run


class Round:
    """Some tools, one after the other, on one program."""

    def __init__(self, part, group, program, number, tools):
        self.part, self.group, self.program, self.number, self.tools = (part, group, program,
                                                                        number, tools)

    def run(self, tool):
        p = self.program
        return Run(part=self.part, group=self.group, program=p.name, size=p.size, ranks=p.ranks,
                   round=self.number, tool=tool.name)

    def is_done(self, log):
        return all(self.run(tool).key() in log.rows for tool in self.tools)

    def turned(self):
        """Another tool begins in every round."""
        first = (self.number - 1) % len(self.tools)
        return self.tools[first:] + self.tools[:first]


def repeat(part, group, subjects, count, tools):
    """Round 1 of all programs, then round 2 of all: a part that is cut short has all programs."""
    return [Round(part, group, p, n, tools) for n in range(1, count + 1) for p in subjects]


def kernel_rounds(a, built):
    """{group: rounds} of the kernels; group `run` is the default codec, `codecs` the breakdown."""
    def subjects(size, ranks):
        return [programs.Program(k, [built[k], size], size, ranks,
                                 counting=[built[k] + '-count', size]) for k in a.kernels]

    def recorders(pairs):
        return [] if a.native else [Bobbin(a.bobbin, m, c) for m, c in pairs if m in a.modes
                                    and c in a.codecs]

    main = recorders([('main', 'run'), ('all', 'run')])
    rest = recorders([(m, c) for m in ('main', 'all') for c in ('null', 'run', 'parlot', 'none')]
                     + [('app', 'run')])
    groups = {'run': [], 'count': [], 'codecs': [], 'callgrind': []}
    sizes = [s for s in 'LS' if s in a.sizes]
    for size in sizes:
        for ranks in a.ranks:
            pairs = a.pairs if ranks == 1 else a.mpi_pairs
            groups['run'] += repeat('kernels', 'run', subjects(size, ranks), pairs,
                                    [Native()] + main)
            if len(rest) > len(main):
                groups['codecs'] += repeat('kernels', 'codecs', subjects(size, ranks), a.mpi_pairs,
                                           [Native()] + rest)
    for size in reversed(sizes):
        groups['count'] += repeat('kernels', 'count', subjects(size, 1), 1, [Counted()])
        if size not in a.callgrind:
            continue
        for ranks in a.ranks if size == 'S' else [1]:
            groups['callgrind'] += repeat('kernels', 'callgrind', subjects(size, ranks),
                                          a.callgrind_pairs, [Native(), Callgrind()])
    return groups


def peer_rounds(a, heavy, built):
    subjects = programs.peer_programs(heavy, {k: v for k, v in built.items() if k != 'hybrid'})
    own = [] if a.native else [Bobbin(a.bobbin, 'main', 'run'), Bobbin(a.bobbin, 'all', 'run')]
    rounds = repeat('peers', 'run', subjects, a.mpi_pairs, [Native()] + own + [Uftrace()])
    callgrind = repeat('peers', 'callgrind', subjects, a.callgrind_pairs, [Native(), Callgrind()])
    return rounds, callgrind if a.callgrind else []


def all_rounds(a, built, heavy):
    kernels = kernel_rounds(a, built) if 'kernels' in a.parts else {}
    rounds = kernels.get('run', []) + kernels.get('count', [])
    last = []
    if 'startup' in a.parts and not a.native:
        rounds += repeat('startup', 'run', programs.startup_programs(heavy), a.pairs,
                         [Native()] + [Bobbin(a.bobbin, m, 'run', cold) for m in ('main', 'all')
                                       for cold in (True, False)])
    if 'threads' in a.parts and not a.native:
        rounds += repeat('threads', 'run', programs.thread_programs(heavy), a.mpi_pairs,
                         [Native()] + [Bobbin(a.bobbin, m, 'run') for m in ('main', 'all')])
    if 'heavy' in a.parts:
        own = [] if a.native else [Bobbin(a.bobbin, m, 'run') for m in a.modes]
        rounds += repeat('heavy', 'run', programs.heavy_programs(heavy, a.quick), a.pairs,
                         [Native()] + own)
    if 'peers' in a.parts:
        peers, last = peer_rounds(a, heavy, built)
        rounds += peers
    return rounds + kernels.get('codecs', []) + last + kernels.get('callgrind', [])


def measure(rounds, log, work, cache, progress):
    """Does what the log does not have yet. A round of which a part is missing is done anew, because
    only runs that followed each other are compared."""
    warm = set()
    left = [r for r in rounds if not r.is_done(log)]
    for i, r in enumerate(left):
        for tool in r.turned():
            progress('%d of %d: %s %s n=%d round %d %s' % (i + 1, len(left), r.program.name,
                                                           r.program.size,
                                                        r.program.ranks, r.number, tool.name))
            warm_up(r.program, tool, warm, work, cache)
            log.append(run_once(r.program, tool, work, cache, r.run(tool)))


def warm_up(program, tool, warm, work, cache):
    """Plans and the page cache, not counted; they are the same for both sizes and all codecs."""
    small = program.smallest()
    key = ' '.join(small.command), small.ranks, tool.images
    if tool.images and not tool.cold and key not in warm:
        warm.add(key)
        run_once(small, tool, work, cache)
