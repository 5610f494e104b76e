//! Claims about the solver of exact friction cones. Every answer is checked by `contact::dense::residual`.

use crate::common::allocator::allocations;
use crate::common::problems::stored_problems;
use crate::common::random::{Random, Xorshift, unit};
use std::time::Instant;

use stiction::contact::dense::{
    ACCEPTED_RESIDUAL, Block, Contact, Friction, Outcome, Problem, Solver, Stage, residual,
};
use stiction::contact::lcp;

struct Owned {
    n: usize,
    matrix: Vec<f64>,
    vector: Vec<f64>,
    contacts: Vec<Contact>,
    /// Rows over the velocities of the bodies.
    rows: Vec<Vec<f64>>,
}

impl Owned {
    fn problem(&self) -> Problem<'_> {
        Problem {
            n: self.n,
            matrix: &self.matrix,
            vector: &self.vector,
            contacts: &self.contacts,
        }
    }
}

impl Owned {
    /// Changes the velocities that the bodies would have without contacts, so that those of the contacts still agree.
    fn move_bodies(&mut self, random: &mut Xorshift, part: f64) {
        let size = self.vector.iter().fold(0.0, |m: f64, b| m.max(b.abs()));
        let change: Vec<f64> = (0..self.rows[0].len())
            .map(|_| part * size * random.signed())
            .collect();
        for (b, row) in self.vector.iter_mut().zip(&self.rows) {
            *b += row.iter().zip(&change).map(|(a, v)| a * v).sum::<f64>();
        }
    }
}

/// The stored polyhedral problems with the cones in place of the pyramids.
fn instances() -> Vec<(String, Owned)> {
    let problems = stored_problems().into_iter();
    let with_cones = problems.map(|problem| {
        let (matrix, vector, contacts) = problem.with_cones();
        let owned = Owned {
            n: vector.len(),
            matrix,
            vector,
            contacts,
            rows: Vec::new(),
        };
        (problem.name, owned)
    });
    with_cones.collect()
}

#[test]
fn saved_contact_problems_are_solved_cold_and_warm() {
    let mut solver = Solver::default();
    let mut failures = 0;
    for (name, cones) in instances() {
        let mut r = vec![0.0; cones.n];
        let start = Instant::now();
        let cold = solver.solve(&cones.problem(), &mut r);
        let time = start.elapsed();
        let checked = residual(&cones.problem(), &r);
        let stage = solver.stage();
        let mut random = Xorshift(77);
        let mut moved = Owned {
            n: cones.n,
            matrix: cones.matrix.clone(),
            vector: cones.vector.clone(),
            contacts: cones.contacts.clone(),
            rows: Vec::new(),
        };
        for b in &mut moved.vector {
            *b *= 1.0 + 0.01 * random.signed();
        }
        let start = Instant::now();
        let warm = solver.solve(&moved.problem(), &mut r);
        let warm_time = start.elapsed();
        println!(
            "{name:24} n {:4} cold {cold:?} {stage:?} {time:?} warm {warm:?} {:?} {warm_time:?}",
            cones.n,
            solver.stage()
        );
        let warm_checked = residual(&moved.problem(), &r);
        let good = checked <= ACCEPTED_RESIDUAL
            && warm_checked <= ACCEPTED_RESIDUAL
            && matches!(cold, Outcome::Solved { .. })
            && matches!(warm, Outcome::Solved { .. });
        failures += u32::from(!good);
    }
    println!("{:?}", solver.stats);
    assert_eq!(failures, 0);
}

/// Xorshift (Marsaglia 2003).
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Plain,
    LargeFriction,
    Heavy,
    ExactCopies,
    Copies1e9,
    Copies1e7,
    ManyBlocks,
    Unsymmetric,
    SlidingColumns,
    Gaps,
    Everything,
}

const KINDS: [Kind; 11] = [
    Kind::Plain,
    Kind::LargeFriction,
    Kind::Heavy,
    Kind::ExactCopies,
    Kind::Copies1e9,
    Kind::Copies1e7,
    Kind::ManyBlocks,
    Kind::Unsymmetric,
    Kind::SlidingColumns,
    Kind::Gaps,
    Kind::Everything,
];

