//! Stages of a substep, called from `mod.rs`.

use super::assemble::{Closing, Start};
use super::classify::{self, When};
use super::coefficients::{Coefficients, IMPLICIT_EULER};
use super::complementarity::Sliding;
use super::compliant;
use super::event::{self, Crossing};
use super::flanges;
use super::impact::LowestBounce;
use super::stall_detector::STALL;
use super::trial::{self, EventFunctionKind, Mode};
use super::{
    COMPLEMENTARITY_TOLERANCE, JAM_STEP, Run, StallDetector, accept, assemble, contact_band,
    elements, energy, impact, load_direction, rest_speed, servos, smoothing, stabilize,
};
use crate::contact::lcp::Outcome;
use crate::dynamics::{kinetic_energy, reel_energy};
use crate::integrate::StepError;
use crate::integrate::report::{Event, EventKind};
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::Side;
use crate::math::{Limit, Vec3};
use crate::model::FrictionElement;
use crate::scene::spec::EventState;
use crate::state::{Resistance, State, Status, closed};

/// A contact that touches again within this fraction of the standard step has been touching all along.
const TOUCH: f64 = 1e-6;

/// Minimum length of a step that determines its own statuses, as a fraction of the standard step.
const SHORTEST_FALLBACK: f64 = 1e-3;

/// Minimum length of a step rejected by the energy balance, as a fraction of the standard step ..
pub(in crate::integrate) const SHORTEST_PART: f64 = 0.999 / 64.0;

/// .. and of one that only loses energy.
pub(in crate::integrate) const SHORTEST_LOSSY_PART: f64 = 0.999 / 8.0;

/// Stiff modes are excited if accelerations with stiff forces resolved and unresolved differ by more than this, relative.
const EXCITED: f64 = 1e-3;

/// Relative energy changes below this are rounding.
const ROUNDING: f64 = 1e-12;

/// Penetration that a step with its own statuses may leave, m.
const OVERLAP: f64 = 1e-7;

/// Relative residual of the impulses of a step with fixed statuses above which they are wrong; events inside the step cause less.
const MAX_RESIDUAL: f64 = 0.1;

