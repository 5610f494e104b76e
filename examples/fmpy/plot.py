"""A scene's FMU in FMPy: three values of friction, one picture.

usage: plot.py FMU PICTURE    (the FMU of the bundled scene block_on_table)
"""

import sys

import fmpy
import matplotlib

matplotlib.use("Agg")  # a file, no window
from matplotlib import pyplot

FRICTION = "pair.block.on.ground.friction"
VELOCITY, FORCE = "block.velocity.x", "contact.block.on.ground.friction_force"


def main(fmu, picture):
    figure, (upper, lower) = pyplot.subplots(2, sharex=True, figsize=(8, 5), layout="constrained")
    for friction in [0.6, 0.7, 0.8]:
        result = fmpy.simulate_fmu(
            fmu,
            stop_time=10.0,
            output_interval=2.0**-6,  # the communication step; events are located inside it
            start_values={FRICTION: friction},
            output=["block.position.x", VELOCITY, FORCE],
        )
        upper.plot(result["time"], result[VELOCITY], label=f"friction {friction}")
        lower.plot(result["time"], result[FORCE])
        print(f"friction {friction}: at {result['block.position.x'][-1]:.6f} m after {result['time'][-1]:g} s")
    upper.set_ylabel("velocity [m/s]")
    upper.legend(loc="upper right")
    lower.set_ylabel("friction force [N]")
    lower.set_xlabel("time [s]")
    figure.savefig(picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
