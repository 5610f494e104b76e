"""ecos runs the FMU of every shipped scene; the values that it reads are those of `stiction run`.

usage: ecos_runs.py STICTION    (the program, with its shared library beside it)

ecos leaves enumerations out.
"""

from ecospy import EcosSimulation, EcosSimulationStructure

from scenes import check_master


def trajectory(fmu, outputs, step, n_steps):
    rows = []
    with EcosSimulationStructure() as structure:
        structure.add_model("scene", fmu)
        with EcosSimulation(structure=structure, step_size=step) as simulation:
            read = {"Real": simulation.get_real, "Integer": simulation.get_integer}
            assert simulation.init(), "the initialization failed"
            for i in range(n_steps + 1):
                if i > 0:
                    simulation.step()
                rows.append([read[v.type](f"scene::{v.name}") if v.type in read else None for v in outputs])
            assert abs(simulation.get_time() - step * n_steps) < 1e-9, f"ended at {simulation.get_time()}"
            simulation.terminate()
    return rows


if __name__ == "__main__":
    check_master("ecos", trajectory)
