//! Convex hull by gift wrapping: from each face to the adjacent one over each of its edges. A face contains all points of
//! its plane, so that planar faces are not split and points on faces and edges are dropped.
//!
//! (1)  along an edge e of a face with normal n, with s = e x n out of the face, all points are below:
//!      x = d.s, y = -d.n >= 0; the next face contains the point with the smallest angle of (x, y)

use super::{Limit, Vec3, cross3, dot3};

/// The points are coplanar, or their faces cannot be distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flat;

/// Points this close to a plane or line are on it, relative to the size of the whole: coordinates with ten digits are on
/// one plane.
const SAME: f64 = 1e-9;

struct Cloud {
    points: Vec<Vec3>,
    near: f64,
}

/// Vertices, and the outline of every face, counter-clockwise seen from outside.
pub fn of(points: &[Vec3]) -> Result<(Vec<Vec3>, Vec<Vec<usize>>), Flat> {
    let mut low = Vec3::repeat(f64::INFINITY);
    let mut high = Vec3::repeat(f64::NEG_INFINITY);
    for p in points {
        for k in 0..3 {
            low[k] = low[k].at_most(p[k]);
            high[k] = high[k].at_least(p[k]);
        }
    }
    let size = high - low;
    let near = SAME * dot3(size, size).sqrt();
    if points.len() < 4 || !near.is_finite() || near == 0.0 {
        return Err(Flat);
    }
    let mut kept: Vec<Vec3> = Vec::new();
    for &p in points {
        let is_same = |q: &&Vec3| dot3(**q - p, **q - p) <= near * near;
        if kept.iter().find(is_same).is_none() {
            kept.push(p);
        }
    }
    let cloud = Cloud { points: kept, near };
    let mut faces = vec![cloud.first_face()?];
    let mut sides: Vec<(usize, usize)> = sides_of(&faces[0].1).collect();
    let mut face_of_side = vec![0; sides.len()];
    let mut k = 0;
    while k < sides.len() {
        let (i, j) = sides[k];
        let (normal, _) = faces[face_of_side[k]];
        k += 1;
        if sides.contains(&(j, i)) {
            continue;
        }
        let next = cloud.over(cloud.points[i], cloud.points[j], normal)?;
        if !sides_of(&next.1).any(|s| s == (j, i)) || faces.len() > 4 * cloud.points.len() {
            return Err(Flat);
        }
        sides.extend(sides_of(&next.1));
        face_of_side.resize(sides.len(), faces.len());
        faces.push(next);
    }
    // two sides of a flat set of points do not enclose a volume
    if faces.len() < 4 {
        return Err(Flat);
    }
    // keep the vertices only
    let mut place = vec![usize::MAX; cloud.points.len()];
    let mut corners = Vec::new();
    for (i, p) in cloud.points.iter().enumerate() {
        if faces.iter().any(|f| f.1.contains(&i)) {
            place[i] = corners.len();
            corners.push(*p);
        }
    }
    let outlines = faces
        .into_iter()
        .map(|(_, outline)| outline.into_iter().map(|i| place[i]).collect())
        .collect();
    Ok((corners, outlines))
}

fn sides_of(outline: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let n = outline.len();
    (0..n).map(move |k| (outline[k], outline[(k + 1) % n]))
}

impl Cloud {
    fn first_face(&self) -> Result<(Vec3, Vec<usize>), Flat> {
        let first = self.points.iter().copied().reduce(|a, b| {
            let before = (b.x, b.y, b.z) < (a.x, a.y, a.z);
            if before { b } else { a }
        });
        let p = first.ok_or(Flat)?;
        // the plane x = p.x, rotated about a line through p until it meets a point, then about the line to that one
        let down = Vec3::new(-1.0, 0.0, 0.0);
        let (normal, q) = self.turned(p, Vec3::new(0.0, 0.0, 1.0), down)?;
        let d = q - p;
        let along = d / dot3(d, d).sqrt();
        let (normal, _) = self.turned(p, along, normal)?;
        self.face(p, normal)
    }

    fn over(&self, p: Vec3, q: Vec3, normal: Vec3) -> Result<(Vec3, Vec<usize>), Flat> {
        let d = q - p;
        let along = d / dot3(d, d).sqrt();
        let (next, _) = self.turned(p, along, normal)?;
        self.face(p, next)
    }

    // (1): the normal of the next plane through a line, and a point on it
    fn turned(&self, p: Vec3, along: Vec3, normal: Vec3) -> Result<(Vec3, Vec3), Flat> {
        let out = cross3(along, normal);
        let mut best: Option<(f64, f64, Vec3)> = None;
        for &w in &self.points {
            let d = w - p;
            let (x, y) = (dot3(d, out), -dot3(d, normal));
            if x * x + y * y <= self.near * self.near {
                continue;
            }
            // the points of the face itself are at half a turn
            let y = if y <= self.near { 0.0 } else { y };
            let earlier = best.is_none_or(|(bx, by, _)| {
                let turn = x * by - bx * y;
                turn > 0.0 || (turn == 0.0 && x > bx)
            });
            if earlier {
                best = Some((x, y, w));
            }
        }
        let (_, _, w) = best.ok_or(Flat)?;
        let d = w - p;
        let (x, y) = (dot3(d, out), -dot3(d, normal));
        let length = (x * x + y * y).sqrt();
        Ok(((out * y + normal * x) / length, w))
    }

    // the hull of all points on a plane through p
    fn face(&self, p: Vec3, normal: Vec3) -> Result<(Vec3, Vec<usize>), Flat> {
        let axis = (0..3).fold(0, |k, i| {
            if normal[i].abs() < normal[k].abs() {
                i
            } else {
                k
            }
        });
        let mut e = Vec3::zeros();
        e[axis] = 1.0;
        let across = cross3(e, normal);
        let u = across / dot3(across, across).sqrt();
        let v = cross3(normal, u);
        let mut flat = Vec::new();
        for (i, &x) in self.points.iter().enumerate() {
            let height = dot3(x - p, normal);
            if height > 2.0 * self.near {
                return Err(Flat);
            }
            if height > -2.0 * self.near {
                flat.push((dot3(x - p, u), dot3(x - p, v), i));
            }
        }
        flat.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut outline: Vec<(f64, f64, usize)> = Vec::new();
        for pass in 0..2 {
            let start = outline.len();
            for k in 0..flat.len() {
                let c = flat[if pass == 0 { k } else { flat.len() - 1 - k }];
                while outline.len() >= start + 2 {
                    let (a, b) = (outline[outline.len() - 2], outline[outline.len() - 1]);
                    let (dx, dy) = (c.0 - a.0, c.1 - a.1);
                    let turn = (b.0 - a.0) * dy - (b.1 - a.1) * dx;
                    if turn > self.near * (dx * dx + dy * dy).sqrt() {
                        break;
                    }
                    outline.pop();
                }
                outline.push(c);
            }
            outline.pop();
        }
        if outline.len() < 3 {
            return Err(Flat);
        }
        Ok((normal, outline.into_iter().map(|c| c.2).collect()))
    }
}
