//! Saved states: all that later values depend on, and their bytes.
//!
//! Bytes: magic, version, GUID of the scene, length of the body, body, checksum (FNV-1a, 64 bits) of all before it. All
//! numbers little-endian, reals by their bits.

use super::lifecycle::Phase;
use super::variable::{Role, Value};
use super::{Experiment, Instance, Memory, Trouble, error};
use crate::force::Input;
use crate::math::Vec3;
use crate::simulate::observe;
use crate::state::{CrowdState, Resistance, SpotKey, State, Status, Touch};
use crate::step::{EventKind, Report, Workspace};

const MAGIC: &[u8; 8] = b"STICTION";
const VERSION: u32 = 10;
/// Bytes before the body: magic, version, length.
const HEAD: usize = 8 + 4 + 8;
/// Bytes after it: the checksum.
const SEAL: usize = 8;

/// A saved state of an instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    guid: String,
    phase: Phase,
    stale: bool,
    experiment: Experiment,
    last_successful_time: f64,
    state: State,
    report: Report,
    memory: Memory,
    parameters: Vec<Value>,
}

const STATUSES: [Status; 6] = [
    Status::Open,
    Status::Frictionless,
    Status::Stick,
    Status::SlipForward,
    Status::SlipBackward,
    Status::Slip,
];

/// No run counts this far; sums of what is below do not overflow.
const MOST_COUNTED: u64 = 1 << 53;
/// The same for what the step counts since its last success.
const MOST_COUNTED_BY_STEP: u32 = 1 << 30;

/// Quaternions of accepted states are off unit length by rounding only.
const UNIT: f64 = 1e-12;

const EVENTS: [EventKind; 6] = [
    EventKind::Impact,
    EventKind::SlipStart,
    EventKind::StickStart,
    EventKind::Reversal,
    EventKind::TakeOff,
    EventKind::Jam,
];

impl Instance {
    /// Saves the state.
    pub fn save(&self) -> Snapshot {
        let mut parameters = Vec::new();
        for variable in &self.table {
            if let Role::Parameter(parameter) = variable.role {
                parameters.push(parameter.get(&self.model, &self.settings));
            }
        }
        let mut report = self.report.clone();
        report.events.clear(); // told already
        report.growths = 0; // of this instance, not of the motion
        report.instant_residual = 0.0;
        Snapshot {
            guid: self.guid.clone(),
            phase: self.phase,
            stale: self.stale,
            experiment: self.experiment,
            last_successful_time: self.last_successful_time,
            state: self.state.clone(),
            report,
            memory: self.memory.clone(),
            parameters,
        }
    }

