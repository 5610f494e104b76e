"""Draws block.svg from the trajectory of the block on a table.

    cargo run --release -- run block_on_table -o - 2>/dev/null | python3 docs/images/block.py >docs/images/block.svg
"""

import csv
import sys

WIDTH, HEIGHT = 820, 430
LEFT, RIGHT = 78, 802
UNTIL = 10.0
INK, GRID, SLIP = "#24292f", "#d8dee4", "#fdf0d9"


def x_of(t):
    return LEFT + (RIGHT - LEFT) * t / UNTIL


class Panel:
    def __init__(self, top, bottom, low, high):
        self.top, self.bottom, self.low, self.high = top, bottom, low, high

    def y_of(self, value):
        return self.bottom - (self.bottom - self.top) * (value - self.low) / (self.high - self.low)

    def line(self, times, values, color):
        """A polyline without the points that a straight line would pass anyway."""
        points = [(round(x_of(t), 1), round(self.y_of(v), 1)) for t, v in zip(times, values)]
        kept = points[:1]
        for before, point, after in zip(points, points[1:], points[2:]):
            if point != before and (point[1] != before[1] or point[1] != after[1]):
                kept.append(point)
        kept.append(points[-1])
        path = " ".join(f"{x:g},{y:g}" for x, y in kept)
        return f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2" stroke-linejoin="round"/>'

    def frame(self, ticks, title, color):
        out = []
        for value in ticks:
            y = self.y_of(value)
            out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{RIGHT}" y2="{y:.1f}" stroke="{GRID}"/>')
            out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
        out.append(f'<text x="{LEFT}" y="{self.top - 9}" font-weight="600" fill="{color}">{title}</text>')
        return out


rows = list(csv.DictReader(sys.stdin))[1:]
times = [float(row["time"]) for row in rows]
speed = [1e3 * float(row["block.velocity.x"]) for row in rows]
friction = [float(row["contact.block.on.ground.friction_force"]) for row in rows]
slips = [row["contact.block.on.ground.status"].startswith("slip") for row in rows]

upper = Panel(44, 190, -50, 50)
lower = Panel(232, 378, -11, 11)
limit = 0.8 * 9.81
blue, red = "#0969da", "#bc4c00"

out = [
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
    f'font-family="-apple-system, Segoe UI, Helvetica, Arial, sans-serif" font-size="13" fill="{INK}" role="img">',
    "<title>A block on a rough table under the force 8 cos t: velocity and friction force over 10 s</title>",
    f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#ffffff"/>',
]

# stretches of sliding, behind both panels
start = 0.0 if slips[0] else None
for before, after, was, now in zip(times, times[1:], slips, slips[1:]):
    if now and not was:
        start = before
    if was and not now:
        for panel in (upper, lower):
            out.append(
                f'<rect x="{x_of(start):.1f}" y="{panel.top}" width="{x_of(after) - x_of(start):.1f}" '
                f'height="{panel.bottom - panel.top}" fill="{SLIP}"/>'
            )

out += upper.frame([-40, 0, 40], "velocity, mm/s", blue)
out += lower.frame([-8, 0, 8], "friction force, N", red)
for t in range(0, 11, 2):
    out.append(f'<text x="{x_of(t):.1f}" y="{lower.bottom + 19}" text-anchor="middle">{t}</text>')
    for panel in (upper, lower):
        out.append(f'<line x1="{x_of(t):.1f}" y1="{panel.top}" x2="{x_of(t):.1f}" y2="{panel.bottom}" stroke="{GRID}"/>')
for side in (-1, 1):
    y = lower.y_of(side * limit)
    out.append(
        f'<line x1="{LEFT}" y1="{y:.1f}" x2="{RIGHT}" y2="{y:.1f}" stroke="{INK}" stroke-width="1" stroke-dasharray="5 4"/>'
    )
out.append(f'<text x="{x_of(4.8):.1f}" y="{lower.y_of(limit) - 5:.1f}" text-anchor="middle" font-size="12">limit μ m g = 7.848 N</text>')
out.append(upper.line([0.0, *times], [0.0, *speed], blue))
out.append(lower.line(times, friction, red))
middle = 0.5 * (x_of(2.946) + x_of(3.533))
out.append(f'<text x="{middle:.1f}" y="{upper.y_of(13):.1f}" text-anchor="middle" font-size="12">slip</text>')
out.append(f'<text x="{x_of(1.64):.1f}" y="{upper.y_of(13):.1f}" text-anchor="middle" font-size="12">stick: v = 0 exactly</text>')
out.append(f'<text x="{0.5 * (LEFT + RIGHT):.1f}" y="{HEIGHT - 10}" text-anchor="middle">time, s</text>')
out.append("</svg>")
print("\n".join(out))
