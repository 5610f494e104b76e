//! Joints and contacts at given poses: constraint rows over all velocities, gaps, rates.

use super::{
    AnyJoint, BodyRef, Contact, ContactKind, JointLink, Limited, Model, Poses, SpaceContact, Stop,
    Twists,
};
use super::{pose_of, space_pose_of, space_twist_of, twist_of};
use crate::constraint::{GlobalRow, Pose, Row, Span};
use crate::kinds::plane::collide;
use crate::kinds::space;
use crate::math::{Dual, Real, Vec3, cross3, dot3, most_across};

/// Tangents of a contact at most.
pub const N_TANGENTS: usize = 2;

/// Rotation axes that a contact in space may resist: its normal, then its tangents.
pub const N_ROTATION_AXES: usize = 3;

/// Friction rows of a contact at most.
pub const MAX_FRICTION_ROWS: usize = N_TANGENTS + N_ROTATION_AXES;

/// If this part of the square of a friction axis is along the normal, the two are within a thousandth of a radian and the tangential
/// direction would be rounding error: any tangent is used.
const UPRIGHT: f64 = 1.0 - 1e-6;

/// Contact geometry that is fixed during a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FixedFeature {
    /// The sharp edge or face that is touched, if any.
    pub edge: Option<usize>,
    /// World direction that defines the tangents in space.
    pub axis: Vec3,
}

/// A contact at a configuration, without its rows.
#[derive(Clone, Copy, Debug)]
pub struct ContactGeometry {
    /// Tangents in world axes, in space.
    pub tangents: [Vec3; N_TANGENTS],
    /// The normal in world axes, in space; zero where undefined.
    pub direction: Vec3,
    /// The gap function of a closed contact, m; see [`crate::kinds::plane::collide::Nearest`].
    pub offset: f64,
    /// Distance to the end of its edge, m; see [`crate::kinds::plane::collide::Nearest`].
    pub margin: f64,
}

impl ContactGeometry {
    fn without_frame(offset: f64, margin: f64) -> Self {
        Self {
            tangents: [Vec3::zeros(); N_TANGENTS],
            direction: Vec3::zeros(),
            offset,
            margin,
        }
    }
}

/// Gap of a contact.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// m (rad at a stop of an angle).
    pub gap: f64,
    /// Distance to the end of its edge, m; see [`crate::kinds::plane::collide::Nearest`].
    pub margin: f64,
}

impl Model {
    // belts move tangentially: nothing along a normal
    #[inline]
    fn stop_belts<T: Real, const N: usize>(&self, bodies: [BodyRef; 2], parts: [&mut [T; N]; 2]) {
        for (body, part) in bodies.into_iter().zip(parts) {
            if body.is_some_and(|body| self.bodies[body].is_belt) {
                *part = [T::zero(); N];
            }
        }
    }

    /// Ranges of two bodies in the vector of velocities.
    #[inline]
    pub fn spans(&self, bodies: [BodyRef; 2]) -> [Span; 2] {
        let span = |body: BodyRef| {
            body.map_or(Span::default(), |i| Span {
                first: self.bodies[i].first,
                len: self.bodies[i].n_dof,
            })
        };
        [span(bodies[0]), span(bodies[1])]
    }

    #[inline]
    pub(super) fn global_row(&self, bodies: [BodyRef; 2], row: &Row) -> GlobalRow {
        GlobalRow::new(self.spans(bodies), &row.a, &row.b)
    }

    pub(super) fn global_row_in_space(&self, bodies: [BodyRef; 2], row: &space::Row) -> GlobalRow {
        GlobalRow::new(self.spans(bodies), &row.a, &row.b)
    }

    pub(super) fn global_space_rate(
        &self,
        bodies: [BodyRef; 2],
        row: &space::Row<Dual>,
    ) -> GlobalRow {
        let (a, b) = (row.a.map(|x| x.rate), row.b.map(|x| x.rate));
        GlobalRow::new(self.spans(bodies), &a, &b)
    }

