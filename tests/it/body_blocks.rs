//! Claims about the solver of many contacts. Every answer is checked by `contact::body_blocks::residual`.

use crate::common::allocator::allocations;
use crate::common::piles::{Motion, Owned, Packing, Pile, generate, random, row};
use crate::common::random::Random as _;
use stiction::contact::body_blocks::{
    ACCEPTED_RESIDUAL, Body, Effort, GROUND, Islands, Joint, Outcome, Solver, residual,
};
use stiction::contact::dense;

/// `W` and `q` of a problem without joints.
fn dense_form(owned: &Owned) -> (Vec<f64>, Vec<f64>, Vec<dense::Contact>) {
    let (n, width) = (owned.rows.len(), 6 * owned.bodies.len());
    let mut full = vec![vec![0.0; width]; n];
    let mut at = 0;
    for constraint in &owned.contacts {
        for _ in 0..constraint.contact.rows() {
            for (side, &b) in constraint
                .bodies
                .iter()
                .enumerate()
                .filter(|(_, b)| **b != GROUND)
            {
                full[at][6 * b as usize..][..6].copy_from_slice(&owned.rows[at].entries[side]);
            }
            at += 1;
        }
    }
    let pushed: Vec<Vec<f64>> = full
        .iter()
        .map(|row| {
            let blocks = owned.bodies.iter().zip(row.chunks_exact(6));
            blocks
                .flat_map(|(body, g)| {
                    body.inverse_mass
                        .map(|m| m.iter().zip(g).map(|(m, g)| m * g).sum::<f64>())
                })
                .collect()
        })
        .collect();
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut matrix = Vec::with_capacity(n * n);
    for (i, row) in full.iter().enumerate() {
        for (j, column) in pushed.iter().enumerate() {
            let own = if i == j {
                owned.rows[i].compliance
            } else {
                0.0
            };
            matrix.push(product(row, column) + own);
        }
    }
    let free: Vec<f64> = owned.bodies.iter().flat_map(|b| b.velocity).collect();
    let vector = full
        .iter()
        .zip(&owned.rows)
        .map(|(row, r)| product(row, &free) + r.bias)
        .collect();
    let contacts = owned.contacts.iter().map(|t| t.contact).collect();
    (matrix, vector, contacts)
}

fn islands_of(owned: &Owned) -> usize {
    let mut islands = Islands::default();
    assert!(islands.find(&owned.problem()));
    islands.count()
}

#[test]
fn small_piles_are_solved_and_both_residuals_agree() {
    let mut time_stepping = Solver::default();
    for seed in 0..60 {
        let friction = [0.0, 0.1, 0.4, 1.0][seed as usize % 4];
        let motion = [Motion::Rest, Motion::Impact, Motion::Gaps][seed as usize % 3];
        let owned = generate(&Pile {
            resist: seed % 5 == 0,
            ..Pile::new(seed, 4 + seed as usize % 20, friction, motion)
        });
        let (matrix, vector, contacts) = dense_form(&owned);
        let problem = dense::Problem {
            n: vector.len(),
            matrix: &matrix,
            vector: &vector,
            contacts: &contacts,
        };
        let mut r = vec![0.0; vector.len()];
        let summary = time_stepping.solve(&owned.problem(), Effort::Exact, &mut r);
        let checked = residual(&owned.problem(), &r);
        assert!(
            checked <= ACCEPTED_RESIDUAL && summary.solved == summary.islands,
            "seed {seed}: {checked:e} {summary:?}"
        );
        assert_eq!(checked, summary.residual);
        // the residual of the whole is relative to the largest velocity, that of an island to its own; the sums of both
        // the two residuals round differently
        assert!(dense::residual(&problem, &r) <= checked + 1e-12);
        let mut random = random(seed);
        for x in &mut r {
            *x += 0.1 * random.signed();
        }
        let (one, other) = (
            residual(&owned.problem(), &r),
            dense::residual(&problem, &r),
        );
        if islands_of(&owned) == 1 {
            assert!((one - other).abs() <= 1e-12 * other, "{one} {other}");
        } else {
            assert!(one >= other * (1.0 - 1e-12), "{one} {other}");
        }
    }
}

