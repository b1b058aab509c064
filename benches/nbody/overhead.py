#!/usr/bin/env python3
"""What the runtime costs: direct sums with the leapfrog by Volvelle against plain C with OpenCL, and with MPI and OpenCL, in one run.

    cargo build --release -p volvelle-nbody --example overhead
    benches/nbody/overhead.py [--ranks 1,2] [--sizes 8192,16384,32768,65536,131072] [--pairs 5]
                              [--launcher 'mpirun.openmpi --oversubscribe'] [--mpicc mpicc.openmpi]

Needs gcc, headers and a loader of OpenCL with a device of double precision (PoCL, say), and an MPI with its compiler for more than one rank.

Both run the same kernels (the texts that the runtime prints), in groups of the same size, on the same bodies, for the same steps, in turn: bare,
runtime, bare, runtime, ... Each process computes some steps that do not count, and then six blocks of steps of about `--seconds` each, of which the least time
counts; where a step takes longer, one block of one step and the accelerations before it. With several ranks, the cores are shared out among
them, so that each has a device of its own. The overhead is the median of the ratios of the pairs, in wall and in CPU seconds (which
include waiting for other ranks); least and greatest ratio are beside it. Places at the end must have the same bits, or the bench fails. The
machine has to be idle.
"""

import argparse
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BLOCKS = 6
CORES = len(os.sched_getaffinity(0))


def run(program, ranks, options, *words):
    """Runs a program on a number of ranks; what it prints, as rows of numbers."""
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    if ranks > 1:
        environment["POCL_MAX_PTHREAD_COUNT"] = str(max(1, CORES // ranks))
    command = [*shlex.split(options.launcher), "-n", str(ranks)] if ranks > 1 else []
    command += [str(word) for word in (program, *words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
    return [[float(word) for word in line.split()] for line in done.stdout.splitlines()]


def times(rows, ranks, steps):
    """Wall and CPU seconds of a step, of all ranks together, from those of each block and rank: the least, since what disturbs adds."""
    wall, cpu = (min(column) / steps for column in zip(*rows))
    return wall, cpu * ranks


def same_places(folder, ranks):
    """Whether all ranks of both programs have the same bits."""
    names = [f"{program}.{rank}" for program in ("bare", "runtime") for rank in range(ranks)]
    return len({(folder / name).read_bytes() for name in names}) == 1


def change(ratios):
    """Median, least and greatest of ratios, as differences from 1 in percent."""
    return "{:+.2f} % ({:+.2f} to {:+.2f})".format(*(100 * (f(ratios) - 1) for f in (statistics.median, min, max)))


def measure(programs, folder, ranks, size, guess, options):
    """A row of the table, given about how many seconds a step takes."""
    is_short = guess < options.seconds
    warm = max(1, round(0.2 * options.seconds / guess)) if is_short else 0
    steps, blocks = (round(options.seconds / guess), BLOCKS) if is_short else (1, 1)
    pairs = []
    for _ in range(options.pairs if is_short else max(1, options.pairs // 2)):
        runs = [run(program, ranks, options, folder, size, warm, steps, blocks) for program in programs]
        pairs.append([times(rows, ranks, steps) for rows in runs])
        if not same_places(folder, ranks):
            sys.exit(f"{size} bodies, {ranks} ranks: places differ")
    bare = statistics.median(bare[0] for bare, _ in pairs)
    wall, cpu = (change([ours[i] / bare[i] for bare, ours in pairs]) for i in range(2))
    print(f"| {ranks} | {size:,} | {size // ranks:,} | {steps} | {1e3 * bare:,.1f} | {wall} | {cpu} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--sizes", default="8192,16384,32768,65536,131072")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--launcher", default="mpirun.openmpi --oversubscribe")
    parser.add_argument("--mpicc", default="mpicc.openmpi")
    parser.add_argument("--program", default=str(ROOT / "target/release/examples/overhead"))
    options = parser.parse_args()
    counts = [int(count) for count in options.ranks.split(",")]
    sizes = [int(size) for size in options.sizes.split(",")]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        print("| ranks | bodies | per device | steps | bare, ms per step | overhead, wall | overhead, CPU |")
        print("|--:|--:|--:|--:|--:|--:|--:|", flush=True)
        for ranks in (int(ranks) for ranks in options.ranks.split(",")):
            bare = folder / f"bare{ranks}"
            compiler = ["gcc"] if ranks == 1 else [*shlex.split(options.mpicc), "-DWITH_MPI"]
            source = ["-O2", "-o", str(bare), str(ROOT / "benches/nbody/bare.c"), "-lOpenCL"]
            subprocess.run(compiler + source, check=True)
            guess = None
            for size in sizes:
                # No steps: this writes the texts of the kernels, and the bodies.
                run(options.program, 1, options, folder, size, 0, 0, 0)
                if guess is None:
                    guess = times(run(bare, ranks, options, folder, size, 1, 2, 3), ranks, 2)[0]
                estimate = guess * (size / sizes[0]) ** 2
                measure((bare, options.program), folder, ranks, size, estimate, options)


if __name__ == "__main__":
    main()
