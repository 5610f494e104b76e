//! Checks whether a mesh is the surface of the convex hull of its corners.
//!
//! (1)  The depth of a point below the surface of the hull is its least distance from the planes of the hull's faces.
//! (2)  If the corners and the centre of a face of the mesh are on the hull's surface, so is the face. A closed surface that
//!      lies on that of the hull covers all of it.

use super::Mesh;
use crate::math::{Limit, Vec3, cross3, dot3, hull};

/// A face is on the hull if its depth relative to the size of the mesh is below this: coordinates may have six
/// digits.
const ON_SURFACE: f64 = 1e-5;

/// Largest depth of a face below the surface of the hull of the corners, relative to the size of the mesh;
/// `None` if the mesh is convex, has no faces, or no hull.
pub fn dent(mesh: &Mesh) -> Option<f64> {
    let points: Vec<Vec3> = mesh.corners.iter().map(|c| Vec3::from(*c)).collect();
    if mesh.faces.is_empty() || points.len() < 4 {
        return None;
    }
    let (corners, outlines) = hull::of(&points).ok()?;
    let planes: Vec<(Vec3, Vec3)> = outlines.iter().map(|o| plane(&corners, o)).collect();
    let mut size: f64 = 0.0;
    for k in 0..3 {
        let low = points
            .iter()
            .fold(f64::INFINITY, |low, p| low.at_most(p[k]));
        let high = points
            .iter()
            .fold(f64::NEG_INFINITY, |high, p| high.at_least(p[k]));
        size = size.at_least(high - low);
    }
    // (1)
    let below = |x: Vec3| {
        let depths = planes.iter().map(|(p, normal)| dot3(*normal, *p - x));
        depths.fold(f64::INFINITY, |least, depth| least.at_most(depth))
    };
    let mut deepest: f64 = 0.0;
    for face in &mesh.faces {
        let [p, q, r] = face.map(|i| points[i]);
        for x in [p, q, r, (p + q + r) / 3.0] {
            deepest = deepest.at_least(below(x) / size); // (2)
        }
    }
    (deepest > ON_SURFACE).then_some(deepest)
}

// a point of a face, and its unit normal
fn plane(corners: &[Vec3], outline: &[usize]) -> (Vec3, Vec3) {
    let first = corners[outline[0]];
    let mut normal = Vec3::zeros();
    for pair in outline[1..].windows(2) {
        normal += cross3(corners[pair[0]] - first, corners[pair[1]] - first);
    }
    (first, normal / dot3(normal, normal).sqrt())
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, read};
    use super::*;

    fn dent_of(obj: &str) -> Option<f64> {
        dent(&read(Kind::Obj, obj.as_bytes()).unwrap())
    }

    // a prism with top, bottom and side faces
    fn prism(outline: &[[f64; 2]]) -> String {
        let n = outline.len();
        let mut text = String::new();
        for z in [0.0, 0.7] {
            for [x, y] in outline {
                text += &format!("v {x} {y} {z}\n");
            }
        }
        let list = |from: usize| -> String { (from..from + n).map(|i| format!(" {i}")).collect() };
        text += &format!("f{}\nf{}\n", list(1), list(n + 1));
        for i in 0..n {
            let j = (i + 1) % n;
            text += &format!("f {} {} {} {}\n", i + 1, j + 1, n + j + 1, n + i + 1);
        }
        text
    }

    #[test]
    fn a_face_that_goes_inwards_is_seen_wherever_it_is() {
        // an L-shaped prism
        let l = [[0., 0.], [2., 0.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]];
        let depth = dent_of(&prism(&l)).unwrap();
        println!("an L: {depth}");
        assert!(depth > 0.05);
        // a dent of a thousandth
        let dented = [[0., 0.], [1., 0.001], [2., 0.], [2., 1.], [0., 1.]];
        let depth = dent_of(&prism(&dented)).unwrap();
        // the centre of a triangle is at two thirds of it, on a size of two
        assert!((depth - 1e-3 / 3.0).abs() < 1e-9, "{depth}");
    }

    #[test]
    fn convex_meshes_pass_with_flat_faces_in_parts_repeated_corners_and_rounding() {
        let square = [[0., 0.], [1., 0.], [2., 0.], [2., 2.], [0., 2.]];
        assert_eq!(dent_of(&prism(&square)), None);
        let round: Vec<[f64; 2]> = (0..24)
            .map(|i| {
                let (s, c) = libm::sincos(f64::from(i) * std::f64::consts::TAU / 24.0);
                [(c * 1e4).round() / 1e4, (s * 1e4).round() / 1e4]
            })
            .collect();
        assert_eq!(dent_of(&prism(&round)), None);
        let repeated = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 0\nv 0 0.5 0.5\nf 1/1/1 3//2 2\nf 5 2 4\nf -6 4 -1 3\nf 2 3 6\nf 2 6 4\n";
        assert_eq!(dent_of(repeated), None);
        // without faces the shape is the hull
        assert_eq!(
            dent_of("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0.1 0.1\n"),
            None
        );
    }
}
