"""What the comparisons with Storm share: instances of a corpus, processes and what they took, setting up."""

import json
import math
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STORM = "stormpy==2.0.0"


# Instances


def declared(model, constants):
    """The constants among those listed that the model itself leaves open; the others belong to properties."""
    open_constants = set(re.findall(r"^\s*const\s+(?:int|double|bool)?\s*(\w+)\s*;", model.read_text(), re.M))
    pairs = [pair.split("=") for pair in constants.split(",") if pair]
    spelt = {"True": "true", "False": "false"}
    return ",".join(f"{name}={spelt.get(value, value)}" for name, value in pairs if name in open_constants)


def name(instance):
    path = pathlib.PurePath(instance["model"])
    title = path.stem if path.stem.startswith(path.parent.name) else f"{path.parent.name}/{path.stem}"
    return f"{title} {instance['constants']}".strip()


# Processes


def measured(command, timeout, environment=None):
    """Runs a process; gives its output, exit status, CPU and wall seconds and peak bytes; None if it took too long."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment)
        timer = threading.Timer(timeout, process.kill)
        timer.start()
        # wait4 gives the usage of exactly this child.
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        late = not timer.is_alive()
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        return {
            "output": out.read().decode(),
            "errors": err.read().decode(),
            "status": process.returncode,
            "late": late,
            "cpu_s": used.ru_utime + used.ru_stime,
            "wall_s": wall,
            "peak_bytes": used.ru_maxrss * 1024,
        }


def storm(python, script, arguments, timeout):
    """Runs a script that drives Storm; gives what it reports."""
    run = measured([python, str(HERE / script), *arguments], timeout)
    lines = [line for line in run["output"].splitlines() if line.startswith("RESULT ")]
    if run["late"]:
        return {"failure": f"more than {timeout:g} s"}
    if run["status"] != 0 or not lines:
        return {"failure": last_line(run["errors"]) or f"exit status {run['status']}"}
    return json.loads(lines[-1].removeprefix("RESULT "))


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def each(chosen, budget, what, compare, shown):
    """Compares one after the other, until the budget of seconds is used up; says what it found as it goes."""
    start, results = time.monotonic(), []
    for one in chosen:
        if time.monotonic() - start > budget:
            left = len(chosen) - len(results)
            print(f"budget of {budget:.0f} s used up: {left} {what} left out", file=sys.stderr)
            break
        results.append(compare(one))
        print(shown(results[-1]), file=sys.stderr, flush=True)
    return results


# Reporting


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def put_into_docs(text, begin, end):
    """Replaces what stands between two marks of docs/performance.md."""
    page = ROOT / "docs" / "performance.md"
    before, rest = page.read_text().split(begin)
    _, after = rest.split(end)
    page.write_text(f"{before}{begin}\n{text}{end}{after}")


# Setting up


def python_with_storm(given):
    """A Python that has stormpy: the one given, this one, or one in an environment made for it."""
    own = HERE / "venv" / "bin" / "python"
    for candidate in (given, sys.executable, str(own)):
        if candidate and pathlib.Path(candidate).exists():
            if subprocess.run([candidate, "-c", "import stormpy"], capture_output=True).returncode == 0:
                return candidate
    subprocess.run([sys.executable, "-m", "venv", str(HERE / "venv")], check=True)
    subprocess.run([str(own), "-m", "pip", "install", "--quiet", STORM], check=True)
    return str(own)


def built(binary):
    """The release binary."""
    if binary:
        return binary
    subprocess.run(["cargo", "build", "--release", "--package", "volvelle"], cwd=ROOT, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release" / "volvelle"
