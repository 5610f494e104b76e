//! Generated contact problems: spheres packed at random into a box or stacked in layers, with what makes such piles hard.

use super::random::{Random, Xorshift};
use stiction::contact::body_blocks::{Body, ContactConstraint, GROUND, Joint, Problem, Row};
use stiction::contact::dense::{Block, Contact};

/// Random numbers from any seed.
pub fn random(seed: u64) -> Xorshift {
    let mut random = Xorshift(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D);
    for _ in 0..8 {
        random.bits();
    }
    random
}

type V3 = [f64; 3];

fn minus(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn length(a: V3) -> f64 {
    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
}

fn cross(a: V3, b: V3) -> V3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Two directions across `normal`.
fn across(normal: V3) -> [V3; 2] {
    let other = if normal[0].abs() < 0.6 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 1.0, 0.0]
    };
    let t = cross(normal, other);
    let t = t.map(|x| x / length(t));
    [t, cross(normal, t)]
}

/// What the bodies do before the contacts act.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// A step of 5 ms under gravity.
    Rest,
    /// Everything is thrown about.
    Impact,
    /// At rest, with gaps of contacts as bias.
    Gaps,
}

/// How the spheres lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Packing {
    /// At random between walls.
    Jam,
    /// At random on a floor without walls, with fewer contacts a body.
    Heap,
    /// Equal spheres in square layers, each in the hollow of four, with places and normal velocities shaken.
    Stack,
}

/// A pile to generate.
#[derive(Clone, Copy, Debug)]
pub struct Pile {
    pub seed: u64,
    pub contacts: usize,
    pub friction: f64,
    pub motion: Motion,
    /// Densities differ by up to this factor.
    pub heavy: f64,
    /// Part of the contacts, in percent, that are there twice, with this noise in their geometry.
    pub copies: usize,
    pub noise: f64,
    /// Torsional and rolling resistance on some contacts.
    pub resist: bool,
    pub packing: Packing,
}

impl Pile {
    pub fn new(seed: u64, contacts: usize, friction: f64, motion: Motion) -> Self {
        Self {
            seed,
            contacts,
            friction,
            motion,
            heavy: 1.0,
            copies: 0,
            noise: 0.0,
            resist: false,
            packing: Packing::Jam,
        }
    }
}

/// A problem with its lists.
#[derive(Clone, Debug, Default)]
pub struct Owned {
    pub bodies: Vec<Body>,
    pub contacts: Vec<ContactConstraint>,
    pub joints: Vec<Joint>,
    pub rows: Vec<Row>,
}

impl Owned {
    pub fn problem(&self) -> Problem<'_> {
        Problem {
            bodies: &self.bodies,
            contacts: &self.contacts,
            joints: &self.joints,
            rows: &self.rows,
        }
    }
}

/// A row of a force along `axis` at `arms` from both centres, or of a torque.
pub fn row(axis: V3, arms: Option<[V3; 2]>, bias: f64) -> Row {
    let mut entries = [[0.0; 6]; 2];
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        let moment = arms.map_or(axis, |arms| cross(arms[side], axis));
        for k in 0..3 {
            if arms.is_some() {
                entries[side][k] = sign * axis[k];
            }
            entries[side][3 + k] = sign * moment[k];
        }
    }
    Row {
        entries,
        bias,
        compliance: 0.0,
    }
}

/// Centres and radii of `n` spheres, settled into a box by moving overlaps apart.
fn pack(random: &mut Xorshift, n: usize) -> (Vec<V3>, Vec<f64>, f64) {
    let radii: Vec<f64> = (0..n).map(|_| 1.0 + 0.25 * random.signed()).collect();
    let side = (n as f64).cbrt() * 1.7 + 2.0;
    let mut places: Vec<V3> = (0..n)
        .map(|k| {
            let height = 2.6 * k as f64 * 6.0 / (side * side) + 1.0;
            [
                side * 0.5 * (1.0 + 0.8 * random.signed()),
                side * 0.5 * (1.0 + 0.8 * random.signed()),
                height + random.signed(),
            ]
        })
        .collect();
    let mut near: Vec<(usize, usize)> = Vec::new();
    for round in 0..600 {
        if round % 10 == 0 {
            near = neighbours(&places, 3.6);
        }
        for (place, r) in places.iter_mut().zip(&radii) {
            place[2] -= if round < 500 { 0.03 } else { 0.001 };
            for k in 0..2 {
                place[k] = place[k].clamp(*r, side - *r);
            }
            place[2] = place[2].max(*r);
        }
        for &(i, j) in &near {
            let d = minus(places[i], places[j]);
            let distance = length(d).max(1e-9);
            let overlap = radii[i] + radii[j] - distance;
            if overlap > 0.0 {
                for k in 0..3 {
                    places[i][k] += 0.5 * overlap * d[k] / distance;
                    places[j][k] -= 0.5 * overlap * d[k] / distance;
                }
            }
        }
    }
    (places, radii, side)
}

/// Centres and radii of equal spheres in square layers around the origin, enough for `contacts`.
fn stack(random: &mut Xorshift, contacts: usize) -> (Vec<V3>, Vec<f64>) {
    let reach = 2.0 + (2.0 * contacts as f64).cbrt();
    let half = (reach / 2.0).ceil() as i32;
    let mut places = Vec::new();
    for layer in 0..=(reach / 2.0_f64.sqrt()) as i32 {
        for i in -half..=half {
            for j in -half..=half {
                let shift = f64::from(layer % 2);
                let place = [
                    2.0 * f64::from(i) + shift,
                    2.0 * f64::from(j) + shift,
                    1.0 + 2.0_f64.sqrt() * f64::from(layer),
                ];
                if length(place) < reach {
                    places.push(random.shake(place, 1e-3));
                }
            }
        }
    }
    let radii = vec![1.0; places.len()];
    (places, radii)
}

