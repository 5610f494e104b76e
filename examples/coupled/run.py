"""Couples the plant and the controller by their SSP in ecos and in libcosim, and checks what comes out.

usage: run.py STICTION    (the program, with its shared library beside it)
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import fmpy
from ecospy import EcosSimulation
from fmpy.fmi2 import FMU2Slave
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
from libcosimpy.CosimObserver import CosimObserver
from pythonfmu.builder import FmuBuilder

HERE = Path(__file__).parent
STEP, N_STEPS = 2.0**-7, 512
OUTPUTS = [("plant", "block.position.x"), ("plant", "block.velocity.x"), ("controller", "force")]

# of the slope and the controller: pull of gravity and friction limit in N, stiffness in N/m
PULL, FRICTION, STIFFNESS = 5.886, 0.4 * 7.848, 400.0
# where friction can keep the block while the controller pushes with stiffness times displacement
HELD = ((PULL - FRICTION) / STIFFNESS, (PULL + FRICTION) / STIFFNESS)


def build_package(stiction, folder):
    """Makes both FMUs and the package in a folder; gives the file of the package."""
    resources = folder / "resources"
    resources.mkdir()
    plant = [stiction, "build", str(HERE / "plant.toml"), "-o", str(resources / "plant.fmu")]
    subprocess.run(plant, check=True, stdout=subprocess.DEVNULL)
    FmuBuilder.build_FMU(HERE / "controller.py", dest=resources)
    (folder / "SystemStructure.ssd").write_bytes((HERE / "SystemStructure.ssd").read_bytes())
    package = folder / "coupled.ssp"
    with zipfile.ZipFile(package, "w") as archive:
        for name in ["SystemStructure.ssd", "resources/plant.fmu", "resources/Controller.fmu"]:
            archive.write(folder / name, name)
    return package


def in_ecos(package):
    rows = []
    with EcosSimulation(ssp_path=str(package), step_size=STEP) as simulation:
        assert simulation.init(), "ecos: the initialization failed"
        for i in range(N_STEPS + 1):
            if i > 0:
                simulation.step()
            rows.append([simulation.get_real(f"{component}::{name}") for component, name in OUTPUTS])
        simulation.terminate()
    return rows


def in_libcosim(folder):
    """Takes the unpacked package, and shows no values before the first step."""
    execution = CosimExecution.from_ssp_file(str(folder), round(STEP * 1e9))
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer)
    places = []
    for component, name in OUTPUTS:
        slave = execution.slave_index_from_instance_name(component)
        variable = next(v for v in execution.slave_variables(slave) if v.name.decode() == name)
        places.append((slave, variable.reference))
    rows = []
    for _ in range(N_STEPS):
        assert execution.step(), "libcosim: a step failed"
        rows.append([observer.last_real_values(slave, [reference])[0] for slave, reference in places])
    return rows


def instantiate(fmu, name):
    """An FMU in its initialization, by FMPy; and the references of its variables."""
    description = fmpy.read_model_description(str(fmu))
    instance = FMU2Slave(
        guid=description.guid,
        unzipDirectory=fmpy.extract(str(fmu), unzipdir=tempfile.mkdtemp(dir=fmu.parent)),
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName=name,
    )
    instance.instantiate()
    instance.setupExperiment(startTime=0.0)
    instance.enterInitializationMode()
    return instance, {v.name: v.valueReference for v in description.modelVariables}


def by_hand(folder, coupled):
    """The same in a loop: both take a step, then they exchange their outputs. Uncoupled, the plant gets no force."""
    plant, of_plant = instantiate(folder / "resources/plant.fmu", "plant")
    controller, of_controller = instantiate(folder / "resources/Controller.fmu", "controller")
    motion = [of_plant["block.position.x"], of_plant["block.velocity.x"]]
    seen = [of_controller["position"], of_controller["velocity"]]
    plant.exitInitializationMode()
    controller.exitInitializationMode()
    rows = []
    for i in range(N_STEPS + 1):
        if i > 0:
            plant.doStep((i - 1) * STEP, STEP)
            controller.doStep((i - 1) * STEP, STEP)
        row = plant.getReal(motion) + controller.getReal([of_controller["force"]])
        rows.append(row)
        controller.setReal(seen, row[:2])
        if coupled:
            plant.setReal([of_plant["hold.force_x"]], row[2:])
    for instance in (plant, controller):
        instance.terminate()
        instance.freeInstance()
    return rows


def main():
    log_output_level(CosimLogLevel.ERROR)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        package = build_package(sys.argv[1], folder)
        held, free = by_hand(folder, coupled=True), by_hand(folder, coupled=False)
        runs = {"ecos": (in_ecos(package), held), "libcosim": (in_libcosim(folder), held[1:])}

    end = STEP * N_STEPS
    slid = 0.2 * end + (PULL - FRICTION) * end**2 / 2
    checks = [(f"without the controller the block slides {free[-1][0]:.4f} m", abs(free[-1][0] - slid) < 1e-9)]
    for master, (rows, wanted) in runs.items():
        farthest = max(abs(row[0]) for row in rows)
        last, halfway = rows[-1], rows[-N_STEPS // 2]
        off = max(abs(a - b) for row, other in zip(rows, wanted) for a, b in zip(row, other))
        checks += [
            (f"{master}: the block never leaves its start by more than 0.03 m: {farthest:.4f} m", farthest <= 0.03),
            (f"{master}: it rests from 2 s on: speed {last[1]} m/s, moved by {last[0] - halfway[0]} m",
             last[1] == 0.0 and last[0] == halfway[0]),
            (f"{master}: at {last[0]:.6f} m, where friction can hold it: {HELD[0]:.6f} to {HELD[1]:.6f} m",
             HELD[0] <= last[0] <= HELD[1]),
            (f"{master}: off by {off} from the loop by hand, in {len(rows)} rows",
             len(rows) == len(wanted) and off <= 1e-12),
        ]  # fmt: skip
    for words, holds in checks:
        print(f"{'ok  ' if holds else 'FAIL'} coupled, {words}")
    failed = sum(not holds for _, holds in checks)
    print(f"{len(checks) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
