"""Draws error over processor time, one panel for each scene, from the CSV of the accuracy bench.

    cargo bench --quiet --bench accuracy -- --csv >target/accuracy.csv
    python3 benches/accuracy/plot.py target/accuracy.csv >docs/images/accuracy.svg
    python3 benches/accuracy/plot.py target/accuracy.csv pendulum 'carts S1e2' >docs/images/accuracy_two.svg
"""

import csv
import math
import sys

INK, GRID = "#24292f", "#d8dee4"
WAYS = {
    "fixed": ("#0b62b0", "fixed steps, order two (each half of the one before)"),
    "tolerance": ("#c2410c", "by tolerance, order eight (1e-3 to 1e-12)"),
}
PANEL_WIDTH, PANEL_HEIGHT = 250, 200
LEFT, RIGHT, TOP, BOTTOM = 62, 20, 30, 44


def decades(values, by=1):
    """Exponents that enclose the values, multiples of `by`."""
    return (
        by * math.floor(math.log10(min(values)) / by),
        by * math.ceil(math.log10(max(values)) / by),
    )


class Panel:
    def __init__(self, title, rows, corner):
        self.title, self.rows = title, rows
        self.x0, self.y0 = corner[0] + LEFT, corner[1] + TOP
        self.x1, self.y1 = corner[0] + PANEL_WIDTH - RIGHT, corner[1] + PANEL_HEIGHT - BOTTOM
        self.time = decades([float(row["seconds"]) for row in rows])
        self.error = decades([self.height(row) for row in rows], 2)

    @staticmethod
    def height(row):
        # what is exact has no logarithm
        return max(float(row["error"]), 1e-16)

    def x(self, exponent):
        return self.x0 + (self.x1 - self.x0) * (exponent - self.time[0]) / (self.time[1] - self.time[0])

    def y(self, exponent):
        return self.y1 - (self.y1 - self.y0) * (exponent - self.error[0]) / (self.error[1] - self.error[0])

    def axes(self):
        yield f'<text x="{self.x0}" y="{self.y0 - 9}" font-weight="bold">{self.title}</text>'
        for exponent in range(self.time[0], self.time[1] + 1):
            x = self.x(exponent)
            yield f'<path d="M{x:.1f} {self.y0}V{self.y1}" stroke="{GRID}"/>'
            yield f'<text x="{x:.1f}" y="{self.y1 + 14}" text-anchor="middle">1e{exponent}</text>'
        for exponent in range(self.error[0], self.error[1] + 1, 2):
            y = self.y(exponent)
            yield f'<path d="M{self.x0} {y:.1f}H{self.x1}" stroke="{GRID}"/>'
            yield f'<text x="{self.x0 - 5}" y="{y + 4:.1f}" text-anchor="end">1e{exponent}</text>'
        middle = (self.x0 + self.x1) / 2
        yield f'<text x="{middle}" y="{self.y1 + 30}" text-anchor="middle">processor time, s</text>'
        x, y = self.x0 - 46, (self.y0 + self.y1) / 2
        unit = "m or rad" if self.title.startswith(("rod", "slider")) else "m"
        yield f'<text transform="translate({x} {y}) rotate(-90)" text-anchor="middle">error, {unit}</text>'

    def curves(self):
        for way, (color, _) in WAYS.items():
            places = [
                (self.x(math.log10(float(row["seconds"]))), self.y(math.log10(self.height(row))))
                for row in self.rows
                if row["way"] == way
            ]
            line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            yield f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="1.5"/>'
            for x, y in places:
                yield marker(way, x, y)


def marker(way, x, y):
    color = WAYS[way][0]
    if way == "fixed":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{color}"/>'
    return f'<path d="M{x - 2.4:.1f} {y - 2.4:.1f}h4.8v4.8h-4.8z" fill="{color}"/>'


def main():
    by_scene = {}
    with open(sys.argv[1], newline="") as file:
        for row in csv.DictReader(file):
            by_scene.setdefault(row["scene"], []).append(row)
    scenes = sys.argv[2:] or list(by_scene)
    columns = min(len(scenes), 3)
    lines = math.ceil(len(scenes) / columns)
    width, height = max(columns * PANEL_WIDTH, 500), lines * PANEL_HEIGHT + 44
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="11" fill="{INK}">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for i, (way, (color, label)) in enumerate(WAYS.items()):
        y = 16 + 16 * i
        out.append(f'<path d="M12 {y}h28" stroke="{color}" stroke-width="1.5"/>{marker(way, 26, y)}')
        out.append(f'<text x="46" y="{y + 4}">{label}</text>')
    for i, scene in enumerate(scenes):
        corner = (i % columns * PANEL_WIDTH, 40 + i // columns * PANEL_HEIGHT)
        panel = Panel(scene, by_scene[scene], corner)
        out.extend(panel.axes())
        out.extend(panel.curves())
    out.append("</svg>")
    print("\n".join(out))


main()
