"""Instructions a step of shipped scenes, counted by callgrind: the difference of two lengths, so that reading the scene does not count.

usage: instructions.py <stiction> [<stiction of another build>] [--scenes a,b,..]

With two builds the last column is their ratio. Needs valgrind.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

RESOURCES = pathlib.Path(__file__).resolve().parent.parent / "resources"
LONGEST = {"pile_of_balls": 0.5, "pile_of_boxes": 0.5, "pile_of_jacks": 0.5, "box_stack": 0.5, "rover": 0.5, "gripper": 0.5, "conveyor": 0.5}
COUNTED = re.compile(r"Collected : (\d+)")


def instructions(tool, scene, until):
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", tool, "run", scene, "--until", str(until)]
        run = subprocess.run(command, capture_output=True, text=True)
    counted = COUNTED.search(run.stderr)
    if run.returncode or not counted:
        sys.exit(f"{scene}: {run.stderr[-400:]}")
    return int(counted[1])


def a_step(tool, scene):
    """Between the first and the second half of a run."""
    settings = tomllib.loads((RESOURCES / scene / "scene.toml").read_text())["settings"]
    until = min(settings.get("until", 2.0), LONGEST.get(scene, 2.0))
    steps = until / 2 / settings["step"]
    return (instructions(tool, scene, until) - instructions(tool, scene, until / 2)) / steps


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tools", nargs="+")
    parser.add_argument("--scenes", default=",".join(sorted(folder.name for folder in RESOURCES.iterdir())))
    arguments = parser.parse_args()
    for scene in arguments.scenes.split(","):
        counts = [a_step(tool, scene) for tool in arguments.tools]
        ratio = f" {counts[0] / counts[1]:8.3f}" if len(counts) == 2 else ""
        print(f"{scene:24}" + "".join(f"{count:14,.0f}" for count in counts) + ratio, flush=True)


main()
