//! Height field: a regular grid of heights over a rectangle, each cell divided into two triangles by the diagonal from
//! its lower left to its upper right corner. Solid below.

use crate::math::{Limit, Vec3, cross3, dot3};

/// A surface of triangles over a regular grid.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    /// Position of the first grid point at height zero, m.
    pub corner: Vec3,
    /// Distance of grid points along x and y, m, positive.
    pub spacing: [f64; 2],
    /// Grid points along x and y, at least two.
    pub count: [usize; 2],
    /// Heights above `corner`, m; x varies fastest.
    pub heights: Vec<f64>,
}

/// A triangle of a height field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// m, counter-clockwise seen from above.
    pub corners: [Vec3; 3],
    /// Unit vector out of the ground.
    pub normal: Vec3,
    /// Which edges (from each corner to the next one) this triangle handles for contacts.
    pub owns_side: [bool; 3],
    /// Which corners it handles.
    pub owns_corner: [bool; 3],
}

impl HeightField {
    /// Cells along x and y.
    pub fn cells(&self) -> [usize; 2] {
        self.count.map(|n| n.saturating_sub(1))
    }

    /// A grid point, m.
    pub fn point(&self, i: usize, j: usize) -> Vec3 {
        let height = self.heights.get(j * self.count[0] + i).copied();
        self.corner
            + Vec3::new(
                i as f64 * self.spacing[0],
                j as f64 * self.spacing[1],
                height.unwrap_or(0.0),
            )
    }

    /// Lowest and highest height, m.
    pub fn range(&self) -> [f64; 2] {
        let start = [f64::INFINITY, f64::NEG_INFINITY];
        let range = self
            .heights
            .iter()
            .fold(start, |[l, h], &z| [l.at_most(z), h.at_least(z)]);
        range.map(|z| z + self.corner.z)
    }

    /// The triangle below (`upper` false) or above the diagonal of a cell.
    pub fn triangle(&self, i: usize, j: usize, upper: bool) -> Triangle {
        let (p, q) = (self.point(i, j), self.point(i + 1, j + 1));
        let corners = if upper {
            [p, q, self.point(i, j + 1)]
        } else {
            [p, self.point(i + 1, j), q]
        };
        let n = cross3(corners[1] - corners[0], corners[2] - corners[0]);
        let normal = n / dot3(n, n).sqrt();
        let [nx, ny] = self.cells();
        // a lower triangle handles all its edges and its first corner, an upper one those at the border
        let (right, top) = (i + 1 == nx, j + 1 == ny);
        let (owns_side, owns_corner) = if upper {
            ([false, top, i == 0], [false, false, top])
        } else {
            ([true, true, true], [true, right, right && top])
        };
        Triangle {
            corners,
            normal,
            owns_side,
            owns_corner,
        }
    }
}

impl Triangle {
    /// Outward unit vector in the plane of the triangle, normal to an edge.
    pub fn outward(&self, side: usize) -> Vec3 {
        super::unit(cross3(
            self.corners[(side + 1) % 3] - self.corners[side],
            self.normal,
        ))
    }
}
