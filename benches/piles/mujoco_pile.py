"""A pile of spheres in MuJoCo, one thread.

usage: mujoco_pile.py <grid> <limit> <trace>

300 steps as JSON, places after each step in <trace>. Integrator implicitfast, elliptic cones, all else as by default.
"""

import json
import sys
import time

import mujoco
import numpy as np

STEP, STEPS, RADIUS, DENSITY, FRICTION = 0.005, 300, 0.05, 1000, 0.4


def scene(half, places):
    planes = [
        ((0, 0, 0), (0, 0, 1)),
        ((-half, 0, 0), (1, 0, 0)),
        ((half, 0, 0), (-1, 0, 0)),
        ((0, -half, 0), (0, 1, 0)),
        ((0, half, 0), (0, -1, 0)),
    ]
    words = lambda numbers: " ".join(repr(float(x)) for x in numbers)
    lines = [
        f'<mujoco><option timestep="{STEP}" integrator="implicitfast" cone="elliptic" gravity="0 0 -9.81"/>',
        f'<default><geom friction="{FRICTION} 0 0" condim="3"/></default><worldbody>',
    ]
    lines += [f'<geom type="plane" size="0 0 1" pos="{words(p)}" zaxis="{words(n)}"/>' for p, n in planes]
    lines += [
        f'<body pos="{words(p)}"><freejoint/><geom type="sphere" size="{RADIUS}" density="{DENSITY}"/></body>'
        for p in places
    ]
    return "\n".join([*lines, "</worldbody></mujoco>"])


def main():
    grid, limit, trace = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    numbers = [float(x) for x in open(grid).read().split()]
    places = np.array(numbers[1:]).reshape(-1, 3)
    model = mujoco.MjModel.from_xml_string(scene(numbers[0], places))
    data = mujoco.MjData(model)
    seconds, iterations, contacts = [], [], []
    with open(trace, "wb") as file:
        while len(seconds) < STEPS and sum(seconds) < limit:
            start = time.thread_time()
            mujoco.mj_step(model, data)
            seconds.append(time.thread_time() - start)
            iterations.append(int(data.solver_niter.max()))
            contacts.append(int(data.ncon))
            data.qpos.reshape(-1, 7)[:, :3].astype("<f8").tofile(file)
    warnings = {mujoco.mjtWarning(i).name: int(w.number) for i, w in enumerate(data.warning) if w.number}
    print(json.dumps({"seconds": seconds, "iterations": iterations, "contacts": contacts, "warnings": warnings}))


main()
