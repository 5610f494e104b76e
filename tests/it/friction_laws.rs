//! Laws of friction in space beyond Coulomb's: torsional and rolling resistance, ellipses, static above kinetic friction.
//! Closed forms, independent references, and: every law dissipates.

use crate::common::random::{Congruential, Random as _};
use crate::common::{halvings, model, observed_order, order_study, run, runge_kutta};
use stiction::model::Model;
use stiction::simulation::Simulation;
use stiction::state::{State, Status};

const G: f64 = 9.81;

/// Rounding of velocities that a solve leaves behind.
const AT_REST: f64 = 1e-13;

fn ball(radius: f64, [v, w]: [[f64; 3]; 2], height: f64, law: &str) -> Model {
    model(&format!(
        r#"
        dimension = 3
        [[body]]
        name = "ball"
        kind = "rigid"
        mass = 2.0
        position = [0, 0, {:?}]
        velocity = {v:?}
        angular_velocity = {w:?}
        shape = [{{ kind = "sphere", radius = {radius:?} }}]
        [[ground.shape]]
        kind = "half_space"
        normal = [0, 0, 1]
        [contact_default]
        {law}
        "#,
        radius + height
    ))
}

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

#[test]
fn a_ball_with_rolling_friction_comes_to_rest_where_it_should() {
    let (r, mu_r, v0) = (0.1, 2e-3, [0.3, 0.4]);
    let rolling = [[v0[0], v0[1], 0.0], [-v0[1] / r, v0[0] / r, 0.0]];
    let model = ball(
        r,
        rolling,
        0.0,
        &format!("friction = 0.5\nrolling_friction = {mu_r:?}"),
    );
    let speed = v0[0].hypot(v0[1]);
    let brake = 5.0 / 7.0 * mu_r * G / r;
    let (stop, way) = (speed / brake, speed * speed / (2.0 * brake));
    let error = |state: &State| {
        let at = [0, 1].map(|i| state.position[i] - way * v0[i] / speed);
        (largest(at), largest(state.velocity.iter().copied()))
    };
    for h in [0.02, 0.01] {
        let end = run(&model, stop + 1.0, |s| s.step = h);
        let (place, moves) = error(end.state());
        let report = end.report();
        println!(
            "h = {h}: place {place:.1e}, speed {moves:.1e}, stops {:.1e} s late, {} fallbacks",
            report.events.last().map_or(f64::NAN, |e| e.time - stop),
            report.complementarity_steps
        );
        assert!(place < 1e-10 && moves < AT_REST);
        assert_eq!(end.state().resistance[0].roll, Status::Stick);
        assert_eq!(report.complementarity_steps, 0);
    }
    for tolerance in [1e-6, 1e-9] {
        let end = run(&model, stop + 1.0, |s| s.tolerance = Some(tolerance));
        let (place, moves) = error(end.state());
        let work = end.report().factorizations;
        println!("{tolerance:e}: place {place:.1e}, speed {moves:.1e}, {work} factorizations");
        assert!(place < 10.0 * tolerance && moves < AT_REST);
    }
    // halfway: the deceleration, and the moment that does it
    let end = run(&model, 0.5 * stop, |s| s.step = 0.01);
    let state = end.state();
    let now = state.velocity[0].hypot(state.velocity[1]);
    assert!((now - 0.5 * speed).abs() < 1e-10);
    let moment = state.friction_moment[0];
    let expected = mu_r * 2.0 * G;
    assert!(
        (moment.norm() - expected).abs() < 1e-9 * expected,
        "{moment}"
    );
}

