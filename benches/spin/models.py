#!/usr/bin/env python3
"""Searches Promela models with SPIN and with Volvelle in one run: states, CPU seconds, memory, bytes a state.

    python3 benches/spin/models.py [--volvelle PATH] [--seconds 60] [--repeat 1] [MODEL...]

Without models, those of benches/spin/models are taken: 1.7 to 13 million states each.

Each model is searched for assertions and invalid end states twice by each: all orders of steps (SPIN: -o1 -o2 -o3,
-DNOREDUCE; Volvelle: --no-reduction), and reduced (the defaults of both). SPIN's time is that of `pan` alone; what
`spin -a` and `gcc -O2` take is told beside it. A wrong number of states cannot be a fast one: without reductions both
must agree, or the row says so. Volvelle searches on one thread, and where that takes more than a second on two as well:
the last column is by how much the clock is faster then. With --repeat, the median of so many runs.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time


MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")


def run(command, folder, seconds):
    """Output, CPU seconds and peak memory (MB) of a command; no output where it takes too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        output = None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return output, cpu


def peak(command, folder, seconds):
    """As `run`, in a process of its own, so that its peak memory is known."""
    code = (
        "import resource,subprocess,sys,json,time\n"
        "start=time.monotonic()\n"
        "try:\n p=subprocess.run(sys.argv[2:],capture_output=True,text=True,timeout=float(sys.argv[1]));out=p.stdout\n"
        "except subprocess.TimeoutExpired: out=None\n"
        "u=resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps([out,u.ru_utime+u.ru_stime,u.ru_maxrss/1024,time.monotonic()-start]))"
    )
    out = subprocess.run([sys.executable, "-c", code, str(seconds), *command], cwd=folder, capture_output=True, text=True)
    return json.loads(out.stdout)


def median(runs):
    """The run of median CPU time."""
    return sorted(runs, key=lambda run: run[1])[len(runs) // 2]


def spin(model, reduced, seconds, repeat):
    """States, CPU seconds, MB, seconds to compile."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        options = [] if reduced else ["-o1", "-o2", "-o3"]
        run(["spin", *options, "-a", model], folder, 60)
        defines = ["-DSAFETY", "-DNOCLAIM"] + ([] if reduced else ["-DNOREDUCE"])
        run(["gcc", "-O2", "-w", *defines, "-o", "pan", "pan.c"], folder, 120)
        compiling = time.monotonic() - start
        depth = "-m8000000" if os.path.dirname(model) == MODELS else "-m1000000"
        runs = [peak(["./pan", depth, "-n", "-c0"], folder, seconds) for _ in range(repeat)]
        output, cpu, memory, _ = median(runs)
        states = None
        for line in (output or "").splitlines():
            if "states, stored" in line:
                states = int(line.split()[0])
        return states, cpu, memory, compiling


def volvelle(binary, model, reduced, seconds, threads, repeat):
    """States, CPU seconds, MB, seconds."""
    options = ["--safety", "--all-errors", "--json", "--threads", str(threads)] + ([] if reduced else ["--no-reduction"])
    command = [binary, "check", model, *options]
    runs = [peak(command, os.path.dirname(model) or ".", seconds) for _ in range(repeat)]
    output, cpu, memory, wall = median(runs)
    if output is None:
        return None, cpu, memory, wall
    return json.loads(output)["model"]["states"], cpu, memory, wall


def cell(result):
    states, cpu, memory = result[:3]
    return f"{states if states is not None else '-':>10} {cpu:8.2f} {memory:8.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--volvelle", default="target/release/volvelle")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("models", nargs="*")
    arguments = parser.parse_args()
    binary = os.path.abspath(arguments.volvelle)
    print(f"{'model':28} {'':7} {'SPIN: states':>10} {'CPU s':>8} {'MB':>8}   {'Volvelle':>10} {'CPU s':>8} {'MB':>8}   ratio  two  (gcc)")
    own = sorted(os.path.join(MODELS, name) for name in os.listdir(MODELS))
    without_reductions, compilers = [], []
    for model in map(os.path.abspath, arguments.models or own):
        for reduced in (False, True):
            peer = spin(model, reduced, arguments.seconds, arguments.repeat)
            ours = volvelle(binary, model, reduced, arguments.seconds, 1, arguments.repeat)
            two = "   -"
            if ours[0] and ours[3] > 1:
                both = volvelle(binary, model, reduced, arguments.seconds, 2, arguments.repeat)
                two = f"{ours[3] / both[3]:4.2f}"
            agree = reduced or peer[0] is None or ours[0] is None or peer[0] == ours[0]
            note = "" if agree else "  THE NUMBERS OF STATES DIFFER"
            if not reduced and agree and peer[0] and ours[0]:
                compilers.append(peer[3])
                without_reductions.append(peer[1] / ours[1])
            ratio = f"{peer[1] / ours[1]:6.1f}" if peer[0] and ours[0] and ours[1] > 0 else "     -"
            name = os.path.basename(model)
            kind = "reduced" if reduced else "all"
            print(f"{name:28} {kind:7} {cell(peer)}   {cell(ours)} {ratio}  {two} ({peer[3]:.1f} s){note}", flush=True)
    if without_reductions:
        print(f"\nall: SPIN's CPU time over ours: {min(without_reductions):.1f} to {max(without_reductions):.1f}")
        print(f"`spin -a` and `gcc` take at least {min(compilers):.1f} s")


if __name__ == "__main__":
    main()
