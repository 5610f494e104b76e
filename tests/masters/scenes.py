"""What every master is measured against: the FMUs of the shipped scenes and the values that `stiction run` prints.

A master is a function `trajectory(fmu, outputs, step, n_steps)` that runs an FMU from 0 and gives a row of values, in the
order of the outputs, at the start and after each step.
"""

import csv
import io
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import fmpy

# a communication step that is exact in binary and in nanoseconds, so that all clocks agree to the last bit; one that is
# neither; how many steps are run; what the values may differ by, relative to values above 1
STEPS = [(2.0**-7, 96, 0.0), (0.01, 75, 1e-11)]

# Scenes compared at the exact step only: a force jumps at a multiple of the other one, or right after a reversal, so that the
# rounding of a clock is seen.
AT_JUMPS = {"servo_at_stop", "slider_friction"}

# Of many bodies some outputs are read, at the exact step only: in a pile the rounding of a clock decides where things fall.
MOST_OUTPUTS = 200
MANY_BODIES_STEPS = [(2.0**-7, 48, 0.0)]

# scenes in space that are not shipped
IN_SPACE = Path(__file__).parents[1] / "data" / "space"

# In space rounding of the communication times may move a stop or a blow across the end of a step, and shares of forces among
# contacts that depend on each other are not determined: with the inexact step only places and orientations are compared, to
# less than the error of the method.
IN_SPACE_COMPARED = (".position.", ".orientation.")
IN_SPACE_BOUND = 1e-6

SPELLING = {"take-off": "take_off"}


