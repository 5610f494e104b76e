//! Claims about the complementarity solver. Every answer is checked by `lcp::residual`.

use crate::common::allocator::allocations;
use crate::common::problems::stored_problems;
use crate::common::random::{Random, Xorshift, unit};
use stiction::contact::lcp::{ACCEPTED_RESIDUAL, Outcome, Problem, Solver, residual};

#[derive(Clone)]
struct Owned {
    n: usize,
    matrix: Vec<f64>,
    vector: Vec<f64>,
}

impl Owned {
    fn new(matrix: &[f64], vector: &[f64]) -> Self {
        Self {
            n: vector.len(),
            matrix: matrix.to_vec(),
            vector: vector.to_vec(),
        }
    }
    fn problem(&self) -> Problem<'_> {
        Problem {
            n: self.n,
            matrix: &self.matrix,
            vector: &self.vector,
        }
    }
    fn solve_cold(&self) -> (Outcome, Vec<f64>, Vec<bool>) {
        let (mut basis, mut z) = (vec![false; self.n], vec![0.0; self.n]);
        let outcome = Solver::default().solve(&self.problem(), &mut basis, &mut z);
        (outcome, z, basis)
    }
}

fn instances() -> Vec<(String, Owned)> {
    let problems = stored_problems().into_iter();
    problems
        .map(|p| (p.name.clone(), Owned::new(&p.matrix(), &p.vector)))
        .collect()
}

fn accepted(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Solved { residual, .. } if residual <= ACCEPTED_RESIDUAL)
}

#[test]
fn saved_contact_problems_are_solved_cold_and_warm() {
    let mut solver = Solver::default();
    for (name, lcp) in instances() {
        let (mut basis, mut z) = (vec![false; lcp.n], vec![0.0; lcp.n]);
        let cold = solver.solve(&lcp.problem(), &mut basis, &mut z);
        let checked = residual(&lcp.problem(), &z);
        let warm = solver.solve(&lcp.problem(), &mut basis, &mut z);
        println!("{name:24} n {:4} cold {cold:?} warm {warm:?}", lcp.n);
        assert!(
            accepted(cold) && checked <= ACCEPTED_RESIDUAL,
            "{name}: {cold:?} {checked:e}"
        );
        assert!(
            matches!(warm, Outcome::Solved { pivots: 0, .. }),
            "{name}: {warm:?}"
        );
    }
    println!("{:?}", solver.stats);
    assert_eq!(solver.stats.warm_hits * 2, solver.stats.solves);
    assert_eq!(solver.stats.retries, 0);
}