/// A contact of body `one` with body `other` or with the ground.
#[derive(Clone, Copy)]
struct RandomContact {
    one: usize,
    other: Option<usize>,
    axes: [[f64; 3]; 3],
    arms: [[f64; 3]; 2],
    sliding: f64,
    spinning: Option<f64>,
    rolling: Option<f64>,
    /// The impulse goes along `n - mu d`, the friction is known.
    known: Option<([f64; 3], f64)>,
}

impl RandomContact {
    fn new(random: &mut Xorshift, kind: Kind, n_bodies: usize, box_on_table: bool) -> Self {
        let everything = kind == Kind::Everything;
        let one = random.below(n_bodies);
        let other = Some(random.below(n_bodies)).filter(|&o| o != one && random.chance(60));
        let normal = if box_on_table && other.is_none() {
            [0.0, 0.0, 1.0]
        } else {
            random.direction()
        };
        // round bodies half of the time, else normals and arms are unrelated
        let round = random.chance(50);
        let arm = |random: &mut Xorshift, sign: f64| {
            if round {
                normal.map(|x| sign * x)
            } else {
                random.direction()
            }
        };
        let sliding = match kind {
            Kind::LargeFriction => 1.0 + 2.0 * (random.signed() + 1.0),
            _ if random.chance(10) => 0.0,
            Kind::Everything => 2.5 * (random.signed() + 1.0),
            _ => 0.5 * (random.signed() + 1.0),
        };
        let many = kind == Kind::ManyBlocks || everything;
        let spinning = Some(0.1 * (random.signed() + 1.0)).filter(|_| many && random.chance(50));
        let rolling = Some(0.1 * (random.signed() + 1.0)).filter(|_| many && random.chance(50));
        let frame = axes(normal);
        let known = if (kind == Kind::SlidingColumns || everything) && random.chance(30) {
            let d = unit([random.signed(), random.signed(), 0.0]);
            let along = [0, 1, 2].map(|k| d[0] * frame[1][k] + d[1] * frame[2][k]);
            Some((along, 0.25 * (random.signed() + 1.0)))
        } else {
            None
        };
        let arms = [arm(random, -1.0), arm(random, 1.0)];
        Self {
            one,
            other,
            axes: frame,
            arms,
            sliding,
            spinning,
            rolling,
            known,
        }
    }
    fn push(&self, row: &mut [f64], force: [f64; 3], torque: [f64; 3]) {
        for (body, sign, arm) in [
            (Some(self.one), 1.0, self.arms[0]),
            (self.other, -1.0, self.arms[1]),
        ] {
            if let Some(body) = body {
                let moment = cross(arm, force);
                for k in 0..3 {
                    row[6 * body + k] += sign * force[k];
                    row[6 * body + 3 + k] += sign * (moment[k] + torque[k]);
                }
            }
        }
    }
    fn contact(&self) -> Contact {
        let mut blocks = Vec::new();
        if self.known.is_none() {
            blocks.push(Block::Disc {
                friction: self.sliding,
            });
        }
        blocks.extend(self.spinning.map(|friction| Block::Line { friction }));
        blocks.extend(self.rolling.map(|friction| Block::Disc { friction }));
        Contact::new(&blocks)
    }
    /// Rows over the velocities of all bodies (6 each); `columns`: as directions of impulses.
    fn rows(&self, n_bodies: usize, columns: bool) -> Vec<Vec<f64>> {
        let empty = vec![0.0; 6 * n_bodies];
        let mut all = Vec::new();
        let mut add = |force: [f64; 3], torque: [f64; 3]| {
            let mut row = empty.clone();
            self.push(&mut row, force, torque);
            all.push(row);
        };
        let none = [0.0; 3];
        let mut normal = self.axes[0];
        if let (true, Some((d, mu))) = (columns, self.known) {
            for k in 0..3 {
                normal[k] -= mu * d[k];
            }
        }
        add(normal, none);
        if self.known.is_none() {
            add(self.axes[1], none);
            add(self.axes[2], none);
        }
        if self.spinning.is_some() {
            add(none, self.axes[0]);
        }
        if self.rolling.is_some() {
            add(none, self.axes[1]);
            add(none, self.axes[2]);
        }
        all
    }
}

