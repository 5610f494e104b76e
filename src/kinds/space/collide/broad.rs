//! Which pairs of shapes are near: sort and sweep of the intervals of their bounding balls along x. The order of the
//! last call is kept, so that sorting costs little while things move little.

use crate::kinds::space::Pose;
use crate::kinds::space::shape::Bound;
use crate::math::{Vec3, dot3};

/// Bounds of all shapes, the pairs that can touch, and room for the search.
#[derive(Clone, Debug)]
pub struct Broad {
    bounds: Vec<Bound>,
    /// Two bounded shapes, the lower index first, sorted; with the number of the pair.
    bounded: Vec<([usize; 2], usize)>,
    /// A half-space and something else.
    unbounded: Vec<([usize; 2], usize)>,
    /// Bounded shapes that are in a pair, by the low end of their intervals.
    order: Vec<usize>,
    centre: Vec<Vec3>,
    reach: Vec<f64>,
    near: Vec<usize>,
}

impl Broad {
    /// For the bounds of shapes and the pairs of them that can touch.
    pub fn new(bounds: Vec<Bound>, pairs: &[[usize; 2]]) -> Self {
        let is_ball = |i: usize| match bounds[i] {
            Bound::Ball { .. } => true,
            Bound::HalfSpace(_) => false,
        };
        let (mut bounded, mut unbounded) = (Vec::new(), Vec::new());
        for (number, &[i, j]) in pairs.iter().enumerate() {
            if is_ball(i) && is_ball(j) {
                bounded.push(([i.min(j), i.max(j)], number));
            } else {
                unbounded.push(([i, j], number));
            }
        }
        bounded.sort_unstable();
        let mut order: Vec<usize> = bounded.iter().flat_map(|(pair, _)| *pair).collect();
        order.sort_unstable();
        order.dedup();
        Self {
            centre: vec![Vec3::zeros(); bounds.len()],
            reach: vec![0.0; bounds.len()],
            near: Vec::with_capacity(pairs.len()),
            bounds,
            bounded,
            unbounded,
            order,
        }
    }

    /// The pairs that come within the sum of their reaches, by rising number. `place` gives the pose of a shape and how
    /// far its points may come from where they are now, m.
    pub fn near(&mut self, place: impl Fn(usize) -> (Pose, f64)) -> &[usize] {
        self.near.clear();
        for &([i, j], number) in &self.unbounded {
            let ((a, reach_a), (b, reach_b)) = (place(i), place(j));
            let apart = self.bounds[i].clearance(&self.bounds[j], &a, &b);
            if apart <= reach_a + reach_b {
                self.near.push(number);
            }
        }
        for &i in &self.order {
            if let Bound::Ball { centre, radius } = self.bounds[i] {
                let (pose, reach) = place(i);
                self.centre[i] = pose.point(centre);
                self.reach[i] = radius + reach;
            }
        }
        self.sort();
        for k in 0..self.order.len() {
            let i = self.order[k];
            let end = self.centre[i].x + self.reach[i];
            for &j in &self.order[k + 1..] {
                if self.centre[j].x - self.reach[j] > end {
                    break;
                }
                let d = self.centre[j] - self.centre[i];
                let sum = self.reach[i] + self.reach[j];
                if dot3(d, d) > sum * sum {
                    continue;
                }
                let pair = [i.min(j), i.max(j)];
                let first = self.bounded.partition_point(|(other, _)| *other < pair);
                let same = self.bounded[first..]
                    .iter()
                    .take_while(|(other, _)| *other == pair);
                self.near.extend(same.map(|(_, number)| *number));
            }
        }
        self.near.sort_unstable();
        &self.near
    }

    // by insertion: the order of the last call is nearly right
    fn sort(&mut self) {
        for k in 1..self.order.len() {
            let moved = self.order[k];
            let low = self.centre[moved].x - self.reach[moved];
            let mut at = k;
            while at > 0 {
                let before = self.order[at - 1];
                let low_before = self.centre[before].x - self.reach[before];
                let stays = low_before < low || (low_before == low && before < moved);
                if stays {
                    break;
                }
                self.order[at] = before;
                at -= 1;
            }
            self.order[at] = moved;
        }
    }
}