impl Run<'_> {
    pub(super) fn take(
        &mut self,
        scheme: &Coefficients,
        mode: Mode,
        h: f64,
    ) -> Result<(), StepError> {
        self.report.trials += 1;
        trial::take(
            self.model,
            self.state,
            self.workspace,
            self.settings,
            scheme,
            mode,
            h,
        )
    }

    pub(super) fn classify(&mut self, when: When) -> bool {
        classify::classify(
            self.model,
            self.state,
            self.workspace,
            self.settings,
            self.report,
            when,
        )
    }

    /// Statuses after an event; contacts in space that have just stopped are at rest.
    pub(super) fn classify_after(&mut self, what: EventFunctionKind) {
        if let EventFunctionKind::Separation(contact) = what {
            self.report.record(Event {
                time: self.state.time,
                kind: EventKind::Separation,
                contact,
                impulse: [0.0; 2],
            });
        } else if !self.classify(When::JustAfter(what)) {
            self.state.statuses_known = false;
        } else if (self.model.is_spatial() || matches!(what, EventFunctionKind::ElementSliding(_)))
            && what.is_stop()
        {
            let State {
                status,
                position,
                velocity,
                time,
                ..
            } = &mut *self.state;
            let now = (*time, Side::After);
            let before = kinetic_energy(self.model, velocity);
            let driven =
                stabilize::stop(self.model, self.workspace, status, now, position, velocity);
            self.report.applied_work += driven;
            let gained = kinetic_energy(self.model, velocity) - before - driven;
            let is_corrected = energy::is_corrected(self.settings) && !self.model.has_motors();
            if is_corrected && gained > ROUNDING * before {
                energy::remove_gain(self.model, self.workspace, status, gained, velocity);
            }
            let gained = kinetic_energy(self.model, velocity) - before - driven;
            self.report.add_numerical_error(gained);
        }
    }

    pub(super) fn accept(&mut self, end: f64) {
        let Workspace { balance, trial, .. } = &mut *self.workspace;
        if trial.reverses {
            balance.correct_reversed(self.model, trial);
        }
        self.workspace.trial.losses.add_to(self.report);
        smoothing::check_step(self.model, self.state, self.workspace, self.report);
        flanges::find_works(self.model, self.state, self.workspace, end);
        accept::accept(self.model, self.state, self.workspace, self.report, end);
    }

    /// The scheme of the scene, or a damping one after a disturbance of stiff modes.
    pub(super) fn scheme(&mut self, h: f64, mode: Mode) -> Coefficients {
        let scheme = Coefficients::from(self.settings.scheme);
        if self.must_damp_contacts(h) {
            return scheme.damping();
        }
        if self.state.damping_left == 0 {
            return scheme;
        }
        let State {
            time,
            position,
            velocity,
            ..
        } = &*self.state;
        let start = Start {
            t: *time,
            q: position,
            v: velocity,
        };
        assemble::free_motion(self.model, self.workspace, &scheme, start, h);
        if self.workspace.stiff && (mode == Mode::Complementarity || self.is_excited(h)) {
            scheme.damping()
        } else {
            self.state.damping_left = 0;
            scheme
        }
    }

    // are stiff modes excited? Then accelerations that resolve them differ from those of a step that does not
    fn is_excited(&mut self, h: f64) -> bool {
        let Run {
            model,
            state,
            workspace,
            ..
        } = self;
        let State {
            time,
            position,
            velocity,
            status,
            ..
        } = &**state;
        let standard = workspace.standard_step;
        let accelerate = |workspace: &mut Workspace, step: f64| {
            workspace.standard_step = step;
            let now = (*time, Side::After);
            trial::accelerate(model, workspace, status, now, position, velocity);
        };
        accelerate(workspace, 0.0);
        workspace.compressed.clone_from(&workspace.acceleration);
        accelerate(workspace, h);
        workspace.standard_step = standard;
        let (mut difference, mut size) = (0.0, 0.0);
        let resolved = workspace.compressed.iter().zip(&workspace.acceleration);
        for (m, (a, b)) in model.mass.iter().zip(resolved) {
            difference += m * (a - b) * (a - b);
            size += m * b * b;
        }
        difference > EXCITED * EXCITED * size
    }

    /// Half the length of the trial step, if the energy balance rejects it and it may be shortened.
    pub(super) fn shorter_for_energy(&mut self) -> Option<f64> {
        let trial = &self.workspace.trial;
        let shorter = 0.5 * trial.h;
        let is_enough = |shortest: f64| shorter < shortest * self.standard;
        if (!trial.is_inaccurate || is_enough(SHORTEST_PART))
            && (!trial.is_lossy || is_enough(SHORTEST_LOSSY_PART))
        {
            return None;
        }
        self.report.halved_steps += 1;
        self.longest = shorter;
        Some(shorter)
    }

    /// Impacts, statuses and forces at the state.
    pub(super) fn make_consistent(&mut self) -> Result<(), StepError> {
        assemble::select_joints(self.model, self.workspace, &self.state.position);
        assemble::gaps(self.model, self.workspace, &self.state.position);
        self.impact_of_touching()?;
        if !self.classify(When::Now) {
            self.state.statuses_known = false;
            return Ok(());
        }
        let State {
            time,
            position,
            velocity,
            status,
            ..
        } = &*self.state;
        let now = (*time, Side::After);
        trial::evaluate(self.model, self.workspace, status, now, position, velocity);
        accept::forces_from_accelerations(self.state, self.workspace);
        Ok(())
    }

    /// Counts substeps below the minimum length.
    pub(super) fn count_short_substep(&mut self, h: f64) {
        if h < self.settings.min_substep * self.standard {
            self.short_substeps += 1;
        }
    }

    /// Opens closed contacts whose point is covered by another one, or that slid over the end of their edge. Leaves the gaps of all
    /// contacts in the workspace.
    pub(super) fn open_ended_contacts(&mut self) {
        assemble::gaps(self.model, self.workspace, &self.state.position);
        if self.model.is_spatial() {
            self.take_last_forces();
        }
        for contact in self.workspace.near.contacts() {
            let status = &mut self.state.status[contact];
            if status.is_closed() && self.workspace.gap[contact].is_infinite() {
                *status = Status::Open;
                self.state.statuses_known = false;
            }
        }
        let State {
            status, position, ..
        } = &*self.state;
        let open = |j: usize| !status[j].is_closed();
        assemble::update_fixed_features(self.model, self.workspace, position, open);
        compliant::find_released(self.model, self.state, self.workspace);
    }

    // forces of near contacts; others have none, now and when they come near
    fn take_last_forces(&mut self) {
        let Workspace {
            last_forces, near, ..
        } = &mut *self.workspace;
        let State {
            contact_force,
            friction_force,
            friction_moment,
            ..
        } = &*self.state;
        last_forces
            .contact_force
            .resize(contact_force.len(), [0.0; 2]);
        last_forces
            .friction
            .resize(friction_force.len(), Vec3::zeros());
        last_forces
            .moment
            .resize(friction_moment.len(), Vec3::zeros());
        for pair in near.pairs() {
            let to = &mut last_forces.contact_force[pair.clone()];
            to.copy_from_slice(&contact_force[pair.clone()]);
            let to = &mut last_forces.friction[pair.clone()];
            to.copy_from_slice(&friction_force[pair.clone()]);
            if !friction_moment.is_empty() {
                last_forces.moment[pair.clone()].copy_from_slice(&friction_moment[pair]);
            }
        }
    }

    /// Impact of contacts that touch and approach, and were not closed before; their gaps and poses are in the workspace.
    pub(super) fn impact_of_touching(&mut self) -> Result<(), StepError> {
        let reels_jump = self.follow_reels();
        let State {
            velocity, status, ..
        } = &*self.state;
        let band = contact_band(self.settings, self.standard);
        let slow = rest_speed(velocity);
        let mut collides = false;
        let Workspace {
            near, gap, poses, ..
        } = &*self.workspace;
        for contact in near.contacts() {
            let is_rigid = self.model.contacts[contact].compliance.is_none();
            if gap[contact] <= band && !status[contact].is_closed() && is_rigid {
                let found = self
                    .model
                    .gap_and_rate(&self.model.contacts[contact], poses, velocity);
                collides |= found.is_some_and(|(_, rate)| rate < -slow);
            }
        }
        let drives_jump = self.drives_jump();
        if drives_jump || (reels_jump && self.has_taut_rope()) {
            self.report.speed_jumps += 1;
        }
        collides |= reels_jump || drives_jump || self.one_ways_slip_back();
        if collides { self.impact(None) } else { Ok(()) }
    }

    // reels take the speed that they have after a jump, before the impact of what hangs on them; is there one?
    fn follow_reels(&mut self) -> bool {
        let Run {
            model,
            state,
            report,
            ..
        } = self;
        if model.ropes.is_empty() {
            return false;
        }
        let slow = rest_speed(&state.velocity);
        let before = reel_energy(model, &state.velocity);
        let mut jump = false;
        for (velocity, speed) in model.reel_speeds((state.time, Side::After), &state.inputs) {
            let now = &mut state.velocity[velocity];
            if (*now - speed).abs() > slow {
                *now = speed;
                jump = true;
            }
        }
        report.applied_work += reel_energy(model, &state.velocity) - before;
        jump
    }

    fn has_taut_rope(&self) -> bool {
        let model = self.model;
        closed(&self.state.status).any(|j| model.rope_of(&model.contacts[j]).is_some())
    }

    // does the speed of a drive differ from its prescribed one? Then it jumped
    fn drives_jump(&mut self) -> bool {
        let Run {
            model,
            state,
            workspace,
            ..
        } = self;
        if model.drives.is_empty() {
            return false;
        }
        model.poses(&state.position, &mut workspace.poses);
        let slow = rest_speed(&state.velocity);
        let now = (state.time, Side::After);
        model.drives.iter().any(|drive| {
            let row = model.drive_row(drive, &workspace.poses);
            let given = drive.speed(now, &state.inputs);
            (row.dot(&state.velocity) - given).abs() > slow
        })
    }

    // does a one-way clutch move backward?
    fn one_ways_slip_back(&mut self) -> bool {
        let Run {
            model,
            state,
            workspace,
            ..
        } = self;
        if !model.elements.iter().any(FrictionElement::is_one_way) {
            return false;
        }
        model.poses(&state.position, &mut workspace.poses);
        let slow = rest_speed(&state.velocity);
        let mut one_ways = model.elements.iter().filter(|e| e.is_one_way());
        one_ways.any(|e| model.element_row(e, &workspace.poses).dot(&state.velocity) < -slow)
    }

    fn lowest_bounce(&self) -> LowestBounce {
        match self.settings.tolerance {
            Some(tolerance) if self.standard == 0.0 => {
                LowestBounce::Speed(tolerance * self.settings.nominal.speed)
            }
            Some(_) | None => {
                LowestBounce::Time(self.settings.restitution_threshold * self.standard)
            }
        }
    }

    pub(super) fn impact(&mut self, located: Option<usize>) -> Result<(), StepError> {
        impact::apply(
            self.model,
            self.state,
            self.workspace,
            self.settings,
            self.report,
            self.lowest_bounce(),
            located,
        )
    }

    /// The first collision of the trial step.
    pub(super) fn first_collision(&mut self, mode: Mode) -> Option<Crossing> {
        if !self.settings.locate_collisions {
            return None;
        }
        let Workspace {
            watched,
            active,
            released,
            ..
        } = &mut *self.workspace;
        match mode {
            Mode::FixedMode => {
                watched.fill(true);
                closed(&self.state.status).for_each(|j| watched[j] = false);
            }
            Mode::Complementarity => {
                watched.fill(true);
                active.iter().for_each(|j| watched[*j] = false);
            }
        }
        released.iter().for_each(|j| watched[*j] = false);
        event::collision(self.model, self.state, self.workspace, self.settings, mode)
    }

    /// Ends the trial step at a collision and applies its impact.
    pub(super) fn collide(
        &mut self,
        scheme: &Coefficients,
        mode: Mode,
        mut crossing: Crossing,
    ) -> Result<(), StepError> {
        let Run {
            model,
            state,
            workspace,
            settings,
            ..
        } = self;
        let tau = loop {
            let tau = match settings.event_state {
                EventState::Restep if crossing.time > 0.0 => {
                    event::restep_to(model, state, workspace, settings, scheme, mode, &crossing)?
                }
                EventState::Restep | EventState::Interpolant => {
                    event::interpolate_to(model, state, workspace, crossing.time);
                    crossing.time
                }
            };
            if let Closing::Contact(contact) = crossing.what {
                workspace.watched[contact] = false;
            }
            match event::missed_collision(model, state, workspace, settings, mode) {
                Some(earlier) => crossing = earlier,
                None => break tau,
            }
        };
        self.count_short_substep(tau);
        if tau > 0.0 {
            self.accept(self.state.time + tau);
        }
        self.handle_closing(crossing.what, tau < TOUCH * self.standard)
    }

    /// Handles a contact that closed at the state, at the start of the step or later.
    pub(super) fn handle_closing(&mut self, what: Closing, at_once: bool) -> Result<(), StepError> {
        let State {
            position, velocity, ..
        } = &*self.state;
        let (_, rate) = assemble::closing(self.model, self.workspace, what, position, velocity);
        let approaches = rate < -rest_speed(velocity);
        let (Closing::Contact(contact) | Closing::Polygons(contact, _)) = what;
        if self.model.contacts[contact].compliance.is_some() {
            // its force starts here, even if other contacts will have opened it at the end of a step
            if at_once {
                self.workspace.contact_step = 0.0;
            }
            self.state.statuses_known = false;
            return Ok(());
        }
        if approaches {
            let contact = event::contact_of(self.model, self.state, self.workspace, what);
            return self.impact(Some(contact));
        }
        // it touches without impact; if that was at the start, the statuses were wrong
        self.state.statuses_known = false;
        self.statuses_unreliable = at_once;
        Ok(())
    }

    /// Does the trial step satisfy the complementarity conditions? If constraints are dependent its impulses are not unique; then it is
    /// enough that admissible impulses give the same velocities.
    pub(super) fn check(&mut self, scheme: &Coefficients) -> bool {
        let Workspace {
            system,
            joints,
            complementarity,
            trial,
            free,
            scratch_position,
            last_forces,
            ..
        } = &mut *self.workspace;
        if system.contacts.is_empty() {
            return true;
        }
        let residual = complementarity.check(system, joints);
        if residual <= COMPLEMENTARITY_TOLERANCE {
            self.report.lcps += 1;
            self.report.warm_hits += 1;
            self.report.worst_residual = self.report.worst_residual.at_least(residual);
            return true;
        }
        let status = &self.state.status;
        let sliding = |j: usize| match status[j] {
            Status::Slip => Sliding::Directed,
            _ => Sliding::Free,
        };
        system.guess_from(last_forces, trial.h);
        let outcome = complementarity.solve(system, joints, sliding, status);
        if !matches!(outcome, Outcome::Solved { .. }) {
            return false;
        }
        scratch_position.clone_from(free);
        system.add_response(scratch_position);
        let slow = rest_speed(&self.state.velocity);
        let mut changes = scratch_position
            .iter()
            .zip(&self.state.velocity)
            .zip(&trial.average);
        if changes.all(|((dv, v), average)| (dv - 2.0 * (average - v)).abs() <= slow) {
            return true;
        }
        // in space the distribution of forces may affect the motion; it is enough that all constraints of the statuses hold
        for (x, v) in scratch_position.iter_mut().zip(&self.state.velocity) {
            *x += scheme.sigma * v;
        }
        let fixed_features =
            self.model.is_spatial() && system.defect(joints, status, scratch_position) <= slow;
        if fixed_features {
            self.repeat_trial(scheme);
        }
        fixed_features
    }

    // sliding in space is solved iteratively: are the impulses of the trial step inadmissible?
    pub(super) fn is_inadmissible(&mut self) -> bool {
        if !self.model.is_spatial() || self.workspace.system.contacts.is_empty() {
            return false;
        }
        let Workspace {
            system,
            joints,
            complementarity,
            ..
        } = &mut *self.workspace;
        complementarity.check(system, joints) > MAX_RESIDUAL
    }

    // repeats the trial step with the current impulses of its system
    fn repeat_trial(&mut self, scheme: &Coefficients) {
        let h = self.workspace.trial.h;
        let State {
            position, velocity, ..
        } = &*self.state;
        trial::finish(self.workspace, scheme, position, velocity, h);
        trial::end(
            self.model,
            self.state,
            self.workspace,
            self.settings,
            Mode::FixedMode,
        );
        trial::evaluate_end(self.model, self.state, self.workspace);
    }

    /// Determines again statuses that are violated from the start of a step; true if they changed.
    pub(super) fn redetermines_statuses(&mut self) -> bool {
        self.store_statuses();
        if let Some(what) = self.workspace.contradicted
            && (matches!(what, EventFunctionKind::Pressing(_))
                || servos::switch(self.model, self.state, self.workspace, what)
                || load_direction::reverse(self.state, self.workspace, what))
        {
            return self.classify(When::JustAfter(what));
        }
        (self.classify(When::Now) && self.statuses_changed()) || self.breaks_away()
    }

    // the complementarity problem holds static friction at its limit slightly too long, but the next status is known
    fn breaks_away(&mut self) -> bool {
        let Some(cone) = self.workspace.contradicted else {
            return false;
        };
        let is_less_at_speed = match cone {
            EventFunctionKind::Cone(contact)
            | EventFunctionKind::ConeForward(contact)
            | EventFunctionKind::ConeBackward(contact) => {
                let material = &self.model.contacts[contact];
                material.drops_at_breakaway() || material.stribeck_velocity.is_some()
            }
            EventFunctionKind::ElementForward(_) | EventFunctionKind::ElementBackward(_) => true,
            _ => false,
        };
        if !is_less_at_speed || !self.state.statuses_known {
            return false;
        }
        let State {
            time,
            position,
            velocity,
            status,
            ..
        } = &*self.state;
        let now = (*time, Side::After);
        trial::evaluate(self.model, self.workspace, status, now, position, velocity);
        self.classify(When::JustAfter(cone)) && self.statuses_changed()
    }

    fn store_statuses(&mut self) {
        let Workspace {
            previous,
            previous_resistance,
            previous_elements,
            ..
        } = &mut *self.workspace;
        previous_elements.clone_from(&self.state.element_status);
        previous.clone_from(&self.state.status);
        previous_resistance.clone_from(&self.state.resistance);
    }

    // do the statuses differ from the stored ones?
    fn statuses_changed(&self) -> bool {
        let turns = |r: &Resistance| (r.spin, r.roll);
        let (now, before) = (&self.state.resistance, &self.workspace.previous_resistance);
        self.state.status != self.workspace.previous
            || self.state.element_status != self.workspace.previous_elements
            || !now.iter().map(turns).eq(before.iter().map(turns))
    }

    /// Records that a status lasted for `tau` only; true if the same function ended one before without progress in time.
    pub(super) fn has_stalled(&mut self, tau: f64, what: EventFunctionKind) -> bool {
        if tau >= STALL * self.standard {
            self.stall_detector = StallDetector::default();
            return false;
        }
        self.stall_detector.count(what) > 1
    }

    /// Statuses that alternate indefinitely are not resolved: a step without fixed statuses finds their mean.
    pub(super) fn unresolved(&mut self, h: f64, target: f64) -> Result<(), StepError> {
        if self.resolves_all_contacts() {
            return Ok(());
        }
        self.report.unresolved_steps += 1;
        self.stall_detector = StallDetector::default();
        self.complementarity_step(h, target)
    }

    /// The statuses are violated from the start of the step: determines them again, or continues without them.
    pub(super) fn contradiction(&mut self, h: f64, target: f64) -> Result<(), StepError> {
        self.count_short_substep(0.0);
        let contradicted = self.workspace.contradicted;
        if contradicted.is_some_and(|what| self.has_stalled(0.0, what)) {
            return self.unresolved(h, target);
        }
        if self.redetermines_statuses() || self.resolves_all_contacts() {
            return Ok(());
        }
        self.report.complementarity_steps += 1;
        self.complementarity_step(h, target)
    }

    /// A step that determines its statuses by its own complementarity problem.
    pub(super) fn complementarity_step(&mut self, h: f64, target: f64) -> Result<(), StepError> {
        let band = contact_band(self.settings, self.standard);
        assemble::gaps(self.model, self.workspace, &self.state.position);
        let keep_closed = self.settings.locates_transitions();
        let status = &self.state.status;
        self.workspace.active.clear();
        for contact in 0..status.len() {
            if self.workspace.gap[contact] <= band || (keep_closed && status[contact].is_closed()) {
                self.workspace.active.push(contact);
            }
        }
        let mut scheme = self.scheme(h, Mode::Complementarity);
        let (mut h, mut target) = (h, target);
        loop {
            let mut taken = self.take(&scheme, Mode::Complementarity, h);
            if matches!(taken, Err(StepError::Unsolved { .. })) {
                // rows and columns at one configuration: the problem is copositive, which the second-order one need not be
                scheme = IMPLICIT_EULER;
                taken = self.take(&scheme, Mode::Complementarity, h);
            }
            taken?;
            if let Some(shorter) = self
                .shorter_for_rims()
                .or_else(|| self.shorter_for_energy())
            {
                (h, target) = (shorter, self.state.time + shorter);
                continue;
            }
            // after a contradiction the step must not penetrate closed contacts, as it may at corners
            if !keep_closed || h <= SHORTEST_FALLBACK * self.standard || !self.overlaps() {
                break;
            }
            h *= 0.25;
            target = self.state.time + h;
        }
        if let Some(crossing) = self.first_collision(Mode::Complementarity) {
            return self.collide(&scheme, Mode::Complementarity, crossing);
        }
        self.report.record_changes(
            self.model,
            target,
            &self.workspace.gap,
            [&self.state.status, &self.workspace.statuses],
        );
        self.report
            .record_turns(target, &self.state.resistance, &self.workspace.resistance);
        self.state.status.clone_from(&self.workspace.statuses);
        self.state.resistance.clone_from(&self.workspace.resistance);
        elements::accept_statuses(
            self.model,
            target,
            &mut self.state.element_status,
            &self.workspace.element_status,
            self.report,
        );
        self.accept(target);
        accept::forces_from_impulses(self.state, self.workspace, h);
        self.state.statuses_known = false;
        Ok(())
    }

    // does a contact of the trial step penetrate at its end?
    fn overlaps(&mut self) -> bool {
        let end = std::mem::take(&mut self.workspace.trial.position);
        let overlap = assemble::deepest_overlap(self.model, self.workspace, &end);
        self.workspace.trial.position = end;
        overlap > OVERLAP
    }

    // short enough for its own error to vanish, long enough for its impulses to be accurate
    fn shortest_step(&self) -> f64 {
        match self.settings.tolerance {
            Some(tolerance) if self.standard == 0.0 => (0.1 * tolerance).at_least(1e-10),
            Some(_) | None => JAM_STEP * self.standard,
        }
    }

    /// No accelerations satisfy Coulomb's law (Painleve): a very short implicit step finds the impulse that resolves it, an impact without
    /// collision.
    pub(super) fn jam(&mut self, h: f64, target: f64) -> Result<(), StepError> {
        let short = self.shortest_step().at_most(h);
        self.report.complementarity_steps += 1;
        self.count_short_substep(0.0);
        assemble::gaps(self.model, self.workspace, &self.state.position);
        let band = contact_band(self.settings, self.standard);
        let Run {
            workspace, state, ..
        } = self;
        workspace.active.clear();
        workspace
            .active
            .extend((0..workspace.gap.len()).filter(|j| workspace.gap[*j] <= band));
        workspace.before.clone_from(&state.velocity);
        self.take(&IMPLICIT_EULER, Mode::Complementarity, short)?;
        let end = if short == h {
            target
        } else {
            self.state.time + short
        };
        self.accept(end);
        let Run {
            workspace,
            state,
            report,
            ..
        } = self;
        let slow = rest_speed(&workspace.before)
            + 100.0 * short * crate::math::max_abs(&workspace.acceleration);
        let jump = state
            .velocity
            .iter()
            .zip(&workspace.before)
            .fold(0.0, |m: f64, (a, b)| m.at_least((a - b).abs()));
        if jump > slow {
            let system = &workspace.system;
            for (i, &contact) in system.contacts.iter().enumerate() {
                let normal = system.normal(i);
                if system.impulse[normal] > 0.0 {
                    report.record(Event {
                        time: state.time,
                        kind: EventKind::Jam,
                        contact,
                        impulse: system.contact_impulse(i, &system.impulse),
                    });
                }
            }
        }
        state.statuses_known = false;
        Ok(())
    }
}

impl Run<'_> {
    /// Is the work limit exceeded? An error under a tolerance or with high order.
    pub(super) fn exceeds_work_limit(&mut self) -> Result<bool, StepError> {
        let is_exhausted = self.workspace.is_exhausted();
        if is_exhausted && self.settings.extrapolates() {
            let time = self.state.time;
            return Err(StepError::TooMuchWork { time });
        }
        Ok(is_exhausted)
    }
}
