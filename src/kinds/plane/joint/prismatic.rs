//! Prismatic joint: the second body's anchor stays on a line fixed in the first body, without rotation.
//!
//! (1)  0 = across . d,   d = p_b - p_a,   across = axis rotated by a right angle, both fixed in body a
//! (2)  0 = angle_b - angle_a - angle
//! (3)  coordinate = axis . d;  its rate and that of (1) use the point of body a at the second anchor, because the axis rotates

use super::{Coordinate, Description, JointKind, JointRows, Mounting, Mounts, Sign};
use crate::constraint::{Pose, Row};
use crate::math::{Real, Vec2, dot, perp};

/// Slider along an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Prismatic {
    /// On the first body, m.
    pub anchor_a: Vec2,
    /// On the second body, m.
    pub anchor_b: Vec2,
    /// Unit vector in the first body's axes.
    pub axis: Vec2,
    /// Angle of the second body minus that of the first, rad.
    pub angle: f64,
}

impl Prismatic {
    // component of d along a direction fixed in body a, and its gradient (3)
    fn along<T: Real>(&self, a: &Pose<T>, b: &Pose<T>, direction: Vec2) -> (T, Row<T>) {
        let direction = a.turn(direction);
        let (arm_a, arm_b) = (a.turn(self.anchor_a), b.turn(self.anchor_b));
        let d = b.position + arm_b - a.position - arm_a;
        (
            dot(direction, d),
            Row::relative_velocity(direction, arm_a + d, arm_b),
        )
    }
}

impl JointKind for Prismatic {
    const DESCRIPTION: Description = Description {
        word: "prismatic",
        text: "translation along the axis is free, the angle between the bodies is kept",
        mounting: Mounting::Axis,
        parameters: &[],
        rows: &["across", "angle"],
        n_forces: 1,
        coordinates: &[Coordinate::displacement("limits")],
        sign: Sign::SquareOnRails,
    };

    fn new(at: &Mounts, _: &[Option<f64>]) -> Self {
        let [anchor_a, anchor_b] = at.anchors;
        Self {
            anchor_a,
            anchor_b,
            axis: at.axis,
            angle: at.angle,
        }
    }

    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        let (offset, across) = self.along(a, b, perp(self.axis));
        JointRows {
            n: 2,
            residual: [
                offset,
                b.angle - a.angle - T::constant(self.angle),
                T::zero(),
            ],
            rows: [across, Row::relative_rotation(), Row::zero()],
        }
    }

    fn coordinate<T: Real>(&self, _: usize, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
        self.along(a, b, self.axis)
    }

    fn attachment(&self) -> [Vec2; 2] {
        [self.anchor_a, self.anchor_b]
    }

    fn axis(&self) -> Option<Vec2> {
        Some(self.axis)
    }
}
