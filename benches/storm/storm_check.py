"""Checks one property with Storm's sparse engine and reports what that took; run in a process of its own.

usage: storm_check.py MODE MODEL CONSTANTS PROPERTIES NAME        (CONSTANTS may be empty: A=1,B=true)

MODE is `classical` (a plain environment: the settings without guarantee that Storm's command line uses), `sound` (what
stormpy uses when nothing is said) or `exact` (rational arithmetic). Prints one line of JSON: value, CPU and wall seconds
from parsing to the result (the time for importing the library is not counted), peak resident bytes of the process.
"""

import json
import resource
import sys
import time

import stormpy
from stormpy import environments


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


ENVIRONMENTS = {"classical": stormpy.Environment, "sound": environments.sound, "exact": environments.exact}


def check(mode, path, constants, properties, name):
    cpu, wall = cpu_seconds(), time.perf_counter()
    program = stormpy.parse_prism_program(path, prism_compatibility=True)
    chosen = stormpy.parse_properties(open(properties).read(), program, property_filter=[name])
    if constants:
        program, chosen = stormpy.instantiate_constants(program, constants, chosen)
    # With the property, Storm builds only what it needs for it.
    number = stormpy.Rational if mode == "exact" else float
    model = stormpy.build_model[number](program, chosen)
    result = stormpy.model_checking(model, chosen[0], only_initial_states=True, environment=ENVIRONMENTS[mode]())
    values = [result.get_value(state) for state in model.initial_states]
    wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    # Of several initial states the corpus asks for the largest value: filter(max, ..., "init").
    return {
        "value": float(max(values)),
        "states": model.nr_states,
        "cpu_s": cpu,
        "wall_s": wall,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def main():
    print("RESULT " + json.dumps(check(*sys.argv[1:])))


main()