fn axes(normal: [f64; 3]) -> [[f64; 3]; 3] {
    let other = if normal[0].abs() < 0.6 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 1.0, 0.0]
    };
    let t = unit(cross(normal, other));
    [normal, t, cross(normal, t)]
}

/// Contacts of bodies with each other and with the ground, some of them doubled.
fn random_contacts(
    random: &mut Xorshift,
    kind: Kind,
    [n_contacts, n_bodies]: [usize; 2],
    box_on_table: bool,
) -> Vec<RandomContact> {
    let mut contacts: Vec<RandomContact> = Vec::new();
    while contacts.len() < n_contacts {
        let copies = match kind {
            Kind::ExactCopies | Kind::Copies1e7 | Kind::Copies1e9 => random.chance(50),
            Kind::Everything => random.chance(20),
            _ => false,
        };
        if copies && !contacts.is_empty() {
            let noise = match kind {
                Kind::Copies1e7 => 1e-7,
                Kind::Copies1e9 => 1e-9,
                Kind::Everything => [0.0, 1e-9, 1e-7][random.below(3)],
                _ => 0.0,
            };
            let mut copy = contacts[random.below(contacts.len())];
            copy.axes = copy.axes.map(|a| random.shake(a, noise));
            copy.arms = copy.arms.map(|a| random.shake(a, noise));
            contacts.push(copy);
            continue;
        }
        contacts.push(RandomContact::new(random, kind, n_bodies, box_on_table));
    }
    contacts
}

/// Bodies at random places, touching each other and the ground.
fn random_cones(random: &mut Xorshift, kind: Kind) -> Owned {
    let everything = kind == Kind::Everything;
    let n_contacts = 1 + random.below(20);
    let n_bodies = 1 + random.below(1 + n_contacts / 2);
    let box_on_table = random.chance(25);
    let masses: Vec<(f64, [f64; 3])> = (0..n_bodies)
        .map(|_| {
            let mass = if kind == Kind::Heavy || (everything && random.chance(50)) {
                (0..random.below(9)).fold(1.0, |m, _| m * 10.0)
            } else {
                1.0 + random.below(10) as f64
            };
            let inertia = [0; 3].map(|_| mass * (0.1 + 0.3 * (random.signed() + 1.0)));
            (mass, inertia)
        })
        .collect();
    let contacts_of_bodies = random_contacts(random, kind, [n_contacts, n_bodies], box_on_table);
    let rows: Vec<Vec<f64>> = contacts_of_bodies
        .iter()
        .flat_map(|contact| contact.rows(n_bodies, false))
        .collect();
    let mut columns: Vec<Vec<f64>> = contacts_of_bodies
        .iter()
        .flat_map(|contact| contact.rows(n_bodies, true))
        .collect();
    if kind == Kind::Unsymmetric || (everything && random.chance(50)) {
        let noise = [1e-2, 1e-3, 1e-4][random.below(3)];
        for column in &mut columns {
            for x in column.iter_mut().filter(|x| **x != 0.0) {
                *x += noise * random.signed();
            }
        }
    }
    let n = rows.len();
    let inverse: Vec<f64> = masses
        .iter()
        .flat_map(|(m, i)| {
            [
                1.0 / m,
                1.0 / m,
                1.0 / m,
                1.0 / i[0],
                1.0 / i[1],
                1.0 / i[2],
            ]
        })
        .collect();
    let mut matrix = vec![0.0; n * n];
    for (i, row) in rows.iter().enumerate() {
        for (j, column) in columns.iter().enumerate() {
            let sum = row.iter().zip(column).zip(&inverse);
            matrix[i * n + j] = sum.map(|((a, b), w)| a * b * w).sum();
        }
    }
    // free velocity: at rest under gravity, or thrown about
    let at_rest = random.chance(40);
    let velocity: Vec<f64> = (0..6 * n_bodies)
        .map(|k| match (at_rest, k % 6) {
            (true, 2) => -0.1,
            (true, _) => 0.0,
            (false, _) => random.signed(),
        })
        .collect();
    let gaps = kind == Kind::Gaps || (everything && random.chance(20));
    let vector: Vec<f64> = rows
        .iter()
        .map(|row| {
            let sum: f64 = row.iter().zip(&velocity).map(|(a, v)| a * v).sum();
            sum + if gaps { 1e-3 * random.signed() } else { 0.0 }
        })
        .collect();
    Owned {
        n,
        matrix,
        vector,
        contacts: contacts_of_bodies
            .iter()
            .map(RandomContact::contact)
            .collect(),
        rows,
    }
}

