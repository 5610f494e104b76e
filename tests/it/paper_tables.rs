//! The tables of the paper on the trapezoidal scheme, with its own algorithm as settings.

use crate::common::{norm2, run, variant};
use stiction::scene::spec::{EventState, Scheme, Settings};

/// No projection, no damping steps, no rest threshold, event state from the interpolant, eps_a = 1e-6.
fn as_in_the_paper(settings: &mut Settings) {
    settings.projection = false;
    settings.damping_steps = 0;
    settings.restitution_threshold = 0.0;
    settings.event_state = EventState::Interpolant;
    settings.active_gap = 1e-6;
    settings.impact_energy_limit = false;
    settings.locate_transitions = Some(false);
}

/// Double pendulum with a wall, scheme II: error of q at T = 2.5 and the residuals of the two joints.
#[test]
fn table_10_1_comes_out_within_one_percent() {
    let model = variant(
        "double_pendulum_wall",
        &[("gravity = [0, -9.81]", "gravity = [0, -9.8]")],
    );
    let reference = [
        0.021962117694925,
        -0.999758803605327,
        0.023769486773917,
        -1.999757170312499,
    ];
    let printed = [
        (2.38e-3, 1.27e-3, 3.18e-3),
        (6.14e-4, 3.14e-4, 8.29e-4),
        (1.54e-4, 7.82e-5, 2.14e-4),
        (3.95e-5, 1.95e-5, 5.48e-5),
        (1.01e-5, 4.88e-6, 1.37e-5),
        (2.42e-6, 1.22e-6, 3.44e-6),
        (6.15e-7, 3.05e-7, 8.60e-7),
    ];
    for (i, (error, joint_1, joint_2)) in printed.into_iter().enumerate() {
        let step = f64::powi(0.5, 5 + i as i32);
        let end = run(&model, 2.5, |s| {
            as_in_the_paper(s);
            s.scheme = Scheme::TrapezoidalAverage;
            s.step = step;
        });
        let q = &end.state().position;
        let found = norm2(q.iter().zip(reference).map(|(q, r)| q - r));
        let theta_1 = q[0] * q[0] + q[1] * q[1] - 1.0;
        let (dx, dy) = (q[0] - q[2], q[1] - q[3]);
        let theta_2 = dx * dx + dy * dy - 1.0;
        println!(
            "h = 2^-{}: error {found:.4e} (printed {error:.2e}), joints {:.3e} {:.3e} (printed {joint_1:.2e} {joint_2:.2e})",
            5 + i,
            theta_1.abs(),
            theta_2.abs()
        );
        assert!((found / error - 1.0).abs() < 0.01);
        assert!((theta_1.abs() / joint_1 - 1.0).abs() < 0.01);
        assert!((theta_2.abs() / joint_2 - 1.0).abs() < 0.01);
    }
}

const BLOCK_AT_2: f64 = 3.004_348_569_726_865;
const TABLE_10_2: [f64; 6] = [5.197e-5, 1.025e-5, 2.555e-6, 6.551e-7, 1.549e-7, 3.959e-8];
const TABLE_10_3: [f64; 6] = [8.023e-5, 2.310e-5, 5.619e-6, 1.395e-6, 3.652e-7, 8.246e-8];

fn block_error(scheme: Scheme, exponent: i32, transitions: bool) -> f64 {
    let model = variant("block_on_table", &[]);
    let end = run(&model, 2.0, |s| {
        as_in_the_paper(s);
        s.scheme = scheme;
        s.step = f64::powi(0.5, exponent);
        s.locate_transitions = Some(transitions);
        s.event_state = EventState::Restep;
    });
    (end.state().position[0] - BLOCK_AT_2).abs()
}

/// Block on a table without locating transitions: all printed digits but for one entry.
#[test]
fn tables_10_2_and_10_3_come_out_to_all_digits_but_for_one_entry() {
    let mut agree = 0;
    for (scheme, table) in [
        (Scheme::TrapezoidalPrinted, TABLE_10_2),
        (Scheme::TrapezoidalAverage, TABLE_10_3),
    ] {
        for (i, printed) in table.into_iter().enumerate() {
            let found = block_error(scheme, 5 + i as i32, false);
            // half a unit of the last printed digit, and a little for the paper's own reference
            let digit = 1e-3 * f64::powf(10.0, printed.log10().floor());
            let same = (found - printed).abs() <= 0.55 * digit;
            println!(
                "{scheme:?} h = 2^-{}: {found:.4e}, printed {printed:.3e}",
                5 + i
            );
            agree += i32::from(same);
        }
    }
    assert_eq!(agree, 11);
}

/// With transitions located only the error of the trapezoidal rule is left, (4/3) h^2 (1 - cos t1) = 0.0757 h^2.
#[test]
fn with_transitions_located_the_block_has_the_error_of_the_trapezoidal_rule() {
    for scheme in [
        Scheme::Trapezoidal,
        Scheme::TrapezoidalPrinted,
        Scheme::TrapezoidalAverage,
    ] {
        let errors: Vec<f64> = (5..=10).map(|k| block_error(scheme, k, true)).collect();
        println!("{scheme:?}: {errors:?}");
        for (i, error) in errors.iter().enumerate() {
            let h = f64::powi(0.5, 5 + i as i32);
            assert!(
                (error / (0.0757 * h * h) - 1.0).abs() < 0.03,
                "{error:e} at {h}"
            );
        }
        for pair in errors.windows(2) {
            let ratio = pair[0] / pair[1];
            assert!((3.9..4.1).contains(&ratio), "ratio {ratio}");
        }
    }
}