#[test]
fn a_capsule_on_two_contacts_rolls_to_its_rest() {
    let (r, mu_r, v0) = (0.1, 2e-3, 0.5);
    let model = model(&format!(
        r#"
        dimension = 3
        [[body]]
        name = "roller"
        kind = "rigid"
        mass = 2.0
        position = [0, 0, {r:?}]
        velocity = [{v0:?}, 0, 0]
        angular_velocity = [0, {:?}, 0]
        shape = [{{ kind = "capsule", from = [0, -0.3, 0], to = [0, 0.3, 0], radius = {r:?} }}]
        [[ground.shape]]
        kind = "half_space"
        normal = [0, 0, 1]
        [contact_default]
        friction = 0.5
        rolling_friction = {mu_r:?}
        "#,
        v0 / r
    ));
    // the smallest moment of inertia is that about its own axis
    let inertia = model.mass[3..6]
        .iter()
        .fold(f64::INFINITY, |m, i| m.min(*i));
    let brake = mu_r * G / (r * (1.0 + inertia / (2.0 * r * r)));
    let (stop, way) = (v0 / brake, v0 * v0 / (2.0 * brake));
    for tolerance in [None, Some(1e-6), Some(1e-9)] {
        let end = run(&model, stop + 1.0, |s| s.tolerance = tolerance);
        let (state, report) = (end.state(), end.report());
        let moves = largest(state.velocity.iter().copied());
        let late = report.events.last().map_or(f64::NAN, |e| e.time - stop);
        println!(
            "{tolerance:?}: place {:.1e}, speed {moves:.1e}, stops {late:.1e} s late, {} fallbacks",
            state.position[0] - way,
            report.complementarity_steps
        );
        assert!((state.position[0] - way).abs() < 1e-8 && moves < 1e-12);
    }
}

#[test]
fn a_spinning_ball_stops_spinning_when_it_should() {
    let (r, mu_t, w0) = (0.1, 1e-3, 20.0);
    let law = format!("friction = 0.5\ntorsional_friction = {mu_t:?}");
    let model = ball(r, [[0.0; 3], [0.0, 0.0, w0]], 0.0, &law);
    let brake = 2.5 * mu_t * G / (r * r);
    let stop = w0 / brake;
    for change in [None, Some(1e-6), Some(1e-9)] {
        let half = run(&model, 0.5 * stop, |s| s.tolerance = change);
        let end = run(&model, stop + 1.0, |s| s.tolerance = change);
        let rate = half.state().velocity[5];
        let left = largest(end.state().velocity.iter().copied());
        let late = end.report().events.last().map_or(f64::NAN, |e| e.time) - stop;
        println!(
            "{change:?}: halfway {:.1e}, at the end {left:.1e}, stops {late:.1e} s late",
            rate - 0.5 * w0
        );
        assert!((rate - 0.5 * w0).abs() < 1e-9);
        assert!(left < AT_REST && late.abs() < 1e-9);
        assert_eq!(end.state().resistance[0].spin, Status::Stick);
        assert!((half.state().friction_moment[0].z + mu_t * 2.0 * G).abs() < 1e-9);
    }
}

/// A ball that slides, rolls and spins at once, by many steps of order four: velocities and rates in world axes.
fn sliding_ball(r: f64, mu: [f64; 3], start: [[f64; 3]; 2], until: f64, n: usize) -> [f64; 8] {
    let [sliding, torsional, rolling] = mu;
    let by_inertia = 1.0 / (0.4 * r * r);
    // x, y, vx, vy, wx, wy, wz, work of friction by mass
    let rate = |y: [f64; 8]| {
        let [_, _, vx, vy, wx, wy, wz, _] = y;
        let u = [vx - wy * r, vy + wx * r];
        let (speed, turning) = (u[0].hypot(u[1]), wx.hypot(wy));
        let f = u.map(|u| -sliding * G * u / speed);
        let m = [wx, wy].map(|w| -rolling * G * w / turning);
        [
            vx,
            vy,
            f[0],
            f[1],
            (f[1] * r + m[0]) * by_inertia,
            (-f[0] * r + m[1]) * by_inertia,
            -torsional * G * wz.signum() * by_inertia,
            G * (sliding * speed + rolling * turning + torsional * wz.abs()),
        ]
    };
    let [v, w] = start;
    let y = [0.0, 0.0, v[0], v[1], w[0], w[1], w[2], 0.0];
    runge_kutta(y, until, n, |y| rate(*y))
}

