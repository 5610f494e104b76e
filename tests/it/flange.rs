//! Flanges: inverse masses against closed forms, spring lines against scenes with the same spring, work against energy.

use crate::common::instance::Driven;
use crate::common::{halvings, model, order_study};
use stiction::Model;
use stiction::fmu::instance::variable::Causality;
use stiction::scene::parse;

/// A block of 2 kg, 0.05 kg m², that turns freely, held at a point off its centre.
fn free_block(angular_velocity: f64) -> String {
    format!(
        r#"
gravity = [0, 0]
[[body]]
name = "block"
kind = "rigid"
mass = 2
inertia = 0.05
position = [0.3, 0.1]
angle = 0.4
angular_velocity = {angular_velocity}
[[flange]]
name = "rod"
kind = "force"
body = "block"
point = [0.2, 0.1]
along = [3, 4]
"#
    )
}

/// The same in space, about another axis.
fn free_body(angular_velocity: f64) -> String {
    format!(
        r#"
dimension = 3
gravity = [0, 0, 0]
[[body]]
name = "block"
kind = "rigid"
mass = 2
inertia = [0.05, 0.03, 0.04]
position = [0.3, 0.1, -0.2]
angular_velocity = [0.2, {angular_velocity}, 0.3]
[[flange]]
name = "rod"
kind = "force"
body = "block"
point = [0.2, 0.1, 0]
along = [0, 3, 4]
"#
    )
}

