#!/usr/bin/env python3
"""Tuning by SPIN's bisection against `volvelle tune`, in one run: CPU seconds, peak memory, and whether they agree.

    benches/tuning.py VOLVELLE                                    the examples, sizes 8 and 16
    benches/tuning.py VOLVELLE --published FOLDER --sizes 8,16,32 autotune_reduced.pml of the study as well
    benches/tuning.py VOLVELLE --published FOLDER --sizes 8 --large 64,128,256     larger ones, Volvelle alone

SPIN's bisection follows Garanina, Staroletov and Gorlatch: T begins with the time of a random simulation, each check of
`[] (done -> time > T)` below it either gives a counterexample, whose own time is the next T, or proves that T is the least. CPU
seconds of SPIN are those of the generated verifiers and of the replays of trails; compiling them is told apart. Of Volvelle two
rows: with certificates (the default), and `--no-confluence`, which explores all interleavings as SPIN does. The machine has to be
idle. Needs `spin` and `gcc`.
"""

import argparse
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEPTH = 20_000_000


def measured(words, folder, memory_gib=None, timeout=3600):
    """CPU seconds, peak MiB and output of a command; `None` for a run that was cut short."""
    def limited():
        if memory_gib:
            limit = int(memory_gib * 2**30)
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    script = (
        "import resource,subprocess,sys\n"
        "run=subprocess.run(sys.argv[1:],stdout=subprocess.PIPE,stderr=subprocess.STDOUT)\n"
        "use=resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "sys.stdout.buffer.write(run.stdout)\n"
        "sys.stderr.write(f'{use.ru_utime+use.ru_stime} {use.ru_maxrss/1024} {run.returncode}')\n"
    )
    try:
        run = subprocess.run(
            [sys.executable, "-c", script, *words], cwd=folder, capture_output=True, timeout=timeout, preexec_fn=limited
        )
    except subprocess.TimeoutExpired:
        return None
    seconds, mib, code = run.stderr.decode().split()[-3:]
    return float(seconds), float(mib), int(code), run.stdout.decode(errors="replace")


def spin(text, until, cost, folder, memory_gib):
    """The least cost by SPIN's bisection: value, CPU seconds of checks, of compiling, peak MiB, checks."""
    folder = pathlib.Path(folder)
    text = re.sub(r"^\s*ltl\s.*$", "", text, flags=re.M)
    checks = compiling = peak = 0.0
    rounds = 0
    # The final state of a random simulation has the cost.
    plain = folder / "sim.pml"
    plain.write_text(text)
    run = measured(["spin", "-g", "-n1", "-u100000000", plain.name], folder)
    values = re.findall(rf"^\s*{cost} = (\d+)$", run[3], flags=re.M)
    known = int(values[-1]) if values else None
    checks += run[0]
    while True:
        bound = (known - 1) if known is not None else 10**9
        model = folder / "m.pml"
        model.write_text(f"{text}\nltl over {{ [] (({until}) -> ({cost} > {bound})) }}\n")
        made = measured(["sh", "-c", "spin -a m.pml && gcc -O2 -DCOLLAPSE -DMEMLIM=64000 -o pan pan.c"], folder)
        compiling += made[0]
        run = measured(["./pan", "-a", f"-m{DEPTH}"], folder, memory_gib)
        if run is None or "errors: 0" not in run[3] and "errors: 1" not in run[3]:
            return None
        checks, peak, rounds = checks + run[0], max(peak, run[1]), rounds + 1
        if "errors: 0" in run[3]:
            return known, checks, compiling, peak, rounds
        replay = measured(["spin", "-t", "-g", "m.pml"], folder)
        checks += replay[0]
        values = re.findall(rf"^\s*{cost} = (\d+)$", replay[3], flags=re.M)
        known = int(values[-1]) if values else bound


def volvelle(binary, text, until, cost, parameters, folder, more):
    path = pathlib.Path(folder) / "v.pml"
    path.write_text(text)
    words = [binary, "tune", path.name, "--minimize", cost, "--goal", until, "--parameters", parameters, "--json", *more]
    run = measured(words, folder)
    if run is None or run[2] not in (0, 3):
        return None
    # Diagnostics follow the document.
    answer = json.JSONDecoder().raw_decode(run[3])[0]
    tuning = answer["tuning"]
    return tuning.get("time"), tuning["proven"], run[0], run[1], tuning["best"], tuning["configurations"]


def sources(arguments, size):
    """Models of a size: name, text, goal, cost."""
    power = size.bit_length() - 1
    platform = (ROOT / "examples/tuning/platform.pml").read_text()
    yield "platform.pml", platform.replace("#define LOG_SIZE 3", f"#define LOG_SIZE {power}"), "finished", "time"
    minimum = (ROOT / "examples/tuning/minimum.pml").read_text()
    text = minimum.replace("#define SIZE     8", f"#define SIZE     {size}")
    yield "minimum.pml", text.replace("#define LOG_SIZE 3", f"#define LOG_SIZE {power}"), "finished", "time"
    if arguments.published:
        path = arguments.published / "autotune_reduced.pml"
        text = re.sub(r"byte n = \d+;", f"byte n = {power};", path.read_text())
        if arguments.widened:
            text = text.replace("byte i = 0;", "int i = 0;")
        yield "autotune_reduced.pml", text, "FIN", "time"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("volvelle", type=lambda p: str(pathlib.Path(p).resolve()))
    parser.add_argument("--published", type=pathlib.Path, help="folder with the models of the study")
    parser.add_argument("--sizes", default="8,16")
    parser.add_argument("--large", default="", help="sizes for Volvelle alone")
    parser.add_argument("--only", default="", help="a model, by its name")
    parser.add_argument("--widened", action="store_true", help="counters of the published model as int")
    parser.add_argument("--memory", type=float, default=16.0, help="GiB that a verifier may take")
    arguments = parser.parse_args()
    for tool in ("spin", "gcc"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is needed")
    small = [int(s) for s in arguments.sizes.split(",") if s]
    large = [int(s) for s in arguments.large.split(",") if s]
    wrong = False
    print("model                 size   least   SPIN CPU-s (checks, MiB)     certified      ratio   all runs       ratio")
    for size in small + large:
        for name, text, until, cost in sources(arguments, size):
            if arguments.only not in name:
                continue
            with tempfile.TemporaryDirectory() as folder:
                certified = volvelle(arguments.volvelle, text, until, cost, "WG,TS", folder, [])
                all_runs = None
                peer = None
                if size in small:
                    all_runs = volvelle(arguments.volvelle, text, until, cost, "WG,TS", folder, ["--no-confluence"])
                    peer = spin(text, until, cost, folder, arguments.memory)

            def cell(run):
                return f"{run[2]:.2f} s, {run[3]:.0f} MiB" if run and run[1] else "no proof"

            def ratio(run):
                return f"{peer[1] / max(run[2], 1e-3):.0f} x" if peer and run and run[1] else "-"

            least = certified[0] if certified else "?"
            spins = f"{peer[1]:.2f} ({peer[4]}, {peer[3]:.0f})" if peer else "-"
            print(
                f"{name:<20} {size:>5}  {least!s:>6}   {spins:<28} {cell(certified):<15} {ratio(certified):>5}   "
                f"{cell(all_runs) if all_runs else '-':<15} {ratio(all_runs):>5}",
                flush=True,
            )
            times = {run[0] for run in (certified, all_runs, peer) if run}
            if len(times) > 1:
                print(f"  they differ: {times}")
                wrong = True
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
