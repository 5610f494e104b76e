//! How an output is read.

use super::variable::Value;
use crate::simulation::Simulation;
use crate::state::State;

/// What a variable belongs to, by index: a body, contact, joint or force, and a component.
pub type Of = [usize; 2];

/// How an output is read.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// What it belongs to.
    pub of: Of,
    read: Read,
    /// Its rate where it needs no difference; gives none where it has none.
    rate: Option<fn(&mut Simulation, Of) -> Option<f64>>,
    /// Puts a value back into a state.
    restore: Option<fn(&mut State, Of, f64)>,
    /// Does it follow the inputs at once, not only by integration over time?
    pub depends_on_inputs: bool,
    /// Is it a column of a trajectory?
    pub is_column: bool,
    /// Which plot it is in.
    pub plot: Option<Plot>,
}

/// Plots of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plot {
    /// Places and angles of bodies.
    Position,
    /// Their velocities.
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
            is_column: false,
            plot: None,
        }
    }

    /// Read as a real number.
    pub fn real(of: Of, read: fn(&mut Simulation, Of) -> f64) -> Self {
        Self::new(of, Read::Real(read))
    }

    /// Read as a whole number.
    pub fn integer(of: Of, read: fn(&mut Simulation, Of) -> i32) -> Self {
        Self::new(of, Read::Integer(read))
    }

    /// The same of a component.
    pub fn component(self, i: usize) -> Self {
        let of = [self.of[0], i];
        Self { of, ..self }
    }

    /// With a rate that needs no difference.
    pub fn rate(self, rate: fn(&mut Simulation, Of) -> Option<f64>) -> Self {
        let rate = Some(rate);
        Self { rate, ..self }
    }

    /// With a way back into a state.
    pub fn restore(self, restore: fn(&mut State, Of, f64)) -> Self {
        let restore = Some(restore);
        Self { restore, ..self }
    }

    /// It follows the inputs at once.
    pub fn follows_inputs(self) -> Self {
        Self {
            depends_on_inputs: true,
            ..self
        }
    }

    /// It is a column of a trajectory.
    pub fn column(self) -> Self {
        Self {
            is_column: true,
            ..self
        }
    }

    /// It is plotted, and a column.
    pub fn plotted(self, plot: Plot) -> Self {
        let plot = Some(plot);
        Self { plot, ..self }.column()
    }

    /// Its value now.
    pub fn value(&self, simulation: &mut Simulation) -> Value {
        match self.read {
            Read::Real(read) => Value::Real(read(simulation, self.of)),
            Read::Integer(read) => Value::Integer(read(simulation, self.of)),
        }
    }

    /// The same as a real number.
    pub fn number(&self, simulation: &mut Simulation) -> f64 {
        match self.read {
            Read::Real(read) => read(simulation, self.of),
            Read::Integer(read) => f64::from(read(simulation, self.of)),
        }
    }

    /// Its rate between events; none where it has none.
    pub fn rate_now(&self, simulation: &mut Simulation) -> Option<f64> {
        match self.rate {
            Some(rate) => rate(simulation, self.of),
            None => Some(simulation.rate(&mut |simulation| self.number(simulation))),
        }
    }

    /// Can a state be given its value?
    pub fn is_restorable(&self) -> bool {
        self.restore.is_some()
    }

    /// Gives a state its value.
    pub fn put(&self, state: &mut State, value: f64) {
        if let Some(restore) = self.restore {
            restore(state, self.of, value);
        }
    }
}