/// A cart of 1.5 kg on rails and a pendulum of 0.7 kg, 0.02 kg m², 0.4 m below its hinge, at this angle.
fn cart(angle: f64) -> String {
    let (x, y) = (0.4 * angle.sin(), -0.4 * angle.cos());
    format!(
        r#"
[[body]]
name = "cart"
kind = "rigid"
mass = 1.5
inertia = 0.1
position = [0, 0]
[[body]]
name = "bob"
kind = "rigid"
mass = 0.7
inertia = 0.02
position = [{x}, {y}]
angle = {angle}
[[joint]]
name = "rails"
kind = "prismatic"
bodies = ["ground", "cart"]
at = [0, 0]
axis = [1, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["cart", "bob"]
at = [0, 0]
[[flange]]
name = "push"
kind = "force"
joint = "rails"
[[flange]]
name = "turn"
kind = "force"
joint = "hinge"
[[flange]]
name = "point"
kind = "force"
body = "cart"
along = [1, 0]
[[sensor]]
name = "acceleration"
kind = "acceleration"
body = "cart"
component = "x"
"#
    )
}

/// A block of 2 kg on the ground with a friction of 0.3 and a flange along this direction.
fn rough(along: [f64; 2]) -> String {
    format!(
        r#"
[[body]]
name = "block"
kind = "rigid"
mass = 2
position = [0, 0.1]
shape = [{{ kind = "box", size = [0.4, 0.2] }}]
[[ground.shape]]
kind = "half_plane"
normal = [0, 1]
[contact_default]
friction = 0.3
[[flange]]
name = "rod"
kind = "force"
body = "block"
along = [{}, {}]
[[sensor]]
name = "acceleration"
kind = "acceleration"
body = "block"
"#,
        along[0], along[1]
    )
}

/// The same in space.
fn rough_in_space() -> String {
    let mut text = format!("dimension = 3\n{}", rough([1.0, 0.0]));
    for (from, to) in [
        ("[0, 0.1]", "[0, 0, 0.1]"),
        ("[0.4, 0.2]", "[0.4, 0.3, 0.2]"),
        ("half_plane", "half_space"),
        ("normal = [0, 1]", "normal = [0, 0, 1]"),
        ("along = [1, 0]", "along = [1, 0, 0]"),
    ] {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    text
}

/// A mass of 2 kg on smooth rails and a line of this stiffness and damping.
fn on_a_line(stiffness: f64, damping: f64, step: f64) -> String {
    format!(
        r#"
gravity = [0, 0]
settings.step = {step}
[[body]]
name = "mass"
kind = "point"
mass = 2
position = [0.1, 0]
velocity = [0.5, 0]
[[flange]]
name = "line"
kind = "spring"
body = "mass"
along = [1, 0]
stiffness = {stiffness}
damping = {damping}
"#
    )
}

fn near(found: f64, wanted: f64) {
    let error = (found - wanted).abs() / (1.0 + wanted.abs());
    assert!(error < 1e-12, "{found} against {wanted}");
}

#[test]
fn a_free_body_has_the_inverse_mass_of_its_point() {
    let mut plane = Driven::new(&free_block(0.0), None);
    let (s, c) = 0.4_f64.sin_cos();
    let arm = [0.2 * c - 0.1 * s, 0.2 * s + 0.1 * c];
    let moment = arm[0] * 0.8 - arm[1] * 0.6;
    let wanted = 1.0 / 2.0 + moment * moment / 0.05;
    near(plane.get("rod.inverse_mass"), wanted);
    near(plane.get("rod.inverse_mass_sliding"), wanted);
    near(
        plane.get("rod.position"),
        0.6 * (0.3 + arm[0]) + 0.8 * (0.1 + arm[1]),
    );
    // r x d = (0.1, 0.2, 0) x (0, 0.6, 0.8), in the axes of the body
    let mut space = Driven::new(&free_body(0.0), None);
    let moment = [0.1 * 0.8, -0.2 * 0.8, 0.2 * 0.6];
    let by_turning: f64 = moment
        .iter()
        .zip([0.05, 0.03, 0.04])
        .map(|(m, inertia)| m * m / inertia)
        .sum();
    near(space.get("rod.inverse_mass"), 1.0 / 2.0 + by_turning);
}

#[test]
fn jointed_bodies_have_the_inverse_mass_of_their_closed_form() {
    for angle in [0.0, 0.7, 1.4] {
        let mut fmu = Driven::new(&cart(angle), None);
        let (total, inertia) = (1.5 + 0.7, 0.02 + 0.7 * 0.4 * 0.4);
        let coupling = 0.7 * 0.4 * angle.cos();
        let determinant = total * inertia - coupling * coupling;
        near(fmu.get("push.inverse_mass"), inertia / determinant);
        near(fmu.get("point.inverse_mass"), inertia / determinant);
        near(fmu.get("turn.inverse_mass"), total / determinant);
    }
}

#[test]
fn directional_derivatives_of_accelerations_are_inverse_masses() {
    let mut fmu = Driven::new(&cart(0.9), None);
    fmu.set("push.force", 3.0);
    fmu.step(0.37);
    for input in ["push.force", "point.force"] {
        let wanted = fmu.get("push.inverse_mass");
        let found = fmu.derivative("acceleration", input);
        println!("{input}: {found} against {wanted}");
        assert!((found / wanted - 1.0).abs() < 1e-8);
    }
}

#[test]
fn a_block_that_sticks_has_no_inverse_mass_and_slides_with_that_of_its_contacts() {
    for (scene, normal) in [(rough([1.0, 0.0]), "y"), (rough_in_space(), "z")] {
        let mut fmu = Driven::new(&scene, None);
        fmu.set("rod.force", 5.0); // friction holds up to 5.886 N
        fmu.step(0.5);
        assert!(fmu.get("rod.inverse_mass").abs() < 1e-12);
        near(fmu.get("rod.inverse_mass_sliding"), 0.5);
        fmu.set("rod.force", 8.0);
        fmu.step(0.5);
        near(fmu.get("rod.inverse_mass"), 0.5);
        assert!((fmu.derivative("acceleration.x", "rod.force") - 0.5).abs() < 1e-8);
        near(fmu.get(&format!("block.velocity.{normal}")), 0.0);
    }
}

#[test]
fn friction_follows_the_normal_force_in_the_inverse_mass_of_a_sliding_block() {
    let mut fmu = Driven::new(&rough([0.8, 0.6]), None);
    fmu.set("rod.force", 12.0);
    fmu.step(0.5);
    assert!(fmu.get("block.velocity.x") > 0.1);
    near(fmu.get("rod.inverse_mass"), 0.8 * (0.8 + 0.3 * 0.6) / 2.0);
}

#[test]
fn what_compliant_contacts_carry_does_not_count() {
    let soft = rough([0.0, 1.0]).replace("friction = 0.3", "friction = 0.3\nstiffness = 1e5");
    let mut fmu = Driven::new(&soft, None);
    fmu.step(0.5);
    near(fmu.get("rod.inverse_mass"), 0.5);
}

/// Position and velocity of a mass of 2 kg whose partner accelerates at 1.5 m/s² from rest at 0.1 m.
fn on_an_accelerated_line(stiffness: f64, t: f64) -> [f64; 2] {
    let omega = (stiffness / 2.0).sqrt();
    let (s, c) = (omega * t).sin_cos();
    let lag = 2.0 * 1.5 / stiffness;
    [
        0.1 + 0.75 * t * t - lag * (1.0 - c) + 0.5 / omega * s,
        1.5 * t - lag * omega * s + 0.5 * c,
    ]
}

/// Steps the partner exactly: by derivatives of its position, or of its velocity alone.
fn follow(fmu: &mut Driven, step: f64, by_position: bool) {
    let t = fmu.time;
    let position = [0.1 + 0.75 * t * t, 1.5 * t, 1.5];
    let given = if by_position { 3 } else { 1 };
    fmu.set_series("line.partner_position", &position[..given]);
    fmu.set_series("line.partner_velocity", &position[1..]);
    fmu.step(step);
}

#[test]
fn a_spring_line_is_of_order_two_and_keeps_its_tolerance() {
    for by_position in [true, false] {
        let error = |step: f64, tolerance: Option<f64>| {
            let mut fmu = Driven::new(&on_a_line(200.0, 0.0, step), tolerance);
            for _ in 0..8 {
                follow(&mut fmu, 0.125, by_position);
            }
            let [x, v] = on_an_accelerated_line(200.0, 1.0);
            (fmu.get("line.position") - x)
                .abs()
                .max((fmu.get("line.velocity") - v).abs())
        };
        let steps = halvings(1.0 / 64.0, 6);
        let order = order_study("spring line", &steps, |step| error(step, None));
        assert!(order > 1.9);
        for tolerance in [1e-5, 1e-7, 1e-9] {
            let error = error(0.01, Some(tolerance));
            println!("tolerance {tolerance:.0e}: {error:.1e}");
            assert!(error < 20.0 * tolerance);
        }
    }
}

#[test]
fn a_stiff_spring_line_rests_at_its_partner_at_any_step() {
    let mut fmu = Driven::new(&on_a_line(1e9, 1e6, 0.1), None);
    for _ in 0..20 {
        fmu.step(0.1);
    }
    assert!((fmu.get("line.position") - 0.1).abs() < 1e-9);
    assert!(fmu.get("line.velocity").abs() < 1e-6);
}

#[test]
fn a_partner_rests_where_its_flange_starts() {
    let mut fmu = Driven::new(&on_a_line(1e4, 0.0, 0.01), None);
    assert_eq!(fmu.get("line.partner_position"), 0.1);
    assert_eq!(fmu.get("line.partner_velocity"), 0.0);
    assert_eq!(fmu.get("line.force"), 0.0);
    fmu.set("line.partner_position", 0.2);
    near(fmu.get("line.force"), 1e3);
}

#[test]
fn the_work_of_a_flange_is_the_energy_it_brings() {
    for tolerance in [None, Some(1e-10)] {
        for scene in [free_block(2.0), free_body(2.0)] {
            let scene = format!("settings.step = 0.001\n{scene}");
            let mut fmu = Driven::new(&scene, tolerance);
            let start = fmu.get("energy.total");
            for _ in 0..10 {
                fmu.set_series("rod.force", &[1.0 - fmu.time, 2.0]);
                fmu.step(0.1);
            }
            let brought = fmu.get("energy.total") - start;
            let work = fmu.get("rod.work");
            println!("{tolerance:?}: work {work}, energy {brought}");
            let most = if tolerance.is_some() { 1e-9 } else { 1e-5 };
            assert!((work - brought).abs() < most && work.abs() > 0.01);
        }
    }
}

#[test]
fn both_sides_of_a_held_force_have_the_same_work() {
    let mut fmu = Driven::new(&rough([1.0, 0.0]), None);
    let mut partner = 0.0;
    for force in [8.0, -2.0, 9.0, 0.5, -7.0] {
        fmu.set("rod.force", force);
        let before = fmu.get("rod.position");
        fmu.step(0.2);
        partner += force * (fmu.get("rod.position") - before);
    }
    let (work, lost) = (fmu.get("rod.work"), fmu.get("energy.dissipated"));
    println!("work {work}, by the partner {partner}, dissipated {lost}");
    assert!((work - partner).abs() < 1e-12);
    let change = fmu.get("energy.total") - 2.0 * 9.81 * 0.1;
    assert!((work - lost - change).abs() < 1e-9);
}

#[test]
fn a_damped_spring_line_gives_its_work_to_the_mass() {
    for tolerance in [None, Some(1e-10)] {
        let mut fmu = Driven::new(&on_a_line(200.0, 3.0, 0.001), tolerance);
        let start = fmu.get("energy.total");
        for _ in 0..10 {
            follow(&mut fmu, 0.1, true);
        }
        let (work, brought) = (fmu.get("line.work"), fmu.get("energy.total") - start);
        println!("{tolerance:?}: work {work}, energy {brought}");
        let most = if tolerance.is_some() { 1e-9 } else { 1e-4 };
        assert!((work - brought).abs() < most);
        let error = fmu.get("energy.balance_error");
        assert!(error.abs() < most, "{error}");
    }
}

#[test]
fn a_restored_state_continues_with_the_same_bits() {
    let outputs = [
        "rod.position",
        "rod.velocity",
        "rod.work",
        "rod.inverse_mass",
    ];
    let run = |fmu: &mut Driven| -> Vec<u64> {
        let mut bits = Vec::new();
        for i in 0..10 {
            fmu.set("rod.force", f64::from(i) - 2.0);
            fmu.step(0.05);
            bits.extend(outputs.map(|name| fmu.get(name).to_bits()));
        }
        bits
    };
    let mut fmu = Driven::new(&rough([1.0, 0.0]), None);
    fmu.set("rod.force", 9.0);
    fmu.step(0.3);
    let saved = fmu.save();
    let bytes = saved.1.to_bytes();
    let first = run(&mut fmu);
    fmu.restore(&saved);
    assert_eq!(run(&mut fmu), first);
    let mut other = Driven::new(&rough([1.0, 0.0]), None);
    let read = other.instance.snapshot_from_bytes(&bytes).unwrap();
    other.restore(&(saved.0, read));
    assert_eq!(run(&mut other), first);
}

#[test]
fn reading_inverse_masses_changes_no_bits() {
    for (scene, tolerance) in [
        (rough([0.8, 0.6]), None),
        (rough_in_space(), None),
        (rough_in_space(), Some(1e-7)),
    ] {
        let run = |reads: bool| -> Vec<u64> {
            let mut fmu = Driven::new(&scene, tolerance);
            let mut bits = Vec::new();
            for i in 0..20 {
                fmu.set("rod.force", 9.0 * (0.7 * f64::from(i)).sin());
                fmu.step(0.05);
                if reads {
                    fmu.get("rod.inverse_mass");
                    fmu.get("rod.inverse_mass_sliding");
                }
                bits.push(fmu.get("rod.position").to_bits());
            }
            bits
        };
        assert_eq!(run(true), run(false));
    }
}

#[test]
fn the_force_of_a_line_follows_its_partner_in_the_initialization() {
    let mut fmu = Driven::in_initialization(&on_a_line(200.0, 3.0, 0.01), None);
    near(fmu.get("line.force"), -1.5);
    for (input, wanted) in [
        ("line.partner_position", 200.0),
        ("line.partner_velocity", 3.0),
    ] {
        let found = fmu.derivative("line.force", input);
        assert!((found / wanted - 1.0).abs() < 1e-6, "{found}");
    }
}

#[test]
fn the_stiffness_of_a_line_may_change_during_the_run() {
    let text = on_a_line(200.0, 0.0, 0.01);
    let parameter = "[[parameter]]\nname = \"k\"\nsets = [\"flange.line.stiffness\"]\n";
    for (scene, name) in [
        (text.clone(), "line.stiffness"),
        (format!("{text}{parameter}"), "k"),
    ] {
        let mut fmu = Driven::new(&scene, None);
        fmu.step(0.1);
        let force = fmu.get("line.force");
        fmu.set(name, 400.0);
        fmu.instance.set_is_complete().unwrap();
        let change = fmu.get("line.force") / force;
        assert!((change - 2.0).abs() < 1e-12, "{name}: {change}");
    }
}

#[test]
fn variables_of_flanges_are_in_the_interface() {
    let scene = on_a_line(10.0, 1.0, 0.01);
    let fmu = Driven::new(&scene, None);
    let of = |causality: Causality| -> Vec<&str> {
        let variables = fmu.instance.variables().iter();
        variables
            .filter(|v| v.causality == causality && v.is_listed)
            .filter_map(|v| v.name.strip_prefix("line."))
            .collect()
    };
    assert_eq!(
        of(Causality::Input),
        ["partner_position", "partner_velocity"]
    );
    assert_eq!(
        of(Causality::Output),
        [
            "position",
            "velocity",
            "force",
            "inverse_mass",
            "inverse_mass_sliding",
            "work"
        ]
    );
    assert_eq!(of(Causality::Parameter), ["stiffness", "damping"]);
}

#[test]
fn wrong_flanges_are_refused_with_line_key_and_hint() {
    let flange = |keys: &str| format!("{}\n[[flange]]\nname = \"second\"\n{keys}", cart(0.0));
    let in_time_stepping = format!(
        "settings.integrator = \"time_stepping\"\n{}",
        rough_in_space()
    );
    for (scene, key, message) in [
        (
            in_time_stepping,
            "flange[rod]",
            "not available with time stepping",
        ),
        (
            flange("kind = \"force\"\nbody = \"cart\""),
            "flange[second].along",
            "",
        ),
        (
            flange("kind = \"force\"\nbody = \"cart\"\njoint = \"rails\""),
            "flange[second].body",
            "either at a joint or at a point",
        ),
        (
            flange("kind = \"force\"\njoint = \"rail\""),
            "flange[second].joint",
            "no joint has the name",
        ),
        (
            flange("kind = \"force\"\nbody = \"ground\"\nalong = [1, 0]"),
            "flange[second].body",
            "the ground does not move",
        ),
        (
            flange("kind = \"force\"\njoint = \"rails\"\nstiffness = 3"),
            "flange[second].stiffness",
            "not a key",
        ),
        (
            flange("kind = \"spring\"\njoint = \"rails\""),
            "flange[second].stiffness",
            "",
        ),
        (
            flange("kind = \"motion\"\njoint = \"rails\""),
            "flange[second].kind",
            "",
        ),
        (
            flange("kind = \"force\"\nbody = \"cart\"\nalong = [0, 0]"),
            "flange[second].along",
            "",
        ),
    ] {
        let error = Model::from_text("scene", &scene).unwrap_err();
        let text = error.to_string();
        println!("{text}");
        assert!(text.contains(key) && text.contains(message) && text.contains("hint"));
        assert!(text.contains("scene:"), "a line");
    }
}

#[test]
fn a_scene_with_flanges_is_the_same_when_packed() {
    let scene = cart(0.3);
    assert_eq!(model(&scene).flanges.len(), 3);
    let mut fmu = Driven::new(&scene, None);
    let packed = stiction::scene::packed::pack(&parse("scene", &scene).unwrap());
    let instance =
        stiction::fmu::instance::Instance::from_packed("scene", "scene.bin", &packed).unwrap();
    let mut other = Driven {
        instance,
        time: 0.0,
    };
    other.instance.setup_experiment(None, 0.0, None).unwrap();
    other.instance.enter_initialization().unwrap();
    other.instance.exit_initialization().unwrap();
    for each in [&mut fmu, &mut other] {
        each.set("turn.force", 0.4);
        each.step(0.5);
    }
    assert_eq!(fmu.get("turn.position"), other.get("turn.position"));
}

#[test]
fn the_shipped_spring_line_stops_where_its_closed_form_does() {
    let text = crate::common::scene_text("spring_line");
    for (tolerance, most) in [(None, 1e-5), (Some(1e-9), 1e-9)] {
        let mut fmu = Driven::new(&text, tolerance);
        fmu.step(0.3);
        assert!((fmu.get("line.inverse_mass") - 0.5).abs() < 1e-12);
        fmu.step(0.7);
        let x = fmu.get("line.position");
        println!("{tolerance:?}: {x}, {:e}", x + 0.001018171032024262);
        assert!((x + 0.001018171032024262).abs() < most);
        assert!(fmu.get("line.inverse_mass").abs() < 1e-12);
        let event = fmu.get("events.last_time");
        assert!((event - 0.44339418358745253).abs() < 1e3 * most);
    }
}
