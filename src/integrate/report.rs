//! Report of a run: counters, largest errors and events.

use super::time_stepping::instant::Instant;
use crate::math::{Limit, positive};
use crate::model::{Model, SEAM};
use crate::state::{Resistance, Status};
use serde::{Deserialize, Serialize};

/// Defines the report; its numbers that belong to the motion are listed in a fixed order.
macro_rules! report {
    (
        whole { $($(#[$of_whole:meta])* $whole:ident,)+ }
        real { $($(#[$of_real:meta])* $real:ident,)+ }
        others { $($(#[$of_other:meta])* $other:ident: $type:ty,)+ }
    ) => {
        /// Counters and largest errors of a run.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub struct Report {
            $($(#[$of_whole])* pub $whole: u64,)+
            $($(#[$of_real])* pub $real: f64,)+
            $($(#[$of_other])* pub $other: $type,)+
        }

        pub(super) const N_WHOLE_NUMBERS: usize = [$(stringify!($whole)),+].len() + 8;
        pub(super) const N_REAL_NUMBERS: usize = [$(stringify!($real)),+].len() + 10;

        impl Report {
            /// All integers that belong to the motion, in a fixed order; not the growth of the workspace, which depends on the instance.
            pub fn whole_numbers(&mut self) -> [&mut u64; N_WHOLE_NUMBERS] {
                let EventCounts { impacts, slip_starts, stick_starts, reversals, take_offs, jams, closings, separations } = &mut self.n_events;
                [$(&mut self.$whole,)+ impacts, slip_starts, stick_starts, reversals, take_offs, jams, closings, separations]
            }

            /// All real numbers, in a fixed order.
            pub fn real_numbers(&mut self) -> [&mut f64; N_REAL_NUMBERS] {
                let EnergyInPlay {
                    start_energy, start_potential, energy, kinetic_swing, largest_kinetic, potential_rise, potential_fall, lowest, rise, reels,
                } = &mut self.play;
                [
                    $(&mut self.$real,)+
                    start_energy, start_potential, energy, kinetic_swing, largest_kinetic, potential_rise, potential_fall, lowest, rise, reels,
                ]
            }
        }
    };
}

report! {
    whole {
        /// Standard steps.
        steps,
        /// Accepted substeps, between events.
        substeps,
        /// Trial steps, except those that locate events.
        trials,
        /// Rejected extrapolated steps.
        rejected_steps,
        /// Steps taken by the fixed-step scheme because extrapolated ones failed.
        fallback_steps,
        /// Those of them that met the tolerance with no length.
        transition_errors,
        /// Factorizations of small systems: steps with fixed statuses, accelerations, projections.
        factorizations,
        /// Complementarity problems solved.
        lcps,
        /// Unknowns of the largest of them.
        largest_lcp,
        /// Pivots in them.
        pivots,
        /// Steps or problems solved with the previous statuses or basis.
        warm_hits,
        /// Substeps solved as a complementarity problem because statuses could not be decided or contradicted each other.
        complementarity_steps,
        /// Substeps solved as a complementarity problem because statuses did not converge.
        unresolved_steps,
        /// Standard steps that ended with a first-order step, because events were too close together or the contact problem was not solved.
        first_order_steps,
        /// Steps that used up their work limit and continued with a cheaper method.
        exhausted_steps,
        /// Impacts without restitution because the approach was slower than the free motion of a step.
        rests,
        /// Impacts reduced by the energy limiter.
        limited_impacts,
        /// Impacts because a prescribed speed jumped.
        speed_jumps,
        /// Substeps whose iteration matrix omits a destabilizing part of the force derivatives.
        stabilized_steps,
        /// Events beyond the capacity of the list.
        unlisted_events,
        /// Number of times a step was halved because it gained energy, opened joints or rotated arms too far.
        halved_steps,
        /// Islands whose contacts were not solved exactly; time stepping.
        inexact_solves,
        /// Steps with unlocated impacts, resolved simultaneously; time stepping.
        unlocated_steps,
        /// Impacts located one by one; time stepping.
        located_impacts,
        /// Contacts removed by manifold reduction, over all steps; time stepping.
        merged_contacts,
    }
    real {
        /// Sum of the estimated errors of `transition_errors`, relative to nominal values.
        transition_error,
        /// Largest residual of an accepted complementarity problem.
        worst_residual,
        /// Largest condition number of a constraint system, if above 1e6, else 0: large mass ratios.
        worst_condition,
        /// Deepest penetration at the end of a substep, m.
        worst_penetration,
        /// Largest joint residual at the end of a substep, m or rad.
        worst_joint_drift,
        /// Deepest penetration at the end of the last step, m; time stepping.
        end_penetration,
        /// Energy added by position stabilization, J; time stepping.
        lifted,
        /// Energy lost in impacts, J.
        impact_loss,
        /// Work of applied forces, J.
        applied_work,
        /// Energy dissipated by dampers and smoothed friction, J.
        damping_loss,
        /// Energy dissipated by contact friction between impacts, J.
        friction_loss,
        /// Energy removed by integration errors, J, zero or more.
        numerical_loss,
        /// Energy added by integration errors, J, zero or more.
        numerical_gain,
        /// Inverse of the step that smoothed joint friction would need, 1/s; 0 where steps were short enough.
        friction_rate,
    }
    others {
        /// Multiplications in the linear algebra of event-driven steps, about: a measure of work that is the same on every machine.
        operations: u64,
        /// Number of times the workspace grew because of new contacts in space.
        growths: u64,
        /// Largest residual of forces computed at an instant; not saved with a state, as it depends on the caller.
        instant_residual: f64,
        /// Initial and current energy, and the energy in play.
        play: EnergyInPlay,
        /// Events since the caller last cleared them; at most [`Report::MAX_EVENTS`].
        #[serde(skip)]
        events: Vec<Event>,
        /// Number of events of each kind.
        n_events: EventCounts,
    }
}

/// Energy at the start and at the end of the last step, and the energy in play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyInPlay {
    /// Kinetic and potential energy at the start, J.
    pub start_energy: f64,
    /// Potential energy at the start, J.
    pub start_potential: f64,
    /// Kinetic and potential energy at the end of the last step, J.
    pub energy: f64,
    /// Largest kinetic energy relative to the initial velocities, J.
    pub kinetic_swing: f64,
    /// Largest kinetic energy, J.
    pub largest_kinetic: f64,
    /// Largest rise of the potential energy above the initial one, J.
    pub potential_rise: f64,
    /// Largest fall below it, J.
    pub potential_fall: f64,
    /// Smallest energy minus applied work so far, J.
    pub lowest: f64,
    /// Largest rise of energy minus applied work above that, J.
    pub rise: f64,
    /// Kinetic energy of reels at the end of the last step, J; no part of the others.
    pub reels: f64,
}

/// Number of events of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCounts {
    /// Collisions.
    pub impacts: u64,
    /// Sticking contacts that began to slide.
    pub slip_starts: u64,
    /// Sliding contacts that stopped.
    pub stick_starts: u64,
    /// Sliding contacts that reversed without sticking.
    pub reversals: u64,
    /// Contacts that opened without an impact.
    pub take_offs: u64,
    /// Impacts without collision (Painleve).
    pub jams: u64,
    /// Compliant contacts that closed.
    pub closings: u64,
    /// Bodies that separated after the force of their compliant contact had ended.
    pub separations: u64,
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
            + self.closings
            + self.separations
    }
}

/// An event at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// s.
    pub time: f64,
    /// Its kind.
    pub kind: EventKind,
    /// Index of the contact; friction elements follow the contacts.
    pub contact: usize,
    /// Normal and tangential impulse, N s; zero for events without one.
    pub impulse: [f64; 2],
}

/// Kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventKind {
    /// A contact closed with a jump of velocities.
    Impact,
    /// A sticking contact starts to slide.
    SlipStart,
    /// A sliding contact starts to stick.
    StickStart,
    /// A sliding contact reversed its direction.
    Reversal,
    /// A closed contact opened.
    TakeOff,
    /// Friction jammed a closed contact (Painleve): velocities jumped without a collision.
    Jam,
    /// A compliant contact closed.
    Closing,
    /// The bodies of a compliant contact separated after its force had ended.
    Separation,
}

impl EventKind {
    /// All kinds, in their order.
    pub const ALL: [Self; 8] = [
        Self::Impact,
        Self::SlipStart,
        Self::StickStart,
        Self::Reversal,
        Self::TakeOff,
        Self::Jam,
        Self::Closing,
        Self::Separation,
    ];

    /// Do velocities jump by an impulse?
    pub fn has_impulse(self) -> bool {
        match self {
            Self::Impact | Self::Jam => true,
            Self::SlipStart
            | Self::StickStart
            | Self::Reversal
            | Self::TakeOff
            | Self::Closing
            | Self::Separation => false,
        }
    }

    /// Name for tables.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Impact => "impact",
            EventKind::SlipStart => "slip",
            EventKind::StickStart => "stick",
            EventKind::Reversal => "reversal",
            EventKind::TakeOff => "take-off",
            EventKind::Jam => "jam",
            EventKind::Closing => "closing",
            EventKind::Separation => "separation",
        }
    }

    /// The event of a status change, if any.
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
    /// Capacity of the event list.
    pub const MAX_EVENTS: usize = 4096;

    /// Empty, with capacity for the events of a step.
    pub fn new() -> Self {
        Self {
            events: Vec::with_capacity(Self::MAX_EVENTS),
            ..Self::default()
        }
    }

    /// Energy dissipated by dampers, friction and impacts minus that added by position stabilization, J.
    pub fn losses(&self) -> f64 {
        self.damping_loss + self.friction_loss + self.impact_loss - self.lifted
    }

    /// Energy change by integration errors since the start, J: not explained by losses and applied work.
    pub fn energy_error(&self) -> f64 {
        self.balance_error() + self.numerical_gain - self.numerical_loss
    }

    /// Error of the energy balance from the start to the end of the last step, J: current minus initial energy minus applied work plus
    /// losses.
    pub fn balance_error(&self) -> f64 {
        let gained = self.numerical_gain - self.numerical_loss;
        let brought = self.applied_work - self.losses() + gained;
        self.play.energy - (self.play.start_energy + brought)
    }

    /// Energy in play so far, J: the largest swings of kinetic and potential energy, applied work and losses. Energy that stays constant,
    /// such as that of a flywheel or a preloaded spring, is not part of it.
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

    /// The same with at most the largest kinetic energy, J: where bodies turn back, the motion relative to the initial velocities has up
    /// to four times as much. Losses are compared with it.
    pub fn energy_to_lose(&self) -> f64 {
        let play = &self.play;
        self.energy_in_play() - positive(play.kinetic_swing - play.largest_kinetic)
    }

    /// Includes the residual of forces computed at an instant.
    pub fn record_instant(&mut self, instant: &Instant) {
        self.instant_residual = self.instant_residual.at_least(instant.residual);
    }

    /// Adds a numerical energy error: positive for a gain.
    pub(super) fn add_numerical_error(&mut self, error: f64) {
        if error > 0.0 {
            self.numerical_gain += error;
        } else {
            self.numerical_loss -= error;
        }
    }

    /// Counts an event and lists it if there is capacity.
    pub fn record(&mut self, event: Event) {
        let counts = &mut self.n_events;
        *match event.kind {
            EventKind::Impact => &mut counts.impacts,
            EventKind::SlipStart => &mut counts.slip_starts,
            EventKind::StickStart => &mut counts.stick_starts,
            EventKind::Reversal => &mut counts.reversals,
            EventKind::TakeOff => &mut counts.take_offs,
            EventKind::Jam => &mut counts.jams,
            EventKind::Closing => &mut counts.closings,
            EventKind::Separation => &mut counts.separations,
        } += 1;
        if self.events.len() < Self::MAX_EVENTS {
            self.events.push(event);
        } else {
            self.unlisted_events += 1;
        }
    }

    /// The same for spin and rolling; opening is recorded already.
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

    /// The same for friction elements. One that is released while it sticks starts to slip; other ends of its load are no events.
    pub fn record_elements(&mut self, model: &Model, time: f64, old: &[Status], new: &[Status]) {
        for (e, (&old, &new)) in old.iter().zip(new).enumerate() {
            let kind = match (old, new) {
                (Status::Stick, Status::Open) => Some(EventKind::SlipStart),
                (_, Status::Open) => None,
                (old, new) => EventKind::of_change(old, new),
            };
            if let Some(kind) = kind {
                self.record(Event {
                    time,
                    kind,
                    contact: model.contacts.len() + e,
                    impulse: [0.0; 2],
                });
            }
        }
    }

    /// Records that a contact in space slides on in the opposite direction.
    pub fn record_reversal(&mut self, time: f64, contact: usize) {
        self.record(Event {
            time,
            kind: EventKind::Reversal,
            contact,
            impulse: [0.0; 2],
        });
    }

    /// Records the events of status changes; impacts record the closing of rigid contacts. A contact that continues on the next shape of the
    /// same body does not take off.
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
            let closes =
                model.contacts[contact].compliance.is_some() && !old.is_closed() && new.is_closed();
            let kind = match closes {
                true => Some(EventKind::Closing),
                false => EventKind::of_change(old, new),
            };
            if let Some(kind) = kind
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
