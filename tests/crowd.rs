//! Claims about the solver of many contacts. Every answer is judged by `lcp::crowd::residual`.

#[path = "common/piles.rs"]
mod piles;

use piles::{Motion, Owned, Pile, Random, generate};
use stiction::lcp::cone;
use stiction::lcp::crowd::{ACCEPTED_RESIDUAL, Effort, GROUND, Islands, Outcome, Solver, residual};

/// `W` and `q` of a problem without joints.
fn dense(owned: &Owned) -> (Vec<f64>, Vec<f64>, Vec<cone::Contact>) {
    let (n, width) = (owned.rows.len(), 6 * owned.bodies.len());
    let mut full = vec![vec![0.0; width]; n];
    let mut at = 0;
    for touch in &owned.contacts {
        for _ in 0..touch.contact.rows() {
            for (side, &b) in touch
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
fn small_piles_are_solved_and_both_judges_agree() {
    let mut crowd = Solver::default();
    for seed in 0..60 {
        let friction = [0.0, 0.1, 0.4, 1.0][seed as usize % 4];
        let motion = [Motion::Rest, Motion::Impact, Motion::Gaps][seed as usize % 3];
        let owned = generate(&Pile {
            resist: seed % 5 == 0,
            ..Pile::new(seed, 4 + seed as usize % 20, friction, motion)
        });
        let (matrix, vector, contacts) = dense(&owned);
        let problem = cone::Problem {
            n: vector.len(),
            matrix: &matrix,
            vector: &vector,
            contacts: &contacts,
        };
        let mut r = vec![0.0; vector.len()];
        let summary = crowd.solve(&owned.problem(), Effort::Exact, &mut r);
        let judged = residual(&owned.problem(), &r);
        assert!(
            judged <= ACCEPTED_RESIDUAL && summary.solved == summary.islands,
            "seed {seed}: {judged:e} {summary:?}"
        );
        assert_eq!(judged, summary.residual);
        // the residual of the whole is relative to the largest velocity, that of an island to its own
        assert!(cone::residual(&problem, &r) <= 1.001 * judged + 1e-15);
        let mut random = Random::new(seed);
        for x in &mut r {
            *x += 0.1 * random.signed();
        }
        let (one, other) = (residual(&owned.problem(), &r), cone::residual(&problem, &r));
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
        assert_eq!(summary.residual, residual(&owned.problem(), &r));
        assert!(summary.residual < 0.5 * last, "{}", summary.residual);
        last = summary.residual;
    }
}
