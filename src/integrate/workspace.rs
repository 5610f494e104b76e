//! Workspace of a step: allocated once for a model, never saved.

use super::event_driven::accurate::{DenseOutput, Extrapolation, N_SAMPLES, SlipSamples};
use super::event_driven::assemble::LevelAt;
use super::event_driven::complementarity::Complementarity;
use super::event_driven::compliant::CompliantWork;
use super::event_driven::energy::Balance;
use super::event_driven::near::NearPairs;
use super::event_driven::system::{Forces, MAX_LOADING, System};
use super::event_driven::trial::{EventFunction, EventFunctionKind, Trial};
use super::time_stepping::Work;
use crate::constraint::GlobalRow;
use crate::dynamics::{Jacobians, Layout};
use crate::kinds::plane::force::Input;
use crate::math::Vec3;
use crate::math::dense::RankRevealing;
use crate::model::{FixedFeature, Model, Poses, Twists};
use crate::state::{Resistance, State, Status};
use std::ops::Range;
use std::sync::Arc;

/// Event functions of a contact at most.
const EVENT_FUNCTIONS: usize = 9;

/// Relative accuracy of accelerations by a complementarity problem.
pub(super) const SAME_ACCELERATION: f64 = 1e-9;

/// Which motions of a contact are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AtRest {
    pub sliding: bool,
    pub spin: bool,
    pub roll: bool,
}

