"""Collects the licences of all packages that the tool and the library in FMUs are made of, in licenses/.

usage: licenses.py            writes licenses/tool.txt and licenses/library.txt
       licenses.py --check    ends with 1 if they are not what would be written
"""

import re
import sys
from pathlib import Path

from packages import LIBRARY, ROOT, TOOL, packages

FOLDER = ROOT / "licenses"
FILES = re.compile(r"^(LICEN[CS]E|COPYING|COPYRIGHT|NOTICES?|UNLICENSE)", re.IGNORECASE)
RULE = "-" * 80


def texts(package):
    """The texts under which this project takes a package: where it has the choice, that of MIT."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and FILES.match(path.name))
    terms = package["license"] or ""
    if not files:
        return [standard(package["name"], terms)]
    has_choice = " AND " not in terms and re.search(r" OR |/", terms)
    mit = [path for path in files if "MIT" in path.name.upper()]
    if has_choice and "MIT" in terms and mit:
        notices = [path for path in files if re.match("COPYRIGHT|NOTICE", path.name, re.IGNORECASE)]
        files = mit + notices
    return [plain(path.read_text(encoding="utf-8", errors="replace")) for path in files]


def plain(text):
    return "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").strip("\n").split("\n"))


def standard(name, terms):
    """Of a package that names its licence but has no copy of it."""
    if "MIT" in re.split(r" OR |/", terms):
        own = plain((ROOT / "LICENSE-MIT").read_text())
        return re.sub(r"(?m)^Copyright .*$", f"Copyright (c) the authors of {name}", own)
    raise SystemExit(f"{name} has no file with its licence, {terms}: add one here")


def collected(title, options):
    _, others, _ = packages(options)
    by_text = {}
    for package in others:
        name = f"{package['name']} {package['version']} ({package['license']})"
        for text in texts(package):
            by_text.setdefault(text, []).append(name)
    # compiled in, and no package
    rust = standard("the Rust standard library", "MIT OR Apache-2.0")
    by_text.setdefault(rust, []).append("the Rust standard library (MIT OR Apache-2.0)")
    own = (
        f"{title}\n\nstiction itself is under the MIT or the Apache-2.0 licence, as you like.\n"
        f"It is compiled with {len(others)} packages of others and the Rust standard library, under the licences below.\n"
    )
    parts = [own]
    for name in ["LICENSE-MIT", "LICENSE-APACHE"]:
        parts.append(f"stiction\n\n{plain((ROOT / name).read_text())}\n")
    for text, names in sorted(by_text.items(), key=lambda item: item[1]):
        parts.append("\n".join(names) + f"\n\n{text}\n")
    return f"\n{RULE}\n".join(parts)


if __name__ == "__main__":
    wanted = {
        "tool.txt": collected("Licences of the command line tool of stiction", TOOL),
        "library.txt": collected("Licences of the library in FMUs of stiction", LIBRARY),
    }
    if sys.argv[1:] == ["--check"]:
        for name, text in wanted.items():
            path = FOLDER / name
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                sys.exit(f"{path.relative_to(ROOT)} is not current: python3 scripts/licenses.py writes it")
    else:
        FOLDER.mkdir(exist_ok=True)
        for name, text in wanted.items():
            (FOLDER / name).write_text(text, encoding="utf-8")
