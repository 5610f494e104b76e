//! Friction in impacts, in space and in time stepping; impulses of events; statuses of whole contacts; heavy bodies on light ones.

mod common;
use common::{model, run};
use stiction::integrate::EventKind;
use stiction::model::Model;
use stiction::scene::spec::ImpactLaw;
use stiction::simulation::Simulation;
use stiction::state::Status;

fn defect(name: &str) -> Model {
    let path = format!(
        "{}/tests/data/defects/{name}.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    model(&text)
}

#[test]
fn a_disc_that_slides_through_an_impact_has_mu_times_the_normal_impulse() {
    let disc = defect("c14_poisson");
    let simulation = run(&disc, 0.5, |_| {});
    let [normal, shear] = simulation.report().events[0].impulse;
    println!("p_t/p_n = {}", shear / normal);
    assert!((shear / normal - 0.15).abs() < 1e-14);
    let printed = run(&disc, 0.5, |s| s.impact_law = ImpactLaw::PoissonPrinted);
    let [normal, shear] = printed.report().events[0].impulse;
    assert!((shear / normal - 0.15 / 1.8).abs() < 1e-14);
}

/// The edge sticks in both phases: it leaves straight up, with e times the speed that it came with.
#[test]
fn an_edge_that_sticks_leaves_without_sliding() {
    let dropped = defect("s10_drop_edge");
    for tolerance in [None, Some(1e-8)] {
        let simulation = run(&dropped, 0.427, |s| s.tolerance = tolerance);
        let (v, q) = (&simulation.state().velocity, &simulation.state().position);
        // the edge is at (0, 0.1, 0.05) of the box or opposite; 45 degrees before, and almost so now
        let (y, z) = (0.05 / 2.0_f64.sqrt(), -0.15 / 2.0_f64.sqrt());
        let slides = v[1] - v[3] * z;
        let leaves = v[2] + v[3] * y;
        println!(
            "{tolerance:?}: {slides} m/s along, {leaves} m/s up, {} rad/s, {q:?}",
            v[3]
        );
        assert!((v[3].abs() - 11.55).abs() < 5e-3);
        assert!(slides.abs() < 5e-3 || (v[1] + v[3] * z).abs() < 5e-3);
    }
}

const SPHERE: &str = r#"
    dimension = 3
    gravity = [0, 0, 0]
    [[body]]
    name = "ball"
    kind = "rigid"
    mass = 2.0
    position = [0, 0, 0.25]
    velocity = [VX, VY, -3.0]
    angular_velocity = [WX, WY, 7.0]
    shape = [{ kind = "sphere", radius = 0.25 }]
    [[ground.shape]]
    kind = "half_space"
    normal = [0, 0, 1]
    [contact_default]
    friction = MU
    restitution = EN
"#;

fn sphere(v: [f64; 2], w: [f64; 2], mu: f64, e: f64, more: &str) -> Model {
    let numbers = [
        ("VX", v[0]),
        ("VY", v[1]),
        ("WX", w[0]),
        ("WY", w[1]),
        ("MU", mu),
        ("EN", e),
    ];
    let mut text = SPHERE.to_owned();
    for (key, x) in numbers {
        text = text.replace(key, &format!("{x:?}"));
    }
    model(&(text + more))
}

/// A sphere: u = v_t + w x r stays in its direction, m_t = 2/7 m takes part. It slides through with mu p_n, or stops with m_t |u|.
#[test]
fn a_sphere_with_spin_has_its_closed_form_in_space_with_cones_polygons_and_time_stepping() {
    let cases: [([f64; 2], [f64; 2], f64); 2] = [
        ([4.0, -3.0], [5.0, 10.0], 0.2),
        ([0.3, 0.2], [1.0, -2.0], 0.4),
    ];
    let settings = [
        "",
        "[settings]\nfriction_cone = \"polyhedral\"\n",
        "[settings]\nimpact_law = \"newton\"\n",
        "[settings]\ntolerance = 1e-8\n",
        "[crowd]\n",
    ];
    for (v, w, mu) in cases {
        for e in [0.0, 0.5, 1.0] {
            let u = [v[0] - 0.25 * w[1], v[1] + 0.25 * w[0]];
            let speed = u[0].hypot(u[1]);
            let normal = 2.0 * 3.0 * (1.0 + e);
            let shear = (mu * normal).min(2.0 / 7.0 * 2.0 * speed);
            for more in settings {
                let mut simulation = Simulation::new(sphere(v, w, mu, e, more));
                simulation.advance_to(1e-6).unwrap();
                let found = &simulation.state().velocity;
                for k in 0..2 {
                    let expected = v[k] - shear / 2.0 * u[k] / speed;
                    let off = (found[k] - expected).abs();
                    assert!(
                        off < 1e-9,
                        "{more} e {e}: {} m/s, expected {expected}",
                        found[k]
                    );
                }
                assert!(
                    (found[2] - 3.0 * e).abs() < 1e-9,
                    "{more} e {e}: {}",
                    found[2]
                );
                assert!((found[5] - 7.0).abs() < 1e-9);
                assert_eq!(simulation.report().limited_impacts, 0);
            }
        }
    }
}

/// A superball in space: the sliding velocity is reversed, the energy kept.
#[test]
fn a_superball_reverses_its_sliding_velocity_in_space() {
    let (v, w) = ([1.0, 0.5], [2.0, -1.0]);
    let ball = sphere(v, w, 1.0, 1.0, "tangential_restitution = 1.0\n");
    let mut simulation = Simulation::new(ball);
    let before = simulation.energy().kinetic;
    simulation.advance_to(1e-9).unwrap();
    let found = &simulation.state().velocity;
    let u = [v[0] - 0.25 * w[1], v[1] + 0.25 * w[0]];
    let after = [found[0] - 0.25 * found[4], found[1] + 0.25 * found[3]];
    println!("{u:?} -> {after:?}");
    assert!((u[0] + after[0]).abs() < 1e-12 && (u[1] + after[1]).abs() < 1e-12);
    assert!((simulation.energy().kinetic - before).abs() < 1e-12 * before);
}

/// Torsional friction acts in both phases as well: its impulse is at most its length times the whole normal impulse.
#[test]
fn torsional_friction_brakes_the_spin_in_both_phases() {
    for e in [0.0, 0.5, 1.0] {
        let ball = sphere([0.0; 2], [0.0; 2], 0.3, e, "torsional_friction = 0.01\n");
        let mut simulation = Simulation::new(ball);
        simulation.advance_to(1e-9).unwrap();
        let moment = 0.01 * 2.0 * 3.0 * (1.0 + e);
        let expected = 7.0 - moment / (0.4 * 2.0 * 0.0625);
        let found = simulation.state().velocity[5];
        println!("e {e}: {found} rad/s, expected {expected}");
        assert!((found - expected).abs() < 1e-9);
    }
}

/// No law lets tumbling boxes gain energy in their impacts, and only a few of them need the guard.
#[test]
fn boxes_in_space_never_gain_energy_in_impacts() {
    let mut seed = 0x1234_5678_9abc_def1_u64;
    let mut random = |low: f64, high: f64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        low + (high - low) * (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut limited = 0;
    let mut impacts = 0;
    for _ in 0..40 {
        let mut number = |low: f64, high: f64| format!("{:.6}", random(low, high));
        let text = format!(
            "dimension = 3
            [settings]
            step = 0.005
            [[body]]
            name = \"box\"
            kind = \"rigid\"
            mass = 1.5
            position = [0, 0, 0.4]
            euler = [{}, {}, {}]
            velocity = [{}, {}, -2]
            angular_velocity = [{}, {}, {}]
            shape = [{{ kind = \"box\", size = [0.3, 0.2, 0.1] }}]
            [[ground.shape]]
            kind = \"half_space\"
            normal = [0, 0, 1]
            [contact_default]
            friction = {}
            restitution = {}",
            number(-3.0, 3.0),
            number(-1.5, 1.5),
            number(-3.0, 3.0),
            number(-3.0, 3.0),
            number(-3.0, 3.0),
            number(-9.0, 9.0),
            number(-9.0, 9.0),
            number(-9.0, 9.0),
            number(0.0, 1.2),
            number(0.0, 1.0),
        );
        let mut simulation = Simulation::new(model(&text));
        let mut last = simulation.energy().total();
        for i in 1..=60 {
            simulation.advance_to(f64::from(i) * 0.005).unwrap();
            let now = simulation.energy().total();
            let n = simulation.report().n_events.impacts;
            if n > impacts {
                assert!(now < last + 1e-3, "{last} J, then {now} J");
            }
            last = now;
        }
        assert!(simulation.report().impact_loss > -1e-9);
        impacts += simulation.report().n_events.impacts;
        limited += simulation.report().limited_impacts;
    }
    println!("{impacts} impacts, {limited} of them limited");
    assert!(impacts > 100);
}

/// A flat block lands on a table that moves up and down: each corner takes its quarter, and nothing pulls sideways.
#[test]
fn impulses_of_a_vertical_landing_have_no_self_stress() {
    for tolerance in [None, Some(1e-8)] {
        let simulation = run(&defect("s07_shaker"), 0.5, |s| s.tolerance = tolerance);
        let events = &simulation.report().events;
        let impacts = events.iter().filter(|e| e.kind == EventKind::Impact);
        let mut n = 0;
        let mut first = None;
        for event in impacts {
            let [normal, shear] = event.impulse;
            let share = *first.get_or_insert((event.time, normal));
            if share.0 == event.time {
                assert!((normal - share.1).abs() < 1e-12 * normal, "{event:?}");
            }
            assert!(shear < 1e-12 * normal.max(0.1), "{event:?}");
            n += 1;
        }
        assert!(n > 10);
    }
}

/// A box lands with one corner on ground that is rough and the other on ice: impulses stay within the cones.
#[test]
fn least_impulses_stay_within_their_cones() {
    let text = "[[body]]
        name = \"plank\"
        kind = \"rigid\"
        mass = 3.0
        position = [0, 0.6]
        velocity = [1.5, -1]
        shape = [{ kind = \"box\", size = [1.0, 0.2] }]
        [[ground.shape]]
        kind = \"half_plane\"
        normal = [0, 1]
        [contact_default]
        friction = 0.2";
    let simulation = run(&model(text), 0.4, |_| {});
    let events = &simulation.report().events;
    let impacts: Vec<_> = events
        .iter()
        .filter(|e| e.kind == EventKind::Impact)
        .collect();
    assert_eq!(impacts.len(), 2);
    let sum = impacts.iter().fold(0.0, |sum, e| sum + e.impulse[1].abs());
    let pressed = impacts.iter().fold(0.0, |sum, e| sum + e.impulse[0]);
    println!("{impacts:?}");
    for event in impacts {
        let [normal, shear] = event.impulse;
        assert!(shear.abs() <= 0.2 * normal * (1.0 + 1e-9));
    }
    assert!((sum - 0.2 * pressed).abs() < 1e-12);
}

#[test]
fn a_clutch_slips_until_it_locks() {
    let mut simulation = Simulation::new(defect("s01c_clutch_status"));
    simulation.advance_to(0.5).unwrap();
    assert_eq!(simulation.state().contact_status(0), Status::Slip);
    simulation.advance_to(1.2).unwrap();
    assert_eq!(simulation.state().contact_status(0), Status::Stick);
    // the same without friction against sliding: held by torsional friction alone
    let path = format!(
        "{}/tests/data/defects/s01c_clutch_status.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).unwrap();
    let mut simulation = Simulation::new(model(&text.replace("friction = 0.4", "friction = 0")));
    simulation.advance_to(0.5).unwrap();
    assert_eq!(simulation.state().contact_status(0), Status::Slip);
    simulation.advance_to(1.2).unwrap();
    assert_eq!(simulation.state().contact_status(0), Status::Stick);
}

/// A ball that rolls with rolling friction does not slip; with nothing but rolling friction its rolling decides.
#[test]
fn a_ball_that_rolls_sticks() {
    let scene = |friction: f64| {
        model(&format!(
            "dimension = 3
            [[body]]
            name = \"ball\"
            kind = \"rigid\"
            mass = 1.0
            position = [0, 0, 0.1]
            velocity = [1, 0, 0]
            angular_velocity = [0, 10, 0]
            shape = [{{ kind = \"sphere\", radius = 0.1 }}]
            [[ground.shape]]
            kind = \"half_space\"
            normal = [0, 0, 1]
            [contact_default]
            friction = {friction}
            rolling_friction = 0.002"
        ))
    };
    let mut simulation = Simulation::new(scene(0.5));
    simulation.advance_to(1.0).unwrap();
    assert_eq!(simulation.state().contact_status(0), Status::Stick);
    let mut simulation = Simulation::new(scene(0.0));
    simulation.advance_to(0.1).unwrap();
    assert_eq!(simulation.state().contact_status(0), Status::Slip);
    simulation.advance_to(6.0).unwrap();
    assert_eq!(simulation.state().contact_status(0), Status::Stick);
    assert!(simulation.state().velocity[4].abs() < 1e-9);
}

#[test]
fn pads_of_a_car_at_standstill_stick() {
    let path = format!(
        "{}/tests/data/defects/s02_hill.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut text = std::fs::read_to_string(path).unwrap();
    // the inputs of the brakes: 10 kN on each pad, and back on the car
    for (force, newtons) in [("act", -10000), ("react", 10000)] {
        for wheel in ["f", "r"] {
            let head = format!("name = \"{force}_{wheel}\"");
            let at = text.find(&head).unwrap();
            let input = text[at..].find("{kind=\"input\", start=0}").unwrap() + at;
            text.replace_range(input..input + 23, &newtons.to_string());
        }
    }
    let mut simulation = Simulation::new(model(&text));
    simulation.advance_to(3.0).unwrap();
    let state = simulation.state();
    let closed: Vec<Status> = (0..state.status.len())
        .map(|j| state.contact_status(j))
        .filter(|status| status.is_closed())
        .collect();
    println!("{closed:?}, {:?}", simulation.report().n_events);
    assert_eq!(closed, [Status::Stick; 4]);
    assert!(state.velocity.iter().all(|v| v.abs() < 1e-9));
}

fn stack(masses: &[f64], is_spatial: bool) -> Model {
    let mut text = String::from(if is_spatial { "dimension = 3\n" } else { "" });
    for (i, mass) in masses.iter().enumerate() {
        let z = 0.1 + 0.2 * i as f64;
        let (position, size) = if is_spatial {
            (format!("0, 0, {z:?}"), "0.2, 0.2, 0.2")
        } else {
            (format!("0, {z:?}"), "0.2, 0.2")
        };
        text += &format!(
            "[[body]]\nname = \"b{i}\"\nkind = \"rigid\"\nmass = {mass:?}\nposition = [{position}]
            shape = [{{ kind = \"box\", size = [{size}] }}]\n"
        );
    }
    text += if is_spatial {
        "[[ground.shape]]\nkind = \"half_space\"\nnormal = [0, 0, 1]\n"
    } else {
        "[[ground.shape]]\nkind = \"half_plane\"\nnormal = [0, 1]\n"
    };
    model(&(text + "[contact_default]\nfriction = 0.5\n"))
}

fn farthest(simulation: &Simulation, start: &[f64]) -> f64 {
    let ways = simulation.state().position.iter().zip(start);
    ways.fold(0.0, |m: f64, (q, start)| m.max((q - start).abs()))
}

#[test]
fn heavy_boxes_rest_on_light_ones() {
    let of_issue = defect("stack2_1e+09");
    let start = Simulation::new(of_issue.clone()).state().position.clone();
    let simulation = run(&of_issue, 1.0, |_| {});
    assert!(farthest(&simulation, &start) < 1e-9);
    for is_spatial in [false, true] {
        for n in [2, 3] {
            for ratio in [1e3, 1e6, 1e9, 1e10, 1e11, 1e12_f64] {
                let power = |i: usize| ratio.powf(i as f64 / (n - 1) as f64);
                for is_heavy_above in [true, false] {
                    let masses: Vec<f64> = (0..n)
                        .map(|i| power(if is_heavy_above { i } else { n - 1 - i }))
                        .collect();
                    let scene = stack(&masses, is_spatial);
                    let mut simulation = Simulation::new(scene);
                    let start = simulation.state().position.clone();
                    let ended = simulation.advance_to(0.2);
                    let far = farthest(&simulation, &start);
                    let report = simulation.report();
                    println!(
                        "space {is_spatial}, {n} boxes, {ratio:e}, heavy above {is_heavy_above}: {far:.1e} m, condition {:.1e}, {ended:?}",
                        report.worst_condition
                    );
                    let rests = ended.is_ok() && far < 1e-7;
                    assert!(rests || ended.is_err() || report.worst_condition > 6e12);
                    assert!(rests || ratio > 1e11);
                }
            }
        }
    }
}
