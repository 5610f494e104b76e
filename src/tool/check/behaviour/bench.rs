//! Common parts of the trials: instances, short runs, reading of all variables.

use super::journal::Journal;
use crate::tool::check::description::{
    Causality, Description, Experiment, Interface, Kind, Variable,
};
use crate::tool::check::rules::Rule;
use crate::tool::import::{Library, Slave, Start, Status};
use std::collections::BTreeSet;
use std::time::Duration;

/// Maximum number of steps of a run.
const MAX_STEPS: u32 = 1000;
/// Number of steps of a run that is compared with another.
const SHORT: u32 = 20;
/// Number of steps if the model description does not give a step size.
const DEFAULT_STEPS: f64 = 100.0;

/// Relative difference that the tolerance of a solver explains.
const SOLVER_TOLERANCE: f64 = 1e-3;

/// The experiment to run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Start time.
    pub start: f64,
    /// Stop time.
    pub stop: f64,
    /// Communication step.
    pub step: f64,
    /// Number of steps.
    pub n_steps: u32,
    /// Relative tolerance.
    tolerance: Option<f64>,
}

impl Plan {
    /// The default experiment, or one second if there is none, with at most [`MAX_STEPS`] steps.
    pub fn new(experiment: &Experiment) -> Self {
        let is_good = |x: &f64| x.is_finite() && *x > 0.0;
        let start = experiment.start.filter(|t| t.is_finite()).unwrap_or(0.0);
        let written = experiment.step.filter(is_good);
        let length = experiment.stop.map(|stop| stop - start).filter(is_good);
        let length = length.unwrap_or(written.map_or(1.0, |step| DEFAULT_STEPS * step));
        let step = written.unwrap_or(length / DEFAULT_STEPS).min(length);
        // tolerance for rounding
        let n_steps = (length / step * (1.0 + 1e-9)).floor();
        Self {
            start,
            stop: start + length,
            step,
            n_steps: (n_steps.min(f64::from(MAX_STEPS)) as u32).max(1),
            tolerance: experiment.tolerance.filter(is_good),
        }
    }

    /// Start time of a step.
    pub fn time(&self, step: u32) -> f64 {
        self.start + f64::from(step) * self.step
    }

    /// Number of steps of a short run.
    pub fn n_short(&self) -> u32 {
        self.n_steps.min(SHORT)
    }
}

/// A value, compared bitwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Bits of a Real.
    Real(u64),
    /// An Integer, an Enumeration or a Boolean.
    Whole(i32),
    /// A String; `None` for null.
    Text(Option<String>),
    /// Reading failed.
    Unreadable(String),
}

impl Value {
    /// As text for messages.
    pub fn display_text(&self) -> String {
        match self {
            Self::Real(bits) => format!("{:?}", f64::from_bits(*bits)),
            Self::Whole(value) => value.to_string(),
            Self::Text(text) => format!("{text:?}"),
            Self::Unreadable(status) => status.clone(),
        }
    }
}

/// Values of all variables, in their order.
pub type Observation = Vec<Value>;

/// Context of a trial.
pub struct Bench<'a> {
    /// The model description.
    pub description: &'a Description,
    /// Its capabilities.
    pub interface: &'a Interface,
    /// The library.
    pub library: &'a Library,
    /// URI of the resources.
    pub resources: String,
    /// Receives findings.
    pub journal: &'a Journal,
    /// The experiment to run.
    pub plan: Plan,
    /// Time limit of a call, and of the run.
    pub limit: Duration,
}

