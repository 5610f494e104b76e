"""FMPy validates and runs the FMU of every shipped scene; its values are those of `stiction run`.

usage: fmpy_runs.py STICTION    (the program, with its shared library beside it)
"""

import csv
import io
import subprocess
import sys
import tempfile
from pathlib import Path

import fmpy
from fmpy.validation import validate_fmu

# names in the trajectory of `stiction run`
COLUMNS = {
    "position": {"x": "x", "y": "y", "angle": "angle"},
    "velocity": {"x": "vx", "y": "vy", "angle": "omega"},
}


def difference(stiction, fmu, scene, step, until):
    """Largest difference of positions and velocities between FMPy and `stiction run`."""
    description = fmpy.read_model_description(fmu)
    names = [
        v.name
        for v in description.modelVariables
        if v.causality == "output" and len(v.name.split(".")) == 3 and v.name.split(".")[1] in COLUMNS
    ]
    ours = subprocess.run(
        [stiction, "run", scene, "--until", str(until), "--output-step", str(step), "-o", "-"],
        check=True,
        capture_output=True,
        text=True,
    )
    rows = list(csv.DictReader(io.StringIO(ours.stdout)))
    theirs = fmpy.simulate_fmu(
        fmu, stop_time=until, step_size=step, output_interval=step, output=names, set_stop_time=False
    )
    assert len(rows) == len(theirs), f"{scene}: {len(rows)} rows against {len(theirs)}"
    worst = 0.0
    for row, result in zip(rows, theirs):
        for name in names:
            body, quantity, component = name.split(".")
            value = float(row[f"{body}.{COLUMNS[quantity][component]}"])
            worst = max(worst, abs(value - result[name]))
    return worst


def main():
    stiction = sys.argv[1]
    listed = subprocess.run([stiction, "scenes"], check=True, capture_output=True, text=True)
    scenes = [line.split()[0] for line in listed.stdout.splitlines()]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for scene in scenes:
            fmu = str(Path(folder) / f"{scene}.fmu")
            subprocess.run([stiction, "build", scene, "-o", fmu], check=True, capture_output=True)
            problems = validate_fmu(fmu)
            # exact in binary: the same bits; otherwise times differ in their last digits
            exact = difference(stiction, fmu, scene, 2.0**-7, 0.75)
            decimal = difference(stiction, fmu, scene, 0.01, 0.75)
            ok = not problems and exact == 0.0 and decimal <= 1e-12
            failed += not ok
            print(f"{'ok  ' if ok else 'FAIL'} {scene}: {problems or 'valid'}, step 2^-7 off by {exact}, step 0.01 by {decimal}")
    print(f"{len(scenes) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
