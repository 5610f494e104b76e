"""Runs examples/fmpy/plot.py: it says where the block ends, as `stiction run` does, and leaves a picture.

usage: fmpy_plot_runs.py STICTION    (the program, with its shared library beside it)
"""

import csv
import io
import re
import sys
import tempfile
from pathlib import Path

from scenes import run

ROOT = Path(__file__).parents[2]
SCENE = ROOT / "resources/block_on_table/scene.toml"
# half of the last digit that the script prints
ROUNDING = 5.1e-7
# width and height of the picture, in pixels, as a PNG file has them
SIZE = (800, 500)


def ends(stiction, folder, friction):
    """Position of the block at the end, from the scene with another friction."""
    text = SCENE.read_text()
    assert text.count("friction = 0.8") == 1
    scene = folder / "scene.toml"
    scene.write_text(text.replace("friction = 0.8", f"friction = {friction}"))
    printed = run(stiction, "run", str(scene), "--output-step", repr(2.0**-6), "-o", "-")
    return float(list(csv.DictReader(io.StringIO(printed)))[-1]["block.position.x"])


def main():
    stiction = sys.argv[1]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(stiction, "build", "block_on_table", "-o", str(folder / "block.fmu"))
        picture = folder / "block.png"
        said = run(sys.executable, str(ROOT / "examples/fmpy/plot.py"), str(folder / "block.fmu"), str(picture))
        found = re.findall(r"^friction ([\d.]+): at ([\d.]+) m after 10 s$", said, re.MULTILINE)
        assert len(found) == 3, said
        for friction, position in found:
            off = abs(float(position) - ends(stiction, folder, friction))
            failed += off > ROUNDING
            print(f"{'FAIL' if off > ROUNDING else 'ok  '} friction {friction}: {position} m, off by {off:.1e} m")
        header = picture.read_bytes()[:24]
        size = (int.from_bytes(header[16:20], "big"), int.from_bytes(header[20:24], "big"))
        is_picture = header[:8] == b"\x89PNG\r\n\x1a\n" and size == SIZE
        failed += not is_picture
        print(f"{'ok  ' if is_picture else 'FAIL'} picture of {size[0]} x {size[1]} pixels")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
