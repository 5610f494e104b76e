"""Piles of spheres: ours, Rapier and MuJoCo on the same grids, in turns. Tables in Markdown.

usage: compare.py <folder for files> <our bench> <the program for Rapier>

Times are processor time of one thread. Engines take turns, and of the rounds the fastest counts: other work on the machine only
adds. Overlaps are measured here, from the places that each engine wrote after each step. Exit code 1: a bound is broken.
"""

import json
import math
import pathlib
import subprocess
import sys

import numpy as np
from scipy.spatial import cKDTree

SIZES = (10, 50, 200, 1000, 4000)
STEPS, LAST, STEP, RADIUS = 300, 100, 0.005, 0.05
# seconds of processor time for a run
PLENTY, SCARCE = 240, 40
SWEEPS = 20
BOUNDED, EXACT = f"ours, {SWEEPS} sweeps", "ours, exact"
RAPIER, RAPIER_MORE, RAPIER_UNIT = "Rapier", "Rapier, 16 iterations", "Rapier, 16, unit 0.1 m"
MUJOCO = "MuJoCo"
FITTED = (200, 1000, 4000)


class Engines:
    def __init__(self, folder, ours, rapier):
        here = pathlib.Path(__file__).parent
        self.folder, self.ours, self.rapier = folder, ours, rapier
        self.mujoco = [sys.executable, str(here / "mujoco_pile.py")]

    def text(self, *command):
        return subprocess.run([str(w) for w in command], check=True, capture_output=True, text=True).stdout

    def grid(self, n):
        path = self.folder / f"grid_{n}"
        path.write_text(self.text(self.ours, "grid", n))
        return path

    def run(self, engine, n, grid, trace):
        """None where the engine is not asked for this size."""
        if n > 1000 and engine in (EXACT, MUJOCO):
            return None
        command = {
            BOUNDED: [self.ours, "run", n, f"sweeps = {SWEEPS}", PLENTY, trace],
            EXACT: [self.ours, "run", n, "", PLENTY if n <= 200 else SCARCE, trace],
            RAPIER: [self.rapier, grid, 4, 1, PLENTY, trace],
            RAPIER_MORE: [self.rapier, grid, 16, 1, PLENTY, trace],
            RAPIER_UNIT: [self.rapier, grid, 16, 0.1, PLENTY, trace],
            MUJOCO: [*self.mujoco, grid, SCARCE, trace],
        }[engine]
        return json.loads(self.text(*command))


def rounds(engine, n):
    """Of what takes long, one."""
    if engine in (BOUNDED, RAPIER):
        return 3 if n <= 1000 else 2
    return 1


def overlap(places, half):
    """The deepest one of all pairs and planes, m; 0 if there is none."""
    walls = max(
        (RADIUS - places[:, 2]).max(), (np.abs(places[:, :2]) + RADIUS - half).max()
    )
    pairs = cKDTree(places).query_pairs(2 * RADIUS, output_type="ndarray")
    apart = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    between = (2 * RADIUS - apart).max() if len(pairs) else 0.0
    return max(walls, between, 0.0)


def row_of(results, places, half):
    """Figures of one engine at one size, from its rounds and the places of the last one."""
    all_seconds = [np.array(r["seconds"]) for r in results]
    result = results[-1]
    overlaps = [overlap(frame, half) for frame in places]
    steps = len(result["seconds"])
    speeds = np.linalg.norm(places[-1] - places[-2], axis=1) / STEP
    row = {
        "steps": steps,
        "mean": min(s.mean() for s in all_seconds) * 1e3,
        "last": min(s[-LAST:].mean() for s in all_seconds) * 1e3,
        "most": min(s.max() for s in all_seconds) * 1e3,
        "end": overlaps[-1],
        "worst": max(overlaps),
        "speed": speeds.max(),
    }
    if "residual" in result:
        residual, inexact = np.array(result["residual"]), np.array(result["inexact"])
        as_one, located = np.array(result["as_one"]) > 0, np.array(result["located"])
        row |= {
            "residual": residual.max(),
            "median_residual": float(np.median(residual)),
            "last_residual": residual[-LAST:].max(),
            "solved": int((residual <= 1e-10).sum()),
            "as_one": int(as_one.sum()),
            "located_all": int(((located > 0) & ~as_one).sum()),
            "located": int(located.sum()),
            "quiet": int(((located == 0) & ~as_one).sum()),
            "contacts": int(result["contacts"][-1]),
            "groups": int(result["groups"][-1]),
            "missed": [
                (i + 1, residual[i], int(inexact[i]), int(result["groups"][i]), int(result["contacts"][i]))
                for i in range(steps)
                if residual[i] > 1e-10
            ],
        }
    if "iterations" in result:
        row |= {"warnings": result["warnings"]}
    return row


def exponent(rows):
    """Slope of the time over the number of spheres, in logarithms."""
    if not all(n in rows and rows[n]["steps"] == STEPS for n in FITTED):
        return None
    x = np.log(FITTED)
    y = np.log([rows[n]["last"] for n in FITTED])
    return float(np.polyfit(x, y, 1)[0])


def measure(engines):
    table = {}
    for n in SIZES:
        grid = engines.grid(n)
        half = float(grid.read_text().split()[0])
        names = (BOUNDED, RAPIER, EXACT, RAPIER_MORE, RAPIER_UNIT, MUJOCO)
        results, traces = {}, {}
        for turn in range(max(rounds(name, n) for name in names)):
            for name in names:
                if turn >= rounds(name, n):
                    continue
                trace = engines.folder / "trace"
                result = engines.run(name, n, grid, trace)
                if result is None:
                    continue
                results.setdefault(name, []).append(result)
                traces[name] = np.fromfile(trace).reshape(-1, n, 3)
        for name in names:
            if name in results:
                table.setdefault(name, {})[n] = row_of(results[name], traces[name], half)
                print(f"   {n} {name}: {table[name][n]['last']:.3f} ms", file=sys.stderr, flush=True)
        (engines.folder / "piles.json").write_text(json.dumps(table, default=float, indent=1))
    return table


