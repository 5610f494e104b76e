//! A step does not touch the heap: `Workspace::new` allocates all that a model can need (counted by thread). In space, where
//! most features never touch, it grows with the contacts that do, and then no more.

use crate::common::allocator::{allocations, shown_allocations};
use crate::common::{OTHER_SCHEMES, model, scene_text, variant};
use stiction::integrate::EventCounts;
use stiction::model::Model;
use stiction::scene::spec::{EventState, FrictionCone, ImpactLaw, Scheme, Settings};
use stiction::simulation::Simulation;

/// Runs the model to its end step by step and fails at the first step that allocates, the very first included. What
/// happened is returned.
fn run_without_allocations(model: &Model, change: impl FnOnce(&mut Settings)) -> EventCounts {
    let mut settings = model.settings.clone();
    change(&mut settings);
    let (name, scheme, step) = (&model.name, settings.scheme, settings.step);
    let mut simulation = Simulation::with_settings(model.clone(), settings);
    let n_steps = (model.until / step).round() as u32;
    for i in 1..=n_steps {
        let time = f64::from(i) * step;
        let (count, result) = shown_allocations(|| simulation.advance_to(time));
        if result.is_err() {
            // a scheme that is not made for the scene may overflow; that is another test's matter
            println!("{name}, {scheme:?}: stopped at {time:.2} s");
            break;
        }
        let kinds = &simulation.report().events;
        assert_eq!(
            count, 0,
            "{name}, {scheme:?}: step {i} to {time} s, events {kinds:?}"
        );
        simulation.report_mut().events.clear();
    }
    simulation.report().n_events
}

/// Runs the model in space to `until` step by step, and once more from its start: by then the workspace has met all contacts,
/// and it fails at the first step that allocates, the very first included. What happened in both runs is returned.
fn repeat_without_allocations(
    model: &Model,
    until: f64,
    change: impl FnOnce(&mut Settings),
) -> EventCounts {
    let mut settings = model.settings.clone();
    change(&mut settings);
    let (name, scheme, step) = (&model.name, settings.scheme, settings.step);
    let mut simulation = Simulation::with_settings(model.clone(), settings);
    let start = simulation.state().clone();
    let n_steps = (until / step).round() as u32;
    let mut n_grown = 0;
    for is_second in [false, true] {
        simulation.state_mut().copy_from(&start);
        for i in 1..=n_steps {
            let time = f64::from(i) * step;
            let (count, result) = if is_second {
                shown_allocations(|| simulation.advance_to(time))
            } else {
                let (count, result) = allocations(|| simulation.advance_to(time));
                n_grown += u32::from(count > 0);
                (0, result)
            };
            result.unwrap_or_else(|e| panic!("{name}, {scheme:?}: {e}"));
            assert_eq!(count, 0, "{name}, {scheme:?}: step {i} to {time} s");
            simulation.report_mut().events.clear();
        }
    }
    println!("{name}, {scheme:?}: {n_grown} of {n_steps} steps made room");
    simulation.report().n_events
}

/// Changes of status without an impact.
fn transitions(counts: &EventCounts) -> u64 {
    counts.slip_starts + counts.stick_starts + counts.reversals + counts.take_offs
}

/// Shipped scenes in the plane, and the least number of impacts and transitions that their runs go through.
const SCENES: [(&str, u64, u64); 10] = [
    ("block_on_table", 0, 7),
    ("bouncing_ball", 10, 0),
    ("double_pendulum_wall", 5, 0),
    ("falling_rod", 2, 1),
    ("incline", 0, 1),
    ("newtons_cradle", 2, 0),
    ("slider_crank", 0, 0),
    ("two_bars", 5, 1),
    ("two_bodies_damper", 0, 3),
    ("two_carts", 1, 3),
];

/// Shipped scenes in space, where their runs are cut, s, and the same numbers.
const IN_SPACE: [(&str, f64, u64, u64); 8] = [
    ("box_landing", 1.0, 1, 1),
    ("box_stack", 0.1, 0, 0),
    ("four_balls", 1.0, 2, 2),
    ("free_body", 1.0, 0, 0),
    ("gripper", 0.6, 0, 1),
    ("rolling_ball", 1.5, 0, 1),
    ("rover", 0.1, 0, 0),
    ("spinning_top", 0.2, 0, 0),
];

#[test]
fn the_allocator_of_this_test_counts() {
    let (count, boxed) = allocations(|| Box::new(1));
    assert_eq!((count, *boxed), (1, 1));
}

#[test]
fn no_step_of_a_shipped_scene_allocates_through_its_impacts_and_transitions() {
    for (scene, least_impacts, least_transitions) in SCENES {
        let counts = run_without_allocations(&variant(scene, &[]), |_| {});
        println!("{scene}: {counts:?}");
        assert!(counts.impacts >= least_impacts, "{scene}: {counts:?}");
        assert!(
            transitions(&counts) >= least_transitions,
            "{scene}: {counts:?}"
        );
    }
}

