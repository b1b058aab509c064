"""Builds one model with Storm's sparse engine and reports what that took; run in a process of its own.

usage: storm_build.py MODEL CONSTANTS      (CONSTANTS may be empty: A=1,B=true)
       storm_build.py --baseline           (imports the library and nothing else)

Prints one line of JSON: states, choices, transitions, CPU and wall seconds of parsing and building with all labels
and all reward models (the time for importing the library is not counted), peak resident bytes of the process.
"""

import json
import resource
import sys
import time

import stormpy


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def build(path, constants):
    cpu, wall = cpu_seconds(), time.perf_counter()
    program = stormpy.parse_prism_program(path, prism_compatibility=True)
    if constants:
        program, _ = stormpy.instantiate_constants(program, constants)
    # Without properties and options, all labels and all reward models are built, and nothing else.
    model = stormpy.build_model(program)
    wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    return {
        "states": model.nr_states,
        "choices": model.nr_choices,
        "transitions": model.nr_transitions,
        "cpu_s": cpu,
        "wall_s": wall,
        "peak_bytes": peak_bytes(),
    }


def main():
    if sys.argv[1:] == ["--baseline"]:
        result = {"peak_bytes": peak_bytes(), "version": stormpy.__version__}
    else:
        _, path, constants = sys.argv
        result = build(path, constants)
    print("RESULT " + json.dumps(result))


main()
