"""Times quantecon's Lemke on the saved contact problems, in turns with ours.

usage: compare.py <folder of problems> <command of ours, which takes the name of a problem>

A round of ours and a round of theirs follow each other, several times for each problem. Of each round the median
counts, and of the rounds the fastest: other work on the machine only adds.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np
from quantecon.optimize import lcp_lemke

# of small and of large problems
ROUNDS = (5, 2)


def load(path):
    instance = json.loads(path.read_text())
    n = instance["n"]
    matrix = np.zeros((n, n))
    matrix[instance["rows"], instance["cols"]] = instance["vals"]
    return matrix, np.array(instance["q"])


def theirs_microseconds(matrix, q):
    """The warm-up and the repetitions are those of ours."""
    n = len(q)
    repeats = min(max(300_000_000 // n**3, 5), 3000)
    start = time.perf_counter()
    while time.perf_counter() - start < 0.05:
        lcp_lemke(matrix, q)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        lcp_lemke(matrix, q)
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times)


def ours_microseconds(command, name):
    line = subprocess.run([*command, name], check=True, capture_output=True, text=True).stdout
    _, _, cold, warm, pivots = line.strip().split(",")
    return float(cold), float(warm), int(pivots)


def main():
    folder, command = pathlib.Path(sys.argv[1]), sys.argv[2:]

    # the first call compiles
    lcp_lemke(np.eye(2), np.array([-1.0, -1.0]))

    by_size = {}
    for path in sorted(folder.glob("*.json")):
        matrix, q = load(path)
        theirs, cold, warm = [], [], []
        for _ in range(ROUNDS[len(q) > 200]):
            ours = ours_microseconds(command, path.stem)
            cold.append(ours[0])
            warm.append(ours[1])
            theirs.append(theirs_microseconds(matrix, q))
        result = lcp_lemke(matrix, q)
        w = matrix @ result.z + q
        residual = np.abs(np.minimum(result.z, w)).max() / max(np.abs(q).max(), np.abs(result.z).max())
        solved = result.success and residual < 1e-8
        row = (min(theirs), min(cold), min(warm), result.num_iter, ours[2], solved)
        by_size.setdefault(len(q), []).append(row)

    print(
        f"{'n':>5} {'problems':>8} {'quantecon/us':>13} {'pivots':>6} {'solved':>6} "
        f"{'ours/us':>10} {'pivots':>6} {'ratio':>6} {'worst':>6} {'warm/us':>10}"
    )
    slower = False
    for n, rows in sorted(by_size.items()):
        theirs, cold, warm, their_pivots, our_pivots = (statistics.median(column) for column in list(zip(*rows))[:5])
        ratios = [row[0] / row[1] for row in rows]
        solved = sum(row[5] for row in rows)
        ratio = statistics.median(ratios)
        slower |= ratio < 1.0
        print(
            f"{n:5} {len(rows):8} {theirs:13.1f} {their_pivots:6.0f} {solved:6} "
            f"{cold:10.1f} {our_pivots:6.0f} {ratio:6.2f} {min(ratios):6.2f} {warm:10.1f}"
        )
    sys.exit(1 if slower else 0)


main()
