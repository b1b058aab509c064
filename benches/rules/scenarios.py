#!/usr/bin/env python3
"""Checks the scenarios of the typed JavaScript with Volvelle, and the same programs with tsgo, alternately.

    scenarios.py FOLDER --volvelle PROGRAM --tsgo PROGRAM [--rounds N] [SCENARIO:N ...]

FOLDER has the programs that `gen.py` of the corpus writes (`NAME_N.n4js`, `NAME_N.ts`). Shows the CPU time of user code in milliseconds,
that of an empty file taken away: the best of all rounds, since others may use the machine. `npm install typescript@7` has tsgo."""

import argparse
import math
import pathlib
import resource
import subprocess
import tempfile


def cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    if ended.returncode != 0:
        raise SystemExit(f"{command} ended with {ended.returncode}:\n{ended.stdout.decode()[:2000]}")
    return 1e3 * (after - before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--volvelle", required=True)
    parser.add_argument("--tsgo", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("only", nargs="*")
    args = parser.parse_args()

    def ours(path):
        return [args.volvelle, "n4js", "check", str(path)]

    def theirs(path):
        return [args.tsgo, "--noEmit", "--strict", "--target", "esnext", str(path)]

    names = sorted(path.stem for path in args.folder.glob("*.n4js"))
    if args.only:
        names = [one.replace(":", "_").replace("-", "_") for one in args.only]
    with tempfile.TemporaryDirectory() as folder:
        empty = pathlib.Path(folder)
        (empty / "empty.n4js").write_text("")
        (empty / "empty.ts").write_text("export {};\n")
        base = [math.inf, math.inf]
        for _ in range(2 * args.rounds):
            base[0] = min(base[0], cpu(ours(empty / "empty.n4js")))
            base[1] = min(base[1], cpu(theirs(empty / "empty.ts")))
    print(f"{'empty file':<24} {base[0]:>9.1f} {base[1]:>9.1f}")
    ratios = []
    for name in names:
        best = [math.inf, math.inf]
        for _ in range(args.rounds):
            best[0] = min(best[0], cpu(ours(args.folder / f"{name}.n4js")))
            best[1] = min(best[1], cpu(theirs(args.folder / f"{name}.ts")))
        one, other = (max(time - start, 0.1) for time, start in zip(best, base))
        ratios.append(one / other)
        print(f"{name:<24} {one:>9.1f} {other:>9.1f} {one / other:>7.2f}", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean {mean:.2f}, worst {max(ratios):.2f} of {len(ratios)}")


if __name__ == "__main__":
    main()
