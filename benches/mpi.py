"""Message passing over coherent caches: times and memory of whole studies.

    cargo build --release
    python3 benches/mpi.py [--repeat 5] [--large]

The study of ping-pong (twelve configurations: verification, figures, influences, both pictures), the other studies that ship, and with
`--large` those with more than a million states. Times are medians over the whole command. No other tool does this; the
published study took its authors some minutes per configuration for the chain alone.
"""

import argparse
import os
import resource
import statistics
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(ROOT, "target", "release", "volvelle")
STUDIES = os.path.join(ROOT, "examples", "mpi")

CASES = [
    ("ping-pong, all, with pictures", "pingpong.toml", ["--plot", "{folder}/t.svg", "--plot-misses", "{folder}/m.svg"]),
    ("locks, 2 processes", "locks.toml", []),
    ("barriers, 2 and 3 processes", "barriers.toml", []),
    ("broadcast among 4", "broadcast.toml", []),
    ("exchange among 3", "exchange.toml", []),
    ("contention of 2 pairs", "contention.toml", []),
]

LARGE = [
    ("broadcast among 6, flat", "broadcast.toml", ["--const", "processes=6", "--const", "arity=3", "--const", "protocol=A"]),
    ("broadcast among 7, flat, MESI", "broadcast.toml", ["--const", "processes=7", "--const", "arity=3", "--const", "protocol=MESI"]),
    ("broadcast among 7, tree", "large.toml", []),
]


def run(study, options):
    """Elapsed seconds, CPU seconds and peak memory in MB, and what was printed."""
    with tempfile.TemporaryDirectory() as folder:
        command = [PROGRAM, "mpi", os.path.join(STUDIES, study)] + [o.format(folder=folder) for o in options]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        out = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        elapsed = time.monotonic() - start
        assert status == 0, out
        del before
        return elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out


def states(out):
    """The greatest number in a column of states."""
    rows = [line.replace(",", "").split() for line in out.splitlines()]
    return max((int(word) for row in rows for word in row if word.isdigit()), default=0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    print("| study | most states | elapsed s | CPU s | MB |")
    print("|---|--:|--:|--:|--:|")
    for name, study, more in CASES + (LARGE if options.large else []):
        times = 1 if (name, study, more) in LARGE else options.repeat
        runs = [run(study, more) for _ in range(times)]
        elapsed, cpu, memory = (statistics.median(r[i] for r in runs) for i in range(3))
        print(f"| {name} | {states(runs[0][3]):,} | {elapsed:.2f} | {cpu:.2f} | {memory:.0f} |", flush=True)


if __name__ == "__main__":
    main()
