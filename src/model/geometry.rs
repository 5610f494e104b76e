//! What joints and contacts are at given poses: rows over all velocities, gaps, rates.

use super::{AnyJoint, BodyRef, Contact, ContactKind, JointLink, Model, Poses, Twists};
use super::{pose_of, twist_of};
use crate::collide;
use crate::constraint::{GlobalRow, Pose, Row, Span};
use crate::math::{Dual, Real, Vec3};

/// Rows of friction of one contact at most.
pub const MAX_FRICTION_ROWS: usize = 2;

/// What a contact is held by while a substep lasts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hold {
    /// The sharp edge or face that it touches, if there is one.
    pub edge: Option<usize>,
    /// World direction that the tangents go by in space.
    pub axis: Vec3,
}

/// A contact at a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    /// Gradient of the gap along the normal.
    pub normal: GlobalRow,
    /// Directions of sliding, as many as the model's contacts have.
    pub friction: [GlobalRow; MAX_FRICTION_ROWS],
    /// These directions in world axes, in space.
    pub tangents: [Vec3; MAX_FRICTION_ROWS],
    /// What a closed contact keeps at zero, m; see [`crate::collide::Nearest`].
    pub offset: f64,
    /// How far the end of its edge is, m; see [`crate::collide::Nearest`].
    pub margin: f64,
}

/// How far a contact is open.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// m (rad at a stop of an angle).
    pub gap: f64,
    /// How far the end of its edge is, m; see [`crate::collide::Nearest`].
    pub margin: f64,
}

impl Model {
    /// Places of two bodies in the vector of velocities.
    pub fn spans(&self, bodies: [BodyRef; 2]) -> [Span; 2] {
        bodies.map(|body| {
            body.map_or(Span::default(), |i| Span {
                first: self.bodies[i].first,
                len: self.bodies[i].n_dof,
            })
        })
    }

    fn place(&self, bodies: [BodyRef; 2], row: &Row) -> GlobalRow {
        GlobalRow::new(self.spans(bodies), &row.a, &row.b)
    }

    // the rate of a row along the motion that its dual numbers carry
    fn place_rate(&self, bodies: [BodyRef; 2], row: &Row<Dual>) -> GlobalRow {
        let (a, b) = (row.a.map(|x| x.rate), row.b.map(|x| x.rate));
        GlobalRow::new(self.spans(bodies), &a, &b)
    }

    /// Equations of a joint with their residuals (m, rad), one after the other.
    pub fn joint_rows(
        &self,
        link: &JointLink,
        poses: &Poses,
        mut take: impl FnMut(GlobalRow, f64),
    ) {
        match &link.joint {
            AnyJoint::Plane(joint) => {
                let [a, b] = link.bodies.map(|body| pose_of(poses.plane(), body));
                let joint = joint.rows(&a, &b);
                for i in 0..joint.n {
                    take(self.place(link.bodies, &joint.rows[i]), joint.residual[i]);
                }
            }
        }
    }

