#!/usr/bin/env python3
"""Particle systems on two ranks with one thread each, against one rank with one thread: wall time of whole commands, in one run.

    cargo build --release
    benches/nbody/ranks.py [--sizes 16384,65536] [--repeat 5] [--seconds 10]
                           [--launchers 'mpirun.openmpi,mpirun.mpich']

Each row is `volvelle nbody` with direct sums and the leapfrog on a Plummer sphere, for about `--seconds` on one thread: one process alone, two
threads of one process (what the machine has to give), and two ranks under each launcher, in turn, so often as `--repeat` says. Ratios are those of the
runs of one turn, medians with the least and the greatest. Start of the processes, opening of MPI, initial conditions and files count. The last snapshot must
have the same bytes each time, or the bench fails. Two cores must be idle.
"""

import argparse
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAIRS_PER_SECOND = 2e9

CONFIGURATION = """
initial = {{ model = "plummer", bodies = {bodies} }}
physics = {{ softening = 0.01, step = {step} }}
run = {{ end = {end}, report = {end} }}
"""


def run(command, folder):
    """Wall seconds of a command, and the snapshot that it leaves."""
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    start = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
    return seconds, (folder / "bodies" / "last.csv").read_bytes()


def measure(size, options):
    """Prints the row of a size."""
    step = 2.0**-10
    steps = max(1, round(options.seconds * PAIRS_PER_SECOND / size**2))
    command = [options.binary, "nbody", "bodies.toml", "-o", "bodies"]
    ways = {"one thread": [*command, "--threads", "1"], "two threads": [*command, "--threads", "2"]}
    for launcher in options.launchers.split(","):
        ways[launcher] = [*shlex.split(launcher), "-n", "2", *ways["one thread"]]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bodies.toml").write_text(CONFIGURATION.format(bodies=size, step=step, end=steps * step))
        turns = []
        for _ in range(options.repeat):
            found = {way: run(command, folder) for way, command in ways.items()}
            if len({snapshot for _, snapshot in found.values()}) > 1:
                sys.exit(f"{size} bodies: snapshots differ")
            turns.append({way: seconds for way, (seconds, _) in found.items()})
    for way in ways:
        seconds = statistics.median(turn[way] for turn in turns)
        ratios = [turn["one thread"] / turn[way] for turn in turns]
        shown = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        print(f"| {size:,} | {steps} | {way} | {seconds:.2f} | {shown} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="16384,65536")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--launchers", default="mpirun.openmpi,mpirun.mpich")
    parser.add_argument("--binary", default=str(ROOT / "target/release/volvelle"))
    options = parser.parse_args()
    print("| bodies | steps | | wall s | times as fast as one thread |\n|--:|--:|---|--:|--:|", flush=True)
    for size in options.sizes.split(","):
        measure(int(size), options)


if __name__ == "__main__":
    main()
