"""The packages of others that the tool and the library in FMUs are made of, as cargo tells them."""

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# those that there are releases and libraries for
TARGETS = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-pc-windows-gnu",
    "i686-pc-windows-gnu",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
]
LIBRARY = ["--no-default-features"]
TOOL = []


def metadata(target, options):
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target, *options]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def packages(options):
    """This package, all that end up in it by name and version, and what each of them needs; over all targets."""
    found, needs = {}, {}
    for target in TARGETS:
        told = metadata(target, options)
        by_id = {package["id"]: package for package in told["packages"]}
        nodes = {node["id"]: node for node in told["resolve"]["nodes"]}
        root = told["resolve"]["root"]
        waiting = [root]
        seen = set(waiting)
        while waiting:
            own = waiting.pop()
            found[own] = by_id[own]
            for dependency in nodes[own]["deps"]:
                # what a build script needs does not end up in the binary
                if all(kind["kind"] in ("build", "dev") for kind in dependency["dep_kinds"]):
                    continue
                needs.setdefault(own, set()).add(dependency["pkg"])
                if dependency["pkg"] not in seen:
                    seen.add(dependency["pkg"])
                    waiting.append(dependency["pkg"])
    key = lambda package: (package["name"], package["version"])
    others = sorted((package for name, package in found.items() if name != root), key=key)
    return found[root], others, {own: sorted(ids) for own, ids in needs.items()}