#[test]
fn sliding_rolling_and_spinning_at_once_has_order_two() {
    let (r, mu) = (0.1, [0.2, 2e-3, 6e-3]);
    let start = [[1.5, 0.4, 0.0], [12.0, -3.0, 9.0]];
    let law = format!(
        "friction = {:?}\ntorsional_friction = {:?}\nrolling_friction = {:?}",
        mu[0], mu[1], mu[2]
    );
    let model = ball(r, start, 0.0, &law);
    // some of it still slides
    let until = 0.2;
    let truth = sliding_ball(r, mu, start, until, 40_000);
    let error = |end: &Simulation| {
        let state = end.state();
        let spin = end_spin(state);
        let (q, v) = (&state.position, &state.velocity);
        let found = [
            q[0],
            q[1],
            v[0],
            v[1],
            spin[0],
            spin[1],
            spin[2],
            end.report().friction_loss / 2.0,
        ];
        largest((0..8).map(|i| found[i] - truth[i]))
    };
    let by_step = |h| error(&run(&model, until, |s| s.step = h));
    assert!(order_study("ball", &halvings(0.02, 4), by_step) > 1.9);
    for tolerance in [1e-6, 1e-9] {
        let end = run(&model, until, |s| s.tolerance = Some(tolerance));
        println!("{tolerance:e}: {:.1e}", error(&end));
        assert!(error(&end) < 20.0 * tolerance);
    }
}

// rates of rotation of the first body in world axes
fn end_spin(state: &State) -> [f64; 3] {
    let w = stiction::math::Vec3::new(state.velocity[3], state.velocity[4], state.velocity[5]);
    let turned = stiction::math::quaternion::matrix(state.orientation[0]) * w;
    [turned.x, turned.y, turned.z]
}

fn puck(v: [f64; 2], slope: f64, law: &str, forces: &str) -> Model {
    let (sin, cos) = slope.sin_cos();
    model(&format!(
        r#"
        dimension = 3
        gravity = [0, {:?}, {:?}]
        [[body]]
        name = "puck"
        kind = "point"
        mass = 1.0
        position = [0, 0, 0]
        velocity = [{:?}, {:?}, 0]
        shape = [{{ kind = "point" }}]
        [[ground.shape]]
        kind = "half_space"
        normal = [0, 0, 1]
        [contact_default]
        {law}
        {forces}
        "#,
        -G * sin,
        -G * cos,
        v[0],
        v[1]
    ))
}

#[test]
fn elliptic_friction_follows_the_associated_law() {
    let mu = [0.2_f64, 0.4];
    let law = format!("friction_axes = {mu:?}\nfriction_axis = [1, 0, 0]");
    let model = puck([1.2, 1.6], 0.0, &law, "");
    // friction is the gradient of the dissipation N sqrt(mu_x^2 vx^2 + mu_y^2 vy^2)
    let rate = |y: [f64; 4]| {
        let size = (mu[0] * y[2]).hypot(mu[1] * y[3]);
        let f = [0, 1].map(|i| -G * mu[i] * mu[i] * y[2 + i] / size);
        [y[2], y[3], f[0], f[1]]
    };
    let until = 0.4;
    let truth = runge_kutta([0.0, 0.0, 1.2, 1.6], until, 20_000, |y| rate(*y));
    let error = |state: &State| {
        let found = [0, 1].map(|i| [state.position[i], state.velocity[i]]);
        largest((0..2).flat_map(|i| [found[i][0] - truth[i], found[i][1] - truth[2 + i]]))
    };
    let steps = halvings(0.04, 4);
    let errors: Vec<f64> = steps
        .iter()
        .map(|h| error(run(&model, until, |s| s.step = *h).state()))
        .collect();
    let order = observed_order(&steps, &errors);
    println!("order {order:.3}: {errors:?}");
    assert!(order > 1.9);
    for tolerance in [1e-6, 1e-9] {
        let end = run(&model, until, |s| s.tolerance = Some(tolerance));
        println!("{tolerance:e}: {:.1e}", error(end.state()));
        assert!(error(end.state()) < 10.0 * tolerance);
        let (force, v) = (end.state().friction_force[0], &end.state().velocity);
        let size = (mu[0] * v[0]).hypot(mu[1] * v[1]);
        for i in 0..2 {
            assert!((force[i] + G * mu[i] * mu[i] * v[i] / size).abs() < 1e-9);
        }
    }
    // a push along the diagonal breaks away where the ellipse ends, and slides along its outer normal
    let ramp = r#"
        [[force]]
        name = "push"
        kind = "applied"
        body = "puck"
        force = [{ kind = "table", times = [0, 10], values = [0, 10] }, { kind = "table", times = [0, 10], values = [0, 10] }, 0]
        "#;
    let model = puck([0.0, 0.0], 0.0, &law, ramp);
    let limit = G / (1.0 / mu[0]).hypot(1.0 / mu[1]);
    for tolerance in [None, Some(1e-9)] {
        let end = run(&model, limit + 1e-3, |s| s.tolerance = tolerance);
        let late = end.report().events[0].time - limit;
        let v = &end.state().velocity;
        let direction = v[1] / v[0];
        let expected = (mu[0] / mu[1]) * (mu[0] / mu[1]);
        println!("{tolerance:?}: breaks away {late:.1e} s late, direction {direction}");
        assert!(late.abs() < 1e-12 && (direction - expected).abs() < 1e-2);
    }
}

