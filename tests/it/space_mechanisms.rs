//! Mechanisms of joints in space: closed loops against minimal coordinates, reactions against calculations by hand, stops,
//! springs, redundant joints, precession.

use crate::common::{Truth, halvings, model, order_study, run, runge_kutta};
use std::f64::consts::{PI, TAU};
use stiction::kinds::space::Pose;
use stiction::math::{Vec3, quaternion};
use stiction::model::Model;
use stiction::scene::spec::Settings;
use stiction::simulation::Simulation;
use stiction::state::State;

const G: f64 = 9.81;

fn index(model: &Model, name: &str) -> usize {
    let found = model.bodies.iter().position(|body| body.name == name);
    found.unwrap_or_else(|| panic!("no body {name}"))
}

fn triple(values: &[f64], first: usize) -> Vec3 {
    Vec3::new(values[first], values[first + 1], values[first + 2])
}

/// Pose of a body, along its principal axes.
fn pose(model: &Model, state: &State, body: Option<usize>) -> Pose {
    body.map_or_else(Pose::ground, |i| {
        let place = triple(&state.position, model.bodies[i].first);
        Pose::new(place, state.orientation[i])
    })
}

fn place(simulation: &Simulation, body: &str) -> Vec3 {
    let i = index(simulation.model(), body);
    pose(simulation.model(), simulation.state(), Some(i)).position
}

fn velocity(simulation: &Simulation, body: &str) -> Vec3 {
    let body = &simulation.model().bodies[index(simulation.model(), body)];
    triple(&simulation.state().velocity, body.first)
}

/// Rate of rotation in world axes.
fn rotation(simulation: &Simulation, body: &str) -> Vec3 {
    let model = simulation.model();
    let i = index(model, body);
    let own = triple(&simulation.state().velocity, model.bodies[i].first + 3);
    pose(model, simulation.state(), Some(i)).turn(own)
}

/// The first coordinate of a joint, but for whole turns.
fn coordinate(simulation: &Simulation, joint: &str) -> f64 {
    let (model, state) = (simulation.model(), simulation.state());
    let link = model.joints.iter().find(|link| link.name == joint).unwrap();
    let [a, b] = link.bodies.map(|body| pose(model, state, body));
    link.joint.space().unwrap().coordinate(0, &a, &b).0
}

/// Force and moment of a joint on its second body: in world axes, the moment about its centre of mass.
fn reaction(simulation: &Simulation, joint: &str) -> [Vec3; 2] {
    let (model, state) = (simulation.model(), simulation.state());
    let mut first = 0;
    for link in &model.joints {
        if link.name == joint {
            let [a, b] = link.bodies.map(|body| pose(model, state, body));
            let rows = link.joint.space().unwrap().rows(&a, &b);
            let mut sum = [Vec3::zeros(); 2];
            for (row, force) in rows.rows[..rows.n].iter().zip(&state.joint_force[first..]) {
                sum[0] += triple(&row.b, 0) * *force;
                sum[1] += b.turn(triple(&row.b, 3)) * *force;
            }
            return sum;
        }
        first += link.joint.n_rows();
    }
    panic!("no joint {joint}");
}

fn tight(settings: &mut Settings) {
    settings.tolerance = Some(1e-12);
}

fn down() -> Vec3 {
    Vec3::new(0.0, 0.0, -G)
}

/// Bodies of the shipped planar slider-crank, in space; its plane is x-y.
fn slider_crank(joints: &str) -> Model {
    model(&format!(
        r#"
        dimension = 3
        gravity = [0, -9.81, 0]
        [settings]
        step = 0.01
        [[body]]
        name = "crank"
        kind = "rigid"
        mass = 1
        inertia = [0.001, 0.0075, 0.0075]
        position = [0.075000000000000011, 0.12990381056766578, 0]
        rotation_vector = [0, 0, 1.0471975511965976]
        [[body]]
        name = "rod"
        kind = "rigid"
        mass = 2
        inertia = [0.001, 0.10666666666666667, 0.10666666666666667]
        position = [0.52831864876053891, 0.12990381056766578, 0]
        rotation_vector = [0, 0, -0.33075746192263872]
        [[body]]
        name = "slider"
        kind = "rigid"
        mass = 0.5
        inertia = [0.01, 0.01, 0.01]
        position = [0.90663729752107791, 0, 0]
        {joints}
        "#
    ))
}

fn slider_crank_joint(kind: &str, name: &str, bodies: [&str; 2], anchors: &str) -> String {
    let axis = match kind {
        "spherical" => "",
        "prismatic" => "axis = [1, 0, 0]",
        _ => "axis = [0, 0, 1]",
    };
    let bodies = bodies.map(|body| format!("{body:?}")).join(", ");
    format!(
        "[[joint]]\nname = {name:?}\nkind = {kind:?}\nbodies = [{bodies}]\nanchors = {anchors}\n{axis}\n"
    )
}

fn slider_crank_of(kinds: [&str; 3]) -> Model {
    let joints = [
        slider_crank_joint(
            kinds[0],
            "pivot",
            ["ground", "crank"],
            "[[0, 0, 0], [-0.15, 0, 0]]",
        ),
        slider_crank_joint(
            kinds[1],
            "crank_pin",
            ["crank", "rod"],
            "[[0.15, 0, 0], [-0.4, 0, 0]]",
        ),
        slider_crank_joint(
            kinds[2],
            "slider_pin",
            ["rod", "slider"],
            "[[0.4, 0, 0], [0, 0, 0]]",
        ),
        slider_crank_joint(
            "prismatic",
            "rail",
            ["ground", "slider"],
            "[[0, 0, 0], [0, 0, 0]]",
        ),
    ];
    slider_crank(&joints.join("\n"))
}