/// Pairs closer than `reach`, by sorting along one axis.
fn neighbours(places: &[V3], reach: f64) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|a, b| places[*a][2].total_cmp(&places[*b][2]));
    let mut pairs = Vec::new();
    for (p, &i) in order.iter().enumerate() {
        for &j in &order[p + 1..] {
            if places[j][2] - places[i][2] > reach {
                break;
            }
            if length(minus(places[i], places[j])) < reach {
                pairs.push((i.min(j), i.max(j)));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// A place where two spheres, or a sphere and a wall, touch.
#[derive(Clone, Copy)]
struct Place {
    bodies: [u32; 2],
    normal: V3,
    arms: [V3; 2],
    gap: f64,
}

/// All places where spheres are near each other, the floor, and the walls of a jam.
fn meetings(places: &[V3], radii: &[f64], side: f64, packing: Packing) -> Vec<Place> {
    let mut touching = Vec::new();
    for (i, place) in places.iter().enumerate() {
        for (wall, (normal, gap)) in [
            ([0.0, 0.0, 1.0], place[2] - radii[i]),
            ([1.0, 0.0, 0.0], place[0] - radii[i]),
            ([-1.0, 0.0, 0.0], side - place[0] - radii[i]),
            ([0.0, 1.0, 0.0], place[1] - radii[i]),
            ([0.0, -1.0, 0.0], side - place[1] - radii[i]),
        ]
        .into_iter()
        .enumerate()
        {
            if wall > 0 && packing != Packing::Jam {
                continue;
            }
            touching.push(Place {
                bodies: [i as u32, GROUND],
                normal,
                arms: [normal.map(|x| -radii[i] * x), [0.0; 3]],
                gap,
            });
        }
    }
    for (i, j) in neighbours(places, 2.7) {
        let d = minus(places[i], places[j]);
        let normal = d.map(|x| x / length(d));
        touching.push(Place {
            bodies: [i as u32, j as u32],
            normal,
            arms: [normal.map(|x| -radii[i] * x), normal.map(|x| radii[j] * x)],
            gap: length(d) - radii[i] - radii[j],
        });
    }
    touching
}

/// The problem of a pile.
pub fn generate(pile: &Pile) -> Owned {
    let mut random = random(pile.seed);
    let (places, radii, side) = match pile.packing {
        Packing::Jam => pack(&mut random, pile.contacts * 10 / 24 + 3),
        Packing::Heap => pack(&mut random, pile.contacts * 10 / 18 + 3),
        Packing::Stack => {
            let (places, radii) = stack(&mut random, pile.contacts);
            (places, radii, f64::INFINITY)
        }
    };
    let mut touching = meetings(&places, &radii, side, pile.packing);
    let originals = pile.contacts - pile.contacts * pile.copies / 100;
    if pile.packing == Packing::Stack {
        touching.retain(|t| t.gap < 0.1);
        let away = |t: &Place| {
            let centre = places[t.bodies[0] as usize];
            length([0, 1, 2].map(|k| centre[k] + t.arms[0][k]))
        };
        touching.sort_by(|a, b| away(a).total_cmp(&away(b)));
    } else {
        touching.sort_by(|a, b| a.gap.total_cmp(&b.gap));
    }
    touching.truncate(originals);
    touching.sort_by_key(|t| t.bodies);
    while !touching.is_empty() && touching.len() < pile.contacts {
        let mut copy = touching[random.below(originals)];
        copy.normal = random.shake(copy.normal, pile.noise);
        copy.arms = copy.arms.map(|a| random.shake(a, pile.noise));
        touching.push(copy);
    }
    let mut owned = Owned::default();
    for radius in &radii {
        let density = if pile.heavy > 1.0 {
            pile.heavy.powf(0.5 * (random.signed() + 1.0))
        } else {
            1.0
        };
        let mass = density * radius * radius * radius;
        let spin = 0.4 * mass * radius * radius;
        let mut velocity = [0.0, 0.0, -0.05, 0.0, 0.0, 0.0];
        if pile.motion == Motion::Impact {
            velocity = velocity.map(|v| 10.0 * v + random.signed());
        }
        let (m, s) = (1.0 / mass, 1.0 / spin);
        owned
            .bodies
            .push(Body::diagonal([m, m, m, s, s, s], velocity));
    }
    for place in touching {
        let mut blocks = vec![Block::Disc {
            friction: pile.friction,
        }];
        let bias = match (pile.packing, pile.motion) {
            (Packing::Stack, _) => 0.03 * random.signed(),
            (_, Motion::Gaps) => 5e-4 * (1.0 + random.signed()),
            _ => 0.0,
        };
        let arms = Some(place.arms);
        let [s, t] = across(place.normal);
        owned.rows.push(row(place.normal, arms, bias));
        owned.rows.push(row(s, arms, 0.0));
        owned.rows.push(row(t, arms, 0.0));
        if pile.resist && random.below(2) == 0 {
            blocks.push(Block::Line { friction: 0.05 });
            owned.rows.push(row(place.normal, None, 0.0));
            blocks.push(Block::Disc { friction: 0.02 });
            owned.rows.push(row(s, None, 0.0));
            owned.rows.push(row(t, None, 0.0));
        }
        owned.contacts.push(ContactConstraint {
            bodies: place.bodies,
            contact: Contact::new(&blocks),
        });
    }
    owned
}