const RAMP: &str = r#"
    [[force]]
    name = "push"
    kind = "applied"
    body = "puck"
    force = [{ kind = "table", times = [0, 100], values = [0, 100] }, 0, 0]
    "#;

#[test]
fn static_friction_breaks_away_at_its_limit_and_drops() {
    let (mu_s, mu_k) = (0.5, 0.3);
    let law = format!("friction = {mu_k:?}\nstatic_friction = {mu_s:?}");
    let model = puck([0.0, 0.0], 0.0, &law, RAMP);
    let limit = mu_s * G;
    let error = |state: &State| {
        let (t, s) = (state.time, state.time - limit);
        let drive = limit - mu_k * G;
        let expected = [
            0.5 * drive * s * s + s * s * s / 6.0,
            drive * s + 0.5 * s * s,
        ];
        assert!(t > limit);
        largest([
            state.position[0] - expected[0],
            state.velocity[0] - expected[1],
        ])
    };
    let times = |end: &Simulation| {
        let events = &end.report().events;
        assert_eq!(events.len(), 1, "{events:?}");
        events[0].time - limit
    };
    for h in [0.02, 0.01, 0.005] {
        let end = run(&model, 6.0, |s| s.step = h);
        println!(
            "h = {h}: {:.1e}, event {:.1e}",
            error(end.state()),
            times(&end)
        );
        assert!(times(&end).abs() < 1e-12);
        assert!((end.state().friction_force[0].x + mu_k * G).abs() < 1e-9);
    }
    for tolerance in [1e-6, 1e-9] {
        let end = run(&model, 6.0, |s| s.tolerance = Some(tolerance));
        println!(
            "{tolerance:e}: {:.1e}, event {:.1e}",
            error(end.state()),
            times(&end)
        );
        assert!(times(&end).abs() < 1e-12 && error(end.state()) < 10.0 * tolerance);
    }
    // just before: the whole static force
    let end = run(&model, limit - 1e-6, |s| s.step = 0.01);
    assert!((end.state().friction_force[0].x + limit).abs() < 2e-6);
    assert_eq!(end.state().velocity[0], 0.0);
}

#[test]
fn between_the_two_coefficients_a_puck_rests_and_a_moving_one_slides_on() {
    let law = "friction = 0.3\nstatic_friction = 0.5";
    let slope = 0.4_f64.atan();
    for tolerance in [None, Some(1e-8)] {
        let rests = run(&puck([0.0; 2], slope, law, ""), 1.0, |s| {
            s.tolerance = tolerance;
        });
        assert_eq!(rests.state().status[0], Status::Stick);
        assert_eq!(rests.state().velocity[1], 0.0);
        let slides = run(&puck([0.0, -0.1], slope, law, ""), 1.0, |s| {
            s.tolerance = tolerance;
        });
        let (sin, cos) = slope.sin_cos();
        let expected = -0.1 - G * (sin - 0.3 * cos);
        assert!((slides.state().velocity[1] - expected).abs() < 1e-9);
        // upwards it comes to rest, and static friction holds it
        let stops = run(&puck([0.0, 0.5], slope, law, ""), 2.0, |s| {
            s.tolerance = tolerance;
        });
        println!("{:?}", stops.report().events);
        assert_eq!(stops.state().status[0], Status::Stick);
        assert!(largest(stops.state().velocity.iter().copied()) < AT_REST);
    }
}

