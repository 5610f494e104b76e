"""The C program of tests/c_host runs the FMU of every shipped scene; the values that it reads are those of `stiction run`.

usage: c_host_runs.py STICTION    (the program, with its shared library beside it)

It prints Real outputs at the end of a run, so it is run up to some of the steps.
"""

import os
import resource
import subprocess
import tempfile
from pathlib import Path

import fmpy

from scenes import check_master, run

SOURCE = Path(__file__).parent.parent / "c_host" / "host.c"
# outputs that it takes in one run
MOST = 64


def trajectory_of(host):
    def trajectory(fmu, outputs, step, n_steps):
        places = [i for i, v in enumerate(outputs) if v.type == "Real"]
        rows = [[None] * len(outputs) for _ in range(n_steps + 1)]
        with tempfile.TemporaryDirectory() as folder:
            fmpy.extract(fmu, unzipdir=folder)
            library = f"{folder}/binaries/linux64/stiction.so"
            guid = fmpy.read_model_description(fmu).guid
            for i in range(0, n_steps + 1, n_steps // 3):
                for some in (places[k : k + MOST] for k in range(0, len(places), MOST)):
                    wanted = [w for p in some for w in ("--get", str(outputs[p].valueReference))]
                    time = ["0", repr(i * step), repr(step)]
                    printed = run(host, "run", library, f"file://{folder}/resources", guid, *time, *wanted)
                    for p, text in zip(some, printed.split(), strict=True):
                        rows[i][p] = float(text)
        return rows

    return trajectory


# bytes of address space
LITTLE_MEMORY = [200_000_000, 400_000_000, 1_000_000_000, 2_000_000_000, 8_000_000_000]


def complaints_of(host):
    """With little memory there is an instance that works, or a message; the host lives."""

    def complaints(fmu):
        with tempfile.TemporaryDirectory() as folder:
            fmpy.extract(fmu, unzipdir=folder)
            guid = fmpy.read_model_description(fmu).guid
            command = [host, "little", f"{folder}/binaries/linux64/stiction.so", f"file://{folder}/resources", guid]
            found = []
            for most in LITTLE_MEMORY:
                limit = lambda most=most: resource.setrlimit(resource.RLIMIT_AS, (most, most))
                done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
                if done.returncode != 0 or done.stdout.strip() not in ("null", "error", "works"):
                    found.append(f"{most} bytes: exit code {done.returncode}, {done.stdout}{done.stderr}")
            return found

    return complaints


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        host = f"{folder}/host"
        run(os.environ.get("CC", "cc"), "-std=c11", "-O1", "-o", host, str(SOURCE), "-ldl", "-lm")
        check_master("C host", trajectory_of(host), complaints_of(host))
