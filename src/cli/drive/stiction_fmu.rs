//! An FMU that contains a stiction scene: its outputs are copied into a state of the same model, which is sampled as
//! if it had been integrated here. The model itself takes no step.

use super::inputs::Inputs;
use super::remote::Remote;
use crate::cli::CliError;
use crate::cli::record::{RecordedEvent, Recording, Sampler};
use serde_json::Value;
use stiction::fmu::instance::variable::{Kind, Output, Source};
use stiction::fmu::instance::variables::{pair_name, table};
use stiction::integrate::EventKind;
use stiction::kinds::plane::force::Input;
use stiction::math::{Quaternion, Vec3, quaternion};
use stiction::model::Model;
use stiction::simulation::{Simulation, observe};
use stiction::state::Status;
use stiction::tool::import::Message;

/// Contacts of a loaded pair count as closed below this gap, m; a step may leave gaps of this size.
const CLOSED: f64 = 1e-6;

/// Records a stiction FMU.
pub struct StictionFmu {
    simulation: Simulation,
    sampler: Sampler,
    /// Value references of outputs that can be copied into a state: reals, then integers.
    reals: (Vec<u32>, Vec<Output>),
    wholes: (Vec<u32>, Vec<Output>),
    /// Shape pairs whose individual contacts are not FMU variables, with the value references of their forces.
    pairs: Vec<(usize, [u32; 4])>,
    inputs: Vec<String>,
}

impl StictionFmu {
    /// For a run up to `until`.
    pub fn new(model: Model, stage: Value, until: f64) -> Result<Self, CliError> {
        let sampler = Sampler::from_fmu(&model, until, Some(stage));
        let (mut reals, mut wholes) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
        let mut inputs = vec![String::new(); model.inputs.len()];
        let table = table(&model);
        for (reference, variable) in (0u32..).zip(&table) {
            match &variable.source {
                Source::Input(i) => inputs[*i] = variable.name.clone(),
                Source::Output(output) if output.is_restorable() => {
                    let list = match variable.kind {
                        Kind::Real { .. } => &mut reals,
                        Kind::Integer { .. } | Kind::Boolean | Kind::Enumeration(_) => &mut wholes,
                    };
                    list.0.push(reference);
                    list.1.push(*output);
                }
                Source::Output(_) | Source::Parameter(_) => {}
            }
        }
        let reference = |name: String| (0u32..).zip(&table).find(|(_, v)| v.name == name);
        let pairs = observe::shape_pairs(&model).filter_map(|pair| {
            let name = pair_name(&model, pair);
            let forces = ["normal_force", "force.x", "force.y", "force.z"];
            let forces = forces.map(|force| reference(format!("{name}.{force}")).map(|(i, _)| i));
            let [normal, x, y, z] = forces;
            let is_shown = observe::contacts_of(&model, pair).len() <= observe::MOST_SHOWN;
            (!is_shown).then_some((pair, [normal?, x?, y?, z?]))
        });
        let pairs = pairs.collect();
        Ok(Self {
            simulation: Simulation::new(model),
            sampler,
            reals,
            wholes,
            pairs,
            inputs,
        })
    }

    /// Copies the FMU's outputs and log messages.
    pub fn look(
        &mut self,
        slave: &Remote,
        messages: &[Message],
        time: f64,
        inputs: &Inputs,
    ) -> Result<(), String> {
        let (status, reals) = slave.get_real(&self.reals.0);
        let (status_of_wholes, wholes) = slave.get_integer(&self.wholes.0);
        let references: Vec<u32> = self.pairs.iter().flat_map(|(_, of)| *of).collect();
        let (status_of_pairs, forces) = slave.get_real(&references);
        for status in [status, status_of_wholes, status_of_pairs] {
            if !status.is_good() {
                return Err(format!("reading the state gave {status}"));
            }
        }
        self.put(time, &reals, &wholes, inputs);
        for (i, force) in forces.chunks_exact(4).enumerate() {
            self.share(
                self.pairs[i].0,
                force[0],
                Vec3::from_column_slice(&force[1..]),
            );
        }
        for message in messages {
            if let Some(event) = event_of(self.simulation.model(), message) {
                self.sampler.add_event(self.simulation.model(), event);
            }
        }
        self.sampler.look(&mut self.simulation);
        Ok(())
    }

    fn put(&mut self, time: f64, reals: &[f64], wholes: &[i32], inputs: &Inputs) {
        let bodies = &self.simulation.model().bodies;
        let axes: Vec<Quaternion> = bodies.iter().map(|body| body.axes).collect();
        let state = self.simulation.state_mut();
        state.time = time;
        for (output, x) in self.reals.1.iter().zip(reals) {
            output.put(state, *x);
        }
        for (output, n) in self.wholes.1.iter().zip(wholes) {
            output.put(state, f64::from(*n));
        }
        // FMU variables are in the axes of the scene
        for (orientation, axes) in state.orientation.iter_mut().zip(axes) {
            *orientation = quaternion::product(*orientation, axes);
        }
        for (i, name) in self.inputs.iter().enumerate() {
            if let Some(value) = inputs.value(name, time) {
                state.inputs[i] = Input::held(time, value);
            }
        }
    }

    // contacts without their own variables share the force of their pair
    fn share(&mut self, pair: usize, normal: f64, force: Vec3) {
        let (model, _, poses) = self.simulation.placed();
        let contacts = observe::contacts_of(model, pair);
        let second = observe::bodies_of_pair(model, pair)[1];
        let mut closed = Vec::new();
        let mut sum = Vec3::zeros();
        for j in contacts.clone() {
            let contact = &model.contacts[j];
            let near = model
                .gap(contact, poses)
                .is_some_and(|near| near.gap < CLOSED);
            if normal > 0.0 && near {
                let sign = if contact.bodies[1] == second {
                    1.0
                } else {
                    -1.0
                };
                let direction = observe::contact_frame(contact, poses);
                sum += direction.map_or(Vec3::zeros(), |frame| frame.normal) * sign;
                closed.push((j, sign));
            }
        }
        let n = closed.len().max(1) as f64;
        let friction = force - sum * (normal / n);
        let state = self.simulation.state_mut();
        for j in contacts {
            state.status[j] = Status::Open;
            state.contact_force[j] = [0.0; 2];
        }
        for (j, sign) in closed {
            // the FMU does not report whether it slides
            state.status[j] = Status::Stick;
            state.contact_force[j] = [normal / n, 0.0];
            state.friction_force[j] = friction * (sign / n);
        }
    }

    /// The recording.
    pub fn finish(self) -> Recording {
        self.sampler.finish()
    }
}

/// Parses `impact of ball-ground (ball, ground) at 0.5 s`.
fn event_of(model: &Model, message: &Message) -> Option<RecordedEvent> {
    if message.category.as_deref() != Some("logEvents") {
        return None;
    }
    let text = message.text.as_deref()?;
    let text = text.replace("%%", "%").replace("##", "#");
    let (kind, rest) = text.split_once(" of ")?;
    let (rest, time) = rest.rsplit_once(" at ")?;
    let (name, _) = rest.rsplit_once(" (")?;
    let kind = EventKind::ALL
        .into_iter()
        .find(|known| known.name() == kind)?;
    Some(RecordedEvent {
        time: time.strip_suffix(" s")?.parse().ok()?,
        kind: kind.name(),
        place: model.contacts.iter().position(|c| c.name == name),
        impulse: [0.0; 2],
    })
}