/// Pulled at the speed V through a spring: sticks until the spring has the static force, then jumps.
#[test]
fn stick_slip_has_the_period_of_its_closed_form() {
    let (k, v, mu_s, mu_k) = (40.0_f64, 0.05, 0.4, 0.25);
    let law = format!("friction = {mu_k:?}\nstatic_friction = {mu_s:?}");
    // the force k V t on a block that a spring holds at the origin is that of a spring with a moving end
    let forces = format!(
        r#"
        [[force]]
        name = "pull"
        kind = "applied"
        body = "puck"
        force = [{{ kind = "table", times = [0, 100], values = [0, {:?}] }}, 0, 0]
        [[force]]
        name = "spring"
        kind = "spring"
        bodies = ["ground", "puck"]
        anchors = [[-1, 0, 0], [0, 0, 0]]
        stiffness = {k:?}
        rest_length = 1
        "#,
        100.0 * k * v
    );
    let model = puck([0.0; 2], 0.0, &law, &forces);
    let omega = k.sqrt();
    let beyond = (mu_s - mu_k) * G / k;
    let slip = 2.0 * (std::f64::consts::PI - (beyond * omega / v).atan()) / omega;
    let stick = 2.0 * beyond / v;
    let first = mu_s * G / k / v;
    let until = first + 3.0 * (slip + stick) + 0.5 * slip;
    let check = |end: &Simulation, name: String, allowed: f64| {
        let times: Vec<f64> = end.report().events.iter().map(|e| e.time).collect();
        let mut expected = Vec::new();
        for i in 0..4 {
            let start = first + f64::from(i) * (slip + stick);
            expected.push(start);
            if i < 3 {
                expected.push(start + slip);
            }
        }
        let late = largest(times.iter().zip(&expected).map(|(a, b)| a - b));
        println!("{name}: {} events, {late:.1e} s off", times.len());
        assert_eq!(times.len(), expected.len(), "{times:?} {expected:?}");
        assert!(late < allowed);
        late
    };
    let steps = halvings(0.02, 4);
    let errors: Vec<f64> = steps
        .iter()
        .map(|h| {
            let end = run(&model, until, |s| s.step = *h);
            check(&end, format!("h = {h}"), 1e-2)
        })
        .collect();
    let order = observed_order(&steps, &errors);
    println!("order {order:.3}");
    assert!(order > 1.9);
    for tolerance in [1e-6, 1e-9] {
        let end = run(&model, until, |s| s.tolerance = Some(tolerance));
        check(&end, format!("{tolerance:e}"), 100.0 * tolerance);
    }
}

fn slab(v: [f64; 2], spin: f64, law: &str, forces: &str) -> Model {
    model(&format!(
        r#"
        dimension = 3
        [[body]]
        name = "puck"
        kind = "rigid"
        mass = 1.0
        position = [0, 0, 0.1]
        velocity = [{:?}, {:?}, 0]
        angular_velocity = [0, 0, {spin:?}]
        shape = [{{ kind = "box", size = [0.8, 0.6, 0.2] }}]
        [[ground.shape]]
        kind = "half_space"
        normal = [0, 0, 1]
        [contact_default]
        {law}
        {forces}
        "#,
        v[0], v[1]
    ))
}

#[test]
fn a_box_with_four_contacts_breaks_away_at_the_static_limit() {
    let (mu_s, mu_k) = (0.5, 0.3);
    let law = format!("friction = {mu_k:?}\nstatic_friction = {mu_s:?}");
    // low enough not to lift an edge
    let model = slab([0.0; 2], 0.0, &law, RAMP);
    let limit = mu_s * G;
    for (name, h, tolerance) in [
        ("fixed", 0.01, None),
        ("fixed", 0.005, None),
        ("1e-8", 0.01, Some(1e-8)),
    ] {
        let end = run(&model, limit + 1.0, |s| {
            s.step = h;
            s.tolerance = tolerance;
        });
        let drive = limit - mu_k * G;
        let error = end.state().velocity[0] - (drive + 0.5);
        let report = end.report();
        let first = report.events.first().map_or(f64::NAN, |e| e.time - limit);
        println!(
            "{name}, h = {h}: breaks away {first:.1e} s late, velocity off by {error:.1e}, {} fallbacks",
            report.complementarity_steps
        );
        // the functions of single contacts mean nothing: the event is where accelerations differ by 1e-9
        assert!(first.abs() < 1e-7 && error.abs() < 1e-6);
    }
}