    // scalar product of the two parts of a row with the velocities
    fn product<T, const N: usize>(
        &self,
        bodies: [BodyRef; 2],
        parts: [&[T; N]; 2],
        v: &[f64],
        number: impl Fn(&T) -> f64,
    ) -> f64 {
        let mut sum = 0.0;
        for (body, part) in bodies.into_iter().zip(parts) {
            if let Some(body) = body.map(|i| &self.bodies[i]) {
                let v = &v[body.first..body.first + body.n_dof];
                for (x, v) in part.iter().zip(v) {
                    sum += number(x) * v;
                }
            }
        }
        sum
    }

    // the same for the derivative of the row, carried by its dual numbers
    pub(super) fn gain<const N: usize>(
        &self,
        bodies: [BodyRef; 2],
        parts: [&[Dual; N]; 2],
        v: &[f64],
    ) -> f64 {
        self.product(bodies, parts, v, |x| x.rate)
    }

    // the derivative of a row, carried by its dual numbers
    pub(super) fn global_rate(&self, bodies: [BodyRef; 2], row: &Row<Dual>) -> GlobalRow {
        let (a, b) = (row.a.map(|x| x.rate), row.b.map(|x| x.rate));
        GlobalRow::new(self.spans(bodies), &a, &b)
    }

    /// Passes each equation of a joint with its residual (m, rad) to `take`.
    pub fn joint_rows(
        &self,
        link: &JointLink,
        poses: &Poses,
        mut take: impl FnMut(GlobalRow, f64),
    ) {
        match &link.joint {
            AnyJoint::Plane(joint) => {
                let [a, b] = link.bodies.map(|body| pose_of(poses.plane(), body));
                let joint = joint.rows(a, b);
                for i in 0..joint.n {
                    take(
                        self.global_row(link.bodies, &joint.rows[i]),
                        joint.residual[i],
                    );
                }
            }
            AnyJoint::Space(joint) => {
                let [a, b] = link.bodies.map(|body| space_pose_of(poses.space(), body));
                let joint = joint.rows(a, b);
                for i in 0..joint.n {
                    take(
                        self.global_row_in_space(link.bodies, &joint.rows[i]),
                        joint.residual[i],
                    );
                }
            }
        }
    }

    /// (dG/dt) v of the rows of a joint.
    pub fn joint_row_rates(
        &self,
        link: &JointLink,
        poses: &Poses,
        twists: &Twists,
        v: &[f64],
        mut take: impl FnMut(f64),
    ) {
        match &link.joint {
            AnyJoint::Plane(joint) => {
                let [a, b] = moving(link.bodies, poses, twists);
                let joint = joint.rows(&a, &b);
                for row in &joint.rows[..joint.n] {
                    take(self.gain(link.bodies, [&row.a, &row.b], v));
                }
            }
            AnyJoint::Space(joint) => {
                let [a, b] = moving_in_space(link.bodies, poses, twists);
                let joint = joint.rows(&a, &b);
                for row in &joint.rows[..joint.n] {
                    take(self.gain(link.bodies, [&row.a, &row.b], v));
                }
            }
        }
    }

    // gap of a stop with its gradient, and the derivative of the gradient along the motion if requested
    fn limit(&self, stop: &Stop, poses: &Poses, motion: Option<&Twists>) -> (f64, GlobalRow) {
        let Stop { of, bound, above } = *stop;
        let (value, row) = match (of, motion) {
            (Limited::Joint { joint, coordinate }, None) => {
                self.coordinate(joint, coordinate, poses)
            }
            (Limited::Joint { joint, coordinate }, Some(twists)) => {
                self.coordinate_in_motion(joint, coordinate, poses, twists)
            }
            (Limited::Rope(i), None) => self.rope(&self.ropes[i], poses),
            (Limited::Rope(i), Some(twists)) => self.rope_in_motion(&self.ropes[i], poses, twists),
            (Limited::Coupling(i), None) => self.coupling_row(&self.loose_couplings[i], poses),
            (Limited::Coupling(i), Some(twists)) => {
                self.coupling_in_motion(&self.loose_couplings[i], poses, twists)
            }
        };
        if above {
            (value - bound, row)
        } else {
            (bound - value, row.negated())
        }
    }

