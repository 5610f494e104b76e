"""Processor times of others on the saved contact problems: name, microseconds, solved.

usage: theirs.py quantecon|siconos <folder of problems>

quantecon solves the pyramids by Lemke's method, Siconos the cones by Alart and Curnier's Newton method (NSN_AC).
"""

import json
import pathlib
import statistics
import sys
import time

import numpy as np


def load(path):
    instance = json.loads(path.read_text())
    n = instance["n"]
    matrix = np.zeros((n, n))
    matrix[instance["rows"], instance["cols"]] = instance["vals"]
    return instance, matrix, np.array(instance["q"])


def median_us(solve, n):
    """After one call, as many as ours: the processor's time, so that other work on the machine does not count."""
    solve()
    times = []
    for _ in range(min(max(30_000_000 // n**3, 5), 300)):
        start = time.process_time_ns()
        solve()
        times.append((time.process_time_ns() - start) / 1e3)
    return statistics.median(times)


def quantecon(instance, matrix, q):
    from quantecon.optimize import lcp_lemke

    lcp_lemke(np.eye(2), np.array([-1.0, -1.0]))
    us = median_us(lambda: lcp_lemke(matrix, q), len(q))
    result = lcp_lemke(matrix, q)
    w = matrix @ result.z + q
    residual = np.abs(np.minimum(result.z, w)).max() / max(np.abs(q).max(), np.abs(result.z).max())
    return us, result.success and residual < 1e-8


def siconos(instance, matrix, q):
    import siconos.numerics as sn

    nc, nd = instance["nc"], instance["nd"]
    picked = [i for c in range(nc) for i in (c, nc + c * nd, nc + c * nd + nd // 4)]
    w = np.ascontiguousarray(matrix[np.ix_(picked, picked)])
    vector = q[picked]
    friction = np.full(nc, instance["mu"])
    problem = sn.FrictionContactProblem(3, nc, w, vector, friction)
    options = sn.SolverOptions(sn.SICONOS_FRICTION_3D_NSN_AC)
    options.dparam[sn.SICONOS_DPARAM_TOL] = 1e-10
    info = []

    def solve():
        r, u = np.zeros(3 * nc), np.zeros(3 * nc)
        info.append(sn.fc3d_nonsmooth_Newton_AlartCurnier(problem, r, u, options))

    us = median_us(solve, 3 * nc)
    return us, options.dparam[sn.SICONOS_DPARAM_RESIDU] <= 1e-9


def main():
    other = {"quantecon": quantecon, "siconos": siconos}[sys.argv[1]]
    for path in sorted(pathlib.Path(sys.argv[2]).glob("*.json")):
        us, solved = other(*load(path))
        print(f"{path.stem},{us:.3f},{int(bool(solved))}", flush=True)


main()
