//! What happened: counts, worst values and events.

use super::crowd::instant::Instant;
use crate::math::{Limit, positive};
use crate::model::{Model, SEAM};
use crate::state::{Resistance, Status};

/// Numbers of a report that belong to the motion, see [`Report::whole_numbers`] and [`Report::real_numbers`].
pub(super) const N_WHOLE_NUMBERS: usize = 30;
pub(super) const N_REAL_NUMBERS: usize = 23;

/// Counters and worst values of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Standard steps.
    pub steps: u64,
    /// Substeps accepted, between events.
    pub substeps: u64,
    /// Trial steps, without those that locate events.
    pub trials: u64,
    /// Extrapolated steps that were not accurate enough.
    pub rejected_steps: u64,
    /// Steps that the scheme of fixed steps took over, because the extrapolated ones found no way on.
    pub relief_steps: u64,
    /// Those of them that no length made agree with the tolerance.
    pub transition_errors: u64,
    /// By how much they may be off, the sum of all, relative to nominal sizes.
    pub transition_error: f64,
    /// Small systems factored: steps with frozen statuses, accelerations, projections.
    pub factorizations: u64,
    /// Complementarity problems solved.
    pub lcps: u64,
    /// Unknowns of the largest of them.
    pub largest_lcp: u64,
    /// Pivots in them.
    pub pivots: u64,
    /// Steps or problems answered by the statuses or the basis known before.
    pub warm_hits: u64,
    /// Times that working memory grew, with contacts in space that had not been met before.
    pub growths: u64,
    /// Worst residual of an accepted complementarity problem.
    pub worst_residual: f64,
    /// Worst residual of forces at an instant that were asked for; not saved with a state, as it depends on who asks.
    pub instant_residual: f64,
    /// Largest condition of a system of constraints beyond 1e6, 0 without one: heavy bodies on light ones.
    pub worst_condition: f64,
    /// Deepest overlap at the end of a substep, m.
    pub worst_penetration: f64,
    /// Largest joint residual at the end of a substep, m or rad.
    pub worst_joint_drift: f64,
    /// Substeps solved as a complementarity problem because statuses could not be decided or contradicted themselves.
    pub fallbacks: u64,
    /// Substeps solved as a complementarity problem because statuses followed each other without end.
    pub unresolved_steps: u64,
    /// Standard steps finished with the first-order step, because events came too dense.
    pub degraded_steps: u64,
    /// Steps that took all the work that they are allowed, and went on with less than was asked for.
    pub exhausted_steps: u64,
    /// Impacts whose restitution was cut because the approach was slower than a step's free motion.
    pub rests: u64,
    /// Impacts held back by the energy guard.
    pub guarded_impacts: u64,
    /// Substeps whose matrix had to leave out a destabilizing part of the force derivatives.
    pub stabilized_steps: u64,
    /// Events that found no room in the list.
    pub unlisted_events: u64,
    /// Times that a step was halved because it gained energy by its own error, opened joints or turned arms too far.
    pub halved_steps: u64,
    /// Groups of bodies in a crowd whose contacts were not solved exactly.
    pub inexact_solves: u64,
    /// Steps of a crowd in which impacts were taken as one.
    pub unlocated_steps: u64,
    /// Impacts in a crowd that were located one by one.
    pub located_impacts: u64,
    /// Contacts of a crowd that others hold for them, over all steps.
    pub merged_contacts: u64,
    /// Deepest overlap in a crowd at the end of the last step, m.
    pub end_penetration: f64,
    /// Energy that the correction of places put into a crowd, J.
    pub lifted: f64,
    /// Energy lost in impacts, J.
    pub impact_loss: f64,
    /// Work of applied forces, J.
    pub applied_work: f64,
    /// Energy taken by dampers and smooth friction, J.
    pub damping_loss: f64,
    /// Energy taken by contact friction between impacts, J.
    pub friction_loss: f64,
    /// Energy that errors of steps took from the motion, J, zero or more.
    pub numerical_loss: f64,
    /// Energy that errors of steps gave to the motion, J, zero or more.
    pub numerical_gain: f64,
    /// Energy at the start and now, and how much of it took part in the motion.
    pub play: EnergyInPlay,
    /// Smoothed friction in joints that steps were too long for: one over the step that would do, 1/s; 0 where they were not.
    pub friction_rate: f64,
    /// Events since the caller last cleared them; at most [`Report::MAX_EVENTS`] are kept.
    pub events: Vec<Event>,
    /// All events, by kind.
    pub n_events: EventCounts,
}

