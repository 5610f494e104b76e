//! Friction and motion in space in words.

use super::number;
use crate::model::SpaceContact;
use crate::scene::spec::FrictionCone;

pub(super) fn friction(coefficient: f64, contact_kind: &SpaceContact) -> String {
    if contact_kind.axis.is_none() {
        return number(coefficient);
    }
    let mut both = [coefficient, coefficient * contact_kind.across].map(number);
    if contact_kind.turned {
        both.reverse();
    }
    let [along, across] = both;
    format!("{along} along its axis and {across} across")
}

pub(super) fn motion([x, y, z]: &[String; 3]) -> Vec<String> {
    vec![
        format!(
            "Mass times acceleration of each body is the sum of gravity, ({x}, {y}, {z}) m/s², and the forces of elements, joints and contacts; the rate of its angular momentum is the sum of their torques."
        ),
        "A body's orientation is a unit quaternion; its angular velocity is integrated in its principal axes.".to_owned(),
        format!(
            "Shape pairs have outputs for their resultant forces; individual contacts are outputs only if a pair has at most {} of them.",
            crate::simulation::observe::MOST_SHOWN
        ),
    ]
}

pub(super) fn cone(cone: &FrictionCone) -> String {
    match cone {
        FrictionCone::Exact => {
            "Friction is bounded by a circle, or by an ellipse where it differs between directions."
                .to_owned()
        }
        FrictionCone::Polyhedral { directions, .. } => {
            format!("Friction is bounded by a polygon of {directions} corners.")
        }
    }
}
