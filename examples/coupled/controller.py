"""The controller: pushes the block back to where it started, as a spring and a damper would."""

from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real


class Controller(Fmi2Slave):
    """Force = -(stiffness position + damping velocity), for the values at the start of the step."""

    author = "stiction"
    description = "Holds a block with a force"

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.position = 0.0
        self.velocity = 0.0
        self.force = 0.0
        self.stiffness = 400.0
        self.damping = 10.0
        for name, causality, variability in [
            ("position", Fmi2Causality.input, Fmi2Variability.continuous),
            ("velocity", Fmi2Causality.input, Fmi2Variability.continuous),
            ("force", Fmi2Causality.output, Fmi2Variability.continuous),
            ("stiffness", Fmi2Causality.parameter, Fmi2Variability.fixed),
            ("damping", Fmi2Causality.parameter, Fmi2Variability.fixed),
        ]:
            self.register_variable(Real(name, causality=causality, variability=variability))

    def do_step(self, current_time, step_size):
        self.force = -(self.stiffness * self.position + self.damping * self.velocity)
        return True
