"""Times Siconos' time-stepping (Moreau-Jean, theta = 1/2) to an error, in turns with ours by tolerance.

usage: compare.py <folder of references> <command of ours, which takes an error and the name of a scene>

Numbers of steps are doubled until the error is reached twice in a row; the first of the two counts, so that a lucky
one does not. Only steps are timed, with the processor's clock, on both sides.
"""

import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np
import siconos.kernel as sk

GOALS = (1e-3, 1e-4, 1e-5, 1e-6)
ROUNDS = 3
# of one run, s
LONGEST = 40.0


def stepped(system, until, steps, problem):
    simulation = sk.TimeStepping(system, sk.TimeDiscretisation(0, until / steps), sk.MoreauJeanOSI(0.5), problem)
    simulation.setNewtonTolerance(1e-11)
    simulation.setNewtonMaxIteration(50)
    start = time.process_time()
    for _ in range(steps):
        simulation.computeOneStep()
        simulation.nextStep()
    return time.process_time() - start


def pendulum(until, steps):
    """In its two angles, so that it has no joints to drift; its functions are compiled."""
    body = sk.LagrangianDS([math.pi / 3, math.pi / 5], [0.0, 0.0], "pendulum:mass")
    body.setComputeFIntFunction("pendulum", "inner_force")
    system = sk.NonSmoothDynamicalSystem(0, until)
    system.insertDynamicalSystem(body)
    for point in ("upper", "lower"):
        gap = sk.LagrangianScleronomousR(f"pendulum:{point}", f"pendulum:{point}_gradient")
        system.link(sk.Interaction(sk.NewtonImpactNSL(0.1), gap), body)
    seconds = stepped(system, until, steps, sk.LCP())
    a, b = body.q()
    x, y = math.sin(a), -math.cos(a)
    return seconds, [x, y, x + math.sin(b), y - math.cos(b)]


def carts(until, steps):
    """Both carts in the plane, as one system; friction on the floor, a bounce at the stopper."""
    stiffness, damping, gravity = 100.0, 10.0, 9.81
    k, c = np.zeros((4, 4)), np.zeros((4, 4))
    k[0, 0] = stiffness
    c[0, 0] = c[2, 2] = damping
    c[0, 2] = c[2, 0] = -damping
    body = sk.LagrangianLinearTIDS([0.2, 0.0, 5.2, 0.0], [-3.0, 0.0, -3.0, 0.0], np.eye(4), k, c)
    body.setFExtPtr(np.array([0.2 * stiffness, -gravity, 0.0, -gravity]))
    system = sk.NonSmoothDynamicalSystem(0, until)
    system.insertDynamicalSystem(body)
    for normal, tangent, restitution, friction in ((1, 0, 0.0, 0.05), (3, 2, 0.0, 0.05), (0, 1, 0.3, 0.0)):
        rows = np.zeros((2, 4))
        rows[0, normal] = rows[1, tangent] = 1.0
        law = sk.NewtonImpactFrictionNSL(restitution, 0.0, friction, 2)
        system.link(sk.Interaction(law, sk.LagrangianLinearTIR(rows)), body)
    problem = sk.FrictionContact(2)
    problem.numericsSolverOptions().dparam[0] = 1e-12
    seconds = stepped(system, until, steps, problem)
    q = body.q()
    return seconds, [q[0], q[2]]


SCENES = (
    ("pendulum", pendulum, "p2_double_pendulum", 2.5, ("x1", "y1", "x2", "y2")),
    ("carts S1e2", carts, "p3_carts_S1e2", 2.0, ("x1", "x2")),
)


def reference(path, until, columns):
    truth = json.loads(path.read_text())
    sample = next(i for i, t in enumerate(truth["sample_times"]) if abs(t - until) < 1e-12)
    return [truth["values"][sample][truth["columns"].index(column)] for column in columns]


def main():
    folder, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    print(
        f"{'scene':12} {'goal':>6} {'Siconos: steps':>15} {'error':>8} {'s':>9} "
        f"{'ours: error':>12} {'s':>9} {'ratio':>8}"
    )
    for name, run, file, until, columns in SCENES:
        expected = reference(folder / f"{file}.json", until, columns)

        def measured(steps):
            seconds, q = run(until, steps)
            return steps, max(abs(a - b) for a, b in zip(q, expected)), seconds

        runs = [measured(128)]
        for goal in GOALS:
            while (len(runs) < 2 or max(runs[-1][1], runs[-2][1]) > goal) and runs[-1][2] < LONGEST / 2:
                runs.append(measured(2 * runs[-1][0]))
            there = [a for a, b in zip(runs, runs[1:]) if a[1] <= goal and b[1] <= goal]
            if not there:
                print(f"{name:12} {goal:6.0e} {'not reached':>15}: {runs[-1][1]:.1e} with {runs[-1][0]} steps")
                continue
            ratios, theirs, ours = [], [], []
            for _ in range(ROUNDS):
                line = subprocess.run([*command, str(goal), name], check=True, capture_output=True, text=True).stdout
                seconds, error = map(float, line.strip().split(","))
                ours.append(seconds)
                theirs.append(measured(there[0][0])[2])
                ratios.append(theirs[-1] / seconds)
            print(
                f"{name:12} {goal:6.0e} {there[0][0]:15} {there[0][1]:8.1e} {statistics.median(theirs):9.3f} "
                f"{error:12.1e} {statistics.median(ours):9.6f} {statistics.median(ratios):8.0f}",
                flush=True,
            )


main()
