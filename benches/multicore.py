"""Programs for RISC-V: the emulator, predictors and multicores, beside QEMU on the same programs in the same run.

CPU seconds, the median of several runs; millions of instructions a second (MIPS), and the ratio to QEMU. QEMU translates to machine code and
models nothing; what is beside it here are models, each of which says more about a program: the ratio is what that costs.

    python3 benches/multicore.py --volvelle target/release/volvelle --programs ../shared/corpus/multicore/programs
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile

# Sizes for measuring: 16 to 122 million instructions.
SIZES = {
    "quicksort": "200000",
    "sieve": "3000000",
    "matmul": "160",
    "strsearch": "500000",
    "hashtable": "400000",
    "pchase": "200000",
    "queens": "10",
    "lz": "600000",
}


def seconds(command):
    """CPU seconds of a command, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0,):
        raise SystemExit(f"{command}: {done.returncode}\n{done.stderr.decode()}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def median(command, runs):
    times = [seconds(command) for _ in range(runs)]
    return statistics.median(time for time, _ in times), times[0][1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--volvelle", default="target/release/volvelle")
    parser.add_argument("--programs", default="../shared/corpus/multicore/programs")
    parser.add_argument("--qemu", default="qemu-riscv64")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    volvelle = [os.path.abspath(arguments.volvelle), "multicore"]
    folder = tempfile.mkdtemp()
    eight = "bimodal-12,gag-14,gshare-14,pag-10,perceptron-8,hashed,tage,oracle"
    quad = ["--threads", "1", "--machine", "paper-quad-8", "--predictor", "perceptron-8"]
    kinds = {
        "program": ["--only", "program"],
        "counter": ["--threads", "1", "--only", "predictors", "--predictor", "gag-14"],
        "perceptron": ["--threads", "1", "--only", "predictors", "--predictor", "perceptron-8"],
        "eight predictors": ["--threads", "1", "--only", "predictors", "--predictor", eight],
        "four cores": quad,
        "windows": [*quad, "--windows", "30", "--window", "50000", "--warm-up", "5000"],
        "octa 16": ["--threads", "1", "--machine", "paper-octa-16", "--predictor", "perceptron-8"],
    }
    names = ["program", "counter", "perceptron", "eight predictors", "four cores", "windows", "octa 16"]
    print(f"{'':10} {'M instr':>8} {'QEMU':>8} " + " ".join(f"{name:>17}" for name in names) + f" {'record':>10} {'bytes':>7} {'replay':>8} {'windows':>18}")
    worst = {}
    for name, size in SIZES.items():
        program = os.path.join(arguments.programs, f"{name}.elf")
        qemu, _ = median([arguments.qemu, program, size], arguments.runs)
        cells = []
        instructions = 0
        ipc = {}
        for kind in names:
            command = [*volvelle, program, *kinds[kind], "--json", "--", size]
            time, out = median(command, arguments.runs)
            found = json.loads(out)["results"]
            instructions = found[0]["instructions"]
            ipc[kind] = found[0]
            mips = instructions / time / 1e6
            if kind == "eight predictors":
                mips *= 8
            worst[kind] = min(worst.get(kind, mips), mips)
            cells.append(f"{mips:8.1f} ({qemu / time:5.3f})")
        trace = os.path.join(folder, "trace.vtr")
        record, out = median([*volvelle, program, "--record", trace, "--json", "--", size], 1)
        size_bytes = os.path.getsize(trace)
        replay, _ = median([*volvelle, trace, "--only", "program", "--json"], arguments.runs)
        per = size_bytes / instructions
        mips = [instructions / time / 1e6 for time in (qemu, record, replay)]
        for kind, value in zip(("record", "replay"), mips[1:]):
            worst[kind] = min(worst.get(kind, value), value)
        whole, sampled = ipc["four cores"]["ipc"], ipc["windows"]
        half = (1 / sampled["ipc_lower"] - 1 / sampled["ipc_upper"]) / 2 * sampled["ipc"]
        error = f"{100 * (sampled['ipc'] / whole - 1):+.2f} % of {100 * half:.2f}"
        row = " ".join(f"{cell:>17}" for cell in cells)
        print(f"{name:10} {instructions / 1e6:8.1f} {mips[0]:8.0f} {row} {mips[1]:10.1f} {per:7.4f} {mips[2]:8.1f} {error:>18}", flush=True)
    print("worst " + ", ".join(f"{kind} {value:.1f}" for kind, value in worst.items()))


if __name__ == "__main__":
    main()
