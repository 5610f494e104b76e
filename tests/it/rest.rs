//! No creep, no chatter: what should be at rest is, exactly; what should be exact is.

use crate::common::{Truth, halvings, model, run, variant};

#[test]
fn a_block_below_its_friction_limit_does_not_move_in_ten_seconds() {
    // half the limit of mu m g, constant and swinging
    for force in [
        "3.924",
        r#"{ kind = "harmonic", amplitude = 3.924, omega = 5.0 }"#,
    ] {
        let text = format!(
            r#"
            [[body]]
            name = "block"
            kind = "point"
            mass = 1.0
            position = [3.0, 0.0]
            shape = [{{ kind = "point" }}]
            [[ground.shape]]
            kind = "half_plane"
            point = [0.0, 0.0]
            normal = [0.0, 1.0]
            [[force]]
            name = "push"
            kind = "applied"
            body = "block"
            force = [{force}, 0.0]
            [contact_default]
            friction = 0.8
            "#
        );
        let model = model(&text);
        for step in [0.1, 0.01, 0.001] {
            let end = run(&model, 10.0, |s| s.step = step);
            let state = end.state();
            let speed = state.velocity.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            let moved = (state.position[0] - 3.0).abs().max(state.position[1].abs());
            println!("h = {step}: speed {speed:.1e}, moved {moved:.1e}");
            assert!(speed <= 1e-12 && moved <= 1e-14);
        }
    }
}

#[test]
fn a_bouncing_ball_ends_at_rest_near_its_accumulation_point() {
    let model = variant("bouncing_ball", &[]);
    let accumulation = 4.06371276887158;
    let mut last = f64::INFINITY;
    for step in halvings(0.02, 7) {
        let end = run(&model, 5.0, |s| s.step = step);
        let impacts: Vec<f64> = end.report().events.iter().map(|e| e.time).collect();
        let early = accumulation - impacts.last().unwrap();
        let state = end.state();
        println!(
            "h = {step}: {} impacts, rest {early:.2e} s = {:.2} steps early, speed {:e}, height {:e}",
            impacts.len(),
            early / step,
            state.velocity[1],
            state.position[1]
        );
        assert!(state.velocity[1] == 0.0 && state.position[1].abs() < 1e-15);
        assert!(early > 0.0 && early <= 8.0 * step);
        assert!(early < last);
        last = early;
    }
}

#[test]
fn impacts_of_the_ball_are_exact_until_it_rests() {
    let truth = Truth::load("p6a_bouncing_ball");
    let end = run(&variant("bouncing_ball", &[]), 4.0, |s| s.step = 0.01);
    let expected = truth.event_times();
    let worst = end
        .report()
        .events
        .iter()
        .zip(&expected)
        .fold(0.0, |m: f64, (e, t)| m.max((e.time - t).abs()));
    println!(
        "worst impact time {worst:.1e} s over {} impacts",
        end.report().events.len()
    );
    assert!(worst < 1e-12);
}

#[test]
fn without_any_threshold_the_number_of_impacts_stays_finite() {
    let model = variant("bouncing_ball", &[]);
    let end = run(&model, 5.0, |s| {
        s.step = 0.01;
        s.restitution_threshold = 0.0;
        s.max_substeps = 1_000_000;
    });
    let report = end.report();
    println!(
        "{} impacts, {} of first order steps, speed {:e}",
        report.n_events.impacts,
        report.first_order_steps,
        end.state().velocity[1]
    );
    assert!(report.n_events.impacts < 10_000 && end.state().velocity[1].abs() < 1e-6);
}

#[test]
fn incline_and_free_flight_are_exact_at_every_step() {
    let truth = Truth::load("p6b_incline");
    let case = &truth.0["cases"][0];
    assert_eq!(case["name"], "below_down");
    let (angle, stop) = (
        case["angle"].as_f64().unwrap(),
        case["events"][0]["s"].as_f64().unwrap(),
    );
    let model = variant("incline", &[]);
    for step in halvings(0.1, 6) {
        let end = run(&model, 10.0, |s| s.step = step);
        let q = &end.state().position;
        let along = q[0] * angle.cos() - q[1] * angle.sin();
        let sliding = run(&model, 3.0, |s| s.step = step);
        let samples = case["values"].as_array().unwrap();
        let expected = samples.last().unwrap()[0].as_f64().unwrap();
        let p = &sliding.state().position;
        let at_3 = p[0] * angle.cos() - p[1] * angle.sin();
        println!(
            "h = {step}: s(3) off by {:.1e}, s(10) by {:.1e}",
            at_3 - expected,
            along - stop
        );
        assert!((along - stop).abs() <= 1e-12 && (at_3 - expected).abs() <= 1e-12);
    }
    let ball = variant("bouncing_ball", &[]);
    for step in halvings(0.1, 6) {
        let end = run(&ball, 0.4, |s| s.step = step);
        assert!((end.state().position[1] - (1.0 - 0.5 * 9.81 * 0.16)).abs() <= 1e-12);
    }
}