def run(*command):
    """Output of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def outputs_of(fmu):
    """The outputs in the order of the model description."""
    return [v for v in fmpy.read_model_description(fmu).modelVariables if v.causality == "output"]


def is_time_stepping(outputs):
    """Are these the outputs of a scene of many bodies?"""
    return any(v.name.startswith("time_stepping.") for v in outputs)


def some_of(outputs):
    """All of a few outputs, or some of many, evenly chosen. The events of many bodies are counted, not listed."""
    if is_time_stepping(outputs):
        outputs = [v for v in outputs if not v.name.startswith("events.")]
    return outputs[:: -(-len(outputs) // MOST_OUTPUTS)]


def steps_of(scene, outputs):
    """Communication steps to compare at."""
    if scene in AT_JUMPS:
        return STEPS[:1]
    return MANY_BODIES_STEPS if is_time_stepping(outputs) else STEPS


def item(variable, name):
    """Number of an item of an enumeration."""
    name = SPELLING.get(name, name)
    return next(int(i.value) for i in variable.declaredType.items if i.name == name)


def expected(stiction, scene, outputs, step, n_steps):
    """Rows of `stiction run`, with its events; None for an output that it does not print."""
    with tempfile.TemporaryDirectory() as folder:
        events_file = Path(folder) / "events.csv"
        printed = run(
            stiction, "run", scene, "--until", repr(step * n_steps), "--output-step", repr(step),
            "-o", "-", "--events-csv", str(events_file),
        )  # fmt: skip
        events = list(csv.DictReader(io.StringIO(events_file.read_text())))
    rows = []
    for line in csv.DictReader(io.StringIO(printed)):
        past = [e for e in events if float(e["time"]) <= float(line["time"])]
        # an event at this very time belongs to the step that ends here or to the next one: the time does not tell
        is_told = not past or float(past[-1]["time"]) < float(line["time"])
        row = []
        for v in outputs:
            if v.name.startswith("events.") and not is_told:
                row.append(None)
            elif v.name == "events.count":
                row.append(len(past))
            elif v.name == "events.last_time":
                row.append(float(past[-1]["time"]) if past else None)
            elif v.name == "events.last_kind":
                row.append(item(v, past[-1]["kind"] if past else "none"))
            elif v.name not in line:
                row.append(None)
            elif v.type == "Enumeration":
                row.append(item(v, line[v.name]))
            else:
                # masters get the largest number for an infinite gap
                row.append(min(float(line[v.name]), sys.float_info.max))
        rows.append(row)
    return rows


def off_by(value, wanted, bound):
    """0 for the same bits, otherwise the difference, relative to values above 1; infinite for what cannot be compared."""
    if isinstance(wanted, int) or bound == 0.0:
        return 0.0 if struct.pack("<d", value) == struct.pack("<d", wanted) else abs(value - wanted) or 1.0
    return 0.0 if value == wanted else abs(value - wanted) / max(1.0, abs(wanted))


def compare(outputs, rows, wanted_rows, bound):
    """Number of compared values, the worst difference, and the complaints."""
    if len(rows) != len(wanted_rows):
        return 0, 0.0, [f"{len(rows)} rows, wanted {len(wanted_rows)}"]
    is_loose = bound > 0.0 and any(v.name.endswith(".z") for v in outputs)
    n_compared, worst, complaints = 0, 0.0, []
    for i, (row, wanted_row) in enumerate(zip(rows, wanted_rows)):
        # errors of the balance are as large as the rounding of the energies
        energies = [abs(x) for v, x in zip(outputs, wanted_row) if v.name.startswith("energy.") and x is not None]
        for v, value, wanted in zip(outputs, row, wanted_row):
            if value is None or wanted is None:
                continue
            if is_loose and not any(part in v.name for part in IN_SPACE_COMPARED):
                continue
            n_compared += 1
            difference = off_by(value, wanted, bound)
            if v.name.startswith("energy."):
                difference /= max(1.0, *energies)
            worst = max(worst, difference)
            if not difference <= (IN_SPACE_BOUND if is_loose else bound):
                complaints.append(f"{v.name} after {i} steps is {value!r}, wanted {wanted!r}")
    return n_compared, worst, complaints


def fmpy_trajectory(fmu, outputs, step, n_steps):
    """The master FMPy. It is also the witness for what `stiction run` does not print."""
    result = fmpy.simulate_fmu(
        fmu, stop_time=step * n_steps, step_size=step, output_interval=step,
        output=[v.name for v in outputs], set_stop_time=False,
    )  # fmt: skip
    return [[row[v.name].item() for v in outputs] for row in result]


def check_master(name, trajectory, examine=lambda fmu: []):
    """Runs all shipped scenes with a master and exits: 0 if all values agree. `examine` gives further complaints."""
    stiction = sys.argv[1]
    scenes = [line.split()[0] for line in run(stiction, "scenes").splitlines()]
    scenes += [str(path) for path in sorted(IN_SPACE.rglob("*.toml"))]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for scene in scenes:
            fmu = str(Path(folder) / f"{Path(scene).stem}.fmu")
            run(stiction, "build", scene, "-o", fmu)
            every = outputs_of(fmu)
            outputs = some_of(every)
            complaints, agreed = examine(fmu), []
            for step, n_steps, bound in steps_of(scene, every):
                rows = trajectory(fmu, outputs, step, n_steps)
                against = {"printed": expected(stiction, scene, outputs, step, n_steps)}
                # FMPy would only be compared with itself
                if trajectory is not fmpy_trajectory:
                    against["FMPy's"] = fmpy_trajectory(fmu, outputs, step, n_steps)
                for whose, wanted_rows in against.items():
                    n_compared, worst, found = compare(outputs, rows, wanted_rows, bound)
                    complaints += [f"step {step}: {c}" for c in found]
                    agreed.append(f"step {step}: off by {worst} from {n_compared} {whose} values")
            failed += bool(complaints)
            print(f"{'FAIL' if complaints else 'ok  '} {name} {scene}, {len(outputs)} outputs; {'; '.join(agreed)}", flush=True)
            for complaint in complaints[:10]:
                print(f"     {scene}: {complaint}")
    print(f"{len(scenes) - failed} passed, {failed} failed")
    sys.exit(failed > 0)