/// The same problem with pyramids of `sides` in place of the cones: what Lemke's method says of it.
fn with_pyramids(cones: &Owned, sides: usize) -> (lcp::Outcome, Vec<f64>) {
    // columns of impulses over the rows of the cones, then the bounds
    let mut columns: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut bounds: Vec<(usize, f64, std::ops::Range<usize>)> = Vec::new();
    let mut row = 0;
    for contact in &cones.contacts {
        let normal = columns.len();
        columns.push(vec![(row, 1.0)]);
        row += 1;
        for block in contact.blocks() {
            let first = columns.len();
            if block.rows() == 1 {
                columns.push(vec![(row, 1.0)]);
                columns.push(vec![(row, -1.0)]);
            } else {
                for k in 0..sides {
                    let angle = std::f64::consts::TAU * k as f64 / sides as f64;
                    columns.push(vec![(row, angle.cos()), (row + 1, angle.sin())]);
                }
            }
            bounds.push((normal, block.friction(), first..columns.len()));
            row += block.rows();
        }
    }
    let (m, k) = (columns.len(), columns.len() + bounds.len());
    let mut matrix = vec![0.0; k * k];
    let mut vector = vec![0.0; k];
    for (i, a) in columns.iter().enumerate() {
        for (p, x) in a {
            vector[i] += x * cones.vector[*p];
            for (j, b) in columns.iter().enumerate() {
                for (q, y) in b {
                    matrix[i * k + j] += x * y * cones.matrix[p * cones.n + q];
                }
            }
        }
    }
    for (b, (normal, friction, sides)) in bounds.iter().enumerate() {
        matrix[(m + b) * k + normal] = *friction;
        for i in sides.clone() {
            matrix[(m + b) * k + i] = -1.0;
            matrix[i * k + m + b] = 1.0;
        }
    }
    let (mut basis, mut z) = (vec![false; k], vec![0.0; k]);
    let problem = lcp::Problem {
        n: k,
        matrix: &matrix,
        vector: &vector,
    };
    let outcome = lcp::Solver::default().solve(&problem, &mut basis, &mut z);
    let mut r = vec![0.0; cones.n];
    for (column, x) in columns.iter().zip(&z) {
        for (row, factor) in column {
            r[*row] += factor * x;
        }
    }
    (outcome, r)
}

