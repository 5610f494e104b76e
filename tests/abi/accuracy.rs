//! Results through the C interface: inputs as polynomials, and independence of the communication step.

use crate::common::{Truth, observed_order, scene_text};
use crate::host::{Cosine, run};
use crate::library::{Resources, pushed_block};

/// Place of the block at 10 s, from the closed form.
const BLOCK: f64 = 2.9913028331150315;

#[test]
fn a_force_fed_with_derivatives_is_as_good_as_a_built_in_one() {
    let step = [("settings.step", 1e-3)];
    let place = &["block.position.x"];
    let fed = Resources::temporary("fed", &pushed_block());
    let built_in = Resources::temporary("built in", &scene_text("block_on_table"));
    let reference = run(&built_in, 10.0, 0.05, &step, None, place)[0];
    let at = |size, order| {
        let cosine = Cosine("push.force_x", 8.0, 1.0, order);
        run(&fed, 10.0, size, &step, Some(cosine), place)[0]
    };
    let best = at(0.05, 3);
    println!(
        "built in {:.3e}, fed {:.3e}",
        reference - BLOCK,
        best - BLOCK
    );
    assert!((best - BLOCK).abs() <= 2e-7, "{:e}", best - BLOCK);
    assert!((best - reference).abs() <= 1e-7, "{:e}", best - reference);

    let sizes = [0.1, 0.05, 0.025, 0.0125];
    for (order, expected) in [(0, 1.0), (1, 2.0)] {
        let errors = sizes.map(|size| (at(size, order) - BLOCK).abs());
        let found = observed_order(&sizes, &errors);
        println!("derivatives up to {order}: errors {errors:?}, order {found:.3}");
        assert!((found - expected).abs() < 0.3, "{found}: {errors:?}");
    }
}

#[test]
fn results_do_not_depend_on_the_communication_step() {
    let pendulum = (
        "double_pendulum_wall",
        "p2_double_pendulum",
        [
            ("upper.position.x", "x1"),
            ("upper.position.y", "y1"),
            ("lower.position.x", "x2"),
            ("lower.position.y", "y2"),
        ],
        2.5,
        2.130_553_544_347_985_3,
    );
    let rod = (
        "falling_rod",
        "p5_rod_y1_truetip",
        [
            ("rod.position.x", "x"),
            ("rod.position.y", "y"),
            ("rod.position.angle", "theta"),
            ("rod.velocity.x", "vx"),
        ],
        0.7,
        0.566_342_754_231_208,
    );
    for (scene, truth, columns, sample, event) in [pendulum, rod] {
        let resources = Resources::shipped(scene);
        let truth = Truth::load(truth);
        let mut names: Vec<&str> = columns.iter().map(|c| c.0).collect();
        names.push("events.last_time");
        let expected = columns.map(|c| truth.at(sample, c.1));
        let mut found = Vec::new();
        for size in [0.001, 0.01, 0.1, 0.37, 2.5] {
            let values = run(&resources, 2.5, size, &[], None, &names);
            let errors = values.iter().zip(&expected).map(|(a, b)| (a - b).abs());
            let worst = errors.fold(0.0, f64::max);
            let late = (values[4] - event).abs();
            println!("{scene}, {size} s: error {worst:.2e}, of the last event {late:.2e} s");
            found.push((values, worst, late));
        }
        // the integrator's error at the scene's own step
        let (bound, late) = (found[1].1, found[1].2);
        for (values, worst, wrong) in &found {
            assert!(*worst <= 2.0 * bound + 1e-9, "{scene}: {values:?}");
            assert!(*wrong <= 2.0 * late + 1e-9, "{scene}: {values:?}");
        }
    }
}
