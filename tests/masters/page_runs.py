"""Runs what docs/MASTERS.md and docs/COUPLING.md show: their Python blocks, and the commands that name this file as the one that runs them.

usage: page_runs.py STICTION    (the program, with its shared library beside it)

The blocks are run in the order of the pages, in one folder, each Python block in a process of its own.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PAGES = [Path(__file__).parents[2] / "docs" / name for name in ["MASTERS.md", "COUPLING.md"]]
BY_THE_DOCUMENTS = "<!-- not run: "


def blocks(text):
    """Language, line of the page, lines, and the last line before the block."""
    found, inside, before = [], False, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside = not inside
            if inside:
                found.append((line[3:].strip(), number, [], before))
        elif inside:
            found[-1][2].append(line)
        if line.strip():
            before = line.strip()
    return found


def commands(language, lines, before):
    """What is to be run for a block."""
    if language == "python":
        return [[sys.executable, "-c", "\n".join(lines)]]
    if language == "sh" and (not before.startswith(BY_THE_DOCUMENTS) or Path(__file__).name in before):
        return [["sh", "-c", line] for line in lines]
    return []


def main():
    stiction = Path(sys.argv[1]).resolve()
    folders = [str(stiction.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(folders)}
    n_run, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        found = [(page.name, *block) for page in PAGES for block in blocks(page.read_text())]
        for page, language, number, lines, before in found:
            for command in commands(language, lines, before):
                done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
                n_run += 1
                failed += done.returncode != 0
                print(f"{'FAIL' if done.returncode else 'ok  '} {page}:{number}: {language}")
                if done.returncode:
                    print(done.stdout + done.stderr)
        for wanted in ["falling_rod.fmu", "rod.csv"]:
            assert (Path(folder) / wanted).is_file(), f"{wanted} was not written"
    assert n_run >= 8, f"only {n_run} blocks were found"
    print(f"{n_run - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
