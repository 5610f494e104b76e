"""Times quantecon's Lemke on the saved contact problems, next to the times of `cargo bench --bench lcp -- --csv`.

usage: compare.py <folder of problems> <csv of ours>
"""

import csv
import json
import pathlib
import statistics
import sys
import time

import numpy as np
from quantecon.optimize import lcp_lemke


def load(path):
    instance = json.loads(path.read_text())
    n = instance["n"]
    matrix = np.zeros((n, n))
    matrix[instance["rows"], instance["cols"]] = instance["vals"]
    return matrix, np.array(instance["q"])


def median_microseconds(matrix, q):
    n = len(q)
    repeats = min(max(300_000_000 // n**3, 5), 3000)
    # the same warm-up as ours
    start = time.perf_counter()
    while time.perf_counter() - start < 0.05:
        lcp_lemke(matrix, q)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = lcp_lemke(matrix, q)
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times), result


def main():
    folder, ours_path = pathlib.Path(sys.argv[1]), sys.argv[2]
    with open(ours_path) as file:
        ours = {row[0]: (float(row[2]), float(row[3])) for row in csv.reader(file)}

    # the first call compiles
    lcp_lemke(np.eye(2), np.array([-1.0, -1.0]))

    by_size = {}
    for path in sorted(folder.glob("*.json")):
        matrix, q = load(path)
        theirs, result = median_microseconds(matrix, q)
        w = matrix @ result.z + q
        residual = np.abs(np.minimum(result.z, w)).max() / max(np.abs(q).max(), np.abs(result.z).max())
        solved = result.success and residual < 1e-8
        cold, warm = ours[path.stem]
        by_size.setdefault(len(q), []).append((theirs, cold, warm, solved))

    print(f"{'n':>5} {'problems':>8} {'quantecon/us':>13} {'solved':>6} {'ours/us':>10} {'ratio':>6} {'worst':>6} {'warm/us':>10}")
    slower = False
    for n, rows in sorted(by_size.items()):
        theirs, cold, warm = (statistics.median(column) for column in list(zip(*rows))[:3])
        ratios = [row[0] / row[1] for row in rows]
        solved = sum(row[3] for row in rows)
        slower |= min(ratios) < 1.0
        print(
            f"{n:5} {len(rows):8} {theirs:13.1f} {solved:6} {cold:10.1f} "
            f"{statistics.median(ratios):6.2f} {min(ratios):6.2f} {warm:10.1f}"
        )
    sys.exit(1 if slower else 0)


main()