    /// Restores a saved state of this or another instance of the same FMU.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Trouble> {
        if snapshot.guid != self.guid {
            return error("the saved state belongs to another FMU");
        }
        // what no parameter can say, such as a scheme without a name, is as in the scene
        self.settings.clone_from(&self.scene.settings);
        let mut values = snapshot.parameters.iter();
        let mass = self.model.mass.clone();
        for variable in &self.table {
            if let Role::Parameter(parameter) = variable.role
                && let Some(value) = values.next()
            {
                parameter.set(&mut self.model, &mut self.settings, *value);
            }
        }
        if mass != self.model.mass {
            self.workspace = Workspace::new(&self.model);
        }
        self.phase = snapshot.phase;
        self.stale = snapshot.stale;
        self.experiment = snapshot.experiment;
        self.last_successful_time = snapshot.last_successful_time;
        self.state.clone_from(&snapshot.state);
        self.is_instant_known = false;
        let (growths, residual) = (self.report.growths, self.report.instant_residual);
        self.report.clone_from(&snapshot.report);
        (self.report.growths, self.report.instant_residual) = (growths, residual);
        self.memory.clone_from(&snapshot.memory);
        Ok(())
    }

    /// Reads the bytes of a saved state of the same FMU.
    pub fn snapshot_from_bytes(&self, bytes: &[u8]) -> Result<Snapshot, Trouble> {
        match Reader::new(bytes).and_then(|mut reader| self.read(&mut reader)) {
            Some(snapshot) if snapshot.guid == self.guid => Ok(snapshot),
            Some(_) => error("the serialized state belongs to another FMU"),
            None => error("the serialized state is damaged, or of another version"),
        }
    }

    fn read_crowd(&self, reader: &mut Reader, crowd: &mut CrowdState) -> Option<()> {
        reader.fill(&mut crowd.slow_for)?;
        if !crowd.slow_for.iter().all(|x| *x >= 0.0) {
            return None;
        }
        crowd.last_step = reader.real()?;
        if !(crowd.last_step.is_finite() && crowd.last_step >= 0.0) {
            return None;
        }
        let n_solids = self.model.n_solids() as u64;
        for _ in 0..reader.whole()? {
            let mut shape = || {
                u32::try_from(reader.whole()?)
                    .ok()
                    .filter(|i| u64::from(*i) < n_solids)
            };
            let shapes = [shape()?, shape()?];
            let feature = u32::try_from(reader.whole()?).ok()?;
            let mut touch = Touch {
                key: SpotKey { shapes, feature },
                force: Vec3::zeros(),
                moment: Vec3::zeros(),
            };
            reader.fill(touch.force.as_mut_slice())?;
            reader.fill(touch.moment.as_mut_slice())?;
            crowd.touches.push(touch);
        }
        let in_order = crowd
            .touches
            .is_sorted_by(|a, b| a.key.order() < b.key.order());
        in_order.then_some(())
    }

    fn read(&self, reader: &mut Reader) -> Option<Snapshot> {
        let guid = reader.text()?;
        let phase = *Phase::ALL.get(reader.byte()? as usize)?;
        if phase == Phase::Fatal {
            return None; // a broken instance is not saved
        }
        let stale = reader.flag()?;
        let experiment = Experiment {
            start: reader.real()?,
            stop: reader.option()?,
        };
        let last_successful_time = reader.real()?;
        // every length is known from the model: a state of another shape is refused
        let mut state = State::new(&self.model);
        state.time = reader.real()?;
        for list in [
            &mut state.position,
            &mut state.velocity,
            &mut state.average_velocity,
            &mut state.acceleration,
            &mut state.joint_force,
            &mut state.joint_angle,
        ] {
            reader.fill(list)?;
        }
        if !state.joint_angle.iter().all(|angle| angle.is_finite()) {
            return None;
        }
        for status in &mut state.status {
            *status = *STATUSES.get(reader.byte()? as usize)?;
        }
        for force in &mut state.contact_force {
            reader.fill(force)?;
        }
        for orientation in &mut state.orientation {
            reader.fill(orientation)?;
            let length = observe::length_of(*orientation)?;
            if (length - 1.0).abs() > UNIT {
                return None;
            }
        }
        for vector in state.friction_force.iter_mut().chain(&mut state.sliding) {
            reader.fill(vector.as_mut_slice())?;
        }
        for Resistance {
            spin,
            roll,
            rolling,
        } in &mut state.resistance
        {
            *spin = *STATUSES.get(reader.byte()? as usize)?;
            *roll = *STATUSES.get(reader.byte()? as usize)?;
            reader.fill(rolling.as_mut_slice())?;
        }
        for moment in &mut state.friction_moment {
            reader.fill(moment.as_mut_slice())?;
        }
        if self.model.crowd.is_some() {
            self.read_crowd(reader, &mut state.crowd)?;
        }
        for Input { since, derivatives } in &mut state.inputs {
            *since = reader.real()?;
            reader.fill(derivatives)?;
        }
        state.statuses_known = reader.flag()?;
        state.started = reader.flag()?;
        state.damping_left = reader.count_of_step()?;
        state.control.step = reader.real()?;
        state.control.error = reader.real()?;
        state.control.ways_out = reader.count_of_step()?;
        state.control.reliefs = reader.count_of_step()?;
        state.control.events = reader.count_of_step()?;
        state.control.counted_from = reader.real()?;
        let mut report = Report::new();
        for place in report.whole_numbers() {
            *place = reader.count()?;
        }
        for place in report.real_numbers() {
            *place = reader.real()?;
        }
        let last_event = match reader.byte()? {
            0 => None,
            number => Some((reader.real()?, *EVENTS.get(number as usize - 1)?)),
        };
        let mut memory = Memory::new(&self.model, 0.0);
        memory.last_event = last_event;
        for pair in &mut memory.impulse {
            reader.fill(pair)?;
        }
        memory.last_start = reader.real()?;
        reader.fill(&mut memory.last_change)?;
        let mut parameters = Vec::new();
        for variable in &self.table {
            if matches!(variable.role, Role::Parameter(_)) {
                parameters.push(match reader.byte()? {
                    0 => Value::Real(reader.real()?),
                    1 => Value::Integer(i32::try_from(reader.whole()? as i64).ok()?),
                    2 => Value::Boolean(reader.flag()?),
                    _ => return None,
                });
            }
        }
        reader.is_at_end().then_some(Snapshot {
            guid,
            phase,
            stale,
            experiment,
            last_successful_time,
            state,
            report,
            memory,
            parameters,
        })
    }
}