impl<'a> Bench<'a> {
    /// A new instance with this GUID.
    pub fn with_guid(&self, guid: &str, name: &str) -> Option<Slave<'a>> {
        Slave::new(self.library, name, guid, &self.resources, false)
    }

    /// A new instance; failure is reported.
    pub fn instance(&self) -> Option<Slave<'a>> {
        let slave = self.with_guid(&self.description.guid, "stiction check");
        if slave.is_none() {
            let message = "fmi2Instantiate returns null with the GUID of the model description";
            self.journal.find(Rule::Instantiate, message);
        }
        slave
    }

    /// From instantiation to the first step.
    pub fn initialize(&self, slave: &Slave, stop: Option<f64>) -> bool {
        let start = Start {
            tolerance: self.plan.tolerance,
            time: self.plan.start,
            stop,
        };
        let calls: [(&str, &dyn Fn() -> Status); 3] = [
            ("fmi2SetupExperiment", &|| slave.setup_experiment(start)),
            ("fmi2EnterInitializationMode", &|| {
                slave.enter_initialization()
            }),
            ("fmi2ExitInitializationMode", &|| {
                slave.exit_initialization()
            }),
        ];
        for (name, call) in calls {
            let status = call();
            if !status.is_good() {
                let message = format!("{name} returns {status}");
                self.journal.find(Rule::InitializeFailed, message);
                return false;
            }
        }
        true
    }

    /// An initialized instance.
    pub fn ready(&self) -> Option<Slave<'a>> {
        let slave = self.instance()?;
        self.initialize(&slave, None).then_some(slave)
    }

    /// Takes steps `from..to` and reads all variables after each. `None` if a step failed, which the trial `run` reports.
    pub fn steps(&self, slave: &Slave, from: u32, to: u32) -> Option<Vec<Observation>> {
        let mut seen = Vec::new();
        for step in from..to {
            let status = slave.do_step(self.plan.time(step), self.plan.step);
            if !status.is_good() {
                return None;
            }
            seen.push(self.observe(slave));
        }
        Some(seen)
    }

    /// Can a new instance take an ordinary step? If not, the trial `run` reports it.
    pub fn can_step(&self) -> bool {
        let slave = self.ready();
        slave.is_some_and(|slave| self.steps(&slave, 0, 1).is_some())
    }

    /// A short run of a new instance.
    pub fn record(&self) -> Option<Vec<Observation>> {
        let slave = self.ready()?;
        self.steps(&slave, 0, self.plan.n_short())
    }

    /// Reads all variables.
    pub fn observe(&self, slave: &Slave) -> Observation {
        let variables = &self.description.variables;
        let mut values = vec![Value::Whole(0); variables.len()];
        for group in [Kind::Real, Kind::Integer, Kind::Boolean, Kind::Text] {
            let is_in = |v: &Variable| match v.kind {
                Kind::Enumeration => group == Kind::Integer,
                Kind::Real | Kind::Integer | Kind::Boolean | Kind::Text => v.kind == group,
            };
            let places: Vec<usize> = (0..variables.len())
                .filter(|place| is_in(&variables[*place]))
                .collect();
            let references: Vec<u32> = places.iter().map(|p| variables[*p].reference).collect();
            if references.is_empty() {
                continue;
            }
            let (status, mut found) = read(slave, group, &references);
            // one unreadable variable makes the whole call fail
            if !status.is_good() {
                found = references
                    .iter()
                    .map(|reference| {
                        let (status, value) = read(slave, group, &[*reference]);
                        match value.into_iter().next() {
                            Some(value) if status.is_good() => value,
                            _ => Value::Unreadable(status.to_string()),
                        }
                    })
                    .collect();
            }
            for (place, value) in places.into_iter().zip(found) {
                values[place] = value;
            }
        }
        values
    }

    /// Reports differences between two runs, by the first rule, or by the second if the tolerance of a solver explains
    /// them. Variables that also differ between two new instances are ignored. No other instance may exist during the
    /// call. Returns whether the runs are equal.
    pub fn compare(
        &self,
        [rule, nearly]: [Rule; 2],
        what: &str,
        one: &[Observation],
        other: &[Observation],
    ) -> bool {
        let mut differing = differences(one, other);
        if differing.is_empty() {
            return true;
        }
        if let (Some(first), Some(second)) = (self.record(), self.record()) {
            let unstable = differences(&first, &second);
            for place in &unstable {
                let message = "two new instances give different values";
                let name = &self.description.variables[*place].name;
                self.journal.find_in(Rule::RunIrreproducible, name, message);
            }
            differing.retain(|place| !unstable.contains(place));
        }
        let distances = differing.iter().map(|p| (*p, distance(*p, one, other)));
        let Some((place, farthest)) = distances.max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return true;
        };
        let at = |i: &usize| one[*i][place] != other[*i][place];
        let step = (0..one.len().min(other.len())).find(at).unwrap_or(0);
        let (was, is) = (
            one[step][place].display_text(),
            other[step][place].display_text(),
        );
        let also = match differing.len() {
            1 => String::new(),
            n => format!("; {} more variables differ", n - 1),
        };
        let n = step + 1;
        let message = format!("{what}, step {n} gives {is} instead of {was}{also}");
        let name = &self.description.variables[place].name;
        let is_near = farthest <= SOLVER_TOLERANCE;
        let rule = if is_near { nearly } else { rule };
        self.journal.find_in(rule, name, message);
        false
    }

    /// Variables with the given causality and kind.
    pub fn variables(&self, causality: Causality, kind: Kind) -> Vec<&'a Variable> {
        let is_so = |v: &&Variable| v.causality == causality && v.kind == kind;
        self.description.variables.iter().filter(is_so).collect()
    }
}