#[test]
fn a_slider_crank_of_spatial_joints_is_the_planar_one() {
    let truth = Truth::load("p6i_slider_crank");
    let planar = run(&crate::common::variant("slider_crank", &[]), 5.0, tight);
    let planar_x = planar.state().position[6];
    // the second loop has no redundant equation: the crank pin may slide along its pivot, the slider pin turns anyhow
    for kinds in [
        ["revolute", "revolute", "revolute"],
        ["cylindrical", "revolute", "spherical"],
        ["revolute", "spherical", "revolute"],
    ] {
        let model = slider_crank_of(kinds);
        let mut simulation = Simulation::with_settings(model.clone(), {
            let mut settings = model.settings.clone();
            tight(&mut settings);
            settings
        });
        let mut worst: f64 = 0.0;
        for i in 1..=5 {
            let time = f64::from(i);
            simulation.advance_to(time).unwrap();
            let x = place(&simulation, "slider").x - truth.at(time, "x_slider");
            let v = velocity(&simulation, "slider").x - truth.at(time, "v_slider");
            let turn = rotation(&simulation, "crank").z - truth.at(time, "omega");
            worst = worst.max(x.abs()).max(v.abs()).max(turn.abs());
        }
        let to_planar = (place(&simulation, "slider").x - planar_x).abs();
        let drift = simulation.report().worst_joint_drift;
        println!(
            "{kinds:?}: error {worst:.2e}, to the planar run {to_planar:.2e}, drift {drift:.1e}"
        );
        assert!(worst < 1e-9 && to_planar < 1e-9 && drift < 1e-12);
        let order = order_study("fixed steps", &halvings(0.005, 4), |h| {
            let end = run(&model, 1.0, |s| s.step = h);
            (place(&end, "slider").x - truth.at(1.0, "x_slider")).abs()
        });
        assert!(order > 1.9);
    }
}

/// An RSSR linkage: a crank about z, a rocker about a skew axis, a thin coupler with a ball at each end.
struct FourBar {
    /// Point of the rocker's axis, m.
    pivot: Vec3,
    /// Axis of the rocker, and two directions across it.
    axes: [Vec3; 3],
    /// Lengths, m.
    crank: f64,
    rocker: f64,
    coupler: f64,
}

impl FourBar {
    const CRANK_MASS: f64 = 1.0;
    const ROCKER_MASS: f64 = 2.0;
    const COUPLER_MASS: f64 = 0.7;

    fn new() -> Self {
        let axis = Vec3::new(0.0, 0.6, 0.8);
        let across = Vec3::new(1.0, 0.0, 0.0);
        Self {
            pivot: Vec3::new(0.6, 0.5, 0.1),
            axes: [axis, across, axis.cross(&across)],
            crank: 0.2,
            rocker: 0.5,
            coupler: 0.9,
        }
    }

    // crank pin and its two derivatives by the angle
    fn pin(&self, angle: f64) -> [Vec3; 3] {
        let (sin, cos) = angle.sin_cos();
        let p = Vec3::new(cos, sin, 0.0) * self.crank;
        [p, Vec3::new(-sin, cos, 0.0) * self.crank, -p]
    }

    // end of the rocker and its two derivatives by the angle
    fn end(&self, angle: f64) -> [Vec3; 3] {
        let (sin, cos) = angle.sin_cos();
        let [_, x, y] = self.axes;
        let s = (x * cos + y * sin) * self.rocker;
        [self.pivot + s, (y * cos - x * sin) * self.rocker, -s]
    }

    // the angle of the rocker, near a given one
    fn closed(&self, crank: f64, mut rocker: f64) -> f64 {
        let [p, ..] = self.pin(crank);
        for _ in 0..50 {
            let [s, ds, _] = self.end(rocker);
            let miss = (p - s).norm_squared() - self.coupler * self.coupler;
            let change = miss / (2.0 * (s - p).dot(&ds));
            rocker -= change;
            if change.abs() < 1e-15 {
                break;
            }
        }
        rocker
    }

    // angular acceleration of the crank: M a + M'/2 w^2 + V' = 0
    fn acceleration(&self, crank: f64, rate: f64, rocker: f64) -> (f64, f64) {
        let [p, dp, ddp] = self.pin(crank);
        let [s, ds, dds] = self.end(rocker);
        let d = p - s;
        let by_rocker = -d.dot(&ds);
        let first = -d.dot(&dp) / by_rocker;
        let second = -(dp.norm_squared() + d.dot(&ddp) - 2.0 * dp.dot(&ds) * first
            + (ds.norm_squared() - d.dot(&dds)) * first * first)
            / by_rocker;
        let es = ds * first;
        let dde = dds * (first * first) + ds * second;
        let (centre, dcentre) = ((dp + es) * 0.5, (ddp + dde) * 0.5);
        let (turn, dturn) = ((es - dp) / self.coupler, (dde - ddp) / self.coupler);
        let about_axle = |mass: f64, length: f64| mass * length * length / 3.0;
        let rocker_inertia = about_axle(Self::ROCKER_MASS, self.rocker);
        let coupler_inertia = Self::COUPLER_MASS * self.coupler * self.coupler / 12.0;
        let mass = about_axle(Self::CRANK_MASS, self.crank)
            + rocker_inertia * first * first
            + Self::COUPLER_MASS * centre.norm_squared()
            + coupler_inertia * turn.norm_squared();
        let half_change = rocker_inertia * first * second
            + Self::COUPLER_MASS * centre.dot(&dcentre)
            + coupler_inertia * turn.dot(&dturn);
        let weight = -down().dot(
            &(dp * (0.5 * Self::CRANK_MASS)
                + es * (0.5 * Self::ROCKER_MASS)
                + centre * Self::COUPLER_MASS),
        );
        (-(half_change * rate * rate + weight) / mass, first * rate)
    }