#[test]
fn random_cones_are_solved_or_reported() {
    let per_kind = 910; // of 11 kinds: 10 010 in all
    let mut solver = Solver::default();
    println!(
        "{:>15} {:>6} {:>7} {:>7} {:>7} {:>7} {:>6} {:>9} {:>8} {:>7} {:>8} {:>9} {:>9}",
        "kind",
        "cases",
        "newton",
        "sweeps",
        "contin.",
        "pyramid",
        "failed",
        "unbounded",
        "not warm",
        "warm it",
        "r'/b'",
        "worst",
        "slowest/ms"
    );
    for kind in KINDS {
        let mut random = Xorshift(0x9E37_79B9_7F4A_7C15);
        let mut shake = Xorshift(0xD1B5_4A32_D192_ED03);
        let mut warm_iterations = Vec::new();
        let mut stages = [0; 4];
        let (mut failed, mut unbounded, mut not_warm) = (0, 0, 0);
        let (mut largest, mut worst, mut slowest) = (0.0_f64, 0.0_f64, 0.0_f64);
        for case in 0..per_kind {
            let mut cones = random_cones(&mut random, kind);
            let mut r = vec![0.0; cones.n];
            let begin = Instant::now();
            let outcome = solver.solve(&cones.problem(), &mut r);
            slowest = slowest.max(begin.elapsed().as_secs_f64());
            let checked = residual(&cones.problem(), &r);
            match solver.stage() {
                Some(Stage::Zero | Stage::Newton) => stages[0] += 1,
                Some(Stage::Sweeps) => stages[1] += 1,
                Some(Stage::Continuation) => stages[2] += 1,
                Some(Stage::Pyramids) => stages[3] += 1,
                None => {}
            }
            match outcome {
                Outcome::Solved { residual, .. } => {
                    // never a wrong answer called solved
                    assert!(checked <= ACCEPTED_RESIDUAL, "{kind:?} {case}");
                    worst = worst.max(residual);
                    largest = largest.max(ratio(&cones, &r));
                    cones.move_bodies(&mut shake, 0.01);
                    let before = solver.stats.iterations;
                    let again = solver.solve(&cones.problem(), &mut r);
                    not_warm += usize::from(!matches!(again, Outcome::Solved { .. }));
                    warm_iterations.push(solver.stats.iterations - before);
                }
                Outcome::Inaccurate { .. } => failed += 1,
                Outcome::Unbounded { .. } => unbounded += 1,
            }
        }
        // a solution need not exist where velocities do not agree, or impulses act against the known friction
        match kind {
            Kind::SlidingColumns | Kind::Gaps | Kind::Everything => {
                assert!(failed * 50 <= per_kind, "{kind:?}: {failed} failures");
            }
            _ => assert_eq!(failed + unbounded, 0, "{kind:?}"),
        }
        warm_iterations.sort_unstable();
        let middle = warm_iterations[warm_iterations.len() / 2];
        println!(
            "{:>15} {per_kind:6} {:7} {:7} {:7} {:7} {failed:6} {unbounded:9} {not_warm:8} {middle:7} {largest:8.0e} {worst:9.1e} {:9.1}",
            format!("{kind:?}"),
            stages[0],
            stages[1],
            stages[2],
            stages[3],
            slowest * 1e3,
        );
    }
    println!("{:?}", solver.stats);
}

/// `|r'| / |b'|` of the residual, roughly.
fn ratio(cones: &Owned, r: &[f64]) -> f64 {
    let scale = |i: usize| cones.matrix[i * cones.n + i].abs().sqrt().max(1e-12);
    let of = |f: &dyn Fn(usize) -> f64| (0..cones.n).map(f).fold(0.0, f64::max);
    let b = of(&|i| (cones.vector[i] / scale(i)).abs());
    if b > 0.0 {
        of(&|i| (r[i] * scale(i)).abs()) / b
    } else {
        0.0
    }
}

/// One body of mass 1 that touches the ground at its centre with a ball's contact: `W` is the identity.
fn ball(blocks: &[Block], vector: &[f64]) -> Owned {
    let n = vector.len();
    let mut matrix = vec![0.0; n * n];
    (0..n).for_each(|i| matrix[i * n + i] = 1.0);
    Owned {
        n,
        matrix,
        vector: vector.to_vec(),
        contacts: vec![Contact::new(blocks)],
        rows: Vec::new(),
    }
}

