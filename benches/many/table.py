"""The table of a run: of each problem the fastest of the rounds; of each size the median, and of ratios the smallest too.

usage: table.py <folder of the rounds>. Exit code 1: a goal is missed, in the median.
"""

import pathlib
import statistics
import sys


def fastest(folder, name, column):
    best = {}
    for path in sorted(folder.glob(f"{name}-*.csv")):
        for line in path.read_text().splitlines():
            fields = line.split(",")
            if len(fields) > column and fields[0].count("_") >= 2:
                value = float(fields[column])
                best[fields[0]] = min(value, best.get(fields[0], value))
    return best


def main():
    folder = pathlib.Path(sys.argv[1])
    ours, warm = fastest(folder, "ours", 1), fastest(folder, "ours", 2)
    lemke = fastest(folder, "ours", 5)
    quantecon, siconos = fastest(folder, "quantecon", 1), fastest(folder, "siconos", 1)
    solved = fastest(folder, "siconos", 2)
    sizes = {}
    for name in ours:
        contacts, directions = (int(part[1:]) for part in name.split("_")[-3:-1])
        sizes.setdefault((contacts, directions), []).append(name)
    print("processor time in microseconds; medians over the problems of a size, of ratios also the smallest")
    print(
        f"{'contacts':>8} {'sides':>5} {'problems':>8} {'cone':>9} {'warm':>9} {'Lemke':>10} {'quantecon':>10} {'Siconos':>10} "
        f"{'solved':>6} {'quantecon/cone':>14} {'Siconos/cone':>12} {'quantecon/Lemke':>15} {'cold/warm':>11}"
    )
    missed = []
    for (contacts, directions), names in sorted(sizes.items()):
        of = lambda table: statistics.median(table.get(name, float("nan")) for name in names)
        ratios = lambda a, b: sorted(a.get(n, float("nan")) / b[n] for n in names)
        all_ratios = [ratios(quantecon, ours), ratios(siconos, ours), ratios(quantecon, lemke), ratios(ours, warm)]
        by_cone, by_siconos, by_lemke, by_warm = (statistics.median(some) for some in all_ratios)
        shown = [f"{statistics.median(some):.1f} ({some[0]:.1f})" for some in all_ratios]
        print(
            f"{contacts:8} {directions:5} {len(names):8} {of(ours):9.1f} {of(warm):9.1f} {of(lemke):10.1f} {of(quantecon):10.1f} "
            f"{of(siconos):10.1f} {sum(solved.get(n, 0) for n in names):6.0f} {shown[0]:>14} {shown[1]:>12} {shown[2]:>15} {shown[3]:>11}"
        )
        goals = [("Lemke 1.5 x quantecon", by_lemke >= 1.5)]
        if (contacts, directions) in ((7, 8), (20, 4)):
            goals.append(("cone 5 x quantecon", by_cone >= 5.0))
        if contacts == 100:
            goals.append(("cone 10 x Siconos", by_siconos >= 10.0))
        if contacts >= 50:
            goals.append(("warm 2 x cold", by_warm >= 2.0))
        missed += [f"{contacts} x {directions}: {goal}" for goal, reached in goals if not reached]
    for goal in missed:
        print("missed:", goal)
    sys.exit(1 if missed else 0)


main()
