//! `copies` of a body: a block of identical bodies in rows, columns and layers.

use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::space::{Body, Triple};

/// A block of copies.
pub struct Copies {
    /// Number along x, y and z; x varies fastest.
    count: [u32; 3],
    /// Distance of neighbours, m.
    spacing: Triple,
    /// Maximum deviation from the grid along each axis, m; reproducible.
    jitter: f64,
}

/// Maximum number of copies; more are assumed to be a typing error.
const MOST: u32 = 100_000;

/// Reads the table.
pub fn read(mut t: Table<'_>) -> Option<Copies> {
    let count = t.need("count").and_then(|value| {
        let given = value.several::<3>("three counts, along x, y and z")?;
        let [x, y, z] = given.map(|value| value.count(1, MOST));
        let counts = [x?, y?, z?];
        let total = counts.iter().map(|n| u64::from(*n)).product::<u64>();
        if total > u64::from(MOST) {
            value.bad(
                format!("{total} bodies are too many"),
                format!("keep the product of the three below {MOST}"),
            );
            return None;
        }
        Some(counts)
    });
    let spacing = t.need_vector("spacing");
    let jitter = t.number_or("jitter", Range::NOT_NEGATIVE, 0.0);
    t.finish("copies");
    Some(Copies {
        count: count?,
        spacing: spacing?,
        jitter,
    })
}

impl Copies {
    /// The bodies: `name_1`, `name_2` and so on.
    pub fn of(&self, body: &Body) -> Vec<Body> {
        let [nx, ny, nz] = self.count;
        let mut random = Random(1);
        let mut bodies = Vec::new();
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    let mut copy = body.clone();
                    copy.name = format!("{}_{}", body.name, bodies.len() + 1);
                    for (axis, i) in [x, y, z].into_iter().enumerate() {
                        copy.position[axis] +=
                            self.spacing[axis] * f64::from(i) + self.jitter * random.next();
                    }
                    bodies.push(copy);
                }
            }
        }
        bodies
    }
}

/// Pseudo-random numbers from -1 to 1, by a linear congruential generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}
