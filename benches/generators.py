#!/usr/bin/env python3
"""The two generators of steps on one system: philosophers as modules (PRISM) and as processes (Promela).

Both models have the same states and transitions, and the same search visits them on one thread, so that what differs is
the code that makes successors. Usage: benches/generators.py [VOLVELLE] [--philosophers N] [--runs N]
"""

import argparse
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


def forks(count):
    """The forks of each philosopher in the order in which they are taken; the last one begins on the other side."""
    return [(i, i + 1) if i < count - 1 else (0, i) for i in range(count)]


def modules(count):
    text = "mdp\n" + "".join(f"global f{i} : bool init false;\n" for i in range(count))
    for i, (a, b) in enumerate(forks(count)):
        text += (
            f"module phil{i}\n  p{i} : [0..3] init 0;\n"
            f"  [] p{i}=0 & !f{a} -> (p{i}'=1) & (f{a}'=true);\n"
            f"  [] p{i}=1 & !f{b} -> (p{i}'=2) & (f{b}'=true);\n"
            f"  [] p{i}=2 -> (p{i}'=3) & (f{a}'=false);\n"
            f"  [] p{i}=3 -> (p{i}'=0) & (f{b}'=false);\nendmodule\n"
        )
    return text


def processes(count):
    run = " ".join(f"run phil({a},{b});" for a, b in forks(count))
    return (
        f"bit f[{count}];\n"
        "proctype phil(byte l; byte r) {\n"
        "again: atomic { !f[l] -> f[l]=1 };\n  atomic { !f[r] -> f[r]=1 };\n  f[l]=0; f[r]=0; goto again\n}\n"
        f"init {{ atomic {{ {run} }} }}\n"
    )


def measure(program, model):
    """CPU seconds of one search, and the states and transitions that it visited."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "check", str(model), "--safety", "--no-reduction", "--threads", "1"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    counts = re.search(r"([\d,]+) states +([\d,]+) transitions", out)
    return seconds, [int(text.replace(",", "")) for text in counts.groups()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default="target/release/volvelle")
    parser.add_argument("--philosophers", type=int, default=14)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        models = [Path(folder, "phil.prism"), Path(folder, "phil.pml")]
        models[0].write_text(modules(arguments.philosophers))
        models[1].write_text(processes(arguments.philosophers))
        times = [[], []]
        for _ in range(arguments.runs):
            for model, known in zip(models, times):
                seconds, counts = measure(arguments.program, model)
                known.append((seconds, counts))
    medians = [statistics.median(seconds for seconds, _ in known) for known in times]
    for model, known, median in zip(models, times, medians):
        states, transitions = known[0][1]
        rate = transitions / median / 1e6
        print(f"{model.name:<12} {states:>12,} states {transitions:>12,} transitions {median:6.2f} s CPU {rate:6.1f} M/s")
    print(f"processes / modules: {medians[1] / medians[0]:.2f}")


if __name__ == "__main__":
    sys.exit(main())
