"""Runs the FMUs of all shipped scenes on other platforms with the C program of tests/c_host and compares what it reads, bit
for bit, with linux64 on this machine.

usage: runs.py STICTION WORK [PLATFORM=COMMAND ..]

WORK has hosts/<platform> (the C program, .exe for Windows) and may have panicking/<platform>/stiction.* (libraries in which
fmi2CancelStep panics). COMMAND starts the program of the platform; without one it is started as it is. On each platform:

- every scene from a folder with blanks and umlauts in its name; all its Real outputs at the start and after each step. They
  must be the same numbers; that some have other bits can only mean zeros of another sign, and is told;
- the state saved half way is carried on by linux64, and that of linux64 here;
- wrong calls, random calls, instances made and freed, a panic that is caught.
"""

import shlex
import struct
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
import zipfile
from pathlib import Path
from urllib.parse import quote

ENDINGS = {"win64": "dll", "win32": "dll"}
# exact in binary; few steps of many bodies, because emulated processors are slow
STEP = 2.0**-7
STEPS, MANY_BODIES_STEPS = 96, 12
REFERENCE = "linux64"


class Host:
    """The C program on a platform."""

    def __init__(self, name, command, work):
        self.name, self.command, self.work = name, shlex.split(command), work
        self.is_windows = name.startswith("win")
        self.program = work / "hosts" / (name + (".exe" if self.is_windows else ""))

    def path(self, path):
        return f"Z:{path}".replace("/", "\\") if self.is_windows else str(path)

    def uri(self, folder):
        return ("file:///Z:" if self.is_windows else "file://") + quote(str(folder))

    def call(self, mode, fmu, *arguments, library=None):
        ending = ENDINGS.get(self.name, "so")
        library = library or fmu.folder / "binaries" / self.name / f"stiction.{ending}"
        command = [*self.command, self.path(self.program) if self.command else str(self.program), mode]
        command += [self.path(library), self.uri(fmu.folder / "resources"), fmu.guid, *arguments]
        done = subprocess.run(command, cwd=self.work, capture_output=True)
        if done.returncode != 0:
            told = (done.stdout + done.stderr).decode(errors="replace").strip()
            raise RuntimeError(f"{mode}: exit code {done.returncode}: {told[-400:]}")
        return done.stdout.decode()

    def trace(self, fmu, *more):
        """Bytes of all outputs at all steps."""
        self.call("trace", fmu, repr(fmu.steps * STEP), repr(STEP), "references", "trace", *more)
        return (self.work / "trace").read_bytes()


class Fmu:
    """An unpacked FMU."""

    def __init__(self, stiction, scene, folder):
        file = folder / f"{scene}.fmu"
        subprocess.run([stiction, "build", scene, "-o", str(file)], check=True, capture_output=True)
        self.scene, self.folder = scene, folder / scene
        with zipfile.ZipFile(file) as archive:
            archive.extractall(self.folder)
        file.unlink()
        root = xml.parse(self.folder / "modelDescription.xml").getroot()
        self.guid = root.get("guid")
        outputs = [v for v in root.iter("ScalarVariable") if v.get("causality") == "output"]
        self.steps = MANY_BODIES_STEPS if any(v.get("name").startswith("time_stepping.") for v in outputs) else STEPS
        self.references = [v.get("valueReference") for v in outputs if v.find("Real") is not None]


def off_by(found, wanted):
    """Number of values that differ, and the largest difference."""
    if len(found) != len(wanted):
        return len(wanted) // 8, float("inf")
    if found == wanted:
        return 0, 0.0
    pairs = zip(struct.iter_unpack("<d", found), struct.iter_unpack("<d", wanted))
    # infinite minus infinite, or a number that is none, is a difference
    differences = [abs(a - b) for (a,), (b,) in pairs if struct.pack("<d", a) != struct.pack("<d", b)]
    differences = [d if d == d else float("inf") for d in differences]
    return len(differences), max(differences)


def run_scene(fmu, work, reference, hosts):
    (work / "references").write_text("\n".join(fmu.references))
    wanted = reference.trace(fmu, "--save", "state")
    n = len(fmu.references)
    half = wanted[8 * n * (fmu.steps // 2) :]
    failed = 0
    for host in hosts:
        started = time.monotonic()
        try:
            results = {
                "run": off_by(host.trace(fmu, "--save", "its_state"), wanted),
                "state of linux64 carried on": off_by(host.trace(fmu, "--load", "state"), half),
                "its state carried on by linux64": off_by(reference.trace(fmu, "--load", "its_state"), half),
            }
            is_same_state = (work / "state").read_bytes() == (work / "its_state").read_bytes()
        except RuntimeError as error:
            failed += 1
            print(f"FAIL {host.name} {fmu.scene}: {error}", flush=True)
            continue
        others = {name: result for name, result in results.items() if result[0]}
        is_bad = any(worst > 0.0 for _, worst in others.values())
        failed += is_bad
        # a difference of 0 between other bits: zeros of another sign
        told = [f"{name}: {count} values have other bits and differ by up to {worst:.3g}" for name, (count, worst) in others.items()]
        told = told or [f"{len(wanted) // 8} values have the same bits"]
        told.append("so has the saved state" if is_same_state else "the saved state has other bytes")
        taken = time.monotonic() - started
        print(f"{'FAIL' if is_bad else 'ok  '} {host.name} {fmu.scene}: {'; '.join(told)}; {taken:.1f} s", flush=True)
    return failed


def abuse(fmu, host):
    """Wrong calls, random calls, instances without end, a panic."""
    panicking = host.work / "panicking" / host.name / f"stiction.{ENDINGS.get(host.name, 'so')}"
    try:
        told = [f"{host.call('wrong', fmu).strip()} wrong calls refused", host.call("fuzz", fmu, "4000", "7").strip()]
        before, after = map(int, host.call("cycles", fmu, "200").split())
        told.append(f"{before} pages in use after 20 instances, {after} after 200")
        if after > before + 64:
            raise RuntimeError(told[-1])
        if panicking.exists():
            host.call("panic", fmu, library=panicking)
            told.append("panic caught")
        else:
            told.append("no library that panics")
    except RuntimeError as error:
        print(f"FAIL {host.name}: {error}", flush=True)
        return 1
    print(f"ok   {host.name}: {'; '.join(told)}", flush=True)
    return 0


if __name__ == "__main__":
    stiction, work = sys.argv[1], Path(sys.argv[2]).resolve()
    hosts = [Host(*argument.split("=", 1), work) for argument in sys.argv[3:]]
    reference = Host(REFERENCE, "", work)
    folder = work / "FMUs für Größen + 100 %"
    folder.mkdir(exist_ok=True)
    listed = subprocess.run([stiction, "scenes"], check=True, capture_output=True, text=True).stdout
    scenes = [line.split()[0] for line in listed.splitlines()]
    failed = 0
    for scene in scenes:
        failed += run_scene(Fmu(stiction, scene, folder), work, reference, hosts)
    block = Fmu(stiction, "block_on_table", folder)
    failed += sum(abuse(block, host) for host in [reference, *hosts])
    print(f"{len(scenes)} scenes on {len(hosts)} platforms, {failed} failed")
    sys.exit(failed > 0)