    fn model(&self) -> Model {
        let rocker = self.closed(0.0, 2.0);
        let (p, s) = (self.pin(0.0)[0], self.end(rocker)[0]);
        // thin bodies along their x axes
        let body = |name: &str, mass: f64, from: Vec3, to: Vec3| {
            let along = (to - from) / (to - from).norm();
            let middle = (from + to) * 0.5;
            let half = Vec3::x() + along;
            let turn = half.cross(&Vec3::x()) * -1.0;
            let q = quaternion::normalized([half.x, turn.x, turn.y, turn.z]);
            let inertia = mass * (to - from).norm_squared() / 12.0;
            let [x, y, z] = [middle.x, middle.y, middle.z];
            format!(
                "[[body]]\nname = {name:?}\nkind = \"rigid\"\nmass = {mass:?}\ninertia = [{:?}, {inertia:?}, {inertia:?}]\n\
                 position = [{x:?}, {y:?}, {z:?}]\norientation = {q:?}\n",
                1e-4 * inertia
            )
        };
        let joint = |name: &str, kind: &str, bodies: [&str; 2], at: Vec3, axis: Option<Vec3>| {
            let axis = axis.map_or(String::new(), |a| {
                format!("axis = [{:?}, {:?}, {:?}]", a.x, a.y, a.z)
            });
            format!(
                "[[joint]]\nname = {name:?}\nkind = {kind:?}\nbodies = {bodies:?}\nat = [{:?}, {:?}, {:?}]\n{axis}\n",
                at.x, at.y, at.z
            )
        };
        let text = [
            "dimension = 3\n".to_owned(),
            body("crank", Self::CRANK_MASS, Vec3::zeros(), p),
            body("coupler", Self::COUPLER_MASS, p, s),
            body("rocker", Self::ROCKER_MASS, self.pivot, s),
            joint(
                "drive",
                "revolute",
                ["ground", "crank"],
                Vec3::zeros(),
                Some(Vec3::z()),
            ),
            joint(
                "axle",
                "revolute",
                ["ground", "rocker"],
                self.pivot,
                Some(self.axes[0]),
            ),
            joint("first", "spherical", ["crank", "coupler"], p, None),
            joint("second", "spherical", ["coupler", "rocker"], s, None),
        ];
        model(&text.join("\n"))
    }
}

#[test]
fn a_spatial_four_bar_moves_as_in_its_one_coordinate() {
    let four_bar = FourBar::new();
    let model = four_bar.model();
    let mut rocker = four_bar.closed(0.0, 2.0);
    let end = runge_kutta([0.0, 0.0], 2.0, 40_000, |y| {
        rocker = four_bar.closed(y[0], rocker);
        [y[1], four_bar.acceleration(y[0], y[1], rocker).0]
    });
    rocker = four_bar.closed(end[0], rocker);
    let rocker_rate = four_bar.acceleration(end[0], end[1], rocker).1;
    let errors = |simulation: &Simulation| {
        let pin = four_bar.pin(end[0])[0] * 0.5;
        let rocker_end = (four_bar.end(rocker)[0] + four_bar.pivot) * 0.5;
        let turn = rotation(simulation, "crank").z - end[1];
        let rocks = rotation(simulation, "rocker").dot(&four_bar.axes[0]) - rocker_rate;
        let away = (place(simulation, "crank") - pin).norm();
        let end_away = (place(simulation, "rocker") - rocker_end).norm();
        away.max(end_away).max(turn.abs()).max(rocks.abs())
    };
    println!(
        "crank at {} rad, {} rad/s; rocker {rocker_rate} rad/s",
        end[0], end[1]
    );
    for tolerance in [1e-8, 1e-10, 1e-12] {
        let simulation = run(&model, 2.0, |s| s.tolerance = Some(tolerance));
        let (error, drift) = (errors(&simulation), simulation.report().worst_joint_drift);
        println!("tolerance {tolerance:e}: error {error:.2e}, drift {drift:.1e}");
        assert!(error < (1e3 * tolerance).max(1e-9) && drift < 1e-12);
    }
    let order = order_study("fixed steps", &halvings(0.004, 4), |h| {
        errors(&run(&model, 2.0, |s| s.step = h))
    });
    assert!(order > 1.9);
}

/// A rod-like body of 2 kg whose centre hangs 0.5 m from its joint, 0.8 rad from the vertical in the x-z plane.
fn swinging(joint: &str) -> Model {
    let (sin, cos) = 0.8_f64.sin_cos();
    model(&format!(
        r#"
        dimension = 3
        [[body]]
        name = "bob"
        kind = "rigid"
        mass = 2
        inertia = [0.05, 0.07, 0.03]
        position = [{:?}, 0, {:?}]
        rotation_vector = [0, -0.8, 0]
        [[joint]]
        name = "joint"
        bodies = ["ground", "bob"]
        anchors = [[0, 0, 0], [0, 0, 0.5]]
        {joint}
        "#,
        0.5 * sin,
        -0.5 * cos
    ))
}