#[test]
fn an_island_has_the_same_bits_whatever_else_there_is() {
    let one = generate(&Pile::new(3, 12, 0.4, Motion::Rest));
    let other = generate(&Pile::new(4, 30, 0.7, Motion::Impact));
    let mut alone = vec![0.0; one.rows.len()];
    Solver::default().solve(&one.problem(), Effort::Exact, &mut alone);
    // the other's bodies, contacts and rows come first
    let mut both = other.clone();
    let shift = both.bodies.len() as u32;
    both.bodies.extend(&one.bodies);
    both.rows.extend(&one.rows);
    both.contacts.extend(one.contacts.iter().map(|t| {
        let mut moved = *t;
        moved.bodies = t.bodies.map(|b| if b == GROUND { b } else { b + shift });
        moved
    }));
    let mut together = vec![0.0; both.rows.len()];
    let mut solver = Solver::default();
    solver.solve(&both.problem(), Effort::Exact, &mut together);
    assert_eq!(alone, together[other.rows.len()..]);
    // and one by one, backwards, by another solver
    let mut islands = Islands::default();
    assert!(islands.find(&both.problem()));
    let mut pieces = vec![0.0; both.rows.len()];
    let mut second = Solver::default();
    for k in (0..islands.count()).rev() {
        let island = islands.island(k);
        let mut own = vec![0.0; island.rows.len()];
        let outcome = second.solve_island(&both.problem(), &islands, k, Effort::Exact, &mut own);
        assert!(matches!(outcome, Outcome::Solved { .. }));
        island.scatter(&own, &mut pieces);
    }
    assert_eq!(together, pieces);
}

#[test]
fn more_sweeps_come_closer_and_say_how_far_they_are() {
    let owned = generate(&Pile::new(7, 60, 0.4, Motion::Rest));
    let mut last = f64::INFINITY;
    for sweeps in [3, 30, 300] {
        let mut r = vec![0.0; owned.rows.len()];
        let summary = Solver::default().solve(&owned.problem(), Effort::Sweeps(sweeps), &mut r);
        // the number of the sweeps is that of the residual check, which knows nothing of them
        let checked = residual(&owned.problem(), &r);
        assert!((summary.residual - checked).abs() <= 1e-9 * checked);
        assert!(summary.residual < 0.5 * last, "{}", summary.residual);
        last = summary.residual;
    }
}

#[test]
fn a_guess_that_is_far_off_does_no_harm() {
    let owned = generate(&Pile::new(7, 60, 0.4, Motion::Rest));
    let sweeps = |guess: &[f64]| {
        let mut r = guess.to_vec();
        let summary = Solver::default().solve(&owned.problem(), Effort::Sweeps(20), &mut r);
        summary.residual
    };
    let without = sweeps(&vec![0.0; owned.rows.len()]);
    let mut exact = vec![0.0; owned.rows.len()];
    Solver::default().solve(&owned.problem(), Effort::Exact, &mut exact);
    for (times, worst) in [(1.0, 1e-6), (100.0, without), (-1.0, without)] {
        let guess: Vec<f64> = exact.iter().map(|r| times * r).collect();
        let with = sweeps(&guess);
        println!("{times} times the solution: {with:.1e}, without a guess {without:.1e}");
        assert!(with <= worst);
    }
}

