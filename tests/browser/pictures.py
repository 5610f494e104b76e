"""Takes the pictures of docs/REPORT.md and of the front page.

    pictures.py STICTION [CHROMIUM]
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parents[2] / "docs" / "images"
# name, scene, part of the run that has passed
PICTURES = [("report_plane", "falling_rod", 0.7), ("report_space", "gripper", 0.5), ("report_time_stepping", "pile_of_boxes", 0.3)]


def main():
    stiction = sys.argv[1]
    chromium = sys.argv[2] if len(sys.argv) > 2 else shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, scene, part in PICTURES:
            file = Path(folder) / f"{name}.html"
            subprocess.run([stiction, "run", scene, "--report", file], check=True, capture_output=True)
            page = browser.new_page(viewport={"width": 1280, "height": 960})
            page.goto(file.as_uri())
            page.evaluate(
                """(part) => {
                    const scrub = document.getElementById("scrub");
                    scrub.value = 1e6 * part;
                    scrub.dispatchEvent(new Event("input"));
                }""",
                part,
            )
            page.wait_for_timeout(200)
            page.screenshot(path=IMAGES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