#[test]
fn no_step_of_any_scheme_allocates() {
    for (scene, ..) in SCENES {
        let model = variant(scene, &[]);
        for scheme in [Scheme::Trapezoidal].into_iter().chain(OTHER_SCHEMES) {
            run_without_allocations(&model, |settings| settings.scheme = scheme);
        }
    }
}

#[test]
fn no_step_allocates_with_the_papers_settings_or_another_impact_law() {
    for (scene, ..) in SCENES {
        let model = variant(scene, &[]);
        run_without_allocations(&model, |settings| {
            settings.event_state = EventState::Interpolant;
            settings.projection = false;
            settings.damping_steps = 0;
        });
        for locate in [true, false] {
            run_without_allocations(&model, |settings| {
                settings.locate_transitions = Some(locate)
            });
        }
        for law in [
            ImpactLaw::Newton,
            ImpactLaw::Expedient,
            ImpactLaw::PoissonPrinted,
        ] {
            run_without_allocations(&model, |settings| settings.impact_law = law);
        }
        run_without_allocations(&model, |settings| {
            settings.scheme = Scheme::PositionEuler;
            settings.fixed_point_iterations = 10;
        });
    }
}

#[test]
fn no_step_by_tolerance_allocates_nor_does_a_look_between_steps() {
    for (scene, least_impacts, least_transitions) in SCENES {
        let model = variant(scene, &[]);
        for tolerance in [1e-4, 1e-9] {
            let counts =
                run_without_allocations(&model, |settings| settings.tolerance = Some(tolerance));
            assert!(counts.impacts >= least_impacts, "{scene}: {counts:?}");
            assert!(
                transitions(&counts) >= least_transitions,
                "{scene}: {counts:?}"
            );
        }
        let mut settings = model.settings.clone();
        settings.tolerance = Some(1e-6);
        let mut simulation = Simulation::with_settings(model.clone(), settings);
        // the first look makes room for the state that is ahead
        simulation.glide_to(1e-3, model.until).unwrap();
        for i in 1..=100 {
            let time = model.until * f64::from(i) / 100.0;
            let (count, result) = shown_allocations(|| simulation.glide_to(time, model.until));
            result.unwrap();
            assert_eq!(count, 0, "{scene} at {time} s");
        }
    }
}

#[test]
fn steps_of_shipped_scenes_in_space_allocate_only_until_all_contacts_are_met() {
    for (scene, until, least_impacts, least_transitions) in IN_SPACE {
        let model = variant(scene, &[]);
        for tolerance in [None, Some(1e-4), Some(1e-9)] {
            let counts = repeat_without_allocations(&model, until, |settings| {
                settings.tolerance = tolerance
            });
            println!("{scene}: {counts:?}");
            assert!(counts.impacts >= 2 * least_impacts, "{scene}: {counts:?}");
            assert!(
                transitions(&counts) >= 2 * least_transitions,
                "{scene}: {counts:?}"
            );
        }
    }
}

#[test]
fn steps_of_any_scheme_in_space_allocate_only_until_all_contacts_are_met() {
    for (scene, until, ..) in IN_SPACE {
        let model = variant(scene, &[]);
        for scheme in [Scheme::Trapezoidal].into_iter().chain(OTHER_SCHEMES) {
            repeat_without_allocations(&model, until, |settings| settings.scheme = scheme);
        }
        repeat_without_allocations(&model, until, |settings| {
            settings.impact_law = ImpactLaw::Newton;
        });
    }
}

/// Scenes with time stepping, their ends, s, and the least number of their impacts.
const MANY_BODIES: [(&str, f64, u64); 6] = [
    ("chain", 0.02, 0),
    ("conveyor", 0.5, 1),
    ("pawl", 0.1, 0),
    ("pile_of_balls", 0.5, 1),
    ("pile_of_boxes", 0.4, 1),
    ("pile_of_jacks", 0.2, 1),
];

#[test]
fn time_stepping_allocates_only_until_all_contacts_are_met() {
    for (scene, until, least_impacts) in MANY_BODIES {
        let counts = repeat_without_allocations(&variant(scene, &[]), until, |_| {});
        println!("{scene}: {counts:?}");
        assert!(counts.impacts >= 2 * least_impacts, "{scene}: {counts:?}");
        let text = scene_text(scene);
        let sweeps = "[settings.time_stepping]\nsweeps = 20\n";
        let bounded = match text.contains("[settings.time_stepping]\n") {
            true => text.replace("[settings.time_stepping]\n", sweeps),
            false => format!("{text}\n{sweeps}"),
        };
        let bounded = model(&bounded);
        repeat_without_allocations(&bounded, until, |_| {});
    }
}