#[test]
fn one_contact_by_hand() {
    let mut solver = Solver::with_capacity(6);
    let mut check = |cones: &Owned, expected: &[f64], closed: bool, blocks: &[Friction]| {
        let mut r = vec![0.0; cones.n];
        let outcome = solver.solve(&cones.problem(), &mut r);
        assert!(matches!(outcome, Outcome::Solved { .. }), "{outcome:?}");
        for (r, e) in r.iter().zip(expected) {
            assert!((r - e).abs() < 1e-13, "{r} {e}");
        }
        assert_eq!(solver.statuses()[0].closed, closed);
        assert_eq!(&solver.statuses()[0].blocks[..blocks.len()], blocks);
    };
    use Friction::{Open, Slip, Stick};
    let disc = [Block::Disc { friction: 0.5 }];
    check(&ball(&disc, &[1.0, 3.0, 4.0]), &[0.0; 3], false, &[Open]);
    check(
        &ball(&disc, &[-10.0, 3.0, 4.0]),
        &[10.0, -3.0, -4.0],
        true,
        &[Stick],
    );
    check(
        &ball(&disc, &[-1.0, 3.0, 4.0]),
        &[1.0, -0.3, -0.4],
        true,
        &[Slip],
    );
    check(&ball(&[], &[-2.0]), &[2.0], true, &[]);
    // sliding, spinning and rolling, each on its own
    let all = [
        Block::Disc { friction: 0.5 },
        Block::Line { friction: 0.2 },
        Block::Disc { friction: 0.1 },
    ];
    check(
        &ball(&all, &[-1.0, 0.3, 0.0, -3.0, 0.06, 0.08]),
        &[1.0, -0.3, 0.0, 0.2, -0.06, -0.08],
        true,
        &[Stick, Slip, Stick],
    );
    check(
        &ball(&all, &[-1.0, 0.0, -0.6, 0.1, 0.6, 0.8]),
        &[1.0, 0.0, 0.5, -0.1, -0.06, -0.08],
        true,
        &[Slip, Stick, Slip],
    );
    // no friction at all is a coefficient of zero, too
    check(
        &ball(&[Block::Disc { friction: 0.0 }], &[-1.0, 3.0, 4.0]),
        &[1.0, 0.0, 0.0],
        true,
        &[Slip],
    );
}

#[test]
fn what_has_no_solution_is_not_solved() {
    // a body between two walls that both move towards it
    let mut squeezed = ball(&[], &[-1.0, -1.0]);
    squeezed.matrix = vec![1.0, -1.0, -1.0, 1.0];
    squeezed.contacts = vec![Contact::new(&[]); 2];
    let mut r = [0.0; 2];
    let outcome = Solver::default().solve(&squeezed.problem(), &mut r);
    println!("{outcome:?} {r:?}");
    assert!(matches!(outcome, Outcome::Unbounded { .. }));
    // however large the impulses are, and however small their errors in comparison
    for size in [1e3, 1e6, 1e9, 1e12, 1e15] {
        assert!(residual(&squeezed.problem(), &[size; 2]) > 1e-7);
    }
    let bad = ball(&[], &[f64::NAN]);
    let outcome = Solver::default().solve(&bad.problem(), &mut [0.0]);
    assert_eq!(
        outcome,
        Outcome::Inaccurate {
            residual: f64::INFINITY
        }
    );
}

/// Bodies in a plane: friction blocks of one row.
fn planar_cones(random: &mut Xorshift) -> Owned {
    let n_bodies = 1 + random.below(4);
    let n_contacts = 1 + random.below(8);
    let mut rows = Vec::new();
    let mut contacts = Vec::new();
    for _ in 0..n_contacts {
        let one = random.below(n_bodies);
        let other = Some(random.below(n_bodies)).filter(|&o| o != one && random.chance(60));
        let d = unit([random.signed(), random.signed(), 0.0]);
        let arms = [0; 2].map(|_| [random.signed(), random.signed()]);
        for direction in [[d[0], d[1]], [-d[1], d[0]]] {
            let mut row = vec![0.0; 3 * n_bodies];
            for (body, sign, arm) in [(Some(one), 1.0, arms[0]), (other, -1.0, arms[1])] {
                if let Some(body) = body {
                    row[3 * body] += sign * direction[0];
                    row[3 * body + 1] += sign * direction[1];
                    row[3 * body + 2] += sign * (arm[0] * direction[1] - arm[1] * direction[0]);
                }
            }
            rows.push(row);
        }
        let friction = 0.5 * (random.signed() + 1.0);
        contacts.push(Contact::new(&[Block::Line { friction }]));
    }
    let inverse: Vec<f64> = (0..3 * n_bodies)
        .map(|k| if k % 3 == 2 { 3.0 } else { 1.0 })
        .collect();
    let velocity: Vec<f64> = (0..3 * n_bodies).map(|_| random.signed()).collect();
    let n = rows.len();
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            let sum = rows[i].iter().zip(&rows[j]).zip(&inverse);
            matrix[i * n + j] = sum.map(|((a, b), w)| a * b * w).sum();
        }
    }
    let vector = rows
        .iter()
        .map(|row| row.iter().zip(&velocity).map(|(a, v)| a * v).sum())
        .collect();
    Owned {
        n,
        matrix,
        vector,
        contacts,
        rows,
    }
}