/// The energy at the start and at the end of the last step, and how much took part in the motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyInPlay {
    /// Kinetic and potential energy at the start, J.
    pub start_energy: f64,
    /// Potential energy at the start, J.
    pub start_potential: f64,
    /// Kinetic and potential energy at the end of the last step, J.
    pub energy: f64,
    /// Largest kinetic energy of the motion relative to the velocities at the start, J.
    pub kinetic_swing: f64,
    /// Largest kinetic energy, J.
    pub largest_kinetic: f64,
    /// How far the potential energy rose above that at the start, J.
    pub potential_rise: f64,
    /// How far it fell below, J.
    pub potential_fall: f64,
    /// Smallest energy less applied work so far, J.
    pub lowest: f64,
    /// How far energy less applied work rose above that, J.
    pub rise: f64,
}

/// Number of events of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCounts {
    /// Collisions.
    pub impacts: u64,
    /// Sticking contacts that began to slide.
    pub slip_starts: u64,
    /// Sliding contacts that stopped.
    pub stick_starts: u64,
    /// Sliding contacts that turned back without stopping.
    pub reversals: u64,
    /// Contacts that opened without an impact.
    pub take_offs: u64,
    /// Impacts without collision.
    pub jams: u64,
}

impl EventCounts {
    /// All events.
    pub fn total(&self) -> u64 {
        self.impacts
            + self.slip_starts
            + self.stick_starts
            + self.reversals
            + self.take_offs
            + self.jams
    }
}

/// Something that happened at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// s.
    pub time: f64,
    /// What.
    pub kind: EventKind,
    /// Index of the contact.
    pub contact: usize,
    /// Normal and tangential impulse, N s; zero for events without one.
    pub impulse: [f64; 2],
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A contact closed with a jump of velocities.
    Impact,
    /// A sticking contact slides from now on.
    SlipStart,
    /// A sliding contact sticks from now on.
    StickStart,
    /// A sliding contact turned back.
    Reversal,
    /// A closed contact opened.
    TakeOff,
    /// Friction jammed a closed contact: velocities jumped without a collision.
    Jam,
}

impl EventKind {
    /// Name for tables.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Impact => "impact",
            EventKind::SlipStart => "slip",
            EventKind::StickStart => "stick",
            EventKind::Reversal => "reversal",
            EventKind::TakeOff => "take-off",
            EventKind::Jam => "jam",
        }
    }

    /// The event that a change of status is, if it is one.
    pub fn of_change(old: Status, new: Status) -> Option<Self> {
        match (old, new) {
            (Status::Stick, Status::SlipForward | Status::SlipBackward | Status::Slip) => {
                Some(Self::SlipStart)
            }
            (Status::SlipForward | Status::SlipBackward | Status::Slip, Status::Stick) => {
                Some(Self::StickStart)
            }
            (Status::SlipForward, Status::SlipBackward)
            | (Status::SlipBackward, Status::SlipForward) => Some(Self::Reversal),
            (old, Status::Open) if old.is_closed() => Some(Self::TakeOff),
            _ => None,
        }
    }
}

impl Report {
    /// Events that are kept until the caller clears them.
    pub const MAX_EVENTS: usize = 4096;

    /// Empty, with room for the events of a step.
    pub fn new() -> Self {
        Self {
            events: Vec::with_capacity(Self::MAX_EVENTS),
            ..Self::default()
        }
    }

    /// All whole numbers that belong to the motion, in a fixed order: not how often working memory grew, which is of the
    /// instance that a run was in.
    pub fn whole_numbers(&mut self) -> [&mut u64; N_WHOLE_NUMBERS] {
        let counts = &mut self.n_events;
        [
            &mut self.steps,
            &mut self.substeps,
            &mut self.trials,
            &mut self.rejected_steps,
            &mut self.relief_steps,
            &mut self.transition_errors,
            &mut self.factorizations,
            &mut self.lcps,
            &mut self.largest_lcp,
            &mut self.pivots,
            &mut self.warm_hits,
            &mut self.fallbacks,
            &mut self.unresolved_steps,
            &mut self.degraded_steps,
            &mut self.exhausted_steps,
            &mut self.rests,
            &mut self.guarded_impacts,
            &mut self.stabilized_steps,
            &mut self.unlisted_events,
            &mut self.halved_steps,
            &mut self.inexact_solves,
            &mut self.unlocated_steps,
            &mut self.located_impacts,
            &mut self.merged_contacts,
            &mut counts.impacts,
            &mut counts.slip_starts,
            &mut counts.stick_starts,
            &mut counts.reversals,
            &mut counts.take_offs,
            &mut counts.jams,
        ]
    }

    /// All real numbers, in a fixed order.
    pub fn real_numbers(&mut self) -> [&mut f64; N_REAL_NUMBERS] {
        let play = &mut self.play;
        [
            &mut self.transition_error,
            &mut self.worst_residual,
            &mut self.worst_condition,
            &mut self.worst_penetration,
            &mut self.worst_joint_drift,
            &mut self.end_penetration,
            &mut self.lifted,
            &mut self.impact_loss,
            &mut self.applied_work,
            &mut self.damping_loss,
            &mut self.friction_loss,
            &mut self.numerical_loss,
            &mut self.numerical_gain,
            &mut self.friction_rate,
            &mut play.start_energy,
            &mut play.start_potential,
            &mut play.energy,
            &mut play.kinetic_swing,
            &mut play.largest_kinetic,
            &mut play.potential_rise,
            &mut play.potential_fall,
            &mut play.lowest,
            &mut play.rise,
        ]
    }