#[test]
fn heaps_with_large_friction_and_near_copies_are_solved() {
    let mut solver = Solver::default();
    for (seed, friction, copies, noise) in [
        (1, 0.4, 0, 0.0),
        (2, 1.0, 0, 0.0),
        (3, 2.0, 0, 0.0),
        (4, 0.4, 30, 0.0),
        (5, 0.4, 30, 1e-9),
        (6, 1.0, 30, 1e-7),
    ] {
        let owned = generate(&Pile {
            copies,
            noise,
            packing: Packing::Heap,
            ..Pile::new(seed, 80, friction, Motion::Impact)
        });
        let mut r = vec![0.0; owned.rows.len()];
        let summary = solver.solve(&owned.problem(), Effort::Exact, &mut r);
        assert_eq!(summary.solved, summary.islands, "seed {seed}: {summary:?}");
        assert!(residual(&owned.problem(), &r) <= ACCEPTED_RESIDUAL);
    }
}

/// What stops Newton's method and the way through the inside of the cones.
#[test]
fn heaps_that_need_lagged_slip_are_solved() {
    let mut solver = Solver::default();
    for seed in 1..=4 {
        let owned = generate(&Pile {
            packing: Packing::Heap,
            ..Pile::new(seed, 300, 2.0, Motion::Rest)
        });
        let mut r = vec![0.0; owned.rows.len()];
        solver.solve(&owned.problem(), Effort::Exact, &mut r);
        let checked = residual(&owned.problem(), &r);
        assert!(checked <= ACCEPTED_RESIDUAL, "seed {seed}: {checked:e}");
    }
    assert!(solver.stats.lagged_slips > 0);
    assert_eq!(solver.stats.last_resorts, 0);
}

#[test]
fn stacks_of_equal_spheres_whose_velocities_contradict_each_other_are_solved() {
    let mut solver = Solver::default();
    for (seed, friction) in [(1, 0.4), (2, 1.0), (3, 2.0)] {
        for motion in [Motion::Rest, Motion::Impact] {
            let owned = generate(&Pile {
                packing: Packing::Stack,
                ..Pile::new(seed, 100, friction, motion)
            });
            let mut r = vec![0.0; owned.rows.len()];
            solver.solve(&owned.problem(), Effort::Exact, &mut r);
            let checked = residual(&owned.problem(), &r);
            assert!(
                checked <= ACCEPTED_RESIDUAL,
                "seed {seed}, {motion:?}: {checked:e}"
            );
        }
    }
}

/// Jams that neither Newton's method nor the way through the inside of the cones solves: contacts, friction, resistance
/// against rolling, seed.
const JAMMED: [(usize, f64, bool, u64); 4] = [
    (60, 1.0, false, 2016),
    (150, 2.0, false, 2018),
    (150, 1.0, true, 2008),
    (150, 2.0, true, 2007),
];

#[test]
fn jams_that_stop_newtons_method_are_solved() {
    let mut solver = Solver::default();
    for (contacts, friction, resist, seed) in JAMMED {
        let pile = generate(&Pile {
            resist,
            ..Pile::new(seed, contacts, friction, Motion::Rest)
        });
        let mut r = vec![0.0; pile.rows.len()];
        solver.reset_stats();
        solver.solve(&pile.problem(), Effort::Exact, &mut r);
        let checked = residual(&pile.problem(), &r);
        println!("{contacts} contacts, friction {friction}: residual {checked:.1e}");
        assert!(checked <= ACCEPTED_RESIDUAL, "seed {seed}: {checked:e}");
        assert!(solver.stats.lagged_slips > 0, "seed {seed} is easy");
        assert_eq!(solver.stats.last_resorts, 0, "seed {seed}");
    }
}

#[test]
fn the_second_solve_with_lagged_slip_does_not_allocate() {
    let (contacts, friction, _, seed) = JAMMED[0];
    let pile = generate(&Pile::new(seed, contacts, friction, Motion::Rest));
    let mut solver = Solver::default();
    let mut answers = [0, 1].map(|_| vec![0.0; pile.rows.len()]);
    solver.solve(&pile.problem(), Effort::Exact, &mut answers[0]);
    let again = || solver.solve(&pile.problem(), Effort::Exact, &mut answers[1]);
    assert_eq!(allocations(again).0, 0);
    assert_eq!(answers[0], answers[1]);
}