#[test]
fn in_a_plane_the_cone_is_the_pyramid() {
    let mut random = Xorshift(31_415_926);
    let mut solver = Solver::default();
    let velocities = |cones: &Owned, r: &[f64]| -> Vec<f64> {
        let of = |i: usize| {
            let row = &cones.matrix[i * cones.n..(i + 1) * cones.n];
            cones.vector[i] + row.iter().zip(r).map(|(w, r)| w * r).sum::<f64>()
        };
        (0..cones.n).map(of).collect()
    };
    let (mut same, mut other) = (0, 0);
    let mut largest = 0.0_f64;
    for _ in 0..1000 {
        let cones = planar_cones(&mut random);
        let (outcome, by_lemke) = with_pyramids(&cones, 8);
        assert!(matches!(outcome, lcp::Outcome::Solved { .. }));
        // each is a solution of the other's problem
        assert!(residual(&cones.problem(), &by_lemke) <= ACCEPTED_RESIDUAL);
        let mut r = vec![0.0; cones.n];
        let outcome = solver.solve(&cones.problem(), &mut r);
        assert!(matches!(outcome, Outcome::Solved { .. }), "{outcome:?}");
        let (u, w) = (velocities(&cones, &r), velocities(&cones, &by_lemke));
        let difference = u
            .iter()
            .zip(&w)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        // Coulomb's law may have several solutions: from Lemke's, the solver stays there
        if difference < 1e-9 {
            same += 1;
            largest = largest.max(difference);
        } else {
            other += 1;
            let mut again = by_lemke.clone();
            let outcome = solver.solve(&cones.problem(), &mut again);
            assert!(matches!(outcome, Outcome::Solved { .. }));
            let again = velocities(&cones, &again);
            let moved = again.iter().zip(&w).map(|(a, b)| (a - b).abs());
            assert!(moved.fold(0.0, f64::max) < 1e-9);
        }
    }
    println!("same velocities {same} (largest difference {largest:.1e}), another solution {other}");
    assert!(same > 900);
}

#[test]
fn solves_allocate_only_for_a_size_never_seen() {
    let mut random = Xorshift(1_234_567_890_123);
    let cases: Vec<Owned> = (0..200)
        .map(|case| random_cones(&mut random, KINDS[case % KINDS.len()]))
        .collect();
    let largest = cases.iter().map(|cones| cones.n).max().unwrap();
    let mut r = vec![0.0; largest];
    let mut solver = Solver::with_capacity(largest);
    let (during, ()) = allocations(|| {
        for cones in &cases {
            r.fill(0.0);
            solver.solve(&cones.problem(), &mut r[..cones.n]);
            solver.solve(&cones.problem(), &mut r[..cones.n]);
        }
    });
    println!("{:?}", solver.stats);
    assert_eq!(during, 0);
}

#[test]
fn debug_and_release_give_the_same_bits() {
    // FNV-1a over all answers; the constant was recorded in an optimized build
    let mut random = Xorshift(987_654_321);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut solver = Solver::default();
    for case in 0..300 {
        let cones = random_cones(&mut random, KINDS[case % KINDS.len()]);
        let mut r = vec![0.0; cones.n];
        solver.solve(&cones.problem(), &mut r);
        for x in r {
            hash = (hash ^ x.to_bits()).wrapping_mul(0x0100_0000_01b3);
        }
    }
    println!("{hash:#018x}");
    assert_eq!(hash, 0x45f8_94cd_b9bf_4a27);
}
