#!/usr/bin/env python3
"""Tuning a model: the search for the least time with SPIN's verifier, and with `volvelle tune`, in one run.

SPIN is used as Garanina, Staroletov and Gorlatch use it: an over-time property, `[] (FIN -> time > T)`, whose counterexamples are
runs that finish within T. T is lowered below the time of each counterexample until there is none; that last search is the proof.
CPU seconds of all processes, with those of the compiler.

    benches/tuning.py MODEL.pml [--sizes 3,4] [--proof-only 5] [--binary target/release/volvelle]

MODEL.pml is the study's `autotune_reduced.pml`; its size is 2^n.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import tempfile


def cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command, folder):
    """Runs a command; gives its output and CPU seconds."""
    before = cpu()
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return result.stdout + result.stderr, cpu() - before


def changed(text, n, least):
    text = text.replace("byte n = 7;", f"byte n = {n};").replace("Tmin = 13;", f"Tmin = {least};")
    # The published counters of loops are too narrow from size 512 on.
    return text.replace("byte i", "int i")


def over_time(text, n, least, folder):
    """Whether all runs take more than `least`: None, or the time of one that does not; with CPU seconds, states and MB."""
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    with open(os.path.join(folder, "m.pml"), "w") as file:
        file.write(changed(text, n, least))
    spent = 0
    for command in (["spin", "-a", "m.pml"],
                    ["gcc", "-O2", "-DMEMLIM=20000", "-DCOLLAPSE", "-w", "-o", "pan", "pan.c"]):
        spent += run(command, folder)[1]
    output, seconds = run(["./pan", "-a", "-N", "OverTime", "-m20000000"], folder)
    spent += seconds
    states = int(re.search(r"(\d+) states, stored", output).group(1))
    megabytes = float(re.search(r"([\d.]+)\s+total actual memory", output).group(1))
    if "errors: 0" in output:
        return None, spent, states, megabytes
    trail, seconds = run(["spin", "-t", "-g", "m.pml"], folder)
    times = re.findall(r"\btime = (\d+)", trail)
    return int(times[-1]), spent + seconds, states, megabytes


def bisection(text, n, first, folder):
    """The least time by SPIN, from a first bound; CPU seconds of all searches, and states and MB of the proof."""
    bound, spent, searches = first, 0, 0
    while True:
        found, seconds, states, megabytes = over_time(text, n, bound, folder)
        spent, searches = spent + seconds, searches + 1
        if found is None:
            return bound + 1, spent, searches, states, megabytes
        bound = found - 1


def ours(binary, text, n, folder, options=()):
    path = os.path.join(folder, "v.pml")
    with open(path, "w") as file:
        file.write(changed(text, n, 0))
    command = ["/usr/bin/time", "-f", "%M KB", binary, "tune", path, "--minimize", "time", "--until", "FIN",
               "--parameters", "WG,TS", "--json", *options]
    best = None
    for _ in range(3):
        before = cpu()
        result = subprocess.run(command, capture_output=True, text=True)
        seconds = cpu() - before
        if best is None or seconds < best:
            best = seconds
    memory = int(re.search(r"(\d+) KB", result.stderr).group(1)) / 1024
    return json.loads(result.stdout)["tuning"], best, memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--sizes", default="3,4")
    parser.add_argument("--proof-only", default="")
    parser.add_argument("--alone", default="", help="sizes without SPIN")
    parser.add_argument("--binary", default="target/release/volvelle")
    args = parser.parse_args()
    text = open(args.model).read()
    numbers = lambda option: [int(n) for n in option.split(",") if n]
    print("| size | least time | SPIN: searches, CPU s, states and MB of the proof | volvelle: CPU s, MB | ratio |")
    print("|--:|--:|---|---|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for n in numbers(args.sizes) + numbers(args.proof_only) + numbers(args.alone):
            tuning, seconds, memory = ours(args.binary, text, n, folder)
            least = tuning["time"]
            assert tuning["proven"], tuning
            told, ratio = "-", "-"
            if n not in numbers(args.alone):
                # The proof alone begins below the least time; otherwise, a run with little effort gives the first bound.
                first = int(least) - 1 if n in numbers(args.proof_only) else int(least * 1.5)
                found, spent, searches, states, megabytes = bisection(text, n, first, folder)
                assert found == least, (found, least)
                told, ratio = f"{searches}, {spent:.1f}, {states:,}, {megabytes:,.0f}", f"{spent / seconds:,.0f}"
            print(f"| {2 ** n} | {least} | {told} | {seconds:.3f}, {memory:.0f} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
