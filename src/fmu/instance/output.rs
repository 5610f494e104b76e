//! Access to outputs.

use super::variable::Value;
use crate::simulation::Simulation;
use crate::state::State;

/// Owner of a variable by index: a body, contact, joint or force, and a component.
pub type Of = [usize; 2];

/// Access to an output.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// Its owner.
    pub of: Of,
    read: Read,
    /// Analytic rate, if available; may return `None`.
    rate: Option<fn(&mut Simulation, Of) -> Option<f64>>,
    /// Writes a value to a state.
    restore: Option<fn(&mut State, Of, f64)>,
    /// Does it depend directly on the inputs (direct feedthrough)?
    pub depends_on_inputs: bool,
    /// Is it a local variable by default?
    pub is_local: bool,
    /// Is it a column of a trajectory?
    pub is_column: bool,
    /// Its plot.
    pub plot: Option<Plot>,
}

/// Plots of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plot {
    /// Positions and angles of bodies.
    Position,
    /// Velocities of bodies.
    Velocity,
    /// Energies.
    Energy,
}

#[derive(Clone, Copy, Debug)]
enum Read {
    Real(fn(&mut Simulation, Of) -> f64),
    Integer(fn(&mut Simulation, Of) -> i32),
}

impl Output {
    fn new(of: Of, read: Read) -> Self {
        Self {
            of,
            read,
            rate: None,
            restore: None,
            depends_on_inputs: false,
            is_local: false,
            is_column: false,
            plot: None,
        }
    }

    /// An output of type Real.
    pub fn real(of: Of, read: fn(&mut Simulation, Of) -> f64) -> Self {
        Self::new(of, Read::Real(read))
    }

    /// An output of type Integer.
    pub fn integer(of: Of, read: fn(&mut Simulation, Of) -> i32) -> Self {
        Self::new(of, Read::Integer(read))
    }

    /// The same for a component.
    pub fn component(self, i: usize) -> Self {
        let of = [self.of[0], i];
        Self { of, ..self }
    }

    /// Adds an analytic rate.
    pub fn rate(self, rate: fn(&mut Simulation, Of) -> Option<f64>) -> Self {
        let rate = Some(rate);
        Self { rate, ..self }
    }

    /// Adds a setter for states.
    pub fn restore(self, restore: fn(&mut State, Of, f64)) -> Self {
        let restore = Some(restore);
        Self { restore, ..self }
    }

    /// Marks direct feedthrough.
    pub fn follows_inputs(self) -> Self {
        Self {
            depends_on_inputs: true,
            ..self
        }
    }

    /// Makes it a local variable by default.
    pub fn local(self) -> Self {
        self.local_if(true)
    }

    /// The same under a condition.
    pub fn local_if(self, is_local: bool) -> Self {
        let is_local = self.is_local || is_local;
        Self { is_local, ..self }
    }

    /// Makes it a column of trajectories.
    pub fn column(self) -> Self {
        Self {
            is_column: true,
            ..self
        }
    }

    /// Makes it a plot and a column.
    pub fn plotted(self, plot: Plot) -> Self {
        let plot = Some(plot);
        Self { plot, ..self }.column()
    }

    /// Current value.
    pub fn value(&self, simulation: &mut Simulation) -> Value {
        match self.read {
            Read::Real(read) => Value::Real(read(simulation, self.of)),
            Read::Integer(read) => Value::Integer(read(simulation, self.of)),
        }
    }

    /// Current value as a real number.
    pub fn number(&self, simulation: &mut Simulation) -> f64 {
        match self.read {
            Read::Real(read) => read(simulation, self.of),
            Read::Integer(read) => f64::from(read(simulation, self.of)),
        }
    }

    /// Rate between events, if it has one.
    pub fn rate_now(&self, simulation: &mut Simulation) -> Option<f64> {
        match self.rate {
            Some(rate) => rate(simulation, self.of),
            None => Some(simulation.rate(&mut |simulation| self.number(simulation))),
        }
    }

    /// Can its value be written to a state?
    pub fn is_restorable(&self) -> bool {
        self.restore.is_some()
    }

    /// Writes its value to a state.
    pub fn put(&self, state: &mut State, value: f64) {
        if let Some(restore) = self.restore {
            restore(state, self.of, value);
        }
    }
}
