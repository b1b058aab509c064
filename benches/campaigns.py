#!/usr/bin/env python3
"""What it costs to compute a simulation in parts: shards against one process, and two ranks of MPI against one.

    cargo build --release
    benches/campaigns.py                               both, with every launcher of MPI that is installed
    benches/campaigns.py --only shards --repeat 5
    benches/campaigns.py BEFORE AFTER                  several programs, all of which run in turn

*Shards*: the paths of one process with two threads, then the same in `--shards` shards by two workers and merged. Each worker runs one shard
after another, with one thread; a shard takes about half a second. The target is less than 3 % more CPU time.

*Ranks*: `mpirun -n 1` and `mpirun -n 2`, with one thread each; two take about 12 seconds. The target is 1.9 times the speed. What two threads
of one process reach is shown beside it: that is what the machine has to give.

Answers have to be the same, or the script fails. Figures are medians of `--repeat` rounds. The two cores have to be idle.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "storm"))

from common import ROOT, measured  # noqa: E402

MODEL = str(ROOT / "examples" / "prism" / "queue.prism")
QUESTION = ["simulate", MODEL, "--prop", 'P=? [ F<=T "full" ]', "--const", "T=60", "--json"]
LAUNCHERS = {"Open MPI": ["mpirun.openmpi", "--oversubscribe"], "MPICH": ["mpirun.mpich"]}
# Open MPI refuses to run as root otherwise, as containers do.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
LIMIT = 600


def run(command):
    found = measured(command, LIMIT, ENVIRONMENT)
    if found["late"] or found["status"] != 0:
        sys.exit(f"{' '.join(command)}: exit status {found['status']}\n{found['errors']}{found['output']}")
    return found


def answer(output):
    """What a run says of the property, without times."""
    (result,) = json.loads(output)["results"]
    told = result["statistics"]
    return [result["value"], result["lo"], result["hi"], told["samples"], told["steps"], told["successes"]]


def simulated(program, samples, threads, launcher=()):
    return run([*launcher, program, *QUESTION, "--samples", str(samples), "--threads", str(threads)])


def by_shards(program, samples, count):
    """CPU and wall seconds of all shards, by two workers at a time; the CPU seconds of the merge; what it says."""
    with tempfile.TemporaryDirectory() as folder:
        parts = [f"{folder}/part-{number}.vvs" for number in range(1, count + 1)]

        def compute(number):
            shard = ["--shard", f"{number}/{count}", "-o", parts[number - 1], "--threads", "1"]
            return run([program, *QUESTION, "--samples", str(samples), *shard])

        # Two threads of this script wait for one process each.
        with concurrent.futures.ThreadPoolExecutor(2) as workers:
            begun = time.perf_counter()
            shards = list(workers.map(compute, range(1, count + 1)))
        merged = run([program, "merge", "--json", *parts])
        wall = time.perf_counter() - begun
    return {
        "cpu_s": sum(shard["cpu_s"] for shard in shards) + merged["cpu_s"],
        "wall_s": wall,
        "merge_s": merged["cpu_s"],
        "output": merged["output"],
    }


def same(runs):
    answers = [answer(one["output"]) for one in runs]
    if any(one != answers[0] for one in answers):
        sys.exit(f"different answers: {answers}")


def median(runs, figure):
    return statistics.median(one[figure] for one in runs)


def measure_shards(programs, options):
    rounds = {program: [] for program in programs}
    for _ in range(options.repeat):
        for program in programs:
            whole = simulated(program, options.samples, 2)
            parts = by_shards(program, options.samples, options.shards)
            same([whole, parts])
            rounds[program].append((whole, parts))
    print(f"\n{options.samples} paths, {options.shards} shards by two workers\n")
    print("| | one process: CPU s | wall s | shards: CPU s | wall s | more CPU | a shard costs | merge |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for program, runs in rounds.items():
        whole, parts = zip(*runs)
        # Of each round by itself: both of it have run under the same conditions.
        more = statistics.median(p["cpu_s"] / w["cpu_s"] - 1 for w, p in runs)
        each = statistics.median((p["cpu_s"] - w["cpu_s"]) / options.shards for w, p in runs)
        print(
            f"| {program} | {median(whole, 'cpu_s'):.2f} | {median(whole, 'wall_s'):.2f} | {median(parts, 'cpu_s'):.2f} "
            f"| {median(parts, 'wall_s'):.2f} | {100 * more:.1f} % | {1e3 * each:.1f} ms | {median(parts, 'merge_s'):.3f} s |",
            flush=True,
        )


def measure_ranks(programs, options):
    ways = {"threads": {1: (), 2: ()}}
    for name, launcher in LAUNCHERS.items():
        if shutil.which(launcher[0]):
            ways[name] = {count: (*launcher, "-n", str(count)) for count in (1, 2)}
    rounds = {(program, name): [] for program in programs for name in ways}
    for _ in range(options.repeat):
        for name, launchers in ways.items():
            for program in programs:
                threads = (1, 2) if name == "threads" else (1, 1)
                pair = [
                    simulated(program, options.rank_samples, number, launchers[count])
                    for count, number in zip((1, 2), threads)
                ]
                same(pair)
                rounds[program, name].append(pair)
    print(f"\n{options.rank_samples} paths\n")
    print("| | by | one: wall s | two: wall s | speed-up | of all rounds |")
    print("|---|---|--:|--:|--:|---|")
    for (program, name), runs in rounds.items():
        ratios = sorted(one["wall_s"] / two["wall_s"] for one, two in runs)
        ones, twos = zip(*runs)
        print(
            f"| {program} | {name} | {median(ones, 'wall_s'):.2f} | {median(twos, 'wall_s'):.2f} "
            f"| {statistics.median(ratios):.2f} | {', '.join(f'{ratio:.2f}' for ratio in ratios)} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", default=[str(ROOT / "target" / "release" / "volvelle")])
    parser.add_argument("--only", choices=["shards", "ranks"])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--samples", type=int, default=60_000_000, help="paths of the shards (%(default)s)")
    parser.add_argument("--shards", type=int, default=64)
    parser.add_argument("--rank-samples", type=int, default=40_000_000, help="paths of the ranks (%(default)s)")
    options = parser.parse_args()
    if options.only != "ranks":
        measure_shards(options.programs, options)
    if options.only != "shards":
        measure_ranks(options.programs, options)


if __name__ == "__main__":
    main()