#[test]
fn an_impact_sticks_within_the_static_cone_and_slides_with_kinetic_friction_beyond() {
    let law = "friction = 0.2\nstatic_friction = 0.5";
    for (vx, expected) in [(0.45, 0.0), (0.55, 0.55 - 0.2), (2.0, 2.0 - 0.2)] {
        let model = puck([vx, 0.0], 0.0, law, "");
        let mut simulation = Simulation::new(model);
        simulation.state_mut().velocity[2] = -1.0;
        simulation.initialize().unwrap();
        let v = &simulation.state().velocity;
        println!("{vx}: {v:?}");
        assert!((v[0] - expected).abs() < 1e-12 && v[2].abs() < 1e-12);
        let event = simulation.report().events[0];
        assert!((event.impulse[1] - (vx - expected)).abs() < 1e-12);
    }
}

#[test]
fn an_impact_takes_spin_and_rolling_by_its_normal_impulse() {
    let (r, m, vz) = (0.1, 2.0, 3.0);
    let law = "torsional_friction = 4e-3\nrolling_friction = 6e-3";
    let inertia = 0.4 * m * r * r;
    let [by_spin, by_rolling] = [4e-3, 6e-3].map(|mu| mu * m * vz / inertia);
    let model = ball(r, [[0.0, 0.0, -vz], [8.0, -6.0, 9.0]], 0.0, law);
    let mut simulation = Simulation::new(model);
    simulation.initialize().unwrap();
    let w = &simulation.state().velocity[3..];
    let expected = [
        8.0 - by_rolling * 0.8,
        -6.0 + by_rolling * 0.6,
        9.0 - by_spin,
    ];
    println!("{w:?}, {expected:?}");
    assert!(largest((0..3).map(|i| w[i] - expected[i])) < 1e-10);
    // weaker spins are gone at once
    let model = ball(r, [[0.0, 0.0, -vz], [0.8, -0.6, 0.9]], 0.0, law);
    let mut simulation = Simulation::new(model);
    simulation.initialize().unwrap();
    assert!(largest(simulation.state().velocity.iter().copied()) < AT_REST);
}

/// Same numbers in every run.
fn triple(random: &mut Congruential, size: f64) -> [f64; 3] {
    [0; 3].map(|_| size * random.signed())
}

const LAWS: [(&str, &str); 14] = [
    ("isotropic", "friction = 0.3"),
    (
        "elliptic",
        "friction_axes = [0.2, 0.5]\nfriction_axis = [1, 0.3, 0]",
    ),
    ("torsional", "friction = 0.3\ntorsional_friction = 5e-3"),
    ("torsional alone", "torsional_friction = 5e-3"),
    ("rolling", "friction = 0.3\nrolling_friction = 8e-3"),
    ("rolling alone", "rolling_friction = 8e-3"),
    (
        "soft finger",
        "friction = 0.3\ntorsional_friction = 5e-3\nrolling_friction = 8e-3",
    ),
    (
        "elliptic soft finger",
        "friction_axes = [0.5, 0.2]\nfriction_axis = [0, 1, 0]\ntorsional_friction = 5e-3\nrolling_friction = 8e-3",
    ),
    (
        "static above kinetic",
        "friction = 0.2\nstatic_friction = 0.5",
    ),
    (
        "Stribeck",
        "friction = 0.2\nstatic_friction = 0.5\nstribeck_velocity = 0.1",
    ),
    (
        "steep Stribeck",
        "friction = 0.2\nstatic_friction = 0.5\nstribeck_velocity = 5e-3",
    ),
    (
        "nearly a jump",
        "friction = 0.2\nstatic_friction = 0.5\nstribeck_velocity = 1e-5",
    ),
    (
        "Stribeck soft finger",
        "friction = 0\nstatic_friction = 0.4\nstribeck_velocity = 0.5\ntorsional_friction = 5e-3\nrolling_friction = 8e-3",
    ),
    (
        "all of it",
        "friction = 0.2\nstatic_friction = 0.5\ntorsional_friction = 5e-3\nrolling_friction = 8e-3",
    ),
];

// more of them where somebody wants to know
fn cases(n: usize) -> usize {
    let factor = std::env::var("FRICTION_CASES").ok();
    n * factor.and_then(|f| f.parse().ok()).unwrap_or(1)
}

