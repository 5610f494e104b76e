//! Convex polyhedron: moments by the divergence theorem over the triangles of its faces.
//!
//! (1)  volume = sum d/6,  first = sum d/24 (p + q + r),  d = p.(q x r)
//! (2)  second = sum d/120 (p p' + q q' + r r' + s s'),  s = p + q + r;  inertia = tr(second) 1 - second

use super::{Flat, Moments};
use crate::kinds::space::Pose;
use crate::math::{Limit, Mat3, Vec3, cross3, dot3, hull};

/// A convex solid with flat faces.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyhedron {
    /// Corners, m.
    pub vertices: Vec<Vec3>,
    /// Its faces.
    pub faces: Vec<Face>,
    /// Its edges.
    pub edges: Vec<Edge>,
    /// Unit vectors along the edges that leave each vertex.
    pub leaving: Vec<Vec<Vec3>>,
    /// Was it given as a box?
    pub is_box: bool,
}

/// A flat face.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Unit vector out of the solid.
    pub normal: Vec3,
    /// The solid is where `normal . x <= offset`, m.
    pub offset: f64,
    /// Its vertices, counter-clockwise seen from outside.
    pub corners: Vec<usize>,
    /// Outward unit vectors in the plane of the face, normal to the edge from each corner to the next one.
    pub outward: Vec<Vec3>,
}

/// A straight edge between two faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Its two vertices.
    pub ends: [usize; 2],
    /// The face on its left, seen from outside, and the one on its right.
    pub faces: [usize; 2],
    /// Outward unit vectors in the planes of these faces, normal to the edge.
    pub outward: [Vec3; 2],
    /// Unit vector from its first to its second end.
    pub direction: Vec3,
    /// m.
    pub length: f64,
}

impl Face {
    /// Distance of a point from the plane of the face, positive outside, m.
    #[inline]
    pub fn height(&self, x: Vec3) -> f64 {
        dot3(self.normal, x) - self.offset
    }
}

impl Polyhedron {
    /// The convex hull of points.
    pub fn hull(points: &[Vec3]) -> Result<Self, Flat> {
        let (vertices, outlines) = hull::of(points)?;
        Self::from_outlines(vertices, &outlines).ok_or(Flat)
    }

    /// A box; `axes` are the directions of its edges, `size` its full extent along them.
    pub fn cuboid(centre: Vec3, axes: &Mat3, size: Vec3) -> Self {
        let column = |k: usize| Vec3::new(axes[(0, k)], axes[(1, k)], axes[(2, k)]);
        let half = [0, 1, 2].map(|k| column(k) * (0.5 * size[k]));
        let vertices = (0..8)
            .map(|i| {
                (0..3).fold(centre, |x, k| {
                    if i >> k & 1 == 1 {
                        x + half[k]
                    } else {
                        x - half[k]
                    }
                })
            })
            .collect();
        const OUTLINES: [[usize; 4]; 6] = [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ];
        let outlines = OUTLINES.map(|outline| outline.to_vec());
        let mut solid = Self::from_outlines(vertices, &outlines).unwrap_or(Self {
            vertices: Vec::new(),
            faces: Vec::new(),
            edges: Vec::new(),
            leaving: Vec::new(),
            is_box: true,
        });
        solid.is_box = true;
        for k in 0..3 {
            // exact axes, without the rounding of differences of corners
            for (face, sign) in [(2 * k, -1.0), (2 * k + 1, 1.0)] {
                if let Some(face) = solid.faces.get_mut(face) {
                    face.normal = column(k) * sign;
                    face.offset = sign * dot3(column(k), centre) + 0.5 * size[k];
                }
            }
        }
        solid
    }

