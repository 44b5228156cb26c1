# SPDX-License-Identifier: BSD-3-Clause
"""Which programs are measured, how they are built, and how one is started."""
import os
import shlex
import subprocess

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNELS = os.path.join(HERE, 'kernels')
HEAVY = os.path.join(HERE, 'heavy')

C_FRAME = ['frame/frame.c', 'frame/random.c']
F_FRAME = ['frame/frame.f90']
# Fortran files in the order of their modules; C kernels are every .c file of their folder.
FORTRAN = {
    'lu': ['field', 'block', 'sweep', 'norm', 'main'],
    'bt': ['field', 'block', 'line', 'change', 'main'],
}
PAPER_ORDER = ['bt', 'cg', 'ep', 'ft', 'is', 'lu', 'mg', 'sp']
ALL_KERNELS = PAPER_ORDER + ['hybrid']
C_FLAGS = ['-std=gnu11', '-O2', '-g', '-Wall', '-Wextra', '-Wno-unknown-pragmas', '-I' + KERNELS]
F_FLAGS = ['-O2', '-g', '-Wall', '-Wno-tabs', '-Wno-maybe-uninitialized']

MANY = 64
MPIRUN = ['mpirun', '-q', '--oversubscribe', '--bind-to', 'none', '--mca', 'mpi_yield_when_idle',
          '1']
ENVIRONMENT = {
    'OMPI_ALLOW_RUN_AS_ROOT': '1',
    'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
    'OMPI_MCA_ess_singleton_isolated': '1',
    'OMP_NUM_THREADS': '2',
    'OMP_WAIT_POLICY': 'passive',
    'LC_ALL': 'C',
}


class Program:
    """Something to run: a name, a command line, and what may be said about it."""

    def __init__(self, name, command, size='', ranks=1, stdin=None, counting=None):
        self.name, self.command, self.size, self.ranks, self.stdin = (name, command, size, ranks,
                                                                      stdin)
        self.counting = counting    # the command line of the counting build, if there is one

    def start(self, before=()):
        """The whole command; `before` is a tool that goes right in front of the program."""
        inner = list(before) + self.command
        return inner if self.ranks == 1 else MPIRUN + ['-n', str(self.ranks)] + inner

    def smallest(self):
        """The same program on its smaller problem, if it has two."""
        if self.size != 'L':
            return self
        return Program(self.name, self.command[:-1] + ['S'], 'S', self.ranks)


def run_compiler(command, verbose):
    if verbose:
        print('  ' + shlex.join(command), flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise SystemExit('failed: %s\n%s' % (shlex.join(command), done.stdout))


def kernel_sources(name):
    if name in FORTRAN:
        return F_FRAME + ['%s/%s.f90' % (name, part) for part in FORTRAN[name]]
    folder = os.path.join(KERNELS, name)
    return C_FRAME + sorted('%s/%s' % (name, f) for f in os.listdir(folder) if f.endswith('.c'))


def compile_one(source, target, compiler, flags, verbose):
    run_compiler([compiler] + flags + ['-c', os.path.join(KERNELS, source), '-o', target], verbose)
    return target


def build_kernel(name, out, openmp=False, counting=False, verbose=False):
    """Builds one kernel, each source its own translation unit; returns the program's path."""
    folder = os.path.join(out, 'objects', name + ('-omp' if openmp else '')
                          + ('-count' if counting else ''))
    os.makedirs(folder, exist_ok=True)
    threads = ['-fopenmp', '-pthread'] if openmp or name == 'hybrid' else []
    hook = ['-pg', '-mfentry'] if counting else []
    objects = []
    for source in kernel_sources(name):
        target = os.path.join(folder, source.replace('/', '_') + '.o')
        if source.endswith('.f90'):
            compile_one(source, target, 'mpif90', F_FLAGS + threads + hook + ['-J' + folder],
                        verbose)
        else:
            compile_one(source, target, 'mpicc', C_FLAGS + threads + hook, verbose)
        objects.append(target)
    if counting:
        target = os.path.join(folder, 'count.o')
        objects.append(compile_one('frame/count.c', target, 'mpicc', C_FLAGS, verbose))
    program = os.path.join(out, os.path.basename(folder))
    linker = 'mpif90' if name in FORTRAN else 'mpicc'
    run_compiler([linker] + threads + objects + ['-lm', '-o', program], verbose)
    return program


def build_heavy(out, verbose=False):
    """The small programs; returns a dictionary of paths."""
    def at(name):
        return os.path.join(out, name)

    def source(name):
        return os.path.join(HEAVY, name)

    run_compiler(['gcc', '-O1', '-g', source('fib.c'), '-o', at('fib')], verbose)
    run_compiler(['g++', '-O2', '-g', source('sort.cc'), '-o', at('sort')], verbose)
    run_compiler(['g++', '-O2', '-g', source('hello.cc'), '-o', at('hello')], verbose)
    run_compiler(['gcc', '-O2', '-g', '-pthread', source('threads.c'), '-o', at('threads')],
                 verbose)
    with open(at('source.c'), 'w') as f:
        subprocess.run([source('make_source'), '80'], stdout=f, check=True)
    return {name: at(name) for name in ('fib', 'sort', 'hello', 'threads', 'source.c')}


def python_path():
    """Debian's own interpreter, not a wrapper script that happens to be first in PATH."""
    return '/usr/bin/python3' if os.path.exists('/usr/bin/python3') else 'python3'


def cc1_path():
    done = subprocess.run(['gcc', '-print-prog-name=cc1'], stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def heavy_programs(built, quick):
    size = 'quick' if quick else ''
    return [
        Program('fib', [built['fib'], '30' if quick else '36'], size),
        Program('sort', [built['sort'], '300000' if quick else '3000000'], size),
        Program('sqlite3', ['sqlite3', ':memory:'], size, stdin=os.path.join(HEAVY, 'sqlite.sql')),
        Program('python3', [python_path(), os.path.join(HEAVY, 'script.py')], size),
        Program('cc1', [cc1_path(), '-quiet', '-O2', built['source.c'], '-o', '/dev/null'], size),
    ]


def peer_programs(built, kernels):
    """Programs with symbols, small enough for tools that write 32 bytes a call."""
    own = [Program('fib', [built['fib'], '27']), Program('sort', [built['sort'], '200000'])]
    return own + [Program(k, [path, 'S'], 'S') for k, path in kernels.items()]


def startup_programs(built):
    return [Program('true', ['/bin/true']), Program('hello', [built['hello']]),
            Program('python3', [python_path(), '-c', 'pass'])]


def thread_programs(built):
    """One thread, and MANY more that are alive at the same time, each with few or many calls."""
    return [Program('threads %d' % count, [built['threads'], str(count), str(calls)], str(calls))
            for calls in (500, 1000000) for count in (1, 1 + MANY)]
