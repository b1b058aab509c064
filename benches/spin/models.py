#!/usr/bin/env python3
"""Searches Promela models with SPIN and with Volvelle in one run: states, CPU seconds, memory, bytes a state.

    python3 benches/spin/models.py [--volvelle PATH] [--seconds 60] [--threads 1] MODEL...

Each model is searched for assertions and invalid end states twice by each: all orders of steps (SPIN: -o1 -o2 -o3,
-DNOREDUCE; Volvelle: --no-reduction), and reduced (the defaults of both). SPIN's time is that of `pan` alone; what
`spin -a` and `gcc -O2` take is told beside it. A wrong number of states cannot be a fast one: without reductions both
must agree, or the row says so.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time


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
        "import resource,subprocess,sys,json\n"
        "try:\n p=subprocess.run(sys.argv[2:],capture_output=True,text=True,timeout=float(sys.argv[1]));out=p.stdout\n"
        "except subprocess.TimeoutExpired: out=None\n"
        "u=resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps([out,u.ru_utime+u.ru_stime,u.ru_maxrss/1024]))"
    )
    out = subprocess.run([sys.executable, "-c", code, str(seconds), *command], cwd=folder, capture_output=True, text=True)
    return json.loads(out.stdout)


def spin(model, reduced, seconds):
    """States, CPU seconds, MB, seconds to compile."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        options = [] if reduced else ["-o1", "-o2", "-o3"]
        run(["spin", *options, "-a", model], folder, 60)
        defines = ["-DSAFETY", "-DNOCLAIM"] + ([] if reduced else ["-DNOREDUCE"])
        run(["gcc", "-O2", "-w", *defines, "-o", "pan", "pan.c"], folder, 120)
        compiling = time.monotonic() - start
        output, cpu, memory = peak(["./pan", "-m1000000", "-n", "-c0"], folder, seconds)
        states = None
        for line in (output or "").splitlines():
            if "states, stored" in line:
                states = int(line.split()[0])
        return states, cpu, memory, compiling


def volvelle(binary, model, reduced, seconds, threads):
    """States, CPU seconds, MB."""
    options = ["--safety", "--all-errors", "--json", "--threads", str(threads)] + ([] if reduced else ["--no-reduction"])
    output, cpu, memory = peak([binary, "check", model, *options], os.path.dirname(model) or ".", seconds)
    if output is None:
        return None, cpu, memory
    return json.loads(output)["model"]["states"], cpu, memory


def cell(result):
    states, cpu, memory = result[:3]
    return f"{states if states is not None else '-':>10} {cpu:8.2f} {memory:8.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--volvelle", default="target/release/volvelle")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("models", nargs="+")
    arguments = parser.parse_args()
    binary = os.path.abspath(arguments.volvelle)
    print(f"{'model':28} {'':7} {'SPIN: states':>10} {'CPU s':>8} {'MB':>8}   {'Volvelle':>10} {'CPU s':>8} {'MB':>8}   ratio  (gcc)")
    for model in map(os.path.abspath, arguments.models):
        for reduced in (False, True):
            peer = spin(model, reduced, arguments.seconds)
            ours = volvelle(binary, model, reduced, arguments.seconds, arguments.threads)
            agree = reduced or peer[0] is None or ours[0] is None or peer[0] == ours[0]
            note = "" if agree else "  THE NUMBERS OF STATES DIFFER"
            ratio = f"{peer[1] / ours[1]:6.1f}" if peer[0] and ours[0] and ours[1] > 0 else "     -"
            name = os.path.basename(model)
            kind = "reduced" if reduced else "all"
            print(f"{name:28} {kind:7} {cell(peer)}   {cell(ours)} {ratio}  ({peer[3]:.1f} s){note}", flush=True)


if __name__ == "__main__":
    main()
