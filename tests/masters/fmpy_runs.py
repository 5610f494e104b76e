"""FMPy validates and runs the FMU of every shipped scene; its values are those of `stiction run`.

usage: fmpy_runs.py STICTION    (the program, with its shared library beside it)
"""

from fmpy.validation import validate_fmu

from scenes import check_master, fmpy_trajectory

if __name__ == "__main__":
    check_master("FMPy", fmpy_trajectory, lambda fmu: [str(p) for p in validate_fmu(fmu)])