/// Xorshift (Marsaglia 2003).
/// A number between `10^low` and `10^high`, every decade as likely; without library functions, for the golden hash.
fn decade(random: &mut Xorshift, low: i32, high: i32) -> f64 {
    let exponent = low + random.below((high - low) as usize) as i32;
    let step = if exponent < 0 { 0.1 } else { 10.0 };
    (0..exponent.abs()).fold(5.5 + 4.5 * random.signed(), |x, _| x * step)
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// A contact of body `one` with body `other` or with the ground.
#[derive(Clone, Copy)]
struct Contact {
    one: usize,
    other: Option<usize>,
    normal: [f64; 3],
    arms: [[f64; 3]; 2],
    friction: f64,
}

impl Contact {
    /// What the contact is to a force along `d`: a row over the velocities of all bodies (6 each).
    fn row(&self, d: [f64; 3], n_bodies: usize) -> Vec<f64> {
        let mut row = vec![0.0; 6 * n_bodies];
        for (body, sign, arm) in [
            (Some(self.one), 1.0, self.arms[0]),
            (self.other, -1.0, self.arms[1]),
        ] {
            if let Some(body) = body {
                let torque = cross(arm, d);
                for k in 0..3 {
                    row[6 * body + k] = sign * d[k];
                    row[6 * body + 3 + k] = sign * torque[k];
                }
            }
        }
        row
    }
}

/// Columns of `m^-1 rhs`, by elimination with row interchanges.
fn solve_dense(mut m: Vec<Vec<f64>>, mut rhs: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = m.len();
    for c in 0..n {
        let p = (c..n)
            .max_by(|&a, &b| m[a][c].abs().total_cmp(&m[b][c].abs()))
            .unwrap();
        m.swap(c, p);
        rhs.swap(c, p);
        for r in 0..n {
            let f = m[r][c] / m[c][c];
            if r != c && f != 0.0 {
                for k in 0..n {
                    m[r][k] -= f * m[c][k];
                }
                for k in 0..rhs[0].len() {
                    rhs[r][k] -= f * rhs[c][k];
                }
            }
        }
    }
    (0..n)
        .map(|r| rhs[r].iter().map(|x| x / m[r][r]).collect())
        .collect()
}

/// Contacts of bodies with each other and with the ground, some of them doubled.
fn random_contacts(random: &mut Xorshift, n_bodies: usize, planar: bool) -> Vec<Contact> {
    let flat = |v: [f64; 3]| if planar { [v[0], v[1], 0.0] } else { v };
    let table = random.chance(50);
    let mut contacts: Vec<Contact> = Vec::new();
    for _ in 0..1 + random.below(5) {
        let one = random.below(n_bodies);
        let other = Some(random.below(n_bodies)).filter(|&o| o != one && random.chance(60));
        let normal = if table && other.is_none() {
            [0.0, 1.0, 0.0]
        } else {
            unit(flat(random.direction()))
        };
        let friction = if random.chance(15) {
            0.0
        } else {
            random.signed() + 1.0
        };
        let arms = [flat(random.direction()), flat(random.direction())];
        contacts.push(Contact {
            one,
            other,
            normal,
            arms,
            friction,
        });
    }
    // copies of contacts, exact or off by 1e-6 .. 1e-12
    for _ in 0..random.below(5) {
        let mut copy = contacts[random.below(contacts.len())];
        if random.chance(70) {
            let noise = decade(random, -12, -6);
            let mut shake = |v: [f64; 3]| flat(v.map(|x| x + noise * random.signed()));
            copy.normal = unit(shake(copy.normal));
            copy.arms = copy.arms.map(&mut shake);
        }
        contacts.push(copy);
    }
    contacts
}

/// Bodies at random places, touching each other and the ground; `planar`: two directions of friction instead of four.
fn frictional(random: &mut Xorshift, planar: bool) -> Owned {
    let n_bodies = 1 + random.below(4);
    let at_rest = random.chance(30);
    let contacts = random_contacts(random, n_bodies, planar);

    // implicit mass matrix: masses over four decades, damping, and a gyroscopic (unsymmetric) part
    let nv = 6 * n_bodies;
    let mut mass = vec![vec![0.0; nv]; nv];
    for body in 0..n_bodies {
        let m = decade(random, -2, 2);
        for k in 0..6 {
            let i = 6 * body + k;
            mass[i][i] = if k < 3 { m } else { m * decade(random, -2, 0) };
        }
        let gyroscopic = if planar || random.chance(50) {
            0.0
        } else {
            0.02 * m * random.signed()
        };
        mass[6 * body + 3][6 * body + 4] += gyroscopic;
        mass[6 * body + 4][6 * body + 3] -= gyroscopic;
    }
    let gravity = 0.01 * 9.81;
    let velocity: Vec<f64> = (0..nv)
        .map(|i| {
            let moving = if at_rest || (planar && (2..5).contains(&(i % 6))) {
                0.0
            } else {
                random.signed()
            };
            moving - if i % 6 == 1 { gravity } else { 0.0 }
        })
        .collect();

    // rows of c_n, then beta, then lambda
    let mut rows: Vec<Vec<f64>> = contacts.iter().map(|c| c.row(c.normal, n_bodies)).collect();
    let mut owner = Vec::new();
    for (index, contact) in contacts
        .iter()
        .enumerate()
        .filter(|(_, c)| c.friction > 0.0)
    {
        let seed = if contact.normal[0].abs() < 0.7 {
            [1.0, 0.0, 0.0]
        } else {
            [0.0, 1.0, 0.0]
        };
        let across = unit(cross(
            contact.normal,
            if planar { [0.0, 0.0, 1.0] } else { seed },
        ));
        let along = cross(contact.normal, across);
        for d in [across, across.map(|x| -x), along, along.map(|x| -x)]
            .into_iter()
            .take(if planar { 2 } else { 4 })
        {
            rows.push(contact.row(d, n_bodies));
            owner.push(index);
        }
    }
    let sliding: Vec<usize> = (0..contacts.len())
        .filter(|&c| contacts[c].friction > 0.0)
        .collect();
    let (nc, nr) = (contacts.len(), rows.len());
    let n = nr + sliding.len();
    let columns: Vec<Vec<f64>> = (0..nv)
        .map(|i| rows.iter().map(|row| row[i]).collect())
        .collect();
    let response = solve_dense(mass, columns);
    let mut matrix = vec![0.0; n * n];
    let mut vector = vec![0.0; n];
    for i in 0..nr {
        vector[i] = rows[i].iter().zip(&velocity).map(|(a, b)| a * b).sum();
        for j in 0..nr {
            matrix[i * n + j] = (0..nv).map(|k| rows[i][k] * response[k][j]).sum();
        }
    }
    for (l, &contact) in sliding.iter().enumerate() {
        matrix[(nr + l) * n + contact] = contacts[contact].friction;
        for (b, _) in owner.iter().enumerate().filter(|(_, o)| **o == contact) {
            matrix[(nr + l) * n + nc + b] = -1.0;
            matrix[(nc + b) * n + nr + l] = 1.0;
        }
    }
    Owned { n, matrix, vector }
}

#[test]
fn ten_thousand_random_frictional_problems_are_all_solved() {
    for planar in [true, false] {
        let mut random = Xorshift(if planar {
            88_172_645_463_325_252
        } else {
            1_181_783_497_276_652_981
        });
        let mut solver = Solver::with_capacity(60);
        let (mut failures, mut with_basis, mut warm_misses, mut largest) = (0, 0, 0, 0);
        for case in 0..10_000 {
            let lcp = frictional(&mut random, planar);
            largest = largest.max(lcp.n);
            let (mut basis, mut z) = (vec![false; lcp.n], vec![0.0; lcp.n]);
            let cold = solver.solve(&lcp.problem(), &mut basis, &mut z);
            let checked = residual(&lcp.problem(), &z);
            if !accepted(cold) || checked > ACCEPTED_RESIDUAL {
                println!("case {case} n {}: {cold:?} residual {checked:e}", lcp.n);
                failures += 1;
            } else if basis.contains(&true) {
                with_basis += 1;
                warm_misses +=
                    u32::from(solver.try_basis(&lcp.problem(), &basis, &mut z).is_none());
                failures += u32::from(!accepted(solver.solve(&lcp.problem(), &mut basis, &mut z)));
            }
        }
        println!(
            "planar {planar}: largest n {largest}, failures {failures}, own basis rejected {warm_misses}/{with_basis}"
        );
        println!("{:?}", solver.stats);
        assert_eq!(failures, 0);
        // near duplicates at 1e-7 leave pivots of 1e-14: rounding then decides which of the two carries the load
        assert!(warm_misses * 500 <= with_basis);
    }
}

/// A block of mass `m` on a plane: normal speed `vn`, tangential speed `vt` before the contact impulses.
fn block(m: f64, friction: f64, vn: f64, vt: f64) -> Owned {
    let a = 1.0 / m;
    #[rustfmt::skip]
    let matrix = [
        a,        0.0,  0.0, 0.0,
        0.0,      a,    -a,  1.0,
        0.0,      -a,   a,   1.0,
        friction, -1.0, -1.0, 0.0,
    ];
    Owned::new(&matrix, &[vn, vt, -vt, 0.0])
}

fn assert_close(z: &[f64], expected: &[f64], scale: f64) {
    let error = z
        .iter()
        .zip(expected)
        .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    println!("{z:?} expected {expected:?}");
    assert!(error <= 1e-14 * scale, "{z:?} instead of {expected:?}");
}

#[test]
fn block_below_the_friction_angle_sticks_and_above_it_slips() {
    for m in [1e-6, 1.0, 1e6] {
        // at rest: the normal impulse cancels the fall, no friction
        let (outcome, z, _) = block(m, 0.5, -0.1, 0.0).solve_cold();
        assert!(accepted(outcome));
        assert_close(&z[..3], &[0.1 * m, 0.0, 0.0], m);
        // 0.04 <= 0.5 * 0.1: sticks, friction cancels the tangential speed
        let (outcome, z, _) = block(m, 0.5, -0.1, 0.04).solve_cold();
        assert!(accepted(outcome));
        assert_close(&z, &[0.1 * m, 0.0, 0.04 * m, 0.0], m);
        // 0.08 > 0.05: slips at 0.03
        let (outcome, z, _) = block(m, 0.5, -0.1, 0.08).solve_cold();
        assert!(accepted(outcome));
        assert_close(
            &[z[0] / m, z[1] / m, z[2] / m, z[3]],
            &[0.1, 0.0, 0.05, 0.03],
            1.0,
        );
    }
}

#[test]
fn scalar_problems_have_their_textbook_answers() {
    let solve = |a: f64, b: f64| {
        let (outcome, z, basis) = Owned::new(&[a], &[b]).solve_cold();
        (outcome, z[0], basis[0])
    };
    assert_eq!(
        solve(2.0, -6.0),
        (
            Outcome::Solved {
                pivots: 2,
                residual: 0.0
            },
            3.0,
            true
        )
    );
    assert_eq!(
        solve(2.0, 6.0),
        (
            Outcome::Solved {
                pivots: 0,
                residual: 0.0
            },
            0.0,
            false
        )
    );
    assert_eq!(solve(-1.0, 6.0).1, 0.0);
    // zero but for the rounding of the speed of another body
    let (outcome, z, basis) = Owned::new(&[2.0, 0.0, 0.0, 2.0], &[-1e-16, 6.0]).solve_cold();
    assert!(accepted(outcome) && matches!(outcome, Outcome::Solved { pivots: 0, .. }));
    assert_eq!((z, basis), (vec![0.0; 2], vec![false; 2]));
    // nothing raises w above -1
    assert_eq!(solve(0.0, -1.0).0, Outcome::Ray);
    assert_eq!(solve(-1.0, -1.0).0, Outcome::Ray);
    let empty = Owned::new(&[], &[]).solve_cold();
    assert_eq!(
        empty.0,
        Outcome::Solved {
            pivots: 0,
            residual: 0.0
        }
    );
}

#[test]
fn problem_without_solution_ends_on_a_ray() {
    // w_1 = z_1 - 1 - z_2, w_2 = -z_1 + z_2 - 1: the sum is -2
    let (outcome, ..) = Owned::new(&[1.0, -1.0, -1.0, 1.0], &[-1.0, -1.0]).solve_cold();
    assert_eq!(outcome, Outcome::Ray);
}

#[test]
fn numbers_that_are_not_finite_are_refused_without_panic() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for place in 0..6 {
            let mut numbers = [2.0, 1.0, 1.0, 2.0, -1.0, -1.0];
            numbers[place] = bad;
            let lcp = Owned::new(&numbers[..4], &numbers[4..]);
            let (outcome, z, _) = lcp.solve_cold();
            assert_eq!(
                outcome,
                Outcome::Inaccurate {
                    residual: f64::INFINITY
                }
            );
            assert_eq!(z, [0.0, 0.0]);
            assert!(
                Solver::default()
                    .try_basis(&lcp.problem(), &[true, true], &mut [0.0; 2])
                    .is_none()
            );
            assert_eq!(residual(&lcp.problem(), &[1.0, 1.0]), f64::INFINITY);
        }
        assert_eq!(
            residual(&Owned::new(&[1.0], &[-1.0]).problem(), &[bad]),
            f64::INFINITY
        );
    }
    // extreme but finite numbers: any outcome but a panic
    for (a, b) in [
        (1e300, -1e300),
        (1e-300, -1e300),
        (1e-320, -1.0),
        (1e300, -1e-320),
        (f64::MAX, f64::MIN),
    ] {
        println!(
            "{a:e} {b:e}: {:?}",
            Owned::new(&[a, a / 2.0, a / 2.0, a], &[b, b]).solve_cold()
        );
    }
    // lengths that do not match
    let lcp = Problem {
        n: 2,
        matrix: &[1.0],
        vector: &[-1.0, -1.0],
    };
    let outcome = Solver::default().solve(&lcp, &mut [false; 2], &mut [0.0; 2]);
    assert_eq!(
        outcome,
        Outcome::Inaccurate {
            residual: f64::INFINITY
        }
    );
}

