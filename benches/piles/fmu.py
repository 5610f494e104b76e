"""The FMU of a pile: builds it, reads its description and runs it in FMPy with all outputs of all bodies.

usage: fmu.py <stiction> <scene file> <bodies>
"""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import fmpy
import numpy as np

STEP, STEPS = 0.005, 300


def seconds(action, repeats=5):
    times = []
    for _ in range(repeats):
        start = time.process_time()
        result = action()
        times.append(time.process_time() - start)
    return statistics.median(times), result


def main():
    stiction, scene, bodies = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        fmu = pathlib.Path(folder, "pile.fmu")
        built, _ = seconds(lambda: subprocess.run([stiction, "build", scene, "-o", fmu], check=True, capture_output=True), 1)
        validated, description = seconds(lambda: fmpy.read_model_description(str(fmu), validate=True))
        plain, _ = seconds(lambda: fmpy.read_model_description(str(fmu), validate=False))
        outputs = [v.name for v in description.modelVariables if v.causality == "output"]
        of_bodies = [name for name in outputs if name.split(".")[0].startswith("b")]
        owners = {name.split(".")[0] for name in of_bodies}
        size = fmu.stat().st_size
        ran, result = seconds(
            lambda: fmpy.simulate_fmu(
                str(fmu), stop_time=STEP * STEPS, step_size=STEP, output_interval=STEP, output=of_bodies, validate=False
            ),
            1,
        )
        few, _ = seconds(
            lambda: fmpy.simulate_fmu(
                str(fmu), stop_time=STEP * STEPS, step_size=STEP, output_interval=STEP, output=of_bodies[:1], validate=False
            ),
            1,
        )
    values = np.array([list(row) for row in result.tolist()])
    print(f"{bodies} bodies: {len(description.modelVariables)} variables, {len(outputs)} outputs, FMU of {size} bytes")
    print(f"modelDescription read in {validated:.3f} s with validation, {plain:.3f} s without")
    print(
        f"{len(result) - 1} communication steps with {len(of_bodies)} outputs of {len(owners)} bodies: {ran:.2f} s, "
        f"with one output {few:.2f} s; all values finite: {bool(np.isfinite(values).all())}"
    )
    if validated >= 1.0 or len(owners) != bodies or len(result) != STEPS + 1 or not np.isfinite(values).all():
        sys.exit("the FMU of the pile does not do what it should")


main()
