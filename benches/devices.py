#!/usr/bin/env python3
"""Millions of steps a second of sampling: on threads, with every kind of code, and on a device, in every way to run paths.

    benches/devices.py CORPUS [--binary target/release/volvelle] [--ways target/release/examples/device_ways]
                       [--device opencl:0] [--runs 3]

CORPUS is a folder of models (`ctmc/tandem/tandem.prism`, ...). The ways of a device are measured by an example of the simulator:
`cargo build --release -p volvelle-simulate --example device_ways`. Both have all cores; the machine has to be idle. Medians of
the runs, and the ratio of the best way to the best code that runs one path at a time on threads.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Model, property, constants, and paths.
INSTANCES = {
    "client_server t=100": ("client_server.sm", "R=? [ I=100 ]", "", 240_000),
    "client_server t=2000": ("client_server.sm", "R=? [ I=2000 ]", "", 32_000),
    "brp 64/5": ("dtmc/brp/brp.prism", "P=? [ F s=5 & T ]", "N=64,MAX=5", 2_400_000),
    "crowds 6/20": ("dtmc/crowds/crowds.prism", "P=? [ F observe0>1 ]", "TotalRuns=6,CrowdSize=20", 2_400_000),
    "tandem 255 T=10": ("ctmc/tandem/tandem.prism", "R=? [ I=10 ]", "c=255", 480_000),
}


def threads(binary, corpus, instance, options):
    """Millions of steps a second on threads."""
    model, text, constants, paths = instance
    command = [binary, "simulate", str(corpus / model), "--prop", text, "--samples", str(paths), "--json"]
    command += ["--device", "threads", *options]
    command += ["--const", constants] if constants else []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    told = json.loads(done.stdout)["results"][0]["statistics"]
    return told["steps"] / told["seconds"] / 1e6


def ways(program, corpus, instance, device):
    """The same of a device, for each way."""
    model, text, constants, paths = instance
    command = [program, device, str(corpus / model), text, str(paths)]
    command += [constants] if constants else []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    lines = [line for line in done.stdout.splitlines() if "M steps/s" in line]
    return {line.split("Way")[1].strip(" {}"): float(line.split()[0]) for line in lines}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("corpus", type=pathlib.Path)
    arguments.add_argument("--binary", default=str(ROOT / "target/release/volvelle"))
    arguments.add_argument("--ways", default=str(ROOT / "target/release/examples/device_ways"))
    arguments.add_argument("--device", default="opencl:0")
    arguments.add_argument("--runs", type=int, default=3)
    given = arguments.parse_args()
    print("| | scalar | vector | auto | device | device / scalar | the best way |\n|---|--:|--:|--:|--:|--:|---|")
    for name, instance in INSTANCES.items():
        row = []
        for options in (["--tier", "scalar"], ["--tier", "vector"], []):
            speeds = [threads(given.binary, given.corpus, instance, options) for _ in range(given.runs)]
            row.append(statistics.median(speeds))
        runs = [ways(given.ways, given.corpus, instance, given.device) for _ in range(given.runs)]
        medians = {way: statistics.median(run[way] for run in runs) for way in runs[0]}
        best = max(medians, key=medians.get)
        row.append(medians[best])
        numbers = " | ".join(f"{speed:.0f}" for speed in row)
        print(f"| {name} | {numbers} | {medians[best] / row[0]:.2f} | {best} |", flush=True)


if __name__ == "__main__":
    main()