#[test]
fn the_residual_sees_what_is_wrong_and_ignores_units() {
    let lcp = Owned::new(&[2.0, 1.0, 1.0, 2.0], &[-5.0, -4.0]);
    assert!(residual(&lcp.problem(), &[2.0, 1.0]) < 1e-15);
    assert!(residual(&lcp.problem(), &[2.0, 0.0]) > 0.1); // w_2 < 0
    assert!(residual(&lcp.problem(), &[3.0, 1.0]) > 0.1); // z_1 and w_1 > 0
    assert!(residual(&lcp.problem(), &[2.0, -1.0]) > 0.1);
    // grams instead of kilograms, and a block of a million tons: the same relative error, the same number
    let check = |m: f64| {
        residual(
            &block(m, 0.5, -0.1, 0.04).problem(),
            &[0.1001 * m, 0.0, 0.04 * m, 0.0],
        )
    };
    println!("{:e} {:e} {:e}", check(1e-3), check(1.0), check(1e9));
    assert!(
        (check(1e-3) / check(1.0) - 1.0).abs() < 1e-9
            && (check(1e9) / check(1.0) - 1.0).abs() < 1e-9
    );
}

#[test]
fn solves_allocate_only_for_a_size_never_seen() {
    let mut random = Xorshift(1_234_567_890_123);
    let cases: Vec<Owned> = (0..300)
        .map(|case| frictional(&mut random, case % 2 == 0))
        .collect();
    let largest = cases.iter().map(|lcp| lcp.n).max().unwrap();
    let (mut basis, mut z) = (vec![false; largest], vec![0.0; largest]);
    let mut solver = Solver::default();
    let unsolvable = Owned::new(&[1.0, -1.0, -1.0, 1.0], &[-1.0, -1.0]);
    let mut run = |lcp: &Owned| {
        basis.fill(false);
        let solve = || {
            for _ in 0..2 {
                solver.solve(&lcp.problem(), &mut basis[..lcp.n], &mut z[..lcp.n]);
                solver.try_basis(&lcp.problem(), &basis[..lcp.n], &mut z[..lcp.n]);
            }
        };
        allocations(solve).0
    };
    let largest_case = cases.iter().find(|lcp| lcp.n == largest).unwrap();
    let first = run(largest_case);
    let later: u64 = cases.iter().map(&mut run).sum::<u64>() + run(&unsolvable);
    println!(
        "allocations: {first} at the first, largest problem, {later} in the next {}",
        cases.len()
    );
    assert!(first > 0);
    assert_eq!(later, 0);
}

#[test]
fn debug_and_release_give_the_same_bits() {
    // FNV-1a over all answers; the constant was recorded in a release build
    let mut random = Xorshift(987_654_321);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for case in 0..500 {
        let lcp = frictional(&mut random, case % 2 == 0);
        for x in lcp.solve_cold().1 {
            hash = (hash ^ x.to_bits()).wrapping_mul(0x0100_0000_01b3);
        }
    }
    println!("{hash:#018x}");
    assert_eq!(hash, 0xb90e_8a70_3f60_4515);
}