/// Workspace of a step.
#[derive(Debug)]
pub struct Workspace {
    pub(super) poses: Poses,
    pub(super) twists: Twists,
    /// Inputs of the current state.
    pub(super) inputs: Vec<Input>,
    pub(super) force: Vec<f64>,
    pub(super) force_end: Vec<f64>,
    pub(super) jacobians: Jacobians,
    pub(super) scratch_position: Vec<f64>,
    /// Velocity change over the trial step without constraints.
    pub(super) free: Vec<f64>,
    /// Length of the current standard step, s.
    pub(super) standard_step: f64,
    /// The constraint system of the step.
    pub(super) system: System,
    /// The constraint system at one instant: projections, accelerations, impacts.
    pub(super) level: System,
    pub(super) level_at: LevelAt,
    pub(super) fixed_mode_solver: RankRevealing,
    pub(super) complementarity: Complementarity,
    /// Independent joint equations at the start of the substep.
    pub(super) joints: Vec<bool>,
    pub(super) joint_order: RankRevealing,
    /// Are they independent at any configuration?
    pub(super) joints_form_a_tree: bool,
    pub(super) trial: Trial,
    pub(super) acceleration: Vec<f64>,
    /// Acceleration without constraints.
    pub(super) free_acceleration: Vec<f64>,
    pub(super) event_functions: Vec<EventFunction>,
    pub(super) start_functions: Vec<EventFunction>,
    pub(super) gap: Vec<f64>,
    /// Pairs of shapes near enough to be examined.
    pub(super) near: NearPairs,
    /// Gaps and their rates at the start and the end of a trial step.
    pub(super) start_gap: Vec<(f64, f64)>,
    pub(super) end_gap: Vec<(f64, f64)>,
    /// Contacts of each pair that may touch during a trial step, and how far its bodies may move towards each other, m.
    pub(super) within_reach: Vec<(Range<usize>, f64)>,
    /// Fastest motion of each body in a trial step, m/s.
    pub(super) fastest: Vec<f64>,
    /// Fixed geometry of each contact at the start of the substep, or where it opened or touched since: constant for a closed contact
    /// during the substep.
    pub(super) fixed_features: Vec<FixedFeature>,
    /// Contact forces in space at the start of the substep.
    pub(super) last_forces: Forces,
    /// Lowest points of rims at the start of a step, by active contact.
    pub(super) headings: Vec<Option<Vec3>>,
    /// Sliding velocities in space, those of the state.
    pub(super) sliding: Vec<Vec3>,
    /// Rotational resistance of contacts: that of the state, or of a step that determines its own statuses.
    pub(super) resistance: Vec<Resistance>,
    pub(super) previous_resistance: Vec<Resistance>,
    /// Statuses of friction elements: those of the state, or of a step that determines them.
    pub(super) element_status: Vec<Status>,
    pub(super) previous_elements: Vec<Status>,
    /// Rows of one-way clutches.
    pub(super) one_ways: Vec<usize>,
    /// Elements whose status is not to be revised.
    pub(super) element_known: Vec<bool>,
    /// Directions of the reactions that load friction elements.
    pub(super) reaction: Vec<[f64; MAX_LOADING]>,
    /// Those at the start of the step, as in the state.
    pub(super) load_direction: Vec<[f64; 3]>,
    pub(super) active: Vec<usize>,
    /// Contacts monitored for collisions.
    pub(super) watched: Vec<bool>,
    /// Length of the step relative to which compliant contacts are stiff, s; 0 for extrapolated steps.
    pub(super) contact_step: f64,
    /// Compliant contacts that are open although their bodies overlap, at the start of the step.
    pub(super) released: Vec<usize>,
    /// Forces of the active compliant contacts at the start of the step, N; 0 for rigid ones.
    pub(super) start_forces: Vec<f64>,
    /// Energies of the compliant contacts of the step.
    pub(super) compliant_works: Vec<CompliantWork>,
    pub(super) statuses: Vec<Status>,
    pub(super) previous: Vec<Status>,
    pub(super) at_rest: Vec<AtRest>,
    pub(super) before: Vec<f64>,
    pub(super) compressed: Vec<f64>,
    pub(super) sample_position: Vec<f64>,
    pub(super) sample_velocity: Vec<f64>,
    /// Impulses of the compression phase of an impact, and of the whole impact.
    pub(super) compression: Vec<f64>,
    pub(super) impulse: Vec<f64>,
    /// Row velocities by which contacts relax in the restitution phase of an impact, m/s.
    pub(super) relaxation: Vec<f64>,
    pub(super) restitution: Vec<f64>,
    /// Is some force stiff relative to the last step?
    pub(super) stiff: bool,
    /// Does a stiff element rotate too far in the step for the trapezoidal rule?
    pub(super) turns: bool,
    /// Factorizations of small systems since the counter was reset.
    pub(super) work: u64,
    /// Work limit of the current communication step.
    pub(super) allowed_work: u64,
    /// Event function that is negative from the start of a step, so that its statuses contradict themselves.
    pub(super) contradicted: Option<EventFunctionKind>,
    pub(super) extrapolation: Extrapolation,
    /// Error of the last extrapolated step, in units of the tolerance.
    pub(super) step_error: f64,
    pub(super) start_jacobians: Jacobians,
    pub(super) mid_velocity: Vec<f64>,
    pub(super) twice: Vec<f64>,
    /// Is the middle one of `samples` that of the trial step?
    pub(super) middle_sampled: bool,
    /// Event functions along an extrapolated step.
    pub(super) samples: [Vec<EventFunction>; N_SAMPLES + 1],
    /// Relative difference up to which two distributions of forces over dependent constraints give the same accelerations.
    pub(super) same_acceleration: f64,
    /// Slips of the last evaluation of event functions, and those of the samples.
    pub(super) slips: Vec<Vec3>,
    pub(super) slip_samples: SlipSamples,
    pub(super) violated: Vec<EventFunction>,
    /// The last extrapolated step; taken out while it is evaluated.
    pub(super) dense_output: Option<DenseOutput>,
    /// The trial step that ends nearest to an event.
    pub(super) best: Trial,
    /// Energy balance of the trial step.
    pub(super) balance: Balance,
    /// Rows of one contact.
    pub(super) slip_rows: Vec<GlobalRow>,
    /// End of the last stop that was integrated to but not confirmed: positions and velocities.
    pub(super) closed_position: Vec<f64>,
    pub(super) closed_velocity: Vec<f64>,
    /// Start of a step that is repeated.
    pub(super) again: Option<State>,
    /// Workspace of time stepping.
    pub(super) time_stepping: Work,
    /// Poses and twists at both ends of a step, for checks.
    pub(super) check_poses: [(Poses, Twists); 2],
    /// Workspace of forces at an instant.
    pub(super) instant: Work,
}

impl Workspace {
    /// Allocated capacity for contacts, to detect growth.
    pub(super) fn capacity(&self) -> usize {
        self.system.delassus.capacity() + self.level.delassus.capacity()
    }

