#!/usr/bin/env python3
"""Sums of forces by way of a tree against REBOUND's, at equal errors of the forces, in one run on one core.

    cargo build --release -p volvelle-nbody --example tree
    pip install rebound
    benches/nbody/trees.py [--sizes 32768,262144]

REBOUND as it is installed has no quadrupoles; a build that has them is a further peer:

    CFLAGS=-DQUADRUPOLE pip install --no-deps --no-binary rebound --target FOLDER rebound
    benches/nbody/trees.py --quadrupoles FOLDER

Both get the same bodies, a Plummer sphere, with the same softening, and sum the forces on all of them for some opening angles, in
double precision. Errors are mean relative ones, against the direct sums of Volvelle, some of which are checked by sums in Python. Times are CPU seconds for one
force on each body, building or updating the tree included: medians of a process, and of the processes of `--turns` turns (Volvelle, REBOUND,
Volvelle, ...) the least. The second table has for each angle of REBOUND its time, and what Volvelle needs
for the same error by that time: between two angles by interpolation of logarithms, and where all of Volvelle's errors are smaller, the
time of the greatest angle.
"""

import argparse
import array
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ANGLES = (0.3, 0.5, 0.7, 1.0)
SOFTENING = 0.01


def vectors(file):
    """Vectors of a file of doubles."""
    numbers = array.array("d", file.read_bytes())
    return list(zip(numbers[::3], numbers[1::3], numbers[2::3]))


def check(places, accelerations):
    """Compares a few direct sums with plain ones."""
    for body in random.Random(1).sample(range(len(places)), 10):
        x, y, z = places[body]
        terms = [(a - x, b - y, c - z) for a, b, c in places]
        pulls = [(d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + SOFTENING**2) ** -1.5 / len(places) for d in terms]
        plain = [math.fsum(d[axis] * pull for d, pull in zip(terms, pulls)) for axis in range(3)]
        assert math.dist(plain, accelerations[body]) < 1e-11 * math.hypot(*plain), (body, plain, accelerations[body])


def peer(folder):
    """REBOUND's side: prints angle, seconds, and mean and greatest error, for each angle."""
    import rebound

    places, expected = (vectors(folder / name) for name in ("places", "accelerations"))
    for angle in ANGLES:
        simulation = rebound.Simulation()
        simulation.integrator, simulation.gravity, simulation.boundary = "leapfrog", "tree", "open"
        simulation.softening, simulation.opening_angle2, simulation.dt = SOFTENING, angle**2, 1e-12
        simulation.root_size = 2.001 * max(abs(x) for place in places for x in place)
        for x, y, z in places:
            simulation.add(m=1 / len(places), x=x, y=y, z=z)
        simulation.steps(1)
        # Bodies are at rest: half a step later, where forces are summed, they are where they were.
        found = [(p.ax, p.ay, p.az) for p in simulation.particles]
        errors = [math.dist(a, b) / math.hypot(*b) for a, b in zip(found, expected)]
        times, begin = [], time.process_time()
        while len(times) < 5 and (not times or time.process_time() - begin < 10):
            start, rounds = time.process_time(), 0
            while time.process_time() - start < 0.2:
                simulation.steps(1)
                rounds += 1
            times.append((time.process_time() - start) / rounds)
        print(angle, statistics.median(times), statistics.mean(errors), max(errors), flush=True)


def time_for(error, rows):
    """The time for an error, from rows of angle, time and error; of smaller errors if there are no greater ones, none if no smaller ones."""
    rows = sorted((row[2], row[1]) for row in rows)
    if error < rows[0][0]:
        return None
    for (e1, t1), (e2, t2) in zip(rows, rows[1:]):
        if e1 <= error <= e2:
            share = math.log(error / e1) / math.log(e2 / e1)
            return math.exp(math.log(t1) + share * math.log(t2 / t1))
    return rows[-1][1]


def measured(size, folder, options):
    """Rows of angle, time, mean and greatest error for each program."""
    lines = subprocess.run([options.program, str(size), str(folder)], check=True, capture_output=True, text=True).stdout
    ours = [line.split() for line in lines.splitlines()[2:]]
    found = {}
    for name, has in (("Volvelle", "false"), ("Volvelle, quadrupoles", "true")):
        found[name] = [[float(word) for word in (row[0], *row[2:])] for row in ours if row[1] == has]
    paths = {"REBOUND": None} | ({"REBOUND, quadrupoles": options.quadrupoles} if options.quadrupoles else {})
    for name, path in paths.items():
        environment = os.environ | ({"PYTHONPATH": path} if path else {})
        command = [sys.executable, __file__, "--peer", str(folder)]
        lines = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
        found[name] = [[float(word) for word in line.split()] for line in lines.splitlines()]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="32768,262144")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--quadrupoles", help="where a REBOUND with quadrupoles is")
    parser.add_argument("--program", default=str(ROOT / "target/release/examples/tree"))
    parser.add_argument("--peer", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        return peer(options.peer)
    ratios = []
    for size in (int(size) for size in options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            turns = [measured(size, folder, options) for _ in range(options.turns)]
            check(*(vectors(folder / name) for name in ("places", "accelerations")))
        found = turns[0]
        for name, rows in found.items():
            for at, row in enumerate(rows):
                row[1] = min(turn[name][at][1] for turn in turns)
        print(f"\n| {size:,} bodies | opening angle | CPU s | mean error | greatest error |\n|---|--:|--:|--:|--:|")
        for name, rows in found.items():
            for angle, seconds, mean, greatest in rows:
                print(f"| {name} | {angle} | {seconds:.4f} | {mean:.2e} | {greatest:.1e} |", flush=True)
        ours = [name for name in found if name.startswith("Volvelle")]
        for other, rows in found.items():
            for angle, seconds, error, _ in rows if other not in ours else []:
                times = [time_for(error, found[name]) for name in ours]
                ratios.append((size, other, angle, error, [t and t / seconds for t in times]))
    print("\n| bodies | peer | opening angle | mean error | Volvelle's time / its | with quadrupoles |\n|--:|---|--:|--:|--:|--:|")
    for size, other, angle, error, both in ratios:
        shown = " | ".join(f"{ratio:.2f}" if ratio else "-" for ratio in both)
        print(f"| {size:,} | {other} | {angle} | {error:.2e} | {shown} |")
    best = [min(filter(None, row[-1])) for row in ratios]
    print(f"\nthe better of both: geometric mean {statistics.geometric_mean(best):.2f}, worst {max(best):.2f}")


if __name__ == "__main__":
    main()
