#!/usr/bin/env python3
"""Runs a campaign of Volvelle on Ray: shards in parallel, again where a worker is lost, in rounds where a rule needs them.

    python3 ray_campaign.py --shards 64 --folder parts -- simulate queue.prism queue.props --samples 1e9

Everything behind `--` is the command; the answer is printed in the end. Workers need the program, the model under the same path, and
the folder: one machine, or machines with a file system in common.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time

import ray


@ray.remote(num_cpus=1, max_retries=10)
def shard(program, command, number, count, part, given, folder):
    """Computes a shard; the part is in a file that outlives the worker."""
    pathlib.Path(folder, f"worker-{number}").write_text(str(os.getpid()))
    run = [program, *command, "--shard", f"{number}/{count}", "-o", part, "--threads", "1", *given]
    done = subprocess.run(run, capture_output=True, text=True)
    # Wrong input is wrong everywhere; anything else is tried again.
    if done.returncode == 2:
        return done.stderr
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return None


def kill_a_worker(folder):
    """For tests: the first worker that shows up dies as if its machine were lost."""
    while True:
        for note in sorted(pathlib.Path(folder).glob("worker-*")):
            if note.read_text():
                os.kill(int(note.read_text()), signal.SIGKILL)
                print(f"killed the worker of {note.name}", file=sys.stderr)
                return
        time.sleep(0.01)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="volvelle")
    parser.add_argument("--shards", type=int, default=64)
    parser.add_argument("--folder", default="parts")
    parser.add_argument("--workers", type=int, help="workers on this machine, without a cluster of Ray")
    parser.add_argument("--kill-one", action="store_true", help="kill a worker in the middle, for tests")
    parser.add_argument("command", nargs="+", help="the command, behind --")
    args = parser.parse_args()

    folder = pathlib.Path(args.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    ray.init(num_cpus=args.workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    parts, given, number = [], [], 1
    while True:
        names = [str(folder / f"part-{number}-{k}.vvs") for k in range(1, args.shards + 1)]
        tasks = [
            shard.remote(args.program, args.command, k, args.shards, name, given, str(folder))
            for k, name in enumerate(names, 1)
        ]
        if args.kill_one and number == 1:
            kill_a_worker(folder)
        wrong = next((error for error in ray.get(tasks) if error), None)
        if wrong:
            sys.exit(wrong)
        parts += names
        number += 1
        following = str(folder / f"round-{number}.json")
        merged = subprocess.run([args.program, "merge", *parts, "--next", following, "--json"], text=True,
                                capture_output=True)
        # 3: a stopping rule needs more paths.
        if merged.returncode != 3 or not pathlib.Path(following).exists():
            break
        given = ["--round", following]
    print(merged.stdout, end="")
    print(merged.stderr, end="", file=sys.stderr)
    sys.exit(merged.returncode)


if __name__ == "__main__":
    main()