    fn contact_rows_in_space(
        &self,
        contact: &Contact,
        pair: &SpaceContact,
        fixed: &FixedFeature,
        poses: &Poses,
        rows: &mut Vec<GlobalRow>,
    ) -> Option<ContactGeometry> {
        let [a, b] = contact
            .bodies
            .map(|body| space_pose_of(poses.space(), body));
        let near = pair.nearest_on(fixed, a, b)?;
        let tangents = pair.tangents(near.normal, fixed, [a, b]);
        for (k, direction) in [near.normal, tangents[0], tangents[1]]
            .into_iter()
            .enumerate()
        {
            let mut row = near.velocity_row(direction, a, b);
            if k == 0 {
                self.stop_belts(contact.bodies, [&mut row.a, &mut row.b]);
            }
            rows.push(self.global_row_in_space(contact.bodies, &row));
        }
        Some(ContactGeometry {
            tangents,
            direction: near.normal,
            offset: near.offset,
            margin: near.margin,
        })
    }

    /// Distance of a contact to the end of its edge, m; `None` while another contact covers the same point.
    pub fn margin(&self, contact: &Contact, fixed: &FixedFeature, poses: &Poses) -> Option<f64> {
        match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                nearest_on(feature, fixed, a, b).map(|near| near.margin)
            }
            ContactKind::Space(pair) => {
                let [a, b] = contact
                    .bodies
                    .map(|body| space_pose_of(poses.space(), body));
                pair.nearest_on(fixed, a, b).map(|near| near.margin)
            }
            ContactKind::Limit(_) => Some(f64::INFINITY),
        }
    }

    /// Appends the rows of a contact, on its edge if it has one: gradient of the gap along the normal, then as many tangents as contacts of
    /// the model have. `None`, and no rows, while another contact covers the same point.
    #[inline]
    pub fn contact_rows(
        &self,
        contact: &Contact,
        fixed: &FixedFeature,
        poses: &Poses,
        rows: &mut Vec<GlobalRow>,
    ) -> Option<ContactGeometry> {
        match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                let near = nearest_on(feature, fixed, a, b)?;
                let mut normal = near.normal_row();
                self.stop_belts(contact.bodies, [&mut normal.a, &mut normal.b]);
                rows.push(self.global_row(contact.bodies, &normal));
                rows.push(self.global_row(contact.bodies, &near.tangent_row()));
                Some(ContactGeometry::without_frame(near.offset, near.margin))
            }
            ContactKind::Space(pair) => {
                self.contact_rows_in_space(contact, pair, fixed, poses, rows)
            }
            ContactKind::Limit(stop) => {
                let (gap, row) = self.limit(stop, poses, None);
                rows.push(row);
                for _ in 0..self.n_friction_rows.min(N_TANGENTS) {
                    rows.push(GlobalRow::default());
                }
                Some(ContactGeometry::without_frame(gap, f64::INFINITY))
            }
        }
    }

    /// (dG/dt) v of the rows of a contact: normal, then friction.
    pub fn contact_row_rates(
        &self,
        contact: &Contact,
        fixed: &FixedFeature,
        poses: &Poses,
        twists: &Twists,
        v: &[f64],
    ) -> Option<[f64; 1 + N_TANGENTS]> {
        let rate = |row: &Row<Dual>| self.gain(contact.bodies, [&row.a, &row.b], v);
        match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = moving(contact.bodies, poses, twists);
                let near = nearest_on(feature, fixed, &a, &b)?;
                let mut normal = near.normal_row();
                self.stop_belts(contact.bodies, [&mut normal.a, &mut normal.b]);
                Some([rate(&normal), rate(&near.tangent_row()), 0.0])
            }
            ContactKind::Space(pair) => {
                let [a, b] = moving_in_space(contact.bodies, poses, twists);
                let near = pair.nearest_on(fixed, &a, &b)?;
                let [t, s] = pair.tangents(near.normal, fixed, [&a, &b]);
                let mut is_normal = true;
                Some([near.normal, t, s].map(|direction| {
                    let mut row = near.velocity_row(direction, &a, &b);
                    if std::mem::take(&mut is_normal) {
                        self.stop_belts(contact.bodies, [&mut row.a, &mut row.b]);
                    }
                    self.gain(contact.bodies, [&row.a, &row.b], v)
                }))
            }
            ContactKind::Limit(stop) => {
                let (_, row) = self.limit(stop, poses, Some(twists));
                Some([row.dot(v), 0.0, 0.0])
            }
        }
    }

    /// Relative angular velocity of the second body about the axes of a contact in space ([`rotation_axes`]).
    pub fn rotation_rows(
        &self,
        contact: &Contact,
        axes: [Vec3; N_ROTATION_AXES],
        poses: &Poses,
    ) -> [GlobalRow; N_ROTATION_AXES] {
        let [a, b] = contact
            .bodies
            .map(|body| space_pose_of(poses.space(), body));
        axes.map(|axis| {
            let row = space::Row::relative_rotation(axis, a, b);
            self.global_row_in_space(contact.bodies, &row)
        })
    }

    /// (dG/dt) v of these rows.
    pub fn rotation_row_rates(
        &self,
        contact: &Contact,
        fixed: &FixedFeature,
        poses: &Poses,
        twists: &Twists,
        v: &[f64],
    ) -> Option<[f64; N_ROTATION_AXES]> {
        let ContactKind::Space(pair) = &contact.kind else {
            return None;
        };
        let [a, b] = moving_in_space(contact.bodies, poses, twists);
        let near = pair.nearest_on(fixed, &a, &b)?;
        let [tangent, _] = pair.tangents(near.normal, fixed, [&a, &b]);
        Some(rotation_axes(near.normal, tangent).map(|axis| {
            let row = space::Row::relative_rotation(axis, &a, &b);
            self.gain(contact.bodies, [&row.a, &row.b], v)
        }))
    }

    /// Gap of a contact; `None` while another contact covers the same point, or where it is inside the material of a body.
    #[inline]
    pub fn gap(&self, contact: &Contact, poses: &Poses) -> Option<Gap> {
        match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                contact.exposed(feature, a, b).map(|near| Gap {
                    gap: near.gap,
                    margin: near.margin,
                })
            }
            ContactKind::Space(pair) => {
                let [a, b] = contact
                    .bodies
                    .map(|body| space_pose_of(poses.space(), body));
                let near = contact.exposed_in_space(&pair.feature, a, b);
                near.map(|near| Gap {
                    gap: near.gap,
                    margin: near.margin,
                })
            }
            ContactKind::Limit(stop) => {
                let (gap, _) = self.limit(stop, poses, None);
                Some(Gap {
                    gap,
                    margin: f64::INFINITY,
                })
            }
        }
    }

    /// Lower bound of all gaps of the contact's pair of shapes, m, where positive.
    pub fn clearance(&self, contact: &Contact, poses: &Poses) -> f64 {
        let of_bounds = self.clearance_of_bounds(contact, poses);
        if of_bounds > 0.0 {
            return of_bounds;
        }
        let apart = match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                feature.separation(a, b).map(|apart| apart.gap)
            }
            ContactKind::Space(pair) => {
                let [a, b] = contact
                    .bodies
                    .map(|body| space_pose_of(poses.space(), body));
                pair.feature.separation(a, b).map(|apart| apart.gap)
            }
            ContactKind::Limit(_) => None,
        };
        apart.unwrap_or(of_bounds)
    }

    /// Is its gap an angle?
    pub fn is_angle(&self, contact: &Contact) -> bool {
        match contact.kind {
            ContactKind::Limit(Stop {
                of: Limited::Joint { joint, coordinate },
                ..
            }) => self.joints[joint].joint.coordinate_turns(coordinate),
            ContactKind::Limit(_) | ContactKind::Feature(_) | ContactKind::Space(_) => false,
        }
    }

    /// Is it the stop of an angle that changes no faster than its bodies turn relative to each other?
    pub fn limits_turn(&self, contact: &Contact) -> bool {
        let ContactKind::Limit(Stop {
            of: Limited::Joint { joint, coordinate },
            ..
        }) = contact.kind
        else {
            return false;
        };
        let joint = &self.joints[joint].joint;
        // the angles of a universal joint are those of a cross between its bodies
        let has_cross = matches!(joint, AnyJoint::Space(space::joint::Joint::Universal(_)));
        joint.coordinate_turns(coordinate) && !has_cross
    }

    /// The same from bounding circles or balls alone.
    pub fn clearance_of_bounds(&self, contact: &Contact, poses: &Poses) -> f64 {
        match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                feature.clearance_of_bounds(a, b)
            }
            ContactKind::Space(pair) => {
                let [a, b] = contact
                    .bodies
                    .map(|body| space_pose_of(poses.space(), body));
                pair.bounds.clearance(a, b)
            }
            ContactKind::Limit(_) => f64::NEG_INFINITY,
        }
    }

    /// Gap of a contact and its rate at velocities `v`.
    pub fn gap_and_rate(&self, contact: &Contact, poses: &Poses, v: &[f64]) -> Option<(f64, f64)> {
        match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                let near = contact.exposed(feature, a, b)?;
                let mut row = near.gap_row();
                self.stop_belts(contact.bodies, [&mut row.a, &mut row.b]);
                let rate = self.product(contact.bodies, [&row.a, &row.b], v, |x| *x);
                Some((near.gap, rate))
            }
            ContactKind::Space(pair) => {
                let [a, b] = contact
                    .bodies
                    .map(|body| space_pose_of(poses.space(), body));
                let near = contact.exposed_in_space(&pair.feature, a, b)?;
                let mut row = near.gap_row(a, b);
                self.stop_belts(contact.bodies, [&mut row.a, &mut row.b]);
                let rate = self.product(contact.bodies, [&row.a, &row.b], v, |x| *x);
                Some((near.gap, rate))
            }
            ContactKind::Limit(stop) => {
                let (gap, row) = self.limit(stop, poses, None);
                Some((gap, row.dot(v)))
            }
        }
    }

    /// Passes contacts that overlap by more than `enough`, m (rad for an angular stop), with their names and depths to `take`. Flush shapes
    /// may overlap although none of their contacts does: such a pair is reported with its first contact.
    pub fn overlaps(&self, poses: &Poses, enough: f64, mut take: impl FnMut(&str, &Contact, f64)) {
        let pairs = self.contacts.chunk_by(|a, b| a.pair == b.pair);
        // compliant contacts may start with their load
        for of_pair in pairs.filter(|pair| pair[0].compliance.is_none()) {
            let mut any = false;
            for contact in of_pair {
                if let Some(near) = self.gap(contact, poses)
                    && near.gap < -enough
                {
                    any = true;
                    take(&contact.name, contact, -near.gap);
                }
            }
            let first = &of_pair[0];
            if !any
                && self.clearance(first, poses) <= 0.0
                && let Some((apart, _)) = self.separation(first, poses)
                && apart < -enough
            {
                take(&self.pairs[first.pair], first, -apart);
            }
        }
    }

    /// Contact geometry to be fixed at the given poses.
    pub fn fixed_feature(&self, contact: &Contact, poses: &Poses) -> FixedFeature {
        match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                FixedFeature {
                    edge: contact.edge(feature, a, b),
                    axis: Vec3::zeros(),
                }
            }
            ContactKind::Space(pair) => {
                let [a, b] = contact
                    .bodies
                    .map(|body| space_pose_of(poses.space(), body));
                let edge = contact.face(&pair.feature, a, b);
                let near = pair.feature.nearest(a, b);
                FixedFeature {
                    edge,
                    axis: near.map_or_else(Vec3::x, |near| most_across(near.normal)),
                }
            }
            ContactKind::Limit(_) => FixedFeature::default(),
        }
    }

    /// A direction that a step must not rotate far, in the axes of the first body, if the contact has one.
    pub fn heading(&self, contact: &Contact, poses: &Poses) -> Option<Vec3> {
        match &contact.kind {
            ContactKind::Space(pair) => {
                let [a, b] = contact
                    .bodies
                    .map(|body| space_pose_of(poses.space(), body));
                pair.feature.heading(a, b)
            }
            ContactKind::Feature(_) | ContactKind::Limit(_) => None,
        }
    }

    /// Separation distance of the two shapes of a contact and its gradient, where vertices alone do not determine it.
    pub fn separation(&self, contact: &Contact, poses: &Poses) -> Option<(f64, GlobalRow)> {
        match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                let mut apart = feature.separation(a, b)?;
                self.stop_belts(contact.bodies, [&mut apart.row.a, &mut apart.row.b]);
                Some((apart.gap, self.global_row(contact.bodies, &apart.row)))
            }
            ContactKind::Space(pair) => {
                let [a, b] = contact
                    .bodies
                    .map(|body| space_pose_of(poses.space(), body));
                let mut apart = pair.feature.separation(a, b)?;
                self.stop_belts(contact.bodies, [&mut apart.row.a, &mut apart.row.b]);
                Some((
                    apart.gap,
                    self.global_row_in_space(contact.bodies, &apart.row),
                ))
            }
            ContactKind::Limit(_) => None,
        }
    }
}

