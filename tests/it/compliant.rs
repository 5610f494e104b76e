//! Compliant contacts against independent solutions and closed forms.

use crate::common::{Truth, halvings, model, order_study, run, runge_kutta, scene_text};
use stiction::fmu::instance::Instance;
use stiction::fmu::instance::variable::Value;
use stiction::integrate::EventKind;
use stiction::model::Model;
use stiction::simulation::Simulation;
use stiction::state::Status;

const ORDER: f64 = 1.9;

/// A ball of 1 kg and radius 0.1 m at a height above a compliant floor, in the plane and in space.
fn balls(height: f64, law: &str) -> [(&'static str, Model); 2] {
    let scene = |shape: &str, ground: &str, position: &str, head: &str| {
        format!(
            "{head}
            [[body]]
            name = \"ball\"
            kind = \"rigid\"
            mass = 1.0
            position = {position}
            shape = [{{ kind = \"{shape}\", radius = 0.1 }}]
            [[ground.shape]]
            {ground}
            [contact_default]
            {law}"
        )
    };
    let high = height + 0.1;
    let plane = scene(
        "circle",
        "kind = \"half_plane\"\nnormal = [0, 1]",
        &format!("[0, {high}]"),
        "",
    );
    let space = scene(
        "sphere",
        "kind = \"half_space\"\nnormal = [0, 0, 1]",
        &format!("[0, 0, {high}]"),
        "dimension = 3",
    );
    [("plane", model(&plane)), ("space", model(&space))]
}

/// Height of the ball and its rate.
fn motion(end: &Simulation) -> [f64; 2] {
    let up = if end.model().is_spatial() { 2 } else { 1 };
    [end.state().position[up] - 0.1, end.state().velocity[up]]
}

const PAD: &str = "stiffness = 2000\ndamping = 12";

#[test]
fn a_ball_on_a_pad_has_order_two_through_13_events() {
    let truth = Truth::load("m10a_pad_kelvin_voigt");
    let expected = truth.event_times();
    for (dimension, model) in balls(0.3, PAD) {
        let name = format!("ball on a pad in {dimension}, z(3)");
        let order = order_study(&name, &halvings(0.005, 5), |step| {
            let end = run(&model, 3.0, |s| s.step = step);
            let found: Vec<f64> = end.report().events.iter().map(|e| e.time).collect();
            assert_eq!(found.len(), expected.len(), "{found:?}");
            let late = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
            let [z, v] = motion(&end);
            let errors = [z - truth.at(3.0, "z"), v - truth.at(3.0, "v")];
            late.chain(errors.map(f64::abs)).fold(0.0, f64::max)
        });
        assert!(order >= ORDER);
    }
}

#[test]
fn a_ball_on_a_pad_keeps_its_tolerance_and_its_three_statuses() {
    let truth = Truth::load("m10a_pad_kelvin_voigt");
    let expected = truth.event_times();
    let kinds = [
        EventKind::Closing,
        EventKind::TakeOff,
        EventKind::Separation,
    ];
    for (dimension, model) in balls(0.3, PAD) {
        for exponent in 4..=10 {
            let tolerance = format!("1e-{exponent}").parse::<f64>().unwrap();
            let end = run(&model, 3.0, |s| s.tolerance = Some(tolerance));
            let events = &end.report().events;
            assert_eq!(events.len(), expected.len());
            for (i, event) in events.iter().enumerate() {
                assert_eq!(event.kind, kinds[i % 3]);
            }
            let late = events
                .iter()
                .zip(&expected)
                .map(|(a, b)| (a.time - b).abs());
            let [z, v] = motion(&end);
            let errors = [z - truth.at(3.0, "z"), v - truth.at(3.0, "v")];
            let worst = late.chain(errors.map(f64::abs)).fold(0.0, f64::max);
            println!("ball on a pad in {dimension}, {tolerance:.0e}: {worst:.1e}");
            assert!(worst <= 10.0 * tolerance);
        }
    }
}

/// Restitution of a Kelvin-Voigt contact that never pulls, without gravity; z is its damping ratio.
fn restitution(z: f64) -> f64 {
    let s = (1.0 - z * z).sqrt();
    let phase = (2.0 * z * s).atan2(1.0 - 2.0 * z * z);
    (-z / s * (std::f64::consts::PI - phase)).exp()
}

#[test]
fn bounces_are_those_of_the_closed_form_at_any_stiffness() {
    let speed = 2.5;
    for ratio in [0.0, 0.1, 0.4, 0.9] {
        for exponent in 2..=12 {
            let k = format!("1e{exponent}").parse::<f64>().unwrap();
            let d = 2.0 * ratio * k.sqrt();
            let law = format!("stiffness = {k:e}\ndamping = {d:e}");
            for (dimension, mut model) in balls(0.3, &law) {
                model.gravity = Default::default();
                let up = if model.is_spatial() { 2 } else { 1 };
                for (tolerance, allowed) in [(None, 1e-2), (Some(1e-10), 1e-9)] {
                    let mut settings = model.settings.clone();
                    settings.step = 0.01;
                    settings.tolerance = tolerance;
                    let mut thrown = Simulation::with_settings(model.clone(), settings);
                    thrown.state_mut().velocity[up] = -speed;
                    thrown.advance_to(1.0).unwrap();
                    let bounced = thrown.state().velocity[up] / speed;
                    let error = (bounced - restitution(ratio)).abs();
                    println!("{dimension}, {k:.0e} N/m, ratio {ratio}, {tolerance:?}: {error:.1e}");
                    assert!(error <= allowed, "{error:e}");
                    let report = thrown.report();
                    assert!(report.energy_error() <= 1e-8 && report.first_order_steps == 0);
                }
            }
        }
    }
}

#[test]
fn a_contact_of_1e12_newtons_per_metre_is_as_good_as_rigid() {
    // at the top of its flight after four bounces; each of them takes 3 us
    let top = 8.0 * (2.0 * 0.3f64 / 9.81).sqrt();
    for ((_, stiff), (_, rigid)) in balls(0.3, "stiffness = 1e12")
        .into_iter()
        .zip(balls(0.3, "restitution = 1"))
    {
        let ends = [stiff, rigid].map(|model| run(&model, top, |s| s.step = 0.01));
        let [stiff, rigid] = ends.map(|end| motion(&end)[0]);
        println!("{stiff} {rigid}");
        assert!((stiff - rigid).abs() <= 1e-6);
    }
}

#[test]
fn hertzian_contacts_of_hunt_and_crossley_converge() {
    let law = "stiffness = 1e5\nexponent = 1.5\ndissipation = 0.4";
    for (dimension, model) in balls(0.1, law) {
        let best = motion(&run(&model, 1.0, |s| s.tolerance = Some(1e-12)));
        let name = format!("Hertzian ball in {dimension}");
        let order = order_study(&name, &halvings(0.001, 4), |step| {
            let [z, v] = motion(&run(&model, 1.0, |s| s.step = step));
            (z - best[0]).abs().max((v - best[1]).abs())
        });
        assert!(order >= 1.8);
        for tolerance in [1e-6, 1e-9] {
            let end = run(&model, 1.0, |s| s.tolerance = Some(tolerance));
            let [z, v] = motion(&end);
            let error = (z - best[0]).abs().max((v - best[1]).abs());
            println!("{tolerance:.0e}: {error:.1e}");
            assert!(error <= 10.0 * tolerance);
            assert!(end.report().energy_error().abs() <= 10.0 * tolerance);
        }
    }
}

/// A point mass of 1 kg at rest on a compliant floor, pushed along it.
fn pushed_points(stiffness: f64, damping: f64, push: f64) -> [Model; 2] {
    let depth = 9.81 / stiffness;
    let rest = format!(
        "[contact_default]\nfriction = 0.5\nstiffness = {stiffness:e}\ndamping = {damping:e}\n"
    );
    let plane = format!(
        "[[body]]\nname = \"block\"\nkind = \"point\"\nmass = 1\nposition = [0, {:e}]
        shape = [{{ kind = \"point\" }}]
        [[ground.shape]]\nkind = \"half_plane\"\nnormal = [0, 1]
        [[force]]\nname = \"push\"\nkind = \"applied\"\nbody = \"block\"\nforce = [{push:e}, 0]\n{rest}",
        -depth
    );
    let space = format!(
        "dimension = 3
        [[body]]\nname = \"block\"\nkind = \"point\"\nmass = 1\nposition = [0, 0, {:e}]
        shape = [{{ kind = \"point\" }}]
        [[ground.shape]]\nkind = \"half_space\"\nnormal = [0, 0, 1]
        [[force]]\nname = \"push\"\nkind = \"applied\"\nbody = \"block\"\nforce = [{push:e}, 0, 0]\n{rest}",
        -depth
    );
    [model(&plane), model(&space)]
}

#[test]
fn sticking_on_a_compliant_floor_is_exact() {
    for exponent in [2, 4, 6, 9, 12] {
        let k = format!("1e{exponent}").parse::<f64>().unwrap();
        for model in pushed_points(k, k.sqrt(), 0.99 * 0.5 * 9.81) {
            let end = run(&model, 100.0, |s| s.step = 0.01);
            assert_eq!(end.state().position[0], 0.0);
            assert_eq!(end.state().status, [Status::Stick]);
            assert_eq!(end.report().n_events.total(), 0);
        }
    }
}

#[test]
fn sliding_on_a_compliant_floor_has_the_friction_of_its_force() {
    let push = 0.5 * 9.81 + 1.0;
    for exponent in [2, 4, 6, 9, 12] {
        let k = format!("1e{exponent}").parse::<f64>().unwrap();
        for model in pushed_points(k, k.sqrt(), push) {
            for tolerance in [None, Some(1e-8)] {
                let end = run(&model, 1.0, |s| s.tolerance = tolerance);
                let error = (end.state().position[0] - 0.5).abs();
                println!("{k:.0e} N/m, {tolerance:?}: {error:.1e}");
                assert!(error <= 1e-7);
            }
        }
    }
}

#[test]
fn a_compliant_stop_is_a_spring_that_only_pushes() {
    // a mass of 2 kg flies at 3 m/s against a bump stop of 5e3 N/m: half a period of contact
    let text = "gravity = [0, 0]
        [[body]]\nname = \"slider\"\nkind = \"rigid\"\nmass = 2\nposition = [0, 0]\nvelocity = [3, 0]\ninertia = 1
        [[joint]]\nname = \"rail\"\nkind = \"prismatic\"\nbodies = [\"ground\", \"slider\"]\naxis = [1, 0]\nat = [0, 0]
        limits = [-1.0, 0.6]\nlimit_stiffness = 5e3";
    let end = run(&model(text), 0.3, |s| s.tolerance = Some(1e-10));
    let contact = std::f64::consts::PI * (2.0f64 / 5e3).sqrt();
    let events = &end.report().events;
    let expected = [
        (EventKind::Closing, 0.2),
        (EventKind::TakeOff, 0.2 + contact),
    ];
    for (event, (kind, time)) in events.iter().zip(expected) {
        assert_eq!(event.kind, kind);
        assert!((event.time - time).abs() < 1e-10, "{event:?}");
    }
    assert!((end.state().velocity[0] + 3.0).abs() < 1e-9);
}

/// Heights and speeds of wheel and body of the quarter car, integrated with forces written out here.
fn quarter_car(until: f64) -> [f64; 4] {
    let push = |stiffness: f64, damping: f64, depth: f64, rate: f64| {
        let force = stiffness * depth + damping * rate;
        if depth > 0.0 && force > 0.0 {
            force
        } else {
            0.0
        }
    };
    let start = [0.3, 0.0, 0.75, 0.0, 0.0];
    let steps = (until * 1e6).round() as usize;
    let [wheel, wheel_rate, body, body_rate, _] = runge_kutta(start, until, steps, |y| {
        let [wheel, wheel_rate, body, body_rate, t] = *y;
        let (road, road_rate) = (0.04 * (12.0 * t).sin(), 0.48 * (12.0 * t).cos());
        let tyre = push(1.8e5, 150.0, road + 0.3 - wheel, road_rate - wheel_rate);
        let (travel, rate) = (body - wheel - 0.45, body_rate - wheel_rate);
        let spring = -18000.0 * (travel + 0.45 - 0.6135) - 900.0 * rate;
        let stops =
            push(1.5e5, 600.0, -0.06 - travel, -rate) - push(1.5e5, 600.0, travel - 0.05, rate);
        let strut = spring + stops;
        [
            wheel_rate,
            (tyre - strut) / 40.0 - 9.81,
            body_rate,
            strut / 300.0 - 9.81,
            1.0,
        ]
    });
    [wheel, wheel_rate, body, body_rate]
}

#[test]
fn a_quarter_car_moves_as_an_independent_integration_says() {
    let expected = quarter_car(3.0);
    let car = model(&scene_text("quarter_car"));
    let error = |end: &Simulation| {
        let (q, v) = (&end.state().position, &end.state().velocity);
        let y = |body: usize| car.bodies[body].first + 1;
        let [wheel, body] = ["wheel", "body"].map(|name| {
            car.bodies
                .iter()
                .position(|b| b.name == name)
                .map(y)
                .unwrap()
        });
        let found = [q[wheel], v[wheel], q[body], v[body]];
        let off = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
        off.fold(0.0, f64::max)
    };
    let order = order_study("quarter car", &halvings(0.004, 5), |step| {
        error(&run(&car, 3.0, |s| s.step = step))
    });
    assert!(order >= ORDER);
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let end = run(&car, 3.0, |s| s.tolerance = Some(tolerance));
        println!("{tolerance:.0e}: {:.1e}", error(&end));
        // the integration here has steps of 1 us that end anywhere at events
        assert!(error(&end) <= 10.0 * tolerance + 1e-6);
        assert_eq!(end.report().n_events.total(), 43);
    }
}

/// An instance of a scene that has been initialized.
fn instance(text: &str) -> Instance {
    let mut instance = Instance::new("ball", "scene.toml", text).unwrap();
    instance.setup_experiment(None, 0.0, None).unwrap();
    instance.enter_initialization().unwrap();
    instance.exit_initialization().unwrap();
    instance
}

fn reference(instance: &Instance, name: &str) -> u32 {
    let found = instance.variables().iter().position(|v| v.name == name);
    found.expect(name) as u32
}

fn number(instance: &mut Instance, place: u32) -> f64 {
    match instance.get(place) {
        Ok(Value::Real(x)) => x,
        other => panic!("{other:?}"),
    }
}

#[test]
fn stiffness_and_damping_change_while_it_runs() {
    let text = format!(
        "name = \"ball\"
        [settings]\ntolerance = 1e-10
        [[body]]\nname = \"ball\"\nkind = \"point\"\nmass = 1\nposition = [0, {:e}]
        shape = [{{ kind = \"point\" }}]
        [[ground.shape]]\nkind = \"half_plane\"\nnormal = [0, 1]
        [contact_default]\nstiffness = 2000\n",
        -9.81 / 2000.0
    );
    let mut ball = instance(&text);
    let height = reference(&ball, "ball.position.y");
    let at = |ball: &mut Instance| number(ball, height);
    ball.do_step(0.0, 0.5).unwrap();
    assert!((at(&mut ball) + 9.81 / 2000.0).abs() < 1e-12);
    // a vibration about the new depth, with and without damping
    let places = ["stiffness", "damping"].map(|key| {
        let mut rows = ball.variables().iter();
        rows.position(|v| v.name.ends_with(key)).unwrap() as u32
    });
    ball.set(places[0], Value::Real(3000.0)).unwrap();
    ball.set_is_complete().unwrap();
    ball.do_step(0.5, 0.25).unwrap();
    let (rest, frequency) = (-9.81 / 3000.0, 3000.0_f64.sqrt());
    let amplitude = -9.81 / 2000.0 - rest;
    let expected = rest + amplitude * (frequency * 0.25).cos();
    assert!((at(&mut ball) - expected).abs() < 1e-9);
    let rate = -amplitude * frequency * (frequency * 0.25).sin();
    ball.set(places[1], Value::Real(20.0)).unwrap();
    ball.set_is_complete().unwrap();
    ball.do_step(0.75, 0.25).unwrap();
    let damped = (3000.0_f64 - 100.0).sqrt();
    let (cosine, sine) = ((damped * 0.25).cos(), (damped * 0.25).sin());
    let start = expected - rest;
    let decay = (-10.0_f64 * 0.25).exp();
    let expected = rest + decay * (start * cosine + (rate + 10.0 * start) / damped * sine);
    assert!((at(&mut ball) - expected).abs() < 1e-9);
}

#[test]
fn saved_states_continue_bit_by_bit_pressed_open_and_between() {
    let bits = |ball: &mut Instance, from: u32| -> Vec<u64> {
        let mut all = Vec::new();
        for i in from..from + 8 {
            ball.do_step(f64::from(i) / 128.0, 1.0 / 128.0).unwrap();
            for reference in 0..ball.variables().len() as u32 {
                if let Ok(Value::Real(x)) = ball.get(reference) {
                    all.push(x.to_bits());
                }
            }
        }
        all
    };
    for tolerance in ["", "tolerance = 1e-7"] {
        let text = scene_text("ball_on_pad");
        let text = text.replace("step = 0.005", &format!("step = 0.005\n{tolerance}"));
        let mut ball = instance(&text);
        let names = ["gap", "normal_force"].map(|of| format!("contact.ball.on.ground.{of}"));
        let places = names.map(|name| reference(&ball, &name));
        let mut seen = [false; 3];
        for i in 0..160 {
            let [gap, force] = places.map(|place| number(&mut ball, place));
            seen[usize::from(gap < 0.0) + usize::from(force > 0.0)] = true;
            let saved = ball.save();
            let on = bits(&mut ball, i);
            ball.restore(&saved).unwrap();
            assert_eq!(bits(&mut ball, i), on);
            ball.restore(&saved).unwrap();
            ball.do_step(f64::from(i) / 128.0, 1.0 / 128.0).unwrap();
        }
        assert_eq!(seen, [true; 3]);
    }
}

#[test]
fn a_damped_contact_presses_again_before_its_bodies_separate() {
    // its force ends early, gravity slows the ball down, and the force returns while the ball still rises
    let (mass, k, d) = (0.5, 3000.0, 60.0);
    let force = |depth: f64, rate: f64| {
        let force = k * depth + d * rate;
        if depth >= 0.0 && force > 0.0 {
            force
        } else {
            0.0
        }
    };
    let speed = (2.0 * 9.81 * 0.2_f64).sqrt();
    let rest = 0.258 - speed / 9.81;
    let fall = runge_kutta([0.0, -speed], rest, 500_000, |[z, v]| {
        [*v, force(-z, -v) / mass - 9.81]
    });
    let text = "[[body]]\nname = \"ball\"\nkind = \"point\"\nmass = 0.5\nposition = [0, 0.2]
        shape = [{ kind = \"point\" }]
        [[ground.shape]]\nkind = \"half_plane\"\nnormal = [0, 1]
        [contact_default]\nstiffness = 3000\ndamping = 60";
    let ball = model(text);
    let kinds = [EventKind::Closing, EventKind::TakeOff, EventKind::Closing];
    for (step, tolerance, allowed) in [(1e-3, None, 1e-3), (0.01, Some(1e-9), 1e-6)] {
        let end = run(&ball, 0.258, |s| {
            (s.step, s.tolerance) = (step, tolerance);
        });
        let found: Vec<EventKind> = end.report().events.iter().map(|e| e.kind).collect();
        assert_eq!(found, kinds);
        let (z, v) = (end.state().position[1], end.state().velocity[1]);
        println!("{:.1e} {:.1e}", z - fall[0], v - fall[1]);
        assert!((z - fall[0]).abs() <= allowed && (v - fall[1]).abs() <= allowed);
        assert!(end.warnings().next().is_none());
    }
}

#[test]
fn energy_corrections_on_a_smooth_compliant_floor_change_no_horizontal_velocity() {
    let text = "[[body]]\nname = \"box\"\nkind = \"rigid\"\nmass = 1\nposition = [0, 0.25]\nvelocity = [0.5, 0]\nangle = 0.1
        shape = [{ kind = \"box\", size = [0.4, 0.2] }]
        [[ground.shape]]\nkind = \"half_plane\"\nnormal = [0, 1]
        [contact_default]\nstiffness = 5000\ndissipation = 0.3";
    let end = run(&model(text), 6.0, |s| s.step = 0.01);
    assert!((end.state().velocity[0] - 0.5).abs() < 1e-12);
    assert!((end.state().position[0] - 3.0).abs() < 1e-11);
}