#[test]
fn a_pendulum_pulls_at_its_joint_as_by_hand() {
    // angle from the vertical: (I + m l^2) a = -m g l sin; the joint gives m (acceleration of the centre + g up)
    let (mass, length, inertia) = (2.0, 0.5, 0.07);
    let total = inertia + mass * length * length;
    let pull = mass * G * length;
    let [angle, rate] = runge_kutta([0.8, 0.0], 1.0, 20_000, |y| {
        [y[1], -pull * y[0].sin() / total]
    });
    let (sin, cos) = angle.sin_cos();
    let turn = -pull * sin / total;
    let out = Vec3::new(sin, 0.0, -cos);
    let along = Vec3::new(cos, 0.0, sin);
    let force = (along * (length * turn) - out * (length * rate * rate) - down()) * mass;
    let moment = -out.cross(&force) * length;
    let hung = [
        ("spherical", r#"kind = "spherical""#),
        ("revolute", "kind = \"revolute\"\naxis = [0, 1, 0]"),
        (
            "universal",
            "kind = \"universal\"\naxis = [0, 1, 0]\nsecond_axis = [1, 0, 0]",
        ),
        (
            "universal, its axes swapped",
            "kind = \"universal\"\naxis = [1, 0, 0]\nsecond_axis = [0, 1, 0]",
        ),
        ("cylindrical", "kind = \"cylindrical\"\naxis = [0, 1, 0]"),
    ];
    for (name, joint) in hung {
        let model = swinging(joint);
        let end = run(&model, 1.0, tight);
        let [found, found_moment] = reaction(&end, "joint");
        let error = (found - force).norm().max((found_moment - moment).norm());
        let away = (place(&end, "bob") - out * length).norm();
        let drift = end.report().worst_joint_drift;
        println!("{name}: reaction off by {error:.2e} N, place by {away:.2e} m, drift {drift:.1e}");
        assert!(error < 1e-8 && away < 1e-10 && drift < 1e-12);
        let order = order_study(name, &halvings(0.01, 4), |h| {
            let end = run(&model, 1.0, |s| s.step = h);
            assert!(end.report().worst_joint_drift < 1e-12);
            (reaction(&end, "joint")[0] - force).norm()
        });
        assert!(order > 1.8);
    }
}

/// A body of 2 kg with its centre at (0.3, 0, 0.1) from the origin, principal axes askew.
fn askew(joint: &str, motion: &str) -> Model {
    model(&format!(
        r#"
        dimension = 3
        [[body]]
        name = "body"
        kind = "rigid"
        mass = 2
        inertia = [0.05, 0.07, 0.03]
        position = [0.3, 0, 0.1]
        rotation_vector = [0.4, -0.3, 0.5]
        {motion}
        [[joint]]
        name = "joint"
        bodies = ["ground", "body"]
        at = [0, 0, 0]
        {joint}
        "#
    ))
}

// moment on a body that turns with w: w x I w + I a
fn gyroscopic(simulation: &Simulation, turn: Vec3, change: Vec3) -> Vec3 {
    let pose = pose(simulation.model(), simulation.state(), Some(0));
    let inertia = Vec3::new(0.05, 0.07, 0.03);
    let momentum = |w: Vec3| pose.turn(inertia.component_mul(&pose.turn_back(w)));
    turn.cross(&momentum(turn)) + momentum(change)
}

fn expect(name: &str, simulation: &Simulation, force: Vec3, moment: Vec3) {
    let [found, found_moment] = reaction(simulation, "joint");
    let error = (found - force).norm().max((found_moment - moment).norm());
    let drift = simulation.report().worst_joint_drift;
    println!("{name}: reaction off by {error:.2e} N, drift {drift:.1e}");
    assert!(
        error < 1e-9 && drift < 1e-12,
        "{name}: {found} {found_moment} and not {force} {moment}"
    );
}

#[test]
fn an_unbalanced_rotor_shakes_its_axle_as_by_hand() {
    // about a vertical axle with 5 rad/s: v = w x r
    let motion = "velocity = [0, 1.5, 0]\nangular_velocity = [0, 0, 5]";
    let turn = Vec3::new(0.0, 0.0, 5.0);
    for kind in ["revolute", "cylindrical"] {
        let model = askew(&format!("kind = {kind:?}\naxis = [0, 0, 1]"), motion);
        let end = run(&model, 0.9, tight);
        let angle: f64 = 4.5;
        let centre = Vec3::new(0.3 * angle.cos(), 0.3 * angle.sin(), 0.1);
        let mut force = turn.cross(&turn.cross(&centre)) * 2.0;
        let mut arm = -centre;
        if kind == "revolute" {
            force -= down() * 2.0;
        } else {
            // it falls along the axle
            let fallen = 0.5 * G * 0.9 * 0.9;
            assert!((coordinate(&end, "joint") + fallen).abs() < 1e-10);
            arm.z = fallen - 0.1;
        }
        // the force acts at the anchor of the body; the rest is a moment about axes across the axle
        let moment = gyroscopic(&end, turn, Vec3::zeros());
        expect(kind, &end, force, moment);
        assert!((moment - arm.cross(&force)).z.abs() < 1e-9);
    }
}

#[test]
fn what_stands_still_is_held_by_its_joint() {
    let weight = -down() * 2.0;
    for (kind, axis) in [("fixed", ""), ("prismatic", "axis = [0.6, 0.8, 0]")] {
        let model = askew(&format!("kind = {kind:?}\n{axis}"), "");
        let end = run(&model, 0.5, tight);
        expect(kind, &end, weight, Vec3::zeros());
        let end = run(&model, 0.5, |s| s.step = 0.01);
        expect(kind, &end, weight, Vec3::zeros());
    }
}

#[test]
fn a_rail_carries_what_slides_down_along_it() {
    // along (0, 0.6, -0.8) with 0.8 g; no rotation
    let along = Vec3::new(0.0, 0.6, -0.8);
    let model = askew("kind = \"prismatic\"\naxis = [0, 0.6, -0.8]", "");
    let end = run(&model, 0.5, tight);
    let across = -(down() - along * (0.8 * G)) * 2.0;
    expect("prismatic", &end, across, Vec3::zeros());
    let moved = coordinate(&end, "joint") - 0.5 * 0.8 * G * 0.25;
    assert!(moved.abs() < 1e-12, "{moved:e}");
}

#[test]
fn a_plane_carries_what_slides_and_turns_on_it() {
    // normal (0.6, 0, 0.8): g has -0.8 along it
    let normal = Vec3::new(0.6, 0.0, 0.8);
    let turn = normal * 3.0;
    let motion = "velocity = [0.8, 0.5, -0.6]\nangular_velocity = [1.8, 0, 2.4]";
    let model = askew("kind = \"planar\"\naxis = [0.6, 0, 0.8]", motion);
    let end = run(&model, 0.7, tight);
    let moment = gyroscopic(&end, turn, Vec3::zeros());
    let along_normal = normal * moment.dot(&normal);
    assert!(along_normal.norm() < 1e-9, "the spin would change");
    expect("planar", &end, normal * (0.8 * G * 2.0), moment);
    let start = Vec3::new(0.3, 0.0, 0.1);
    let slope = down() + normal * (0.8 * G);
    let path = start + Vec3::new(0.8, 0.5, -0.6) * 0.7 + slope * (0.5 * 0.49);
    assert!((place(&end, "body") - path).norm() < 1e-10);
}

#[test]
fn a_sliding_bead_holds_back_the_turntable() {
    // a bead on a radial rail of a free turntable: angular momentum stays, r'' = w^2 r
    let model = model(
        r#"
        dimension = 3
        [[body]]
        name = "table"
        kind = "rigid"
        mass = 5
        inertia = [0.3, 0.3, 0.6]
        position = [0, 0, 0]
        angular_velocity = [0, 0, 4]
        [[body]]
        name = "bead"
        kind = "rigid"
        mass = 0.8
        inertia = [0.01, 0.02, 0.015]
        position = [0.2, 0, 0.05]
        velocity = [0, 0.8, 0]
        angular_velocity = [0, 0, 4]
        [[joint]]
        name = "axle"
        kind = "revolute"
        bodies = ["ground", "table"]
        at = [0, 0, 0]
        axis = [0, 0, 1]
        [[joint]]
        name = "rail"
        kind = "prismatic"
        bodies = ["table", "bead"]
        at = [0.2, 0, 0.05]
        axis = [1, 0, 0]
        "#,
    );
    let (mass, inertia) = (0.8, 0.6 + 0.015);
    let momentum = (inertia + mass * 0.04) * 4.0;
    let turn = |r: f64| momentum / (inertia + mass * r * r);
    let [r, out, angle] = runge_kutta([0.2, 0.0, 0.0], 0.6, 20_000, |y| {
        let w = turn(y[0]);
        [y[1], w * w * y[0], w]
    });
    let w = turn(r);
    let change = -2.0 * mass * r * out * w / (inertia + mass * r * r);
    let (sin, cos) = angle.sin_cos();
    let across = Vec3::new(-sin, cos, 0.0);
    let force = across * (mass * (2.0 * w * out + r * change)) - down() * mass;
    let moment = Vec3::new(0.0, 0.0, 0.015 * change);
    let errors = |end: &Simulation| {
        let [found, found_moment] = reaction(end, "rail");
        let bead = Vec3::new(r * cos, r * sin, 0.05);
        [
            (found - force).norm().max((found_moment - moment).norm()),
            (place(end, "bead") - bead).norm(),
        ]
    };
    let end = run(&model, 0.6, tight);
    let [reaction, away] = errors(&end);
    let drift = end.report().worst_joint_drift;
    println!("reaction off by {reaction:.2e} N, place by {away:.2e} m, drift {drift:.1e}");
    assert!(reaction < 1e-9 && away < 1e-11 && drift < 1e-12);
    for part in 0..2 {
        let order = order_study("fixed steps", &halvings(0.01, 4), |h| {
            errors(&run(&model, 0.6, |s| s.step = h))[part]
        });
        assert!(order > 1.9);
    }
}

#[test]
fn a_spinning_dumbbell_pulls_at_its_middle() {
    // two bodies 0.4 and 0.2 m from their common centre, fixed to each other; they turn about z in free fall
    for (kind, anchors) in [
        ("fixed", ""),
        ("distance", "anchors = [[0, 0, 0], [0, 0, 0]]"),
        ("spherical", "at = [0.1, 0, 0]"),
    ] {
        let model = model(&format!(
            r#"
            dimension = 3
            [[body]]
            name = "light"
            kind = "rigid"
            mass = 1
            inertia = [0.02, 0.02, 0.02]
            position = [-0.4, 0, 0]
            velocity = [0, -2.4, 1]
            angular_velocity = [0, 0, 6]
            [[body]]
            name = "heavy"
            kind = "rigid"
            mass = 2
            inertia = [0.03, 0.03, 0.03]
            position = [0.2, 0, 0]
            velocity = [0, 1.2, 1]
            angular_velocity = [0, 0, 6]
            [[joint]]
            name = "joint"
            kind = {kind:?}
            bodies = ["light", "heavy"]
            {anchors}
            "#
        ));
        let end = run(&model, 1.0, tight);
        let (sin, cos) = 6.0_f64.sin_cos();
        let force = Vec3::new(-cos, -sin, 0.0) * (2.0 * 0.2 * 36.0);
        expect(kind, &end, force, Vec3::zeros());
        let order = order_study(kind, &halvings(0.01, 4), |h| {
            let end = run(&model, 1.0, |s| s.step = h);
            assert!(end.report().worst_joint_drift < 1e-12);
            (reaction(&end, "joint")[0] - force).norm()
        });
        assert!(order > 1.9);
    }
}

#[test]
fn a_cross_holds_against_twist() {
    // a plumb bob on a universal joint: a torque about the vertical goes into the joint
    let model = model(
        r#"
        dimension = 3
        [[body]]
        name = "bob"
        kind = "rigid"
        mass = 2
        inertia = [0.05, 0.07, 0.03]
        position = [0, 0, -0.5]
        [[joint]]
        name = "joint"
        kind = "universal"
        bodies = ["ground", "bob"]
        at = [0, 0, 0]
        axis = [1, 0, 0]
        second_axis = [0, 1, 0]
        [[force]]
        name = "twist"
        kind = "applied"
        body = "bob"
        torque = [0, 0, 0.7]
        "#,
    );
    let end = run(&model, 1.0, |s| s.step = 0.01);
    expect("universal", &end, -down() * 2.0, Vec3::new(0.0, 0.0, -0.7));
}

#[test]
fn a_cross_turns_its_second_shaft_unevenly() {
    // ratio of the rates cos(bend) / (1 - sin(bend)^2 cos(angle)^2), the angle counted from where the arm of the first shaft
    // is in the plane of both
    let bend: f64 = 0.5;
    let (sin, cos) = bend.sin_cos();
    let text = |axis: &str, second: &str| {
        format!(
            r#"
            dimension = 3
            gravity = [0, 0, 0]
            [[body]]
            name = "first"
            kind = "rigid"
            mass = 1
            inertia = [0.02, 0.1, 0.1]
            position = [-0.5, 0, 0]
            angular_velocity = [6, 0, 0]
            [[body]]
            name = "second"
            kind = "rigid"
            mass = 1
            inertia = [0.03, 0.1, 0.1]
            position = [{:?}, {:?}, 0]
            rotation_vector = [0, 0, 0.5]
            angular_velocity = [{:?}, {:?}, 0]
            [[joint]]
            name = "first_bearing"
            kind = "revolute"
            bodies = ["ground", "first"]
            at = [-0.5, 0, 0]
            axis = [1, 0, 0]
            [[joint]]
            name = "second_bearing"
            kind = "revolute"
            bodies = ["ground", "second"]
            at = [{:?}, {:?}, 0]
            axis = [{cos:?}, {sin:?}, 0]
            [[joint]]
            name = "cross"
            kind = "universal"
            bodies = ["first", "second"]
            at = [0, 0, 0]
            axis = {axis}
            second_axis = {second}
            "#,
            0.5 * cos,
            0.5 * sin,
            6.0 * cos * if axis == "[0, 0, 1]" { cos } else { 1.0 / cos },
            6.0 * sin * if axis == "[0, 0, 1]" { cos } else { 1.0 / cos },
            0.5 * cos,
            0.5 * sin
        )
    };
    let across = format!("[{:?}, {cos:?}, 0]", -sin);
    for (axis, second, quarter) in [
        // the first shaft's arm across the plane of both shafts, or in it
        ("[0, 0, 1]", across.as_str(), 0.5 * PI),
        ("[0, 1, 0]", "[0, 0, 1]", 0.0),
    ] {
        let model = model(&text(axis, second));
        let ratio = |angle: f64| {
            let c = (angle + quarter).cos();
            cos / (1.0 - sin * sin * c * c)
        };
        // energy stays
        let energy = |angle: f64, rate: f64| {
            let k = ratio(angle);
            0.5 * rate * rate * (0.02 + 0.03 * k * k)
        };
        let all = energy(0.0, 6.0);
        let rate = |angle: f64| 6.0 * (energy(angle, 6.0) / all).sqrt().recip();
        let [angle] = runge_kutta([0.0], 1.0, 20_000, |y| [rate(y[0])]);
        let errors = |end: &Simulation| {
            let first = rotation(end, "first").x;
            let second = rotation(end, "second").norm();
            let turned = coordinate(end, "first_bearing") - angle;
            let turned = turned - (turned / TAU).round() * TAU;
            [
                (second / first - ratio(angle)).abs(),
                turned.abs(),
                (first - rate(angle)).abs(),
            ]
        };
        let end = run(&model, 1.0, tight);
        let [of_ratio, of_angle, of_rate] = errors(&end);
        let drift = end.report().worst_joint_drift;
        println!(
            "ratio {:.4}: off by {of_ratio:.1e}, angle by {of_angle:.1e}, rate by {of_rate:.1e}; drift {drift:.1e}",
            ratio(angle)
        );
        assert!(of_ratio < 1e-10 && of_angle < 1e-10 && of_rate < 1e-10 && drift < 1e-12);
        let order = order_study("fixed steps", &halvings(0.01, 4), |h| {
            let end = run(&model, 1.0, |s| s.step = h);
            let [_, angle, rate] = errors(&end);
            angle.max(rate)
        });
        assert!(order > 1.9);
    }
}

#[test]
fn a_stop_throws_back() {
    // falls 0.5 m along a slope of sine 0.8 to its stop, then bounces with half the speed
    let model = model(
        r#"
        dimension = 3
        [[body]]
        name = "body"
        kind = "rigid"
        mass = 2
        inertia = [0.05, 0.07, 0.03]
        position = [0.3, 0, 0.1]
        rotation_vector = [0.4, -0.3, 0.5]
        [[joint]]
        name = "joint"
        kind = "prismatic"
        bodies = ["ground", "body"]
        at = [0.3, 0, 0.1]
        axis = [0, 0.6, -0.8]
        limits = [-1, 0.5]
        limit_restitution = 0.5
        "#,
    );
    let pull = 0.8 * G;
    let first = (2.0 * 0.5 / pull).sqrt();
    let speed = 0.5 * pull * first;
    let second = first + 2.0 * speed / pull;
    let time = second + 0.05;
    let height = 0.5 - (0.5 * speed * 0.05 - 0.5 * pull * 0.05 * 0.05);
    for (name, end) in [
        ("fixed steps", run(&model, time, |s| s.step = 0.01)),
        ("tolerance", run(&model, time, tight)),
    ] {
        let away = (coordinate(&end, "joint") - height).abs();
        let times: Vec<f64> = end.report().events.iter().map(|e| e.time).collect();
        println!("{name}: off by {away:.2e} m, bounces at {times:?}");
        assert!(away < 1e-10 && times.len() == 2);
        assert!((times[0] - first).abs() < 1e-11 && (times[1] - second).abs() < 1e-11);
    }
}

#[test]
fn a_stop_may_be_beyond_half_a_turn() {
    // turned by a torque from 0 to its stop at 4 rad, where it comes to rest
    let model = model(
        r#"
        dimension = 3
        gravity = [0, 0, 0]
        [[body]]
        name = "wheel"
        kind = "rigid"
        mass = 1
        inertia = [0.05, 0.05, 0.1]
        position = [0, 0, 0]
        [[joint]]
        name = "joint"
        kind = "revolute"
        bodies = ["ground", "wheel"]
        at = [0, 0, 0]
        axis = [0, 0, 1]
        limits = [-0.5, 4]
        motor = { kind = "torque", value = 0.2 }
        "#,
    );
    let hit = (2.0_f64 * 4.0 / 2.0).sqrt();
    for change in [tight, |s: &mut Settings| s.step = 0.01] {
        let end = run(&model, hit + 0.5, change);
        let away = coordinate(&end, "joint") - (4.0 - TAU);
        let events = &end.report().events;
        println!("off by {away:.1e} rad, {events:?}");
        assert!(away.abs() < 1e-9);
        assert_eq!(events.len(), 1);
        assert!((events[0].time - hit).abs() < 1e-9);
    }
}

#[test]
fn springs_of_a_sleeve_swing_on_their_own() {
    let model = model(
        r#"
        dimension = 3
        gravity = [0, 0, 0]
        [[body]]
        name = "sleeve"
        kind = "rigid"
        mass = 2
        inertia = [0.05, 0.05, 0.1]
        position = [0, 0, 1]
        velocity = [0, 0, 0.3]
        angular_velocity = [0, 0, 2]
        [[joint]]
        name = "joint"
        kind = "cylindrical"
        bodies = ["ground", "sleeve"]
        at = [0, 0, 1]
        axis = [0, 0, 1]
        [[force]]
        name = "along"
        kind = "joint_spring"
        joint = "joint"
        coordinate = "displacement"
        stiffness = 50
        damping = 2
        [[force]]
        name = "around"
        kind = "joint_spring"
        joint = "joint"
        coordinate = "angle"
        stiffness = 0.4
        rest = 0.3
        "#,
    );
    let time: f64 = 1.5;
    let damped = (25.0_f64 - 0.25).sqrt();
    let displacement = (-0.5 * time).exp() * 0.3 / damped * (damped * time).sin();
    let angle = 0.3 - 0.3 * (2.0 * time).cos() + (2.0 * time).sin();
    let errors = |end: &Simulation| {
        let q = end.state().orientation[0];
        let turned = 2.0 * q[3].atan2(q[0]);
        let z = place(end, "sleeve").z - 1.0 - displacement;
        z.abs().max((turned - angle).abs())
    };
    let end = run(&model, time, tight);
    println!("tolerance: {:.1e}", errors(&end));
    assert!(errors(&end) < 1e-11);
    let order = order_study("fixed steps", &halvings(0.02, 4), |h| {
        errors(&run(&model, time, |s| s.step = h))
    });
    assert!(order > 1.9);
}

/// A door with a closing spring, on one hinge in the middle or on two.
fn door(hinges: &[f64]) -> Model {
    let joints: Vec<String> = hinges
        .iter()
        .enumerate()
        .map(|(i, z)| {
            format!(
                r#"
                [[joint]]
                name = "hinge_{i}"
                kind = "revolute"
                bodies = ["ground", "door"]
                at = [0, 0, {z:?}]
                axis = [0, 0, 1]
                "#
            )
        })
        .collect();
    model(&format!(
        r#"
        dimension = 3
        [[body]]
        name = "door"
        kind = "rigid"
        mass = 20
        inertia = [6.7, 8.0, 1.4]
        position = [0.45, 0, 1]
        velocity = [0, 0.9, 0]
        angular_velocity = [0, 0, 2]
        {}
        [[force]]
        name = "closer"
        kind = "joint_spring"
        joint = "hinge_0"
        stiffness = 30
        damping = 4
        "#,
        joints.join("\n")
    ))
}

#[test]
fn a_door_with_two_hinges_moves_as_with_one() {
    let [one, two] = [&[1.0][..], &[0.2, 1.8]].map(door);
    for (name, change) in [
        ("tolerance", tight as fn(&mut Settings)),
        ("fixed steps", |s| s.step = 0.01),
    ] {
        let [one, two] = [&one, &two].map(|model| run(model, 1.0, change));
        let away = (place(&one, "door") - place(&two, "door")).norm();
        let [force, moment] = reaction(&one, "hinge_0");
        let [lower, upper] = ["hinge_0", "hinge_1"].map(|name| reaction(&two, name));
        let forces = (lower[0] + upper[0] - force).norm();
        let moments = (lower[1] + upper[1] - moment).norm();
        // by hand: the weight, and towards the hinge w^2 r; its moment is that of the weight
        let place = place(&one, "door");
        let out = Vec3::new(place.x, place.y, 0.0);
        let turn = rotation(&one, "door").z;
        let angle = place.y.atan2(place.x);
        let change = (-30.0 * angle - 4.0 * turn) / (1.4 + 20.0 * 0.45 * 0.45);
        let pulled = (Vec3::new(-out.y, out.x, 0.0) * change - out * (turn * turn) - down()) * 20.0;
        let by_hand = (force - pulled).norm();
        let drift = two.report().worst_joint_drift;
        println!(
            "{name}: apart by {away:.1e} m, sums of forces by {forces:.1e} N, of moments by {moments:.1e}, by hand {by_hand:.1e} N, drift {drift:.1e}"
        );
        assert!(away < 1e-12 && forces < 1e-9 && moments < 1e-9 && drift < 1e-12);
        assert!(by_hand < if name == "tolerance" { 1e-9 } else { 0.1 });
    }
}

/// A heavy symmetric top on a point: m = 0.5 kg, 0.1 m from point to centre.
struct Top {
    /// From the vertical, rad.
    tilt: f64,
    /// About the vertical at the start, rad/s.
    precession: f64,
    /// Part of the rotation along the axis; stays, rad/s.
    spin: f64,
}

impl Top {
    /// About the point, across the axis, kg m^2.
    const ACROSS: f64 = 0.001 + 0.5 * 0.1 * 0.1;
    /// About the axis, kg m^2.
    const ALONG: f64 = 0.0015;
    /// Weight times distance, N m.
    const PULL: f64 = 0.5 * G * 0.1;

    fn model(&self) -> Model {
        let (sin, cos) = self.tilt.sin_cos();
        // precession about z, spin about the axis; nothing about the line of nodes
        let own = [0.0, self.precession * sin, self.spin];
        // the axis leans towards -y, the node is x
        let v = 0.1 * sin * self.precession;
        model(&format!(
            r#"
            dimension = 3
            [[body]]
            name = "top"
            kind = "rigid"
            mass = 0.5
            inertia = [0.001, 0.001, 0.0015]
            position = [0, {:?}, {:?}]
            euler = [{:?}, 0, 0]
            velocity = [{v:?}, 0, 0]
            angular_velocity = {own:?}
            angular_velocity_frame = "body"
            [[joint]]
            name = "point"
            kind = "spherical"
            bodies = ["ground", "top"]
            anchors = [[0, 0, 0], [0, 0, -0.1]]
            "#,
            -0.1 * sin,
            0.1 * cos,
            self.tilt
        ))
    }

    // tilt, its rate, angle of precession, own rotation, by the integrals of the motion
    fn at(&self, time: f64, n: usize) -> [f64; 4] {
        let spin = Self::ALONG * self.spin;
        let (sin, cos) = self.tilt.sin_cos();
        let vertical = Self::ACROSS * self.precession * sin * sin + spin * cos;
        runge_kutta([self.tilt, 0.0, 0.0, 0.0], time, n, |y| {
            let (sin, cos) = y[0].sin_cos();
            let round = (vertical - spin * cos) / (Self::ACROSS * sin * sin);
            let nod =
                round * round * sin * cos + (Self::PULL * sin - spin * round * sin) / Self::ACROSS;
            [y[1], nod, round, self.spin - round * cos]
        })
    }

    // largest difference of the entries of the rotation matrix
    fn error(&self, end: &Simulation, [tilt, _, round, own]: [f64; 4]) -> f64 {
        let turn = |axis: Vec3, angle: f64| quaternion::matrix(quaternion::exp(axis * angle));
        let expected = turn(Vec3::z(), round) * turn(Vec3::x(), tilt) * turn(Vec3::z(), own);
        let found = pose(end.model(), end.state(), Some(0)).rotation;
        (found - expected).amax()
    }
}

#[test]
fn a_top_goes_round_and_nods_by_theory() {
    let top = Top {
        tilt: PI / 6.0,
        precession: 0.0,
        spin: 100.0,
    };
    let model = top.model();
    let time = 1.0;
    let expected = top.at(time, 100_000);
    println!("tilt {} rad, round by {} rad", expected[0], expected[2]);
    for tolerance in [1e-6, 1e-8, 1e-10, 1e-12] {
        let end = run(&model, time, |s| s.tolerance = Some(tolerance));
        let (error, drift) = (top.error(&end, expected), end.report().worst_joint_drift);
        let work = end.report().factorizations;
        println!(
            "tolerance {tolerance:e}: error {error:.2e}, drift {drift:.1e}, {work} factorizations"
        );
        assert!(drift < 1e-12);
        assert!(error < (1e3 * tolerance).max(1e-10));
    }
    let order = order_study("fixed steps", &halvings(0.001, 4), |h| {
        top.error(&run(&model, time, |s| s.step = h), expected)
    });
    assert!(order > 1.9);
}

#[test]
fn a_top_goes_round_steadily_at_both_rates() {
    // A cos p^2 - C n p + m g l = 0
    let (tilt, spin): (f64, f64) = (PI / 6.0, 100.0);
    let half = 0.5 * Top::ALONG * spin;
    let root = (half * half - Top::ACROSS * tilt.cos() * Top::PULL).sqrt();
    for sign in [-1.0, 1.0] {
        let precession = (half + sign * root) / (Top::ACROSS * tilt.cos());
        let top = Top {
            tilt,
            precession,
            spin,
        };
        let model = top.model();
        let expected = [tilt, 0.0, precession, spin - precession * tilt.cos()];
        let end = run(&model, 1.0, tight);
        println!(
            "{precession} rad/s: error {:.2e}",
            top.error(&end, expected)
        );
        assert!(top.error(&end, expected) < 1e-10);
        let order = order_study("fixed steps", &halvings(0.001, 4), |h| {
            top.error(&run(&model, 1.0, |s| s.step = h), expected)
        });
        assert!(order > 1.9);
    }
}