impl Contact {
    /// Can [`Model::heading`] return a direction?
    pub fn has_heading(&self) -> bool {
        match &self.kind {
            ContactKind::Space(pair) => pair.feature.has_heading(),
            ContactKind::Feature(_) | ContactKind::Limit(_) => false,
        }
    }
}

impl SpaceContact {
    fn nearest_on<T: Real>(
        &self,
        fixed: &FixedFeature,
        a: &space::Pose<T>,
        b: &space::Pose<T>,
    ) -> Option<space::collide::Nearest<T>> {
        match fixed.edge {
            Some(face) => self.feature.nearest_on(face, a, b),
            None => self.feature.nearest(a, b),
        }
    }

    // tangents; the second is scaled by the ratio of the friction coefficients, so that the friction cone is circular
    fn tangents<T: Real>(
        &self,
        normal: Vec3<T>,
        fixed: &FixedFeature,
        poses: [&space::Pose<T>; 2],
    ) -> [Vec3<T>; N_TANGENTS] {
        let any = fixed.axis.map(T::constant);
        let axis = match self.axis {
            Some((side, axis)) => poses[side].turn(axis),
            None => any,
        };
        let (along, square) = (dot3(axis, normal).value(), dot3(axis, axis).value());
        let [t, s] = if along * along < UPRIGHT * square {
            space::tangents(normal, axis)
        } else {
            space::tangents(normal, any)
        };
        let across = T::constant(self.across);
        if self.turned {
            [s, -t * across]
        } else {
            [t, s * across]
        }
    }
}

/// Rotation axes of a contact: its normal (spin), its first tangent and the direction across both (rolling).
pub fn rotation_axes<T: Real>(normal: Vec3<T>, tangent: Vec3<T>) -> [Vec3<T>; N_ROTATION_AXES] {
    [normal, tangent, cross3(normal, tangent)]
}

fn nearest_on<T: Real>(
    feature: &collide::Feature,
    fixed: &FixedFeature,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Option<collide::Nearest<T>> {
    match fixed.edge {
        Some(edge) => feature.nearest_on(edge, a, b),
        None => feature.nearest(a, b),
    }
}

pub(super) fn moving_in_space(
    bodies: [BodyRef; 2],
    poses: &Poses,
    twists: &Twists,
) -> [space::Pose<Dual>; 2] {
    bodies.map(|body| {
        let twist = space_twist_of(twists.space(), body);
        space_pose_of(poses.space(), body).with_rate(twist)
    })
}

pub(super) fn moving(bodies: [BodyRef; 2], poses: &Poses, twists: &Twists) -> [Pose<Dual>; 2] {
    bodies.map(|body| pose_of(poses.plane(), body).with_rate(twist_of(twists.plane(), body)))
}