    // every edge of a face is an edge of exactly one other face, in the opposite direction
    fn from_outlines(vertices: Vec<Vec3>, outlines: &[Vec<usize>]) -> Option<Self> {
        let mut faces: Vec<Face> = Vec::with_capacity(outlines.len());
        for corners in outlines {
            let middle =
                corners.iter().fold(Vec3::zeros(), |s, &i| s + vertices[i]) / corners.len() as f64;
            let mut area = Vec3::zeros();
            for (k, &i) in corners.iter().enumerate() {
                let j = corners[(k + 1) % corners.len()];
                area += cross3(vertices[i] - middle, vertices[j] - middle);
            }
            let normal = super::unit(area);
            let outward = corners
                .iter()
                .enumerate()
                .map(|(k, &i)| {
                    let j = corners[(k + 1) % corners.len()];
                    super::unit(cross3(vertices[j] - vertices[i], normal))
                })
                .collect();
            faces.push(Face {
                normal,
                offset: dot3(normal, middle),
                corners: corners.clone(),
                outward,
            });
        }
        let mut sides = Vec::new();
        for (f, corners) in outlines.iter().enumerate() {
            for (k, &i) in corners.iter().enumerate() {
                sides.push((i, corners[(k + 1) % corners.len()], f));
            }
        }
        sides.sort_unstable();
        let mut edges = Vec::new();
        let mut leaving = vec![Vec::new(); vertices.len()];
        for &(i, j, left) in &sides {
            let mut back = sides.iter().filter(|s| s.0 == j && s.1 == i);
            let right = back.next()?.2;
            if back.next().is_some() {
                return None;
            }
            let d = vertices[j] - vertices[i];
            let length = dot3(d, d).sqrt();
            leaving[i].push(d / length);
            if i < j {
                edges.push(Edge {
                    ends: [i, j],
                    faces: [left, right],
                    outward: [
                        super::unit(cross3(d, faces[left].normal)),
                        super::unit(cross3(faces[right].normal, d)),
                    ],
                    direction: d / length,
                    length,
                });
            }
        }
        (vertices.len() + faces.len() == edges.len() + 2).then_some(Self {
            vertices,
            faces,
            edges,
            leaving,
            is_box: false,
        })
    }

    /// Distance of the projection of a point from the border of a face, m; negative outside.
    #[inline]
    pub fn margin(&self, face: usize, x: Vec3) -> f64 {
        let face = &self.faces[face];
        let sides = face.corners.iter().zip(&face.outward);
        sides.fold(f64::INFINITY, |least, (&corner, outward)| {
            least.at_most(dot3(*outward, self.vertices[corner] - x))
        })
    }

    pub(super) fn seen_from(&self, frame: &Pose) -> Self {
        let turn = |v: Vec3| frame.turn_back(v);
        let mut solid = self.clone();
        for x in &mut solid.vertices {
            *x = turn(*x - frame.position);
        }
        for face in &mut solid.faces {
            face.offset -= dot3(face.normal, frame.position);
            face.normal = turn(face.normal);
            for out in &mut face.outward {
                *out = turn(*out);
            }
        }
        for edge in &mut solid.edges {
            edge.direction = turn(edge.direction);
            edge.outward = edge.outward.map(turn);
        }
        for direction in solid.leaving.iter_mut().flatten() {
            *direction = turn(*direction);
        }
        solid
    }

    pub(super) fn moments(&self) -> Moments {
        let n = self.vertices.len().max(1) as f64;
        let about = self.vertices.iter().fold(Vec3::zeros(), |s, &x| s + x) / n;
        let (mut volume, mut first) = (0.0, Vec3::zeros());
        let mut second: Mat3 = Mat3::zeros();
        for face in &self.faces {
            let corner = |k: usize| self.vertices[face.corners[k]] - about;
            let p = corner(0);
            for k in 2..face.corners.len() {
                let (q, r) = (corner(k - 1), corner(k));
                let d = dot3(p, cross3(q, r));
                let s = p + q + r;
                volume += d / 6.0; // (1)
                first += s * (d / 24.0);
                for i in 0..3 {
                    for j in 0..3 {
                        // (2)
                        let sum = p[i] * p[j] + q[i] * q[j] + r[i] * r[j] + s[i] * s[j];
                        second[(i, j)] += d / 120.0 * sum;
                    }
                }
            }
        }
        let middle = first / volume;
        let mut inertia: Mat3 = Mat3::zeros();
        for i in 0..3 {
            for j in 0..3 {
                second[(i, j)] -= volume * middle[i] * middle[j];
            }
        }
        let trace = second[(0, 0)] + second[(1, 1)] + second[(2, 2)];
        for i in 0..3 {
            for j in 0..3 {
                inertia[(i, j)] = if i == j { trace } else { 0.0 } - second[(i, j)];
            }
        }
        Moments {
            volume,
            centre: about + middle,
            inertia,
        }
    }
}