impl Snapshot {
    /// The bytes of the saved state.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.written().sealed()
    }

    /// Number of these bytes.
    pub fn n_bytes(&self) -> usize {
        self.written().bytes.len() + SEAL
    }

    fn written(&self) -> Writer {
        let mut writer = Writer::new();
        writer.text(&self.guid);
        writer.byte(
            Phase::ALL
                .iter()
                .position(|p| *p == self.phase)
                .unwrap_or(0) as u8,
        );
        writer.flag(self.stale);
        writer.real(self.experiment.start);
        writer.option(self.experiment.stop);
        writer.real(self.last_successful_time);
        let state = &self.state;
        writer.real(state.time);
        for list in [
            &state.position,
            &state.velocity,
            &state.average_velocity,
            &state.acceleration,
            &state.joint_force,
            &state.joint_angle,
        ] {
            writer.reals(list);
        }
        for status in &state.status {
            writer.byte(*status as u8);
        }
        for force in &state.contact_force {
            writer.reals(force);
        }
        for orientation in &state.orientation {
            writer.reals(orientation);
        }
        for vector in state.friction_force.iter().chain(&state.sliding) {
            writer.reals(vector.as_slice());
        }
        for resistance in &state.resistance {
            writer.byte(resistance.spin as u8);
            writer.byte(resistance.roll as u8);
            writer.reals(resistance.rolling.as_slice());
        }
        for moment in &state.friction_moment {
            writer.reals(moment.as_slice());
        }
        if !state.crowd.slow_for.is_empty() {
            write_crowd(&mut writer, &state.crowd);
        }
        for input in &state.inputs {
            writer.real(input.since);
            writer.reals(&input.derivatives);
        }
        writer.flag(state.statuses_known);
        writer.flag(state.started);
        writer.whole(u64::from(state.damping_left));
        writer.real(state.control.step);
        writer.real(state.control.error);
        writer.whole(u64::from(state.control.ways_out));
        writer.whole(u64::from(state.control.reliefs));
        writer.whole(u64::from(state.control.events));
        writer.real(state.control.counted_from);
        let mut report = self.report.clone();
        for number in report.whole_numbers() {
            writer.whole(*number);
        }
        for number in report.real_numbers() {
            writer.real(*number);
        }
        match self.memory.last_event {
            None => writer.byte(0),
            Some((time, kind)) => {
                writer.byte(kind as u8 + 1);
                writer.real(time);
            }
        }
        for pair in &self.memory.impulse {
            writer.reals(pair);
        }
        writer.real(self.memory.last_start);
        writer.reals(&self.memory.last_change);
        for value in &self.parameters {
            match value {
                Value::Real(x) => {
                    writer.byte(0);
                    writer.real(*x);
                }
                Value::Integer(x) => {
                    writer.byte(1);
                    writer.whole(i64::from(*x) as u64);
                }
                Value::Boolean(x) => {
                    writer.byte(2);
                    writer.flag(*x);
                }
            }
        }
        writer
    }
}

