//! Ropes: closed forms, an independent solution of a mass that swings, flies and is caught again, and the winch.

use crate::common::{Truth, halvings, model, norm2, order_study, run, runge_kutta, variant};
use stiction::fmu::instance::Instance;
use stiction::fmu::instance::variable::Value;
use stiction::integrate::EventKind;
use stiction::model::Model;
use stiction::simulation::Simulation;
use stiction::state::Status;
use stiction::warning::Kind;

const ORDER: f64 = 1.9;
const G: f64 = 9.81;

/// A list of numbers, with a zero in the middle in space: x and z there are x and y in the plane.
fn list(dimension: u8, [x, y]: [f64; 2]) -> String {
    match dimension {
        2 => format!("[{x:?}, {y:?}]"),
        _ => format!("[{x:?}, 0, {y:?}]"),
    }
}

/// Index of the vertical coordinate.
fn up(model: &Model) -> usize {
    if model.is_spatial() { 2 } else { 1 }
}

/// Coordinates and velocities of the first body in the vertical plane.
fn motion(end: &Simulation) -> [f64; 4] {
    let (state, up) = (end.state(), up(end.model()));
    let (q, v) = (&state.position, &state.velocity);
    [q[0], q[up], v[0], v[up]]
}

/// A point mass of 1 kg on a rope from the origin, in the plane or in space.
fn mass_on_rope(dimension: u8, position: [f64; 2], velocity: [f64; 2], keys: &str) -> Model {
    let zero = list(dimension, [0.0, 0.0]);
    model(&format!(
        "dimension = {dimension}
        [[body]]
        name = \"load\"
        kind = \"point\"
        mass = 1.0
        position = {}
        velocity = {}
        [[rope]]
        name = \"line\"
        bodies = [\"ground\", \"load\"]
        anchors = [{zero}, {zero}]
        {keys}",
        list(dimension, position),
        list(dimension, velocity),
    ))
}

/// The mass of the independent solution, caught twice before it swings, and once more after it has gone slack.
fn caught_mass(dimension: u8) -> Model {
    mass_on_rope(dimension, [0.6, 0.3], [1.5, 2.0], "length = 1.0")
}

/// Largest error of the event times and of position and velocity at 4 s.
fn error_of_caught_mass(end: &Simulation, truth: &Truth) -> f64 {
    let kinds: Vec<EventKind> = end.report().events.iter().map(|e| e.kind).collect();
    let caught = EventKind::Impact;
    assert_eq!(kinds, [caught, caught, EventKind::TakeOff, caught]);
    let times = end.report().events.iter().map(|e| e.time);
    let late = times.zip(truth.event_times()).map(|(a, b)| (a - b).abs());
    let expected = ["x", "y", "vx", "vy"].map(|name| truth.at(4.0, name));
    let off = motion(end)
        .into_iter()
        .zip(expected)
        .map(|(a, b)| (a - b).abs());
    late.chain(off).fold(0.0, f64::max)
}

#[test]
fn a_mass_caught_by_its_rope_has_order_two_through_all_events() {
    let truth = Truth::load("m12a_rope_plastic");
    for dimension in [2, 3] {
        let model = caught_mass(dimension);
        let name = format!("caught mass, dimension {dimension}");
        let order = order_study(&name, &halvings(0.02, 7), |step| {
            error_of_caught_mass(&run(&model, 4.0, |s| s.step = step), &truth)
        });
        assert!(order >= ORDER);
    }
}

#[test]
fn a_mass_caught_by_its_rope_keeps_its_tolerance() {
    let truth = Truth::load("m12a_rope_plastic");
    for dimension in [2, 3] {
        let model = caught_mass(dimension);
        for exponent in 4..=10 {
            let tolerance = format!("1e-{exponent}").parse::<f64>().unwrap();
            let end = run(&model, 4.0, |s| s.tolerance = Some(tolerance));
            let error = error_of_caught_mass(&end, &truth);
            println!("caught mass, dimension {dimension}, {tolerance:.0e}: {error:.1e}");
            assert!(error <= 10.0 * tolerance);
        }
    }
}

#[test]
fn tension_slack_and_losses_are_those_of_the_independent_solution() {
    let truth = Truth::load("m12a_rope_plastic");
    let mut settings = caught_mass(2).settings.clone();
    settings.tolerance = Some(1e-10);
    let mut simulation = Simulation::with_settings(caught_mass(2), settings);
    for time in truth.sample_times() {
        simulation.advance_to(time).unwrap();
        let slack = truth.at(time, "rope_length") - truth.at(time, "distance");
        assert!((simulation.gap(0) - slack).abs() < 1e-8, "{time}");
        let tension = simulation.contact_force()[0][0];
        assert!(
            (tension - truth.at(time, "tension")).abs() < 1e-7,
            "{time}: {tension}"
        );
        let lost = simulation.report().impact_loss;
        assert!(
            (lost - truth.at(time, "lost_in_impacts")).abs() < 1e-8,
            "{time}: {lost}"
        );
    }
}

/// Flight from a position with a velocity after a time.
fn flight([x, y, vx, vy]: [f64; 4], t: f64) -> [f64; 4] {
    [x + t * vx, y + t * (vy - 0.5 * G * t), vx, vy - G * t]
}

/// When a flight leaves the circle of radius one, by bisection.
fn leaves_circle(start: [f64; 4]) -> f64 {
    let inside = |t: f64| {
        let [x, y, ..] = flight(start, t);
        x * x + y * y < 1.0
    };
    let mut early = 1e-6;
    assert!(inside(early));
    let mut late = early;
    while inside(late) {
        late += 1e-4;
    }
    for _ in 0..60 {
        let middle = 0.5 * (early + late);
        *if inside(middle) {
            &mut early
        } else {
            &mut late
        } = middle;
    }
    late
}

#[test]
fn a_bouncing_rope_gives_back_its_share_of_the_speed_at_which_it_tightens() {
    let e = 0.9;
    let (mut now, mut time, mut times) = ([0.6, 0.3, 1.5, 2.0], 0.0, Vec::new());
    loop {
        let t = leaves_circle(now);
        if time + t > 1.0 {
            break;
        }
        let [x, y, vx, vy] = flight(now, t);
        let outward = (1.0 + e) * (x * vx + y * vy);
        now = [x, y, vx - outward * x, vy - outward * y];
        time += t;
        times.push(time);
    }
    let expected = flight(now, 1.0 - time);
    println!("it tightens {} times until 1 s", times.len());
    assert!(times.len() >= 3);
    for dimension in [2, 3] {
        let keys = format!("length = 1.0\nrestitution = {e}");
        let model = mass_on_rope(dimension, [0.6, 0.3], [1.5, 2.0], &keys);
        for (tolerance, most) in [(None, 1e-11), (Some(1e-9), 1e-8)] {
            // the flight of a parabola is exact with fixed steps
            let end = run(&model, 1.0, |s| s.tolerance = tolerance);
            let found: Vec<f64> = end.report().events.iter().map(|e| e.time).collect();
            assert_eq!(found.len(), times.len(), "{found:?} {times:?}");
            let late = norm2(found.iter().zip(&times).map(|(a, b)| a - b));
            let off = norm2(motion(&end).into_iter().zip(expected).map(|(a, b)| a - b));
            println!("dimension {dimension}, {tolerance:?}: {late:.1e} s, {off:.1e}");
            assert!(late < most && off < most);
        }
    }
}

/// Two free bodies, at rest or moving apart across the line between them, with something that joins them.
fn two_free_bodies(joined: &str, velocities: [&str; 2]) -> Model {
    let [a, b] = velocities;
    model(&format!(
        "gravity = [0, 0]
        [[body]]
        name = \"a\"
        kind = \"rigid\"
        mass = 2.0
        inertia = 0.1
        position = [0, 0]
        {a}
        [[body]]
        name = \"b\"
        kind = \"rigid\"
        mass = 1.0
        inertia = 0.05
        position = [2, 0]
        {b}
        {joined}
        bodies = [\"a\", \"b\"]
        anchors = [[0.1, 0.05], [-0.2, 0.1]]"
    ))
}

#[test]
fn a_taut_rope_moves_like_a_rod_and_two_free_bodies_keep_their_momentum() {
    let velocities = [
        "angular_velocity = 1.0",
        "velocity = [0.05, 3.0]\nangular_velocity = 0.3",
    ];
    let rope = two_free_bodies("[[rope]]\nname = \"line\"", velocities);
    let rod = "[[joint]]\nname = \"line\"\nkind = \"distance\"";
    let rod = two_free_bodies(rod, ["", ""]);
    // the velocities of the rod are those after the rope has tightened
    let mut rope = run(&rope, 1e-6, |s| s.tolerance = Some(1e-10));
    assert_eq!(rope.report().n_events.impacts, 1);
    let mut rod = run(&rod, 0.0, |s| s.tolerance = Some(1e-10));
    let (from, to) = (rope.state(), rod.state_mut());
    to.time = from.time;
    to.position.clone_from(&from.position);
    to.velocity.clone_from(&from.velocity);
    for time in [0.2, 0.5, 1.0] {
        rope.advance_to(time).unwrap();
        rod.advance_to(time).unwrap();
        let apart = norm2((0..6).map(|i| rope.state().position[i] - rod.state().position[i]));
        println!("at {time} s: {apart:.1e}");
        assert!(apart < 1e-8);
        assert!(rope.state().status[0].is_closed());
    }
    let v = &rope.state().velocity;
    assert!((2.0 * v[0] + v[3] - 0.05).abs() < 1e-12);
    assert!((2.0 * v[1] + v[4] - 3.0).abs() < 1e-12);
}

/// The angle of a pendulum whose length is 1 m plus what a reel pays out at the speed a cos(w t), and its rate.
fn pendulum_on_a_reel([a, w]: [f64; 2], until: f64) -> [f64; 2] {
    let mut t = 0.0;
    let n = 200_000;
    let h = until / f64::from(n);
    let mut y = [0.0, 0.8];
    for _ in 0..n {
        y = runge_kutta([y[0], y[1], t], h, 1, |[angle, rate, t]| {
            let length = 1.0 + a / w * (w * t).sin();
            let paid_out = a * (w * t).cos();
            let change = -(2.0 * paid_out * rate + G * angle.sin()) / length;
            [*rate, change, 1.0]
        })[..2]
            .try_into()
            .unwrap();
        t += h;
    }
    y
}

#[test]
fn a_load_that_swings_on_a_reel_has_order_two_and_keeps_its_tolerance() {
    let [a, w] = [0.3, 4.0];
    let [angle, rate] = pendulum_on_a_reel([a, w], 3.0);
    let (length, paid_out) = (1.0 + a / w * (3.0 * w).sin(), a * (3.0 * w).cos());
    let (sin, cos) = angle.sin_cos();
    let expected = [
        length * sin,
        -length * cos,
        paid_out * sin + length * rate * cos,
        -paid_out * cos + length * rate * sin,
    ];
    let reel = format!("reel_speed = {{ kind = \"harmonic\", amplitude = {a}, omega = {w} }}");
    for dimension in [2, 3] {
        let model = mass_on_rope(dimension, [0.0, -1.0], [0.8, -a], &reel);
        let error =
            |end: &Simulation| norm2(motion(end).into_iter().zip(expected).map(|(a, b)| a - b));
        let name = format!("load on a reel, dimension {dimension}");
        let order = order_study(&name, &halvings(0.02, 6), |step| {
            error(&run(&model, 3.0, |s| s.step = step))
        });
        assert!(order >= ORDER);
        for exponent in 4..=10 {
            let tolerance = format!("1e-{exponent}").parse::<f64>().unwrap();
            let error = error(&run(&model, 3.0, |s| s.tolerance = Some(tolerance)));
            println!("{name}, {tolerance:.0e}: {error:.1e}");
            assert!(error <= 10.0 * tolerance);
        }
    }
}

#[test]
fn a_winch_lifts_by_what_it_reels_in_and_its_work_is_that_of_the_tension() {
    // from rest to 0.5 m/s within a second, and on
    let reel = "reel_speed = { kind = \"table\", times = [0, 1, 2], values = [0, -0.5, -0.5] }";
    for dimension in [2, 3] {
        let model = mass_on_rope(dimension, [0.0, -2.0], [0.0, 0.0], reel);
        let up = up(&model);
        for tolerance in [None, Some(1e-9)] {
            let mut end = run(&model, 0.5, |s| s.tolerance = tolerance);
            let accelerated = end.contact_force()[0][0];
            assert!((accelerated - (G + 0.5)).abs() < 1e-9, "{accelerated}");
            end.advance_to(2.0).unwrap();
            let tension = end.contact_force()[0][0];
            assert!((tension - G).abs() < 1e-9, "{tension}");
            let raised = end.state().position[up] + 2.0;
            assert!((raised - 0.75).abs() < 1e-9, "{raised}");
            let energy = end.energy();
            let exact = [0.5 * 0.5 * 0.5, G * (raised - 2.0)];
            assert!((energy.kinetic - exact[0]).abs() < 1e-9);
            assert!((energy.potential - exact[1]).abs() < 1e-9);
            let work = end.report().applied_work;
            assert!((work - (exact[0] + G * raised)).abs() < 1e-9, "{work}");
            assert!(end.report().balance_error().abs() < 1e-9);
        }
    }
}

#[test]
fn a_jump_of_the_speed_of_a_reel_is_an_impact_or_makes_the_rope_slack() {
    let reel = "reel_speed = { kind = \"table\", times = [0, 0.5, 0.5, 1, 1], values = [0, 0, -0.4, -0.4, 0.2] }";
    let model = mass_on_rope(2, [0.0, -2.0], [0.0, 0.0], reel);
    for tolerance in [None, Some(1e-9)] {
        let mut end = run(&model, 0.6, |s| s.tolerance = tolerance);
        assert!((end.state().velocity[1] - 0.4).abs() < 1e-12);
        // the load flies up until gravity has taken it back
        end.advance_to(1.0 + 1e-3).unwrap();
        assert_eq!(end.state().status[0], Status::Open);
        end.advance_to(1.3).unwrap();
        let taut_again = 1.0 + 2.0 * (0.4 + 0.2) / G;
        let last = end.report().events.last().unwrap();
        assert_eq!(last.kind, EventKind::Impact);
        assert!((last.time - taut_again).abs() < 1e-9, "{}", last.time);
        assert!((last.impulse[0] - 0.6).abs() < 1e-9);
        assert!((end.state().velocity[1] + 0.2).abs() < 1e-9);
        // of the speeds at which it tightens: 0.4 m/s at the jump, and 0.4 + 0.2 m/s
        let lost = 0.5 * 0.4 * 0.4 + 0.5 * 0.6 * 0.6;
        assert!((end.report().impact_loss - lost).abs() < 1e-9);
    }
}

#[test]
fn a_jump_of_the_speed_of_a_reel_throws_up_a_load_that_bounces() {
    let keys = "restitution = 0.5\nreel_speed = { kind = \"table\", times = [0, 0.5, 0.5, 1], values = [0, 0, -0.4, -0.4] }";
    for dimension in [2, 3] {
        let model = mass_on_rope(dimension, [0.0, -2.0], [0.0, 0.0], keys);
        for tolerance in [None, Some(1e-9)] {
            let end = run(&model, 0.55, |s| s.tolerance = tolerance);
            let events = &end.report().events;
            // 0.2 m/s faster than the rope, then 0.1 m/s
            for (event, (time, impulse)) in events.iter().zip([(0.5, 0.6), (0.5 + 0.4 / G, 0.3)]) {
                assert_eq!(event.kind, EventKind::Impact);
                assert!((event.time - time).abs() < 1e-9, "{event:?}");
                assert!((event.impulse[0] - impulse).abs() < 1e-9, "{event:?}");
            }
            assert_eq!(events.len(), 2);
        }
    }
}

/// Two masses over two fixed pulleys, or one that hangs on a moving pulley.
fn pulleys(dimension: u8, masses: [f64; 2], is_tackle: bool) -> Model {
    let at = |x: f64, y: f64| list(dimension, [x, y]);
    let zero = at(0.0, 0.0);
    let (ends, over) = match is_tackle {
        false => (
            format!("bodies = [\"a\", \"b\"]\nanchors = [{zero}, {zero}]"),
            format!(
                "{{ body = \"ground\", point = {} }}, {{ body = \"ground\", point = {} }}",
                at(0.0, 0.0),
                at(1.0, 0.0)
            ),
        ),
        true => (
            format!("bodies = [\"ground\", \"b\"]\nanchors = [{zero}, {zero}]"),
            format!(
                "{{ body = \"a\" }}, {{ body = \"ground\", point = {} }}, {{ body = \"ground\", point = {} }}",
                at(0.0, 0.0),
                at(1.0, 0.0)
            ),
        ),
    };
    model(&format!(
        "dimension = {dimension}
        [[body]]
        name = \"a\"
        kind = \"point\"
        mass = {:?}
        position = {}
        [[body]]
        name = \"b\"
        kind = \"point\"
        mass = {:?}
        position = {}
        [[rope]]
        name = \"line\"
        {ends}
        over = [{over}]",
        masses[0],
        at(0.0, -2.0),
        masses[1],
        at(1.0, -2.0),
    ))
}

#[test]
fn pulleys_share_the_length_and_have_one_tension() {
    for dimension in [2, 3] {
        for (is_tackle, masses) in [(false, [3.0, 2.0]), (true, [3.0, 2.0])] {
            let [m1, m2] = masses;
            // the moving pulley hangs on two parts of the rope
            let n = if is_tackle { 2.0 } else { 1.0 };
            let down = G * (m1 - n * m2) / (m1 + n * n * m2);
            let tension = m2 * (G + n * down);
            let model = pulleys(dimension, masses, is_tackle);
            for tolerance in [None, Some(1e-9)] {
                let mut end = run(&model, 0.5, |s| s.tolerance = tolerance);
                let (q, up) = (end.state().position.clone(), up(&model));
                let fallen = [-2.0 - q[up], q[up + usize::from(dimension)] + 2.0];
                let way = 0.5 * down * 0.5 * 0.5;
                println!("{dimension}, {is_tackle}: {fallen:?}, {way}");
                assert!((fallen[0] - way).abs() < 1e-9);
                assert!((fallen[1] - n * way).abs() < 1e-9);
                assert!((end.contact_force()[0][0] - tension).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn a_tackle_of_three_loads_and_a_reel_has_the_tension_of_its_closed_form() {
    // two loads hang on two parts of the rope each, the third at its end; the reel pays out faster and faster
    let (masses, faster): ([f64; 3], f64) = ([3.0, 2.0, 1.5], 0.4);
    let parts = [2.0, 2.0, 1.0];
    let mobility: f64 = parts.iter().zip(masses).map(|(n, m)| n * n / m).sum();
    let tension = (parts.iter().sum::<f64>() * G - faster) / mobility;
    for dimension in [2, 3] {
        let at = |x: f64, y: f64| list(dimension, [x, y]);
        let bodies: Vec<String> = (0..3)
            .map(|i| {
                let (mass, place) = (masses[i], at(i as f64, -2.0));
                format!("[[body]]\nname = \"b{i}\"\nkind = \"point\"\nmass = {mass:?}\nposition = {place}\n")
            })
            .collect();
        let over = [
            "{ body = \"b0\" }".to_owned(),
            format!("{{ body = \"ground\", point = {} }}", at(0.0, 0.0)),
            format!("{{ body = \"ground\", point = {} }}", at(1.0, 0.0)),
            "{ body = \"b1\" }".to_owned(),
            format!("{{ body = \"ground\", point = {} }}", at(1.0, 0.0)),
            format!("{{ body = \"ground\", point = {} }}", at(2.0, 0.0)),
        ];
        let model = model(&format!(
            "dimension = {dimension}
            {}
            [[rope]]
            name = \"line\"
            bodies = [\"ground\", \"b2\"]
            anchors = [{}, {}]
            over = [{}]
            reel_speed = {{ kind = \"table\", times = [0, 10], values = [0, {}] }}",
            bodies.concat(),
            at(0.0, 0.0),
            at(0.0, 0.0),
            over.join(", "),
            10.0 * faster,
        ));
        let (up, n_dof) = (up(&model), usize::from(dimension));
        for tolerance in [None, Some(1e-9)] {
            let mut end = run(&model, 0.4, |s| s.tolerance = tolerance);
            let found = end.contact_force()[0][0];
            println!("{dimension}, {tolerance:?}: {found} N, {tension} N");
            assert!((found - tension).abs() < 1e-9);
            for i in 0..3 {
                let down = G - parts[i] * tension / masses[i];
                let fallen = -2.0 - end.state().position[n_dof * i + up];
                assert!((fallen - 0.5 * down * 0.4 * 0.4).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn a_passive_rope_never_adds_energy() {
    for dimension in [2, 3] {
        for (restitution, speed) in [(0.0, 2.0), (0.7, 3.0), (1.0, 1.0)] {
            let keys = format!("length = 1.0\nrestitution = {restitution:?}");
            let model = mass_on_rope(dimension, [0.6, 0.3], [speed, 1.0], &keys);
            for tolerance in [None, Some(1e-8)] {
                let mut settings = model.settings.clone();
                settings.tolerance = tolerance;
                let mut simulation = Simulation::with_settings(model.clone(), settings);
                let start = simulation.energy().total();
                simulation.advance_to(4.0).unwrap();
                let report = simulation.report();
                let gained = report.play.rise;
                println!("{dimension}, e = {restitution}, {tolerance:?}: {gained:.1e} J");
                assert!(gained < tolerance.unwrap_or(1e-12));
                let lost = report.impact_loss;
                let left = start - simulation.energy().total() - lost;
                assert!(left.abs() < tolerance.map_or(2e-2, |tolerance| 10.0 * tolerance));
            }
        }
    }
}

const WINCH: &str = "
    [[body]]
    name = \"load\"
    kind = \"rigid\"
    mass = 2.0
    inertia = 0.1
    position = [0.3, -1.0]
    [[rope]]
    name = \"line\"
    bodies = [\"ground\", \"load\"]
    anchors = [[0, 0], [0.1, 0.2]]
    over = [{ body = \"ground\", point = [0.2, 0.1] }]
    reel_speed = { kind = \"input\", start = -0.1 }
    restitution = 0.2";

fn reference(instance: &Instance, name: &str) -> u32 {
    let rows = instance.variables().iter();
    let names: Vec<&str> = rows.map(|row| row.name.as_str()).collect();
    let found = names.iter().position(|row| *row == name);
    found.unwrap_or_else(|| panic!("no {name} in {names:?}")) as u32
}

fn real(instance: &mut Instance, name: &str) -> f64 {
    let reference = reference(instance, name);
    match instance.get(reference).unwrap() {
        Value::Real(x) => x,
        value => panic!("{name} is {value:?}"),
    }
}

fn started() -> Instance {
    let mut instance = Instance::new("winch", "scene.toml", WINCH).unwrap();
    instance.setup_experiment(None, 0.0, None).unwrap();
    instance.enter_initialization().unwrap();
    instance.exit_initialization().unwrap();
    instance
}

/// Steps of 0.02 s, with the winch reversed every half second; all values by their bits.
fn steps(instance: &mut Instance, from: u32, to: u32) -> Vec<u64> {
    let speed = reference(instance, "line.reel_speed");
    let mut bits = Vec::new();
    for k in from..to {
        let down = (k / 25) % 2 == 1;
        let value = if down { 0.4 } else { -0.1 };
        instance.set(speed, Value::Real(value)).unwrap();
        instance.do_step(0.02 * f64::from(k), 0.02).unwrap();
        for reference in 0..instance.variables().len() as u32 {
            bits.push(match instance.get(reference).unwrap() {
                Value::Real(x) => x.to_bits(),
                Value::Integer(i) => i as u64,
                Value::Boolean(b) => u64::from(b),
            });
        }
    }
    bits
}

#[test]
fn a_saved_state_continues_a_taut_and_a_slack_rope_bit_by_bit() {
    let mut seen = Vec::new();
    for at in [10, 26, 27, 40, 51] {
        let mut first = started();
        steps(&mut first, 0, at);
        let status = reference(&first, "line.status");
        seen.push(first.get(status).unwrap());
        let bytes = first.save().to_bytes();
        let rest = steps(&mut first, at, 100);
        let mut second = started();
        let saved = second.snapshot_from_bytes(&bytes).unwrap();
        second.restore(&saved).unwrap();
        assert!(steps(&mut second, at, 100) == rest, "{at}");
    }
    assert!(
        seen.contains(&Value::Integer(1)) && seen.contains(&Value::Integer(2)),
        "{seen:?}"
    );
}

#[test]
fn an_fmu_reels_by_its_input_and_takes_the_length_as_a_parameter() {
    let mut winch = started();
    let length = real(&mut winch, "line.initial.length");
    let way = 0.2_f64.hypot(0.1) + 0.2_f64.hypot(0.9);
    assert!((length - way).abs() < 1e-15);
    steps(&mut winch, 0, 25);
    assert!((real(&mut winch, "line.length") - (way - 0.05)).abs() < 1e-12);
    assert!(real(&mut winch, "line.slack").abs() < 1e-9);
    assert!(real(&mut winch, "line.tension") > 0.0);
    let names: Vec<String> = winch
        .variables()
        .iter()
        .map(|row| row.name.clone())
        .collect();
    assert!(
        names
            .iter()
            .all(|name| !name.starts_with("line.position") && !name.starts_with("line.drive"))
    );

    // a longer rope is slack at first, a shorter one cannot be
    let mut longer = Instance::new("winch", "scene.toml", WINCH).unwrap();
    let initial = reference(&longer, "line.initial.length");
    longer.set(initial, Value::Real(way + 0.1)).unwrap();
    longer.setup_experiment(None, 0.0, None).unwrap();
    longer.enter_initialization().unwrap();
    longer.exit_initialization().unwrap();
    longer.do_step(0.0, 0.02).unwrap();
    let fallen = 0.5 * G * 0.02 * 0.02;
    let slack = real(&mut longer, "line.slack");
    assert!(
        slack > 0.1 - 0.002 - fallen - 1e-9 && slack < 0.1 - 0.002,
        "{slack}"
    );
    let mut shorter = Instance::new("winch", "scene.toml", WINCH).unwrap();
    shorter.set(initial, Value::Real(way - 0.1)).unwrap();
    shorter.setup_experiment(None, 0.0, None).unwrap();
    let refused = shorter
        .enter_initialization()
        .and_then(|()| shorter.exit_initialization());
    let told = format!("{:?}", refused.unwrap_err());
    assert!(told.contains("shorter than its path"), "{told}");
}

#[test]
fn a_rope_that_cannot_be_is_refused() {
    let scene = |keys: &str| {
        let text = format!(
            "[[body]]\nname = \"a\"\nkind = \"point\"\nmass = 1\nposition = [1, 0]\n[[rope]]\nname = \"line\"\n{keys}"
        );
        match Model::from_text("scene", &text) {
            Ok(_) => panic!("{keys} is accepted"),
            Err(error) => error.to_string(),
        }
    };
    let ends = "bodies = [\"ground\", \"a\"]\nanchors = [[0, 0], [0, 0]]";
    for (keys, wanted) in [
        (format!("{ends}\nlength = 0.5"), "longer than the rope"),
        (format!("{ends}\nlength = 0"), "length"),
        (format!("{ends}\nrestitution = 1.5"), "restitution"),
        (
            "bodies = [\"ground\", \"a\"]\nanchors = [[1, 0], [0, 0]]".to_owned(),
            "coincide",
        ),
        (
            "bodies = [\"ground\", \"ground\"]\nanchors = [[0, 0], [1, 0]]\nover = [{ body = \"ground\", point = [2, 0] }]"
                .to_owned(),
            "on a body that moves",
        ),
    ] {
        let told = scene(&keys);
        assert!(told.contains(wanted), "{keys}: {told}");
    }
}

#[test]
fn the_winch_lifts_its_crate_as_its_closed_form_says() {
    let model = variant("winch", &[]);
    let tightens = 0.125_f64.sqrt();
    for tolerance in [None, Some(1e-9)] {
        let mut winch = run(&model, 0.45, |s| s.tolerance = tolerance);
        let first = winch.report().events[0];
        assert_eq!(first.kind, EventKind::Impact);
        assert!((first.time - tightens).abs() < 1e-9);
        assert!((first.impulse[0] - 50.0 * 0.8 * tightens).abs() < 1e-8);
        assert!((winch.report().impact_loss - 2.0).abs() < 1e-8);
        for (time, tension) in [
            (0.45, 50.0 * (G + 0.8)),
            (1.5, 50.0 * G),
            (2.2, 50.0 * (G - 0.8)),
            (3.0, 50.0 * G),
        ] {
            winch.advance_to(time).unwrap();
            let found = winch.contact_force()[0][0];
            assert!((found - tension).abs() < 1e-7, "{time}: {found}");
        }
        assert!((winch.state().position[1] - 1.0).abs() < 1e-9);
        winch.advance_to(6.0).unwrap();
        let last = winch.report().events.last().unwrap();
        assert!((last.time - 5.625).abs() < 1e-9);
        assert!((winch.state().position[1] - 0.25).abs() < 1e-9);
        assert_eq!(winch.state().status[0], Status::Open);
        assert!((winch.gap(0) - 0.4 * 0.375).abs() < 1e-9);
    }
}

#[test]
fn a_reel_speed_that_is_held_over_steps_is_reported() {
    for with_derivative in [false, true] {
        let mut winch = started();
        let speed = reference(&winch, "line.reel_speed");
        let mut told = Vec::new();
        for k in 0..40 {
            // from -0.1 m/s faster and faster
            let value = -0.1 - 0.005 * f64::from(k);
            winch.set(speed, Value::Real(value)).unwrap();
            if with_derivative {
                winch.set_input_derivative(speed, 1, -0.25).unwrap();
            }
            winch.do_step(0.02 * f64::from(k), 0.02).unwrap();
            told.extend(winch.fresh_warnings().map(|w| w.kind));
        }
        let jumps = winch.report().speed_jumps;
        assert_eq!(jumps > 35, !with_derivative, "{jumps}");
        assert_eq!(told.contains(&Kind::SpeedJumps), !with_derivative);
    }
}

#[test]
fn a_reel_that_takes_in_all_of_its_rope_ends_the_run() {
    let text = "[[body]]\nname = \"load\"\nkind = \"point\"\nmass = 1\nposition = [0.1, -1]
        [[rope]]\nname = \"line\"\nbodies = [\"ground\", \"load\"]\nanchors = [[0, 0], [0, 0]]\nreel_speed = -0.5";
    let mut winch = Simulation::new(model(text));
    let error = winch.advance_to(3.0).unwrap_err();
    assert!(error.to_string().contains("all of its rope"), "{error}");
    let length = 1.01_f64.sqrt();
    assert!((winch.state().time - length / 0.5).abs() < 0.011);
}