    /// Allocates everything that a step of this model can need.
    pub fn new(model: &Model) -> Self {
        let (n, n_contacts) = (model.n_velocities, model.contacts.len());
        // time stepping has no matrices over all bodies
        let if_dense = |n: usize| if model.time_stepping.is_some() { 0 } else { n };
        let (dense, n_joint) = (if_dense(n), if_dense(model.n_joint_rows));
        let layout = Arc::new(match model.time_stepping {
            Some(_) => Layout::default(),
            None => Layout::new(model),
        });
        let n_rows = n_joint + (1 + model.n_friction_rows) * model.expected_contacts();
        let vector = || vec![0.0; n];
        let state = State::new(model);
        let n_event_functions =
            EVENT_FUNCTIONS * model.expected_contacts() + 2 * model.elements.len() + 1;
        let n_discs = 2 * model.expected_contacts();
        let n_compliant = usize::from(model.has_compliant_contacts) * n_contacts;
        Self {
            poses: Poses::new(model),
            twists: Twists::new(model),
            inputs: Vec::with_capacity(model.inputs.len()),
            force: vector(),
            force_end: vector(),
            jacobians: Jacobians::new(&layout),
            scratch_position: vector(),
            free: vector(),
            standard_step: 0.0,
            contact_step: 0.0,
            system: System::new(model, &layout),
            level: System::new(model, &layout),
            level_at: LevelAt::new(model),
            fixed_mode_solver: RankRevealing::with_capacity(n_rows),
            complementarity: Complementarity::new(model),
            joints: vec![true; n_joint],
            joint_order: RankRevealing::with_capacity(n_joint),
            joints_form_a_tree: model.joints_form_a_tree(),
            trial: Trial::new(model),
            acceleration: vector(),
            free_acceleration: vector(),
            event_functions: Vec::with_capacity(n_event_functions),
            start_functions: Vec::with_capacity(n_event_functions),
            gap: vec![0.0; n_contacts],
            near: NearPairs::new(model),
            start_gap: vec![(0.0, 0.0); n_contacts],
            end_gap: vec![(0.0, 0.0); n_contacts],
            within_reach: Vec::with_capacity(model.pairs.len()),
            fastest: Vec::with_capacity(model.bodies.len()),
            fixed_features: vec![FixedFeature::default(); n_contacts],
            last_forces: Forces::default(),
            headings: Vec::new(),
            sliding: state.sliding,
            previous_resistance: state.resistance.clone(),
            resistance: state.resistance,
            previous_elements: state.element_status.clone(),
            load_direction: state.load_direction,
            one_ways: model.one_way_rows().collect(),
            element_known: vec![false; model.elements.len()],
            reaction: vec![[0.0; MAX_LOADING]; model.elements.len()],
            element_status: state.element_status,
            active: Vec::with_capacity(n_contacts),
            watched: vec![false; n_contacts],
            released: Vec::with_capacity(n_compliant),
            start_forces: Vec::with_capacity(n_compliant),
            compliant_works: Vec::with_capacity(n_compliant),
            statuses: vec![Status::Open; n_contacts],
            previous: vec![Status::Open; n_contacts],
            at_rest: vec![AtRest::default(); n_contacts],
            before: vector(),
            compressed: vector(),
            sample_position: vector(),
            sample_velocity: vector(),
            compression: Vec::with_capacity(n_rows),
            impulse: Vec::with_capacity(n_rows),
            relaxation: Vec::with_capacity(n_rows),
            restitution: Vec::with_capacity(model.expected_contacts()),
            stiff: false,
            turns: false,
            work: 0,
            allowed_work: 0,
            contradicted: None,
            extrapolation: Extrapolation::new(dense, model.flanges.len()),
            step_error: 0.0,
            start_jacobians: Jacobians::new(&layout),
            mid_velocity: vector(),
            twice: vector(),
            middle_sampled: false,
            samples: std::array::from_fn(|_| Vec::with_capacity(n_event_functions)),
            same_acceleration: SAME_ACCELERATION,
            slips: Vec::with_capacity(n_discs),
            slip_samples: std::array::from_fn(|_| Vec::with_capacity(n_discs)),
            violated: Vec::with_capacity(n_event_functions),
            dense_output: Some(DenseOutput::new(model)),
            best: Trial::new(model),
            balance: Balance::new(model),
            slip_rows: Vec::with_capacity(1 + model.n_friction_rows),
            closed_position: vector(),
            closed_velocity: vector(),
            again: Some(State::new(model)),
            time_stepping: Work::default(),
            check_poses: std::array::from_fn(|_| (Poses::new(model), Twists::new(model))),
            instant: Work::default(),
        }
    }
}
