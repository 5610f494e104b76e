//! Suggestions for unknown words.

/// Common alternatives for keys of the format.
const SYNONYMS: &[(&str, &str)] = &[
    ("ball", "sphere"),
    ("ball", "spherical"),
    ("ball_joint", "spherical"),
    ("ball_socket", "spherical"),
    ("block", "box"),
    ("body", "bodies"),
    ("c", "damping"),
    ("cardan", "universal"),
    ("center", "position"),
    ("centre", "position"),
    ("circle", "sphere"),
    ("com", "position"),
    ("convex", "polyhedron"),
    ("cube", "box"),
    ("cuboid", "box"),
    ("d", "damping"),
    ("disc", "circle"),
    ("disk", "circle"),
    ("dt", "step"),
    ("duration", "until"),
    ("e", "restitution"),
    ("end", "until"),
    ("end_time", "until"),
    ("floor", "half_plane"),
    ("floor", "half_space"),
    ("g", "gravity"),
    ("h", "step"),
    ("half_plane", "half_space"),
    ("halfplane", "half_plane"),
    ("halfspace", "half_space"),
    ("heightfield", "height_field"),
    ("heightmap", "height_field"),
    ("hinge", "revolute"),
    ("hooke", "universal"),
    ("i", "inertia"),
    ("integrator", "scheme"),
    ("j", "inertia"),
    ("k", "stiffness"),
    ("kinematic", "driven"),
    ("m", "mass"),
    ("mesh", "polyhedron"),
    ("method", "scheme"),
    ("mu", "friction"),
    ("omega", "angular_velocity"),
    ("orientation", "angle"),
    ("moving", "driven"),
    ("pin", "revolute"),
    ("pivot", "at"),
    ("plane", "half_space"),
    ("points", "vertices"),
    ("polygon", "polyhedron"),
    ("pos", "position"),
    ("quaternion", "orientation"),
    ("r", "radius"),
    ("rest_angle", "rest"),
    ("rest_length", "rest"),
    ("rotation", "angle"),
    ("rotation", "rotation_vector"),
    ("rod", "distance"),
    ("rpy", "euler"),
    ("slider", "prismatic"),
    ("sphere", "spherical"),
    ("step_size", "step"),
    ("t_end", "until"),
    ("terrain", "height_field"),
    ("theta", "angle"),
    ("time_step", "step"),
    ("timestep", "step"),
    ("torsional", "joint_spring"),
    ("type", "kind"),
    ("v", "velocity"),
    ("vel", "velocity"),
    ("weld", "fixed"),
    ("world", "ground"),
];

/// The word of `known` that was probably meant by `word`.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word = word.to_lowercase();
    let means = |key: &str| SYNONYMS.iter().any(|(w, k)| *w == word && *k == key);
    // Up to a third of the letters may be wrong.
    let allowed = (word.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let lower = candidate.to_lowercase();
        if means(candidate) || lower == word {
            return Some(candidate);
        }
        let distance = distance(&word, &lower);
        // A one-letter word is one edit away from any other.
        let all_different = distance >= word.chars().count().max(lower.chars().count());
        if distance <= allowed && !all_different && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Number of insertions, deletions, substitutions and transpositions that turn `a` into `b`.
pub fn distance(a: &str, b: &str) -> usize {
    // Skip long words: the cost is the product of the lengths.
    const LONGEST: usize = 64;
    let a: Vec<char> = a.chars().take(LONGEST).collect();
    let b: Vec<char> = b.chars().take(LONGEST).collect();
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = last;
        last = row;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_keyboard_is_recognised() {
        let known = ["friction", "restitution", "mass", "position"];
        for (word, key) in [
            ("fricton", "friction"),
            ("frictoin", "friction"),
            ("restituton", "restitution"),
            ("Mass", "mass"),
            ("postion", "position"),
        ] {
            assert_eq!(nearest(word, known), Some(key), "{word}");
        }
    }

    #[test]
    fn the_usual_letter_stands_for_its_key() {
        assert_eq!(nearest("mu", ["friction", "mass"]), Some("friction"));
        assert_eq!(nearest("mu", ["mass"]), None);
    }

    #[test]
    fn a_different_word_has_no_nearest() {
        assert_eq!(nearest("colour", ["friction", "mass", "kind"]), None);
        assert_eq!(nearest("x", ["y", "z"]), None);
    }
}