fn write_crowd(writer: &mut Writer, crowd: &CrowdState) {
    writer.reals(&crowd.slow_for);
    writer.real(crowd.last_step);
    writer.whole(crowd.touches.len() as u64);
    for Touch { key, force, moment } in &crowd.touches {
        let [first, second] = key.shapes;
        for index in [first, second, key.feature] {
            writer.whole(u64::from(index));
        }
        writer.reals(force.as_slice());
        writer.reals(moment.as_slice());
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    // the length of the body is not known yet
    fn new() -> Self {
        let mut writer = Self {
            bytes: Vec::with_capacity(1024),
        };
        writer.bytes.extend(MAGIC);
        writer.bytes.extend(VERSION.to_le_bytes());
        writer.whole(0);
        writer
    }
    fn byte(&mut self, x: u8) {
        self.bytes.push(x);
    }
    fn flag(&mut self, x: bool) {
        self.byte(u8::from(x));
    }
    fn whole(&mut self, x: u64) {
        self.bytes.extend(x.to_le_bytes());
    }
    fn real(&mut self, x: f64) {
        self.whole(x.to_bits());
    }
    fn reals(&mut self, list: &[f64]) {
        list.iter().for_each(|x| self.real(*x));
    }
    fn option(&mut self, x: Option<f64>) {
        self.flag(x.is_some());
        self.real(x.unwrap_or(0.0));
    }
    fn text(&mut self, x: &str) {
        self.whole(x.len() as u64);
        self.bytes.extend(x.as_bytes());
    }
    fn sealed(mut self) -> Vec<u8> {
        let n = (self.bytes.len() - HEAD) as u64;
        self.bytes[HEAD - 8..HEAD].copy_from_slice(&n.to_le_bytes());
        let sum = checksum(&self.bytes);
        self.whole(sum);
        self.bytes
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    // checks the envelope
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let (sealed, sum) = bytes.split_last_chunk::<8>()?;
        if checksum(sealed) != u64::from_le_bytes(*sum) {
            return None;
        }
        let mut reader = Self { rest: sealed };
        let fits = reader.take(8)? == MAGIC
            && reader.take(4)? == VERSION.to_le_bytes()
            && reader.whole()? == reader.rest.len() as u64;
        fits.then_some(reader)
    }
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(n)?;
        self.rest = rest;
        Some(head)
    }
    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|b| b[0])
    }
    fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
    fn whole(&mut self) -> Option<u64> {
        let bytes = self.take(8)?;
        bytes.try_into().ok().map(u64::from_le_bytes)
    }
    fn count(&mut self) -> Option<u64> {
        self.whole().filter(|n| *n < MOST_COUNTED)
    }
    fn count_of_step(&mut self) -> Option<u32> {
        let n = u32::try_from(self.whole()?).ok()?;
        (n < MOST_COUNTED_BY_STEP).then_some(n)
    }
    fn real(&mut self) -> Option<f64> {
        self.whole().map(f64::from_bits)
    }
    fn fill(&mut self, list: &mut [f64]) -> Option<()> {
        for x in list {
            *x = self.real()?;
        }
        Some(())
    }
    fn option(&mut self) -> Option<Option<f64>> {
        let some = self.flag()?;
        let x = self.real()?;
        Some(some.then_some(x))
    }
    fn text(&mut self) -> Option<String> {
        let n = usize::try_from(self.whole()?).ok()?;
        String::from_utf8(self.take(n)?.to_vec()).ok()
    }
    fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = include_str!("../../resources/bouncing_ball/scene.toml");

    #[test]
    fn counts_that_no_run_reaches_are_refused() {
        let instance = Instance::new("ball", "scene.toml", SCENE).unwrap();
        let saved = instance.save();
        assert!(instance.snapshot_from_bytes(&saved.to_bytes()).is_ok());
        let n = saved.report.clone().whole_numbers().into_iter().count();
        for index in 0..n {
            let mut wrong = saved.clone();
            if let Some(number) = wrong.report.whole_numbers().into_iter().nth(index) {
                *number = u64::MAX;
            }
            assert!(instance.snapshot_from_bytes(&wrong.to_bytes()).is_err());
        }
        let mut wrong = saved;
        wrong.state.control.reliefs = u32::MAX;
        assert!(instance.snapshot_from_bytes(&wrong.to_bytes()).is_err());
    }
}