    /// What the rows of a joint gain while the bodies move on at constant velocity, (dG/dt) v.
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
                    take(self.place_rate(link.bodies, row).dot(v));
                }
            }
        }
    }

    /// Gap and gradient of a stop.
    fn limit<T: Real>(
        &self,
        (joint, bound, above): (usize, f64, bool),
        a: &Pose<T>,
        b: &Pose<T>,
    ) -> Option<(T, Row<T>)> {
        let AnyJoint::Plane(joint) = &self.joints[joint].joint;
        let (coordinate, row) = joint.coordinate(a, b)?;
        let distance = coordinate - T::constant(bound);
        Some(if above {
            (distance, row)
        } else {
            (-distance, row.negated())
        })
    }

    /// Rows of a contact, on its edge if it has one; `None` while another contact looks after the same place.
    pub fn near(&self, contact: &Contact, hold: &Hold, poses: &Poses) -> Option<Near> {
        let nothing = GlobalRow::default();
        match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                let near = held(feature, hold, &a, &b)?;
                Some(Near {
                    normal: self.place(contact.bodies, &near.normal_row()),
                    friction: [self.place(contact.bodies, &near.tangent_row()), nothing],
                    tangents: [Vec3::zeros(); MAX_FRICTION_ROWS],
                    offset: near.offset,
                    margin: near.margin,
                })
            }
            ContactKind::Limit {
                joint,
                bound,
                above,
            } => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                let (gap, row) = self.limit((*joint, *bound, *above), &a, &b)?;
                Some(Near {
                    normal: self.place(contact.bodies, &row),
                    friction: [nothing; MAX_FRICTION_ROWS],
                    tangents: [Vec3::zeros(); MAX_FRICTION_ROWS],
                    offset: gap,
                    margin: f64::INFINITY,
                })
            }
        }
    }

    /// What the rows of a contact gain while the bodies move on at constant velocity: normal, then friction.
    pub fn near_rates(
        &self,
        contact: &Contact,
        hold: &Hold,
        poses: &Poses,
        twists: &Twists,
        v: &[f64],
    ) -> Option<[f64; 1 + MAX_FRICTION_ROWS]> {
        let rate = |row: &Row<Dual>| self.place_rate(contact.bodies, row).dot(v);
        match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = moving(contact.bodies, poses, twists);
                let near = held(feature, hold, &a, &b)?;
                Some([rate(&near.normal_row()), rate(&near.tangent_row()), 0.0])
            }
            ContactKind::Limit {
                joint,
                bound,
                above,
            } => {
                let [a, b] = moving(contact.bodies, poses, twists);
                let (_, row) = self.limit((*joint, *bound, *above), &a, &b)?;
                Some([rate(&row), 0.0, 0.0])
            }
        }
    }

    /// How far a contact is open; `None` while another one looks after the same place.
    pub fn gap(&self, contact: &Contact, poses: &Poses) -> Option<Gap> {
        match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                feature.nearest(&a, &b).map(|near| Gap {
                    gap: near.gap,
                    margin: near.margin,
                })
            }
            ContactKind::Limit {
                joint,
                bound,
                above,
            } => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                let (gap, _) = self.limit((*joint, *bound, *above), &a, &b)?;
                Some(Gap {
                    gap,
                    margin: f64::INFINITY,
                })
            }
        }
    }

    /// Gap of a contact and its gradient.
    pub fn gap_row(&self, contact: &Contact, poses: &Poses) -> Option<(f64, GlobalRow)> {
        match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                let near = feature.nearest(&a, &b)?;
                Some((near.gap, self.place(contact.bodies, &near.gap_row())))
            }
            ContactKind::Limit {
                joint,
                bound,
                above,
            } => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                let (gap, row) = self.limit((*joint, *bound, *above), &a, &b)?;
                Some((gap, self.place(contact.bodies, &row)))
            }
        }
    }

    /// What holds a contact at the given poses.
    pub fn hold(&self, contact: &Contact, poses: &Poses) -> Hold {
        match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                Hold {
                    edge: feature.edge(&a, &b),
                    axis: Vec3::zeros(),
                }
            }
            ContactKind::Limit { .. } => Hold::default(),
        }
    }

    /// Separation of the two shapes of a contact as wholes, and its gradient, where vertices alone do not tell.
    pub fn separation(&self, contact: &Contact, poses: &Poses) -> Option<(f64, GlobalRow)> {
        match &contact.kind {
            ContactKind::Feature(feature) => {
                let [a, b] = contact.bodies.map(|body| pose_of(poses.plane(), body));
                let apart = feature.separation(&a, &b)?;
                Some((apart.gap, self.place(contact.bodies, &apart.row)))
            }
            ContactKind::Limit { .. } => None,
        }
    }
}

fn held<T: Real>(
    feature: &collide::Feature,
    hold: &Hold,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Option<collide::Nearest<T>> {
    match hold.edge {
        Some(edge) => feature.nearest_on(edge, a, b),
        None => feature.nearest(a, b),
    }
}

fn moving(bodies: [BodyRef; 2], poses: &Poses, twists: &Twists) -> [Pose<Dual>; 2] {
    bodies.map(|body| pose_of(poses.plane(), body).with_rate(&twist_of(twists.plane(), body)))
}
