"""The `fmi` crate of Rust runs the FMU of every shipped scene; the values that it reads are those of `stiction run`.

usage: fmi_crate_runs.py STICTION FMI_CRATE    (the program, with its shared library beside it; the one of tests/fmi_crate)
"""

import csv
import io
import sys

from scenes import check_master, run


def trajectory(fmu, outputs, step, n_steps):
    names, *lines = csv.reader(io.StringIO(run(sys.argv[2], fmu, repr(step), str(n_steps))))
    places = [names.index(v.name) for v in outputs]
    return [[float(line[p]) if v.type == "Real" else int(line[p]) for v, p in zip(outputs, places)] for line in lines]


if __name__ == "__main__":
    check_master("fmi crate", trajectory)