fn read(slave: &Slave, group: Kind, references: &[u32]) -> (Status, Vec<Value>) {
    fn wrap<T>(
        (status, values): (Status, Vec<T>),
        value: impl Fn(T) -> Value,
    ) -> (Status, Vec<Value>) {
        (status, values.into_iter().map(value).collect())
    }
    match group {
        Kind::Real => wrap(slave.get_real(references), |x| Value::Real(x.to_bits())),
        Kind::Integer | Kind::Enumeration => wrap(slave.get_integer(references), Value::Whole),
        Kind::Boolean => wrap(slave.get_boolean(references), Value::Whole),
        Kind::Text => wrap(slave.get_string(references), Value::Text),
    }
}

/// Difference of a variable, relative to its largest value; infinite if it is not defined.
fn distance(place: usize, one: &[Observation], other: &[Observation]) -> f64 {
    let (mut largest, mut difference) = (0.0f64, 0.0f64);
    for (a, b) in one.iter().zip(other) {
        match (&a[place], &b[place]) {
            (a, b) if a == b => {}
            (Value::Real(a), Value::Real(b)) => {
                let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
                if !a.is_finite() || !b.is_finite() {
                    return f64::INFINITY;
                }
                difference = difference.max((a - b).abs());
            }
            _ => return f64::INFINITY,
        }
        for value in [&a[place], &b[place]] {
            if let Value::Real(bits) = value {
                largest = largest.max(f64::from_bits(*bits).abs());
            }
        }
    }
    // 0 and -0 differ in their bits only
    if difference == 0.0 {
        return 0.0;
    }
    difference / largest
}

/// Indices of variables that differ in any step.
fn differences(one: &[Observation], other: &[Observation]) -> BTreeSet<usize> {
    let mut places = BTreeSet::new();
    for (a, b) in one.iter().zip(other) {
        places.extend((0..a.len().min(b.len())).filter(|place| a[*place] != b[*place]));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(start: Option<f64>, stop: Option<f64>, step: Option<f64>) -> Plan {
        Plan::new(&Experiment {
            line: 0,
            start,
            stop,
            tolerance: None,
            step,
        })
    }

    #[test]
    fn rounding_differences_are_recognized() {
        let real = |x: f64| vec![vec![Value::Real(x.to_bits())]];
        let is_near = |a: f64, b: f64| distance(0, &real(a), &real(b)) <= SOLVER_TOLERANCE;
        assert!(is_near(1.0, 1.0001) && is_near(-5.0, -5.0) && is_near(0.0, -0.0));
        assert!(!is_near(1.0, 1.01) && !is_near(0.0, 1e-9) && !is_near(f64::NAN, 1.0));
        let words = |n| vec![vec![Value::Whole(n)]];
        assert_eq!(distance(0, &words(1), &words(2)), f64::INFINITY);
    }

    #[test]
    fn plans_are_bounded_and_end_in_time() {
        assert_eq!(plan(None, None, None).n_steps, 100);
        assert_eq!(plan(None, Some(10.0), Some(0.1)).n_steps, 100);
        assert_eq!(plan(None, Some(1e9), Some(1e-3)).n_steps, 1000);
        assert_eq!(plan(Some(1.0), Some(2.0), Some(0.3)).n_steps, 3);
        assert_eq!(plan(Some(1.0), Some(2.0), Some(5.0)).step, 1.0);
        assert_eq!(plan(Some(f64::NAN), Some(-1.0), Some(0.0)).n_steps, 100);
    }
}