/// Spheres side by side, joined by balls in sockets; the first one hangs on the ground.
fn chain(links: usize, doubled: bool) -> Owned {
    let mut owned = Owned::default();
    for k in 0..links as u32 {
        let velocity = [0.0, 0.0, -0.05, 0.0, 0.01 * f64::from(k), 0.0];
        owned
            .bodies
            .push(Body::diagonal([1.0, 1.0, 1.0, 2.5, 2.5, 2.5], velocity));
        let before = if k == 0 { GROUND } else { k - 1 };
        let copies = if doubled { 2 } else { 1 };
        owned.joints.push(Joint {
            bodies: [k, before],
            rows: 3 * copies,
        });
        for _ in 0..copies {
            for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
                let arms = [[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]];
                owned.rows.push(row(axis, Some(arms), 0.0));
            }
        }
    }
    owned
}

#[test]
fn joints_hold_exactly_even_twice() {
    let mut ends = Vec::new();
    for doubled in [false, true] {
        let owned = chain(100, doubled);
        let mut r = vec![0.0; owned.rows.len()];
        let mut solver = Solver::default();
        let summary = solver.solve(&owned.problem(), Effort::Exact, &mut r);
        assert_eq!(summary.solved, 1, "{summary:?}");
        // the velocities agree with the impulses, and the joints do not open
        let v = solver.velocities();
        let (one, other) = (v[49], v[50]);
        let gap = [
            one[0] - other[0],
            one[1] + 0.5 * one[5] - (other[1] - 0.5 * other[5]),
            one[2] - 0.5 * one[4] - (other[2] + 0.5 * other[4]),
        ];
        assert!(gap.iter().all(|g| g.abs() < 1e-10), "{gap:?}");
        ends.push(v[99]);
    }
    for k in 0..6 {
        assert!((ends[0][k] - ends[1][k]).abs() < 1e-9, "{ends:?}");
    }
}

#[test]
fn a_compliant_joint_is_a_spring() {
    let mut owned = Owned::default();
    owned
        .bodies
        .push(Body::diagonal([0.5; 6], [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
    owned.joints.push(Joint {
        bodies: [0, GROUND],
        rows: 1,
    });
    let mut spring = row([1.0, 0.0, 0.0], Some([[0.0; 3]; 2]), 0.0);
    spring.compliance = 1.5;
    owned.rows.push(spring);
    let mut r = vec![0.0];
    let mut solver = Solver::default();
    solver.solve(&owned.problem(), Effort::Exact, &mut r);
    // r = -v / c and v = 2 + r / 2
    assert!((r[0] + 1.0).abs() < 1e-12, "{r:?}");
    assert!((solver.velocities()[0][0] - 1.5).abs() < 1e-12);
}

#[test]
fn the_second_solve_of_a_problem_does_not_allocate() {
    let owned = generate(&Pile {
        packing: Packing::Heap,
        ..Pile::new(11, 60, 0.4, Motion::Rest)
    });
    let mut solver = Solver::default();
    let mut r = vec![0.0; owned.rows.len()];
    for effort in [Effort::Exact, Effort::Sweeps(5)] {
        r.fill(0.0);
        solver.solve(&owned.problem(), effort, &mut r);
        let first = r.clone();
        r.fill(0.0);
        let again = || solver.solve(&owned.problem(), effort, &mut r);
        assert_eq!(allocations(again).0, 0);
        assert_eq!(first, r);
    }
}

#[test]
fn what_is_not_a_number_is_never_solved() {
    let mut owned = generate(&Pile::new(2, 10, 0.4, Motion::Rest));
    owned.rows[4].bias = f64::NAN;
    let mut r = vec![0.0; owned.rows.len()];
    let summary = Solver::default().solve(&owned.problem(), Effort::Exact, &mut r);
    assert!(summary.solved < summary.islands);
    assert_eq!(summary.residual, f64::INFINITY);
    assert_eq!(residual(&owned.problem(), &r), f64::INFINITY);
}