// runs and watches: losses never fall, the ledger closes
fn watch(name: &str, model: &Model, until: f64, tolerance: Option<f64>) -> f64 {
    let mut settings = model.settings.clone();
    settings.step = 0.01;
    settings.tolerance = tolerance;
    let mut simulation = Simulation::with_settings(model.clone(), settings);
    let start = simulation.energy().total();
    let (mut friction, mut impacts) = (0.0_f64, 0.0_f64);
    let n = 60;
    for i in 1..=n {
        let time = until * f64::from(i) / f64::from(n);
        simulation
            .advance_to(time)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let report = simulation.report();
        let lost = report.friction_loss - friction;
        assert!(lost > -1e-10, "{name}: friction gives {lost:e} J at {time}");
        let lost = report.impact_loss - impacts;
        // pressing contacts take part of the drift of the positions
        assert!(lost > -1e-4, "{name}: impacts give {lost:e} J at {time}");
        (friction, impacts) = (report.friction_loss, report.impact_loss);
    }
    let report = simulation.report().clone();
    let losses = report.friction_loss + report.impact_loss + report.damping_loss;
    let remainder = simulation.energy().total() + losses - start - report.applied_work;
    println!(
        "{name}, {tolerance:?}: remainder {remainder:.1e} of {start:.2} J, {} events, {} complementarity steps, {} of first order, {} fallback steps",
        report.events.len(),
        report.complementarity_steps,
        report.first_order_steps,
        report.fallback_steps
    );
    remainder
}

#[test]
fn a_state_goes_on_with_the_same_bits() {
    for (name, law) in LAWS {
        let model = ball(0.1, [[1.5, 0.4, 0.0], [12.0, -3.0, 9.0]], 0.0, law);
        for tolerance in [None, Some(1e-7)] {
            let change = |s: &mut stiction::scene::spec::Settings| s.tolerance = tolerance;
            let mut first = run(&model, 0.1, change);
            let mut second = run(&model, 0.0, change);
            second.state_mut().copy_from(first.state());
            first.advance_to(1.0).unwrap();
            second.advance_to(1.0).unwrap();
            assert_eq!(first.state(), second.state(), "{name}");
        }
    }
}

#[test]
fn every_law_dissipates() {
    let mut random = Congruential(7);
    for (name, law) in LAWS {
        for case in 0..cases(4) {
            let height = if case % 2 == 0 { 0.0 } else { 0.2 };
            let mut v = triple(&mut random, 2.0);
            let w = triple(&mut random, 20.0);
            v[2] = if height == 0.0 { 0.0 } else { v[2] };
            let law = format!("{law}\nrestitution = 0.5");
            let model = ball(0.1, [v, w], height, &law);
            let name = format!("ball {case}, {name}");
            for (tolerance, allowed) in [(None, 1e-4), (Some(1e-7), 1e-8)] {
                let remainder = watch(&name, &model, 1.5, tolerance);
                assert!(remainder.abs() < allowed, "{name}");
            }
        }
    }
}

#[test]
fn every_law_dissipates_under_a_box() {
    let mut random = Congruential(3);
    for (name, law) in LAWS {
        for case in 0..cases(2) {
            let [vx, vy, spin] = triple(&mut random, 1.0);
            let model = slab([vx, vy], 3.0 * spin, law, "");
            let name = format!("box {case}, {name}");
            for (tolerance, allowed) in [(None, 1e-4), (Some(1e-7), 1e-8)] {
                let remainder = watch(&name, &model, 1.0, tolerance);
                assert!(remainder.abs() < allowed, "{name}");
            }
        }
    }
}

// the energy limiter took all that was left of the motion, so that the stop was not seen: it slid on at zero speed
#[test]
fn a_box_that_stops_sticks() {
    let law = "friction = 0.2\nstatic_friction = 0.5\nstribeck_velocity = 0.1";
    for (v, spin) in [([0.3, 0.2], 0.4), ([0.2, -0.3], -1.0), ([0.36, 0.0], 0.1)] {
        let model = slab(v, spin, law, "");
        let mut simulation = Simulation::with_settings(model.clone(), model.settings.clone());
        simulation.advance_to(1.0).unwrap();
        let sticks = |status: &&Status| **status == Status::Stick;
        let report = simulation.report();
        println!(
            "{v:?}: {} substeps, {} J lost",
            report.substeps, report.friction_loss
        );
        assert_eq!(simulation.state().status.iter().filter(sticks).count(), 4);
        assert!(report.substeps < 200 && report.numerical_gain < 1e-9);
    }
}
