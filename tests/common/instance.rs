//! An FMU instance, driven by the names of its variables as a master drives it.

use stiction::fmu::instance::Instance;
use stiction::fmu::instance::snapshot::Snapshot;
use stiction::fmu::instance::variable::Value;

/// An instance and its time.
pub struct Driven {
    pub instance: Instance,
    pub time: f64,
}

impl Driven {
    /// Of a scene, with a tolerance if there is one.
    pub fn new(scene: &str, tolerance: Option<f64>) -> Self {
        let mut driven = Self::in_initialization(scene, tolerance);
        driven.instance.exit_initialization().unwrap();
        driven
    }

    /// The same before the end of the initialization.
    pub fn in_initialization(scene: &str, tolerance: Option<f64>) -> Self {
        let mut instance =
            Instance::new("scene", "scene.toml", scene).unwrap_or_else(|e| panic!("{e}"));
        instance.setup_experiment(tolerance, 0.0, None).unwrap();
        instance.enter_initialization().unwrap();
        Self {
            instance,
            time: 0.0,
        }
    }

    /// Value reference of a variable.
    pub fn reference(&self, name: &str) -> u32 {
        let found = self.instance.variables().iter();
        let found = found.map(|v| v.name.as_str()).position(|n| n == name);
        found.unwrap_or_else(|| panic!("no {name}")) as u32
    }

    pub fn get(&mut self, name: &str) -> f64 {
        match self.instance.get(self.reference(name)).unwrap() {
            Value::Real(x) => x,
            value => panic!("{name} is {value}"),
        }
    }

    pub fn set(&mut self, name: &str, value: f64) {
        let reference = self.reference(name);
        self.instance.set(reference, Value::Real(value)).unwrap();
    }

    /// Sets an input and its derivatives for the next step.
    pub fn set_series(&mut self, name: &str, values: &[f64]) {
        self.set(name, values[0]);
        let reference = self.reference(name);
        for (order, value) in (1..).zip(&values[1..]) {
            self.instance
                .set_input_derivative(reference, order, *value)
                .unwrap();
        }
    }

    /// Derivative of an output with respect to an input.
    pub fn derivative(&mut self, output: &str, input: &str) -> f64 {
        let mut result = [f64::NAN];
        let (output, input) = (self.reference(output), self.reference(input));
        self.instance
            .directional_derivative(&[output], &[input], &[1.0], &mut result)
            .unwrap();
        result[0]
    }

    /// Rate of an output.
    pub fn rate(&mut self, output: &str) -> f64 {
        let output = self.reference(output);
        self.instance.output_derivative(output, 1).unwrap()
    }

    pub fn step(&mut self, size: f64) {
        self.instance.do_step(self.time, size).unwrap();
        self.time += size;
    }

    pub fn save(&self) -> (f64, Snapshot) {
        (self.time, self.instance.save())
    }

    pub fn restore(&mut self, (time, saved): &(f64, Snapshot)) {
        self.time = *time;
        self.instance.restore(saved).unwrap();
    }
}