/// A braked arm with joint friction, a servo, and a box on it whose friction at rest is above that of sliding.
const BRAKED_ARM: &str = r#"
    name = "braked arm"
    dimension = 3
    [settings]
    integrator = "time_stepping"
    [[body]]
    name = "arm"
    kind = "rigid"
    mass = 1
    inertia = [0.02, 0.02, 0.02]
    position = [0.3, 0, 0]
    shape = [{ kind = "box", size = [0.6, 0.1, 0.06] }]
    [[joint]]
    name = "pivot"
    kind = "revolute"
    bodies = ["ground", "arm"]
    at = [0, 0, 0]
    axis = [0, 1, 0]
    friction = { coefficient = 0.3, radius = 0.02, static_ratio = 1.5, stribeck_velocity = 0.1 }
    motor = { kind = "servo", kp = 50, kd = 0.5, limit = 8, position = { kind = "harmonic", amplitude = 0.3, frequency = 0.7 } }
    [[clutch]]
    name = "brake"
    bodies = ["ground", "arm"]
    axis = [0, 1, 0]
    friction = 0.3
    static_friction = 0.4
    radius = 0.05
    normal_force = { kind = "harmonic", amplitude = 100, offset = 100, frequency = 1.3 }
    [[body]]
    name = "box"
    kind = "rigid"
    mass = 0.1
    position = [0.4, 0, 0.06]
    shape = [{ kind = "box", size = [0.06, 0.06, 0.06] }]
    [contact_default]
    friction = 0.1
    static_friction = 0.2
"#;

#[test]
fn friction_elements_and_servos_allocate_no_more_in_time_stepping() {
    let counts = repeat_without_allocations(&model(BRAKED_ARM), 2.0, |_| {});
    println!("{counts:?}");
    assert!(counts.slip_starts > 0 && counts.stick_starts > 0);
}

/// A tilted pile of boxes whose corners touch in many places at once, and a lever that swings to its stop.
const PILE: &str = r#"
    name = "pile"
    until = 2
    [contact_default]
    friction = 0.4
    restitution = 0.2
    [[ground.shape]]
    kind = "half_plane"
    normal = [0, 1]
    [[body]]
    name = "lower"
    kind = "rigid"
    mass = 2
    position = [0, 0.6]
    angle = 0.1
    shape = [{ kind = "box", size = [1, 1] }]
    [[body]]
    name = "upper"
    kind = "rigid"
    mass = 1
    position = [0.1, 1.8]
    shape = [{ kind = "box", size = [1, 1] }]
    [[body]]
    name = "lever"
    kind = "rigid"
    mass = 1
    inertia = 1
    position = [6, 5]
    [[joint]]
    name = "hinge"
    kind = "revolute"
    bodies = ["ground", "lever"]
    at = [5, 5]
    limits = [-0.5, 0.5]
    limit_restitution = 0.5
"#;

#[test]
fn no_step_of_a_pile_of_boxes_and_a_stop_allocates() {
    let model = model(PILE);
    let by_tolerance = run_without_allocations(&model, |settings| settings.tolerance = Some(1e-6));
    assert!(by_tolerance.impacts > 0);
    for scheme in [Scheme::Trapezoidal].into_iter().chain(OTHER_SCHEMES) {
        let counts = run_without_allocations(&model, |settings| settings.scheme = scheme);
        println!("{scheme:?}: {} contacts, {counts:?}", model.contacts.len());
        assert!(counts.impacts > 0 || scheme == Scheme::PositionEuler);
    }
}

/// A box in space that lands on its edge, tips over and slides.
const TIPPING_BOX: &str = r#"
    name = "tipping box"
    dimension = 3
    until = 1
    [contact_default]
    friction = 0.3
    [[ground.shape]]
    kind = "half_space"
    normal = [0, 0, 1]
    [[body]]
    name = "box"
    kind = "rigid"
    mass = 1
    position = [0, 0, 0.3]
    velocity = [1, 0.5, 0]
    rotation_vector = [0.2, 0, 0]
    shape = [{ kind = "box", size = [0.8, 0.6, 0.2] }]
"#;

#[test]
fn friction_polygons_allocate_only_until_they_have_met_all_contacts() {
    let mut settings = model(TIPPING_BOX).settings.clone();
    settings.scheme = Scheme::PositionEuler;
    settings.friction_cone = FrictionCone::Polyhedral {
        directions: 8,
        turn: true,
    };
    let mut simulation = Simulation::with_settings(model(TIPPING_BOX), settings);
    while simulation.report().largest_lcp < 40 {
        let time = simulation.state().time + 0.01;
        simulation.advance_to(time).unwrap();
        assert!(time < 1.0);
    }
    println!(
        "all corners touched at {:.2} s at the latest",
        simulation.state().time
    );
    for _ in 0..100 {
        let time = simulation.state().time + 0.01;
        let (count, result) = shown_allocations(|| simulation.advance_to(time));
        result.unwrap();
        assert_eq!(count, 0, "at {time} s");
    }
}
