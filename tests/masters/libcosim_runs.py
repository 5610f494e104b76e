"""libcosim runs the FMU of every shipped scene; the values that it observes are those of `stiction run`.

usage: libcosim_runs.py STICTION    (the program, with its shared library beside it)

libcosim counts time in nanoseconds and leaves enumerations out.
"""

from libcosimpy.CosimEnums import CosimVariableType
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave

from scenes import check_master

TYPES = {"Real": CosimVariableType.REAL, "Integer": CosimVariableType.INTEGER}


def trajectory(fmu, outputs, step, n_steps):
    execution = CosimExecution.from_step_size(round(step * 1e9))
    slave = execution.add_local_slave(CosimLocalSlave(fmu, "scene"))
    observer = CosimObserver.create_time_series()
    execution.add_observer(observer)
    for v in outputs:
        if v.type in TYPES:
            assert observer.start_time_series(slave, v.valueReference, TYPES[v.type]), v.name
    # its Python interface leaves out the last sample when the start is among them: hence one step more
    assert execution.step(n_steps + 1), "a step failed"
    columns = []
    for v in outputs:
        if v.type not in TYPES:
            columns.append([None] * (n_steps + 1))
            continue
        real = v.type == "Real"
        read = observer.time_series_real_samples if real else observer.time_series_integer_samples
        _times, steps, values = read(slave, v.valueReference, 0, n_steps + 2)
        assert steps == list(range(n_steps + 1)), f"{v.name}: samples of the steps {steps}"
        columns.append(values)
    return list(zip(*columns))


if __name__ == "__main__":
    # its warnings are about the enumerations
    log_output_level(CosimLogLevel.ERROR)
    check_master("libcosim", trajectory)