    /// What dampers, friction and impacts took, without what corrections of places gave, J.
    pub fn losses(&self) -> f64 {
        self.damping_loss + self.friction_loss + self.impact_loss - self.lifted
    }

    /// What errors of the steps changed the energy by since the start, J: what losses and applied work do not explain.
    pub fn energy_error(&self) -> f64 {
        self.balance_error() + self.numerical_gain - self.numerical_loss
    }

    /// What the balance of energy from the start to the end of the last step leaves unexplained, J: the energy now, less that
    /// at the start and applied work, plus all losses.
    pub fn balance_error(&self) -> f64 {
        let gained = self.numerical_gain - self.numerical_loss;
        let brought = self.applied_work - self.losses() + gained;
        self.play.energy - (self.play.start_energy + brought)
    }

    /// Energy that took part in the motion so far, J: the largest swings of kinetic and potential energy, applied work and
    /// losses. Energy that only stays where it is, such as that of a flywheel or in a spring that nothing moves, is no
    /// part of it.
    pub fn energy_in_play(&self) -> f64 {
        let play = &self.play;
        let swings = play.kinetic_swing + play.potential_rise + play.potential_fall;
        let parts = [
            self.applied_work,
            self.damping_loss,
            self.friction_loss,
            self.impact_loss,
        ];
        parts.iter().fold(swings, |sum, part| sum + part.abs())
    }

    /// The same with no more than the largest kinetic energy, J: where bodies turn back, the motion relative to the velocities at the
    /// start has up to four times as much. Losses are compared with it.
    pub fn energy_to_lose(&self) -> f64 {
        let play = &self.play;
        self.energy_in_play() - positive(play.kinetic_swing - play.largest_kinetic)
    }

    /// Forces at an instant were asked for: their residual counts as that of a step.
    pub fn note_instant(&mut self, instant: &Instant) {
        self.instant_residual = self.instant_residual.at_least(instant.residual);
    }

    /// Adds an error of energy: positive what was gained.
    pub(super) fn book_numerical(&mut self, error: f64) {
        if error > 0.0 {
            self.numerical_gain += error;
        } else {
            self.numerical_loss -= error;
        }
    }

    /// Counts an event and keeps it if there is room.
    pub fn record(&mut self, event: Event) {
        let counts = &mut self.n_events;
        *match event.kind {
            EventKind::Impact => &mut counts.impacts,
            EventKind::SlipStart => &mut counts.slip_starts,
            EventKind::StickStart => &mut counts.stick_starts,
            EventKind::Reversal => &mut counts.reversals,
            EventKind::TakeOff => &mut counts.take_offs,
            EventKind::Jam => &mut counts.jams,
        } += 1;
        if self.events.len() < Self::MAX_EVENTS {
            self.events.push(event);
        } else {
            self.unlisted_events += 1;
        }
    }

    /// The same for spin and rolling; what opens is told already.
    pub fn record_turns(&mut self, time: f64, old: &[Resistance], new: &[Resistance]) {
        for (contact, (old, new)) in old.iter().zip(new).enumerate() {
            for (old, new) in [(old.spin, new.spin), (old.roll, new.roll)] {
                if new.is_closed()
                    && let Some(kind) = EventKind::of_change(old, new)
                {
                    self.record(Event {
                        time,
                        kind,
                        contact,
                        impulse: [0.0; 2],
                    });
                }
            }
        }
    }

    /// Records that a contact in space slides on, but the other way.
    pub fn record_reversal(&mut self, time: f64, contact: usize) {
        self.record(Event {
            time,
            kind: EventKind::Reversal,
            contact,
            impulse: [0.0; 2],
        });
    }

    /// Records the events that a change of statuses means. What goes on to the next shape of the same body does not take off.
    pub fn record_changes(
        &mut self,
        model: &Model,
        time: f64,
        gaps: &[f64],
        [old_statuses, statuses]: [&[Status]; 2],
    ) {
        let goes_on = |contact: usize| {
            let next_to = |j: usize| model.contacts[contact].is_next_to(&model.contacts[j]);
            (0..statuses.len()).any(|j| (statuses[j].is_closed() || gaps[j] <= SEAM) && next_to(j))
        };
        for (contact, (&old, &new)) in old_statuses.iter().zip(statuses).enumerate() {
            if let Some(kind) = EventKind::of_change(old, new)
                && !(kind == EventKind::TakeOff && goes_on(contact))
            {
                self.record(Event {
                    time,
                    kind,
                    contact,
                    impulse: [0.0; 2],
                });
            }
        }
    }
}
