#!/usr/bin/env python3
"""How long `volvelle simulate` takes from start to end, by tier: one path (what stands before the first sample), and many.

    benches/simulation/whole.py CORPUS [--binary target/release/volvelle] [--samples 1e6] [--threads 1] [--runs 5] [--other BINARY] [--processor]

Medians of whole processes, tiers in turns; milliseconds. `auto` begins with the code that is soonest made, and goes over to better code while
paths run; `--tier` keeps to one kind of code. `--other` is another build, in columns of its own. `--processor` takes the
processor time of a process in place of the time that passes, for machines that are not idle.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import time

from run import INSTANCES, ROOT, processor_seconds

# Beside the instances of `run.py`: model, constants, property.
MORE = {
    "brp 16/2": ("dtmc/brp/brp.prism", "N=16,MAX=2", "P=? [ F s=5 ]"),
    "crowds 3/5": ("dtmc/crowds/crowds.prism", "TotalRuns=3,CrowdSize=5", "P=? [ F observe0>1 ]"),
    "egl 5/8": ("dtmc/egl/egl.prism", "N=5,L=8", 'P=? [ F !"knowA" & "knowB" ]'),
    "haddad-monmege 10": ("dtmc/haddad-monmege/haddad-monmege.pm", "N=10,p=0.7", 'P=? [ F "Target" ]'),
    "nand 20/3": ("dtmc/nand/nand.prism", "N=20,K=3", "P=? [ F s=4 & z/N<0.1 ]"),
    "nand 60/4": ("dtmc/nand/nand.prism", "N=60,K=4", "P=? [ F s=4 & z/N<0.1 ]"),
    "fms 5": ("ctmc/fms/fms.prism", "n=5", 'R{"productivity"}=? [ C<=10 ]'),
    "polling 6 T=10": ("ctmc/polling/polling.6.prism", "", 'R{"waiting"}=? [ C<=10 ]'),
    "polling 18 T=1": ("ctmc/polling/polling.18.prism", "", 'R{"served"}=? [ C<=1 ]'),
}


def whole(binary, corpus, instance, tier, samples, threads, clock):
    """Seconds of a process."""
    model, constants, prop = instance[:3]
    command = [binary, "simulate", corpus / model, "--prop", prop, "--json", "--tier", tier]
    command += ["--samples", samples, "--threads", threads]
    if constants:
        command += ["--const", constants]
    start = clock()
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    seconds = clock() - start
    found = json.loads(done.stdout)["results"][0]
    if "value" not in found:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/volvelle")
    parser.add_argument("--other", type=pathlib.Path, help="another build to compare with")
    parser.add_argument("--samples", default="1e6")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", help="instances whose name contains this")
    parser.add_argument("--processor", action="store_true", help="processor time")
    args = parser.parse_args()
    clock = processor_seconds if args.processor else time.monotonic
    columns = [("auto", args.binary), ("scalar", args.binary), ("vector", args.binary)]
    names = [tier for tier, _ in columns]
    if args.other:
        columns.insert(0, ("auto", args.other))
        names.insert(0, "auto, other build")
    heads = [f"{name}, {samples}" for samples in ("1", args.samples) for name in names]
    print("| ms | " + " | ".join(heads) + " |")
    print("|---|" + "--:|" * len(heads), flush=True)
    for name, instance in (INSTANCES | MORE).items():
        if args.only and args.only not in name:
            continue
        cells = []
        for samples in ("1", args.samples):
            runs = [[] for _ in columns]
            for _ in range(args.runs):
                for (tier, binary), seconds in zip(columns, runs):
                    seconds.append(whole(binary, args.corpus, instance, tier, samples, args.threads, clock))
            cells += [f"{1000 * statistics.median(seconds):.0f}" for seconds in runs]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
