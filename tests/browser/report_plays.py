"""Opens reports in a browser and uses them: presses play, scrubs, clicks an event, turns the view.

    report_plays.py STICTION [CHROMIUM]

What is on screen must move, the console must stay empty, and nothing may be fetched.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
import fifty_bodies

# what a page may weigh, and how often it must draw where everything is drawn by the processor
MOST_BYTES = 5_000_000
FEWEST_FRAMES = 10


class Page:
    """A report in the browser."""

    def __init__(self, browser, file: Path):
        self.noise = []
        self.page = browser.new_page(viewport={"width": 1280, "height": 900})
        self.page.on("console", lambda message: self.noise.append(message.text))
        self.page.on("pageerror", lambda error: self.noise.append(str(error)))
        self.page.on("request", lambda request: self.fetched(request.url))
        self.page.goto(file.as_uri())
        self.page.wait_for_function("document.getElementById('clock').textContent !== ''")

    def fetched(self, url: str):
        if not url.startswith("file://"):
            self.noise.append(f"fetches {url}")

    def time(self) -> float:
        return float(self.page.inner_text("#clock").split()[0])

    def pixels(self, selector: str) -> str:
        return self.page.evaluate(f"document.querySelector('{selector}').toDataURL()")

    def changes(self, selector: str, action) -> bool:
        before = self.pixels(selector)
        action()
        self.page.wait_for_timeout(60)
        return self.pixels(selector) != before


def use(browser, file: Path, is_spatial: bool):
    report = Page(browser, file)
    page = report.page

    # play: the clock runs, the mechanism and the cursor move
    start = report.time()
    stage, cursor = report.pixels("#stage"), report.pixels(".plot canvas.over")
    page.click("#play")
    page.wait_for_timeout(500)
    page.click("#play")
    stopped = report.time()
    assert stopped > start, f"the clock stands at {stopped}"
    assert report.pixels("#stage") != stage, "the animation does not move"
    assert report.pixels(".plot canvas.over") != cursor, "the cursor of the plots does not move"
    page.wait_for_timeout(200)
    assert report.time() == stopped, "pause does not pause"

    # scrub: the clock follows the slider
    box = page.locator("#scrub").bounding_box()
    middle = (box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    assert report.changes("#stage", lambda: page.mouse.click(*middle)), "scrubbing moves nothing"
    length = page.evaluate("JSON.parse(document.getElementById('data').textContent).until")
    assert abs(report.time() - 0.5 * length) < 0.03 * length, report.time()

    # an event: a click jumps to its time and marks it
    row = page.locator(".event").nth(1)
    expected = float(row.locator("span").first.inner_text().split()[0])
    row.click()
    assert abs(report.time() - expected) < 1e-3 * length + 1e-3, (report.time(), expected)
    assert page.locator(".event.now").count() == 1, "no event is marked"

    # a plot: a click jumps
    plot = page.locator(".plot canvas.over").last
    plot.scroll_into_view_if_needed()
    plot.click(position={"x": 100, "y": 60})
    assert report.time() < 0.3 * length
    # a line goes and comes back
    chips = page.locator(".chip")
    chips.last.scroll_into_view_if_needed()
    last_plot = ".plot:last-of-type canvas"
    assert report.changes(last_plot, lambda: chips.last.click()), "a line cannot be switched"

    # the view turns, moves and comes back
    page.locator("#stage").scroll_into_view_if_needed()
    box = page.locator("#stage").bounding_box()
    x, y = box["x"] + 200, box["y"] + 150

    def drag():
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 90, y + 30, steps=4)
        page.mouse.up()

    seen = report.pixels("#stage")
    assert report.changes("#stage", drag), "the view does not turn" if is_spatial else "the view does not move"
    page.click("#reset-view")
    page.wait_for_timeout(60)
    assert report.pixels("#stage") == seen, "the view does not come back"
    assert not report.noise, report.noise
    page.close()


def is_smooth(browser, file: Path) -> int:
    """Frames in a second of play."""
    report = Page(browser, file)
    report.page.click("#play")
    frames = report.page.evaluate(
        """() => new Promise((done) => {
            const clock = document.getElementById("clock");
            let n = 0;
            const watch = new MutationObserver(() => n++);
            watch.observe(clock, { childList: true, characterData: true, subtree: true });
            setTimeout(() => done(n), 1000);
        })"""
    )
    assert not report.noise, report.noise
    report.page.close()
    return frames


def shows_many_bodies(browser, file: Path):
    """Forces of many bodies are drawn, in the colours of sticking and sliding, and the table tells what happens to them."""
    report = Page(browser, file)
    data = "JSON.parse(document.getElementById('data').textContent)"
    statuses = report.page.evaluate(f"{data}.arrows.statuses")
    assert {"s", "l"} <= set(statuses), set(statuses)
    kinds = report.page.evaluate(f"{data}.events.rows.map((event) => event[1])")
    assert {"first touch", "sleep"} <= set(kinds), set(kinds)
    assert len(kinds) <= 300, f"{len(kinds)} events are too many to read"
    scrub = "const s = document.getElementById('scrub'); s.value = 3e4; s.dispatchEvent(new Event('input'));"
    report.page.evaluate(f"() => {{ {scrub} }}")
    assert report.changes("#stage", lambda: report.page.click("#show-forces")), "there are no arrows"
    assert not report.noise, report.noise
    report.page.close()


def main():
    stiction = sys.argv[1]
    chromium = sys.argv[2] if len(sys.argv) > 2 else shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        folder = Path(folder)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scene, is_spatial in [("bouncing_ball", False), ("box_landing", True), ("conveyor", True)]:
            file = folder / f"{scene}.html"
            subprocess.run([stiction, "run", scene, "--report", file], check=True, capture_output=True)
            use(browser, file, is_spatial)
            print(f"{scene}: plays, scrubs, jumps; {file.stat().st_size // 1000} kB")
        for name, text in [("fifty bodies", fifty_bodies.scene()), ("fifty bodies with time stepping", fifty_bodies.time_stepping())]:
            source, file = folder / "fifty.toml", folder / "fifty.html"
            source.write_text(text)
            subprocess.run([stiction, "run", source, "--report", file], check=True, capture_output=True)
            size, frames = file.stat().st_size, is_smooth(browser, file)
            print(f"{name} for a minute: {size // 1000} kB, {frames} frames in a second")
            assert size < MOST_BYTES and frames >= FEWEST_FRAMES
        shows_many_bodies(browser, file)
        browser.close()


if __name__ == "__main__":
    main()
