#!/usr/bin/env python3
"""Building the published search spaces of Kernel Tuner's suite: Volvelle against Kernel Tuner, in one run.

    pip install kernel_tuner
    cargo build --release -p volvelle-tune --example spaces
    python3 benches/search_spaces.py [--program target/release/examples/spaces] [--rounds 5]

The problems are `benches/tuning/spaces/*.json` (T1). Both programs solve the conditions and write all configurations down; the
numbers of configurations have to agree. Times are medians of wall seconds; Kernel Tuner's is the construction of its
`Searchspace` (python-constraint2 with its parser, the default), in this process, after the imports.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import time
import warnings

warnings.filterwarnings("ignore")
FOLDER = pathlib.Path(__file__).parent / "tuning" / "spaces"


def kernel_tuner(problem):
    """Seconds and number of configurations."""
    from kernel_tuner.searchspace import Searchspace

    space = problem["ConfigurationSpace"]
    parameters = {p["Name"]: json.loads(p["Values"]) for p in space["TuningParameters"]}
    conditions = [c["Expression"] for c in space["Conditions"]]
    start = time.perf_counter()
    found = Searchspace(parameters, conditions, max_threads=1024)
    return time.perf_counter() - start, found.size


def volvelle(program, path):
    out = subprocess.run([program, str(path)], check=True, capture_output=True, text=True).stdout.split()
    return float(out[2]), int(out[1])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", default="target/release/examples/spaces")
    options.add_argument("--rounds", type=int, default=5)
    options = options.parse_args()
    print(f"{'space':<14}{'product':>14}{'configurations':>16}{'Kernel Tuner':>14}{'Volvelle':>12}{'ratio':>8}")
    for path in sorted(FOLDER.glob("*.json"), key=lambda path: path.name):
        problem = json.loads(path.read_text())
        product = 1
        for parameter in problem["ConfigurationSpace"]["TuningParameters"]:
            product *= len(json.loads(parameter["Values"]))
        theirs, ours = [], []
        for _ in range(options.rounds):
            seconds, size = kernel_tuner(problem)
            theirs.append(seconds)
            seconds, count = volvelle(options.program, path)
            ours.append(seconds)
            assert size == count, (path, size, count)
        a, b = statistics.median(theirs), statistics.median(ours)
        print(f"{path.stem:<14}{product:>14,}{count:>16,}{a:>12.4f} s{b:>10.5f} s{a / b:>8.0f}", flush=True)


if __name__ == "__main__":
    main()