def tell_times(table):
    print("\n== Piles: processor time and overlap\n")
    print(f"| spheres | engine | steps | ms/step: mean | last 100 | longest | over {BOUNDED} | overlap at the end / m | worst / m | fastest sphere at the end / (m/s) |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for n in SIZES:
        for name, rows in table.items():
            if n not in rows:
                continue
            r = rows[n]
            # a run that was cut short has no last hundred steps to compare
            ratio = f"{r['last'] / table[BOUNDED][n]['last']:.2f}" if r["steps"] == STEPS else ""
            print(
                f"| {n} | {name} | {r['steps']} | {r['mean']:.3f} | {r['last']:.3f} | {r['most']:.2f} | {ratio} "
                f"| {r['end']:.1e} | {r['worst']:.1e} | {r['speed']:.1e} |"
            )
    print("\nGrowth of the last hundred steps' time, N = 200 to 4000:")
    for name, rows in table.items():
        power = exponent(rows)
        print(f"- {name}: " + ("not measured" if power is None else f"N^{power:.2f}"))
    for n, row in table[MUJOCO].items():
        if row["warnings"]:
            print(f"- MuJoCo's warnings at {n}: {row['warnings']}")


def tell_report(table):
    print("\n== Piles: what our report says\n")
    print("| spheres | mode | contacts at the end | residual: worst | median | last 100, worst | steps solved to 1e-10 | every impact located | taken as one | no impact | impacts located |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for n in SIZES:
        for name in (BOUNDED, EXACT):
            if n in table[name]:
                r = table[name][n]
                print(
                    f"| {n} | {name} | {r['contacts']} | {r['residual']:.1e} | {r['median_residual']:.1e} | {r['last_residual']:.1e} "
                    f"| {r['solved']} of {r['steps']} | {r['located_all']} | {r['as_one']} | {r['quiet']} | {r['located']} |"
                )
    for n, row in table[EXACT].items():
        print(f"\nExact, {n} spheres: {row['solved']} of {row['steps']} steps solved to 1e-10.")
        for step, residual, inexact, groups, contacts in row["missed"]:
            print(f"- step {step}: residual {residual:.1e}, {inexact} of {groups} groups, {contacts} contacts")


def tell_rest(engines):
    print("\n== Piles: when they sleep\n")
    print("| spheres | engine | rolling friction / m | nine tenths asleep at / s | all asleep at / s | ms for the last step awake | us for a step asleep | overlap then / m |")
    print("|---|---|---|---|---|---|---|---|")
    for n in SIZES[:4]:
        for name, rules, rolling in (
            (BOUNDED, f"sweeps = {SWEEPS}", 0),
            (BOUNDED, f"sweeps = {SWEEPS}", 1e-4),
            (EXACT, "", 0),
            (EXACT, "", 1e-4),
        ):
            if name == EXACT and n > 200:
                continue
            r = json.loads(engines.text(engines.ours, "rest", n, rules, rolling, SCARCE))
            most = f"{r['nine_tenths']:.3f}" if r["nine_tenths"] else "never"
            if r["asleep"] == n:
                print(
                    f"| {n} | {name} | {rolling} | {most} | {r['time']:.3f} | {1e3 * r['seconds_of_last_step']:.3f} "
                    f"| {1e6 * r['seconds_of_step_asleep']:.3f} | {r['penetration']:.1e} |"
                )
            else:
                print(f"| {n} | {name} | {rolling} | {most} | {r['asleep']} of {n} asleep at {r['time']:.2f} s | | | {r['penetration']:.1e} |")
        grid = engines.folder / f"grid_{n}"
        r = json.loads(engines.text(engines.rapier, grid, 4, 1, SCARCE, engines.folder / "trace", "sleep"))
        if r["asleep"] == n:
            print(f"| {n} | {RAPIER} | | | {r['time']:.3f} | {1e3 * r['seconds'][-2]:.3f} | | |")
        else:
            print(f"| {n} | {RAPIER} | | | {r['asleep']} of {n} asleep at {r['time']:.2f} s | | | |")


def broken(table):
    """Sentences on bounds that do not hold."""
    ours, theirs = table[BOUNDED], table[RAPIER]
    for n in (200, 1000):
        if ours[n]["last"] > theirs[n]["last"]:
            yield f"{n} spheres: slower than Rapier, {ours[n]['last']:.3f} against {theirs[n]['last']:.3f} ms"
    for name in (BOUNDED, EXACT):
        for n, row in table[name].items():
            if row["steps"] == STEPS and row["end"] > 1e-6:
                yield f"{n} spheres, {name}: overlap {row['end']:.1e} m at the end"
    power = exponent(ours)
    if power is None or power > 1.2:
        yield f"bounded effort grows with N^{power or math.nan:.2f}"
    for n in (50, 200):
        row = table[EXACT][n]
        if row["solved"] < STEPS:
            yield f"{n} spheres, exact: {row['solved']} steps of {STEPS} solved to 1e-10"


def main():
    engines = Engines(pathlib.Path(sys.argv[1]), *sys.argv[2:4])
    table = measure(engines)
    tell_times(table)
    tell_report(table)
    tell_rest(engines)
    shortfalls = list(broken(table))
    print("\n== Bounds\n")
    for sentence in shortfalls or ["all hold"]:
        print(f"- {sentence}")
    sys.exit(1 if shortfalls else 0)


main()
