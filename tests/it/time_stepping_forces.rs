//! Time stepping: forces, accelerations and rates are those of the motion at the communication point, whatever the steps that led there.

use stiction::fmu::instance::Instance;
use stiction::fmu::instance::variable::Value;
use stiction::{Model, Simulation};

const CHAIN: &str = include_str!("../data/defects/minichain.toml");
const TIME_STEPPING: &str = include_str!("../data/defects/mini_time_stepping.toml");
const GATE: &str = include_str!("../data/defects/s15_gate.toml");
const HUMANOID: &str = include_str!("../data/defects/g1_ragdoll.toml");

fn instance(text: &str) -> Instance {
    let mut instance = Instance::new("test", "test.toml", text).unwrap();
    instance.setup_experiment(None, 0.0, None).unwrap();
    instance.enter_initialization().unwrap();
    instance.exit_initialization().unwrap();
    instance
}

fn reference(instance: &Instance, name: &str) -> u32 {
    let found = instance.variables().iter().position(|v| v.name == name);
    found.unwrap_or_else(|| panic!("no variable {name}")) as u32
}

fn real(instance: &mut Instance, name: &str) -> f64 {
    let reference = reference(instance, name);
    match instance.get(reference).unwrap() {
        Value::Real(x) => x,
        other => panic!("{name} is {other}"),
    }
}

// after 40 steps of 5 ms and one of another length
fn stepped(text: &str, last: f64) -> Instance {
    let mut instance = instance(text);
    for i in 0..40 {
        instance.do_step(i as f64 * 0.005, 0.005).unwrap();
    }
    instance.do_step(0.2, last).unwrap();
    instance
}

fn names(instance: &Instance, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let all = instance.variables().iter().map(|v| v.name.clone());
    all.filter(|name| is_wanted(name)).collect()
}

// ten links between the ground and a free end, with or without time stepping
fn chain(integrator: &str) -> String {
    let mut text =
        format!("name = \"chain\"\ndimension = 3\n[settings]\n{integrator}\nstep = 0.005\n");
    for i in 0..10 {
        let (middle, end) = (0.1 * f64::from(i) + 0.05, 0.1 * f64::from(i));
        let before = if i == 0 {
            "ground".to_owned()
        } else {
            format!("link{}", i - 1)
        };
        text += &format!(
            "[[body]]\nname = \"link{i}\"\nkind = \"rigid\"\nmass = 0.2\ninertia = [1e-4, 3e-4, 3e-4]\nposition = [{middle}, 0, 0]\n\
             [[joint]]\nname = \"pin{i}\"\nkind = \"revolute\"\nbodies = [\"{before}\", \"link{i}\"]\nat = [{end}, 0, 0]\naxis = [0, 1, 0]\n"
        );
    }
    text
}

#[test]
fn reactions_and_accelerations_are_those_of_the_instant_whatever_the_last_step() {
    let chains = [chain(""), chain("integrator = \"time_stepping\"")];
    for (scene, [events, steps]) in [
        ("pendulum", [CHAIN, TIME_STEPPING]),
        ("chain", [&chains[0][..], &chains[1][..]]),
    ] {
        for last in [1e-8, 1e-6, 1e-5, 1e-4, 1e-3] {
            let mut exact = stepped(events, last);
            let mut time_stepping = stepped(steps, last);
            let shown = |name: &str| name.contains("reaction.") || name.contains(".acceleration.");
            let names = names(&time_stepping, shown);
            let both = names
                .iter()
                .map(|name| [real(&mut exact, name), real(&mut time_stepping, name)]);
            let both: Vec<[f64; 2]> = both.collect();
            let largest = both.iter().fold(0.0, |m: f64, [x, _]| m.max(x.abs()));
            let off = both.iter().fold(0.0, |m: f64, [x, y]| m.max((x - y).abs()));
            println!("{scene}, last step {last:e} s: off by {off:.1e} of {largest:.3}");
            assert!(
                !names.is_empty() && off < 0.01 * largest,
                "{scene}, {last:e}"
            );
        }
    }
}

#[test]
fn rates_of_outputs_are_differences_over_a_short_step() {
    let chain = chain("integrator = \"time_stepping\"");
    let shipped =
        |name: &str| std::fs::read_to_string(format!("resources/{name}/scene.toml")).unwrap();
    let scenes = [
        ("pendulum", TIME_STEPPING.to_owned(), 40, 1e-3),
        ("ten links", chain, 40, 5e-3),
        ("chain", shipped("chain"), 40, 1e-3),
        ("conveyor", shipped("conveyor"), 40, 1e-3),
        ("pawl", shipped("pawl"), 40, 1e-3),
        ("jacks", shipped("pile_of_jacks"), 380, 1e-3),
        ("boxes", shipped("pile_of_boxes"), 140, 1e-3),
        ("balls", shipped("pile_of_balls"), 380, 1e-3),
    ];
    for (scene, text, n_steps, enough) in scenes {
        let mut instance = instance(&text);
        for i in 0..n_steps {
            instance.do_step(f64::from(i) * 0.005, 0.005).unwrap();
        }
        let names = names(&instance, |name| {
            let kinds = [
                ".position.",
                ".velocity.",
                ".angular_velocity",
                ".rate.",
                "energy.",
            ];
            kinds.iter().any(|kind| name.contains(kind)) && !name.contains("initial")
        });
        let before: Vec<f64> = names.iter().map(|n| real(&mut instance, n)).collect();
        let rates = |instance: &mut Instance| -> Vec<f64> {
            let references = names.iter().map(|name| reference(instance, name));
            let references: Vec<u32> = references.collect();
            let rates = references.iter();
            rates
                .map(|r| instance.output_derivative(*r, 1).unwrap())
                .collect()
        };
        let first = rates(&mut instance);
        let (size, impacts) = (1e-5, instance.report().n_events.impacts);
        instance.do_step(f64::from(n_steps) * 0.005, size).unwrap();
        assert_eq!(impacts, instance.report().n_events.impacts, "{scene}");
        // waves run through chains: rates change within the short step
        let means = rates(&mut instance).into_iter().zip(first);
        let mut worst: f64 = 0.0;
        for ((name, before), (last, first)) in names.iter().zip(before).zip(means) {
            let rate = 0.5 * (first + last);
            let found = (real(&mut instance, name) - before) / size;
            let off = (found - rate).abs() / (1.0 + rate.abs());
            assert!(off < enough, "{scene}, {name}: {found} and {rate}");
            worst = worst.max(off);
        }
        println!("{scene}: {} outputs, off by {worst:.1e}", names.len());
    }
}

fn pile(rules: &str) -> String {
    format!(
        "name = \"pile\"\ndimension = 3\n[settings.time_stepping]\n{rules}\n[settings]\nintegrator = \"time_stepping\"\nstep = 0.005\n[contact_default]\nfriction = 0.5\n\
         [[ground.shape]]\nkind = \"half_space\"\nnormal = [0, 0, 1]\n\
         [[body]]\nname = \"box\"\nkind = \"rigid\"\nmass = 2\nposition = [0, 0, 0.05]\ncopies = {{ count = [1, 1, 5], spacing = [1, 1, 0.1] }}\n\
         shape = [{{ kind = \"box\", size = [0.1, 0.1, 0.1] }}]\n"
    )
}

#[test]
fn a_pile_at_rest_presses_with_its_weight_after_any_step() {
    let lasts = [(0.2, 1e-8), (0.4, 1e-6), (0.415, 1e-4), (0.2, 1e-3)];
    let cases = ["", "sweeps = 30"].into_iter();
    for (rules, (until, last)) in cases.flat_map(|rules| lasts.map(|last| (rules, last))) {
        let mut pile = Simulation::new(Model::from_text("pile", &pile(rules)).unwrap());
        pile.advance_to(until).unwrap();
        let before = fastest(&pile.instant().acceleration);
        pile.advance_to(until + last).unwrap();
        let instant = pile.instant();
        let after = fastest(&instant.acceleration);
        // the ground is the first shape
        let on_ground = instant.contacts.iter().filter(|t| t.key.shapes[0] == 0);
        let weight: f64 = on_ground.map(|contact| contact.force.z).sum();
        println!("{rules} last step {last:e} s: {weight} N, {before:.1e} and {after:.1e} m/s2");
        assert!((weight - 5.0 * 2.0 * 9.81).abs() < 0.01 * 98.1);
        assert!(before < 0.1 && after < 0.1);
    }
}

// of the corners of boxes
fn fastest(acceleration: &[f64]) -> f64 {
    let bodies = acceleration.chunks(6);
    bodies.fold(0.0, |m: f64, a| {
        let largest = |a: &[f64]| a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        m.max(largest(&a[..3]) + 0.1 * largest(&a[3..]))
    })
}

// the same where steps leave contacts ajar: jacks that roll over each other
#[test]
fn accelerations_of_a_moving_pile_stay_those_that_they_were_a_short_step_before() {
    let text = std::fs::read_to_string("resources/pile_of_jacks/scene.toml").unwrap();
    for rules in ["", "sweeps = 30"] {
        let text = format!("{text}\n[settings.time_stepping]\n{rules}\n");
        let mut pile = Simulation::new(Model::from_text("jacks", &text).unwrap());
        let mut compared = 0;
        for (until, last) in [
            (0.9, 1e-6),
            (1.0, 1e-5),
            (1.1, 1e-8),
            (1.2, 1e-4),
            (1.3, 1e-5),
        ] {
            pile.advance_to(until).unwrap();
            let impacts = pile.report().n_events.impacts;
            let before = pile.instant().acceleration.clone();
            pile.advance_to(until + last).unwrap();
            let struck = pile.report().n_events.impacts > impacts;
            let after = &pile.instant().acceleration;
            let pairs = before.iter().zip(after);
            let off = pairs.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            let largest = before.iter().fold(0.0, |m: f64, a| m.max(a.abs()));
            println!(
                "{rules} {until} s, last step {last:e} s: off by {off:.1e} of {largest:.1}, struck: {struck}"
            );
            assert!(struck || off < 0.01 * largest.max(1.0), "{off}");
            // with sweeps the pile is at rest by then
            compared += u32::from(!struck && (largest > 0.1 || !rules.is_empty()));
        }
        assert!(compared >= 2, "{compared}");
    }
}

#[test]
fn asking_for_forces_changes_no_bit_of_the_motion() {
    for text in [
        chain("integrator = \"time_stepping\""),
        pile(""),
        pile("sweeps = 20"),
    ] {
        let run = |asks: bool| {
            let mut run = Simulation::new(Model::from_text("x", &text).unwrap());
            for i in 1..=60 {
                run.advance_to(f64::from(i) * 0.005).unwrap();
                if asks {
                    run.instant();
                }
            }
            run.state().clone()
        };
        assert_eq!(run(false), run(true));
    }
}

#[test]
fn a_motor_that_pushes_follows_the_integral_of_its_speed() {
    let mut gate = instance(GATE);
    let speed = reference(&gate, "hinge.motor.speed");
    gate.set(speed, Value::Real(-0.2)).unwrap();
    for i in 0..400 {
        gate.do_step(f64::from(i) * 0.01, 0.01).unwrap();
    }
    let angle = real(&mut gate, "hinge.coordinate.angle");
    println!("angle {angle} rad");
    assert!((angle + 0.8).abs() < 1e-8, "{angle}");
}

#[test]
fn the_balance_of_a_falling_humanoid_closes() {
    let mut fall = Simulation::new(Model::from_text("fall", HUMANOID).unwrap());
    let start = fall.energy().total();
    fall.advance_to(1.2).unwrap();
    let lost = start - fall.energy().total();
    let report = fall.report();
    let booked = report.impact_loss + report.friction_loss + report.numerical_loss;
    let off = booked - report.lifted - report.numerical_gain - lost;
    println!("lost {lost} J, off by {off} J");
    assert!(lost > 100.0 && off.abs() < 0.05, "{off}");
}

#[test]
fn what_falls_freely_falls_as_it_should_from_the_first_step_on() {
    let text = chain("integrator = \"time_stepping\"").replace(
        "bodies = [\"ground\", \"link0\"]",
        "bodies = [\"link9\", \"link0\"]",
    );
    // the chain without its first joint
    let first = text.find("[[joint]]").unwrap();
    let next = first + text[first..].find("[[body]]").unwrap();
    let text = format!("{}{}", &text[..first], &text[next..]);
    let mut fall = Simulation::new(Model::from_text("fall", &text).unwrap());
    for i in 1..=40 {
        let time = f64::from(i) * 0.005;
        fall.advance_to(time).unwrap();
        let off = fall.state().position[2] + 0.5 * 9.81 * time * time;
        assert!(off.abs() < 1e-12, "{time} s: {off}");
    }
}

// a heap on a plate that nothing holds, all of it with one more velocity
fn heap(speed: f64) -> Simulation {
    let text = format!(
        "name = \"heap\"\ndimension = 3\n[settings]\nintegrator = \"time_stepping\"\nstep = 0.005\n[contact_default]\nfriction = 0.4\n\
         [[body]]\nname = \"plate\"\nkind = \"rigid\"\nmass = 5\nposition = [0, 0, 0]\nvelocity = [{speed}, 0, 0]\nshape = [{{ kind = \"box\", size = [1, 1, 0.1] }}]\n\
         [[body]]\nname = \"ball\"\nkind = \"rigid\"\nmass = 1\nposition = [-0.1, 0, 0.1001]\nvelocity = [{speed}, 0, -1]\n\
         copies = {{ count = [2, 2, 2], spacing = [0.11, 0.11, 0.11], jitter = 0.004 }}\nshape = [{{ kind = \"sphere\", radius = 0.05 }}]\n"
    );
    Simulation::new(Model::from_text("heap", &text).unwrap())
}

// momentum and angular momentum about the centre of mass
fn momenta(run: &Simulation) -> [[f64; 3]; 2] {
    let (model, state) = (run.model(), run.state());
    let three = |from: &[f64]| [from[0], from[1], from[2]];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        let of = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
        [of(1, 2), of(2, 0), of(0, 1)]
    };
    let (mut mass, mut centre, mut momentum) = (0.0, [0.0; 3], [0.0; 3]);
    for body in &model.bodies {
        let m = model.mass[body.first];
        mass += m;
        for k in 0..3 {
            centre[k] += m * state.position[body.first + k];
            momentum[k] += m * state.velocity[body.first + k];
        }
    }
    let mut angular = [0.0; 3];
    for (i, body) in model.bodies.iter().enumerate() {
        let m = model.mass[body.first];
        let x = three(&state.position[body.first..]);
        let v = three(&state.velocity[body.first..]);
        let arm = std::array::from_fn(|k| x[k] - centre[k] / mass);
        let relative = std::array::from_fn(|k| v[k] - momentum[k] / mass);
        let of_way = cross(arm, relative);
        let w = three(&state.velocity[body.first + 3..]);
        let own: [f64; 3] = std::array::from_fn(|k| model.mass[body.first + 3 + k] * w[k]);
        // turned by the quaternion
        let q = state.orientation[i];
        let u = three(&q[1..]);
        let twice = cross(u, own).map(|x| 2.0 * x);
        let more = cross(u, twice);
        for k in 0..3 {
            angular[k] += m * of_way[k] + own[k] + q[0] * twice[k] + more[k];
        }
    }
    [momentum, angular]
}

#[test]
fn a_free_heap_keeps_its_momentum() {
    let mut heap = heap(100.0);
    let [before, angular] = momenta(&heap);
    // what the balls hit the plate with, about the centre of mass
    let scale = 8.0 * 0.1;
    let mut worst: f64 = 0.0;
    for i in 1..=40 {
        let time = f64::from(i) * 0.005;
        heap.advance_to(time).unwrap();
        let [now, turning] = momenta(&heap);
        for k in 0..3 {
            let lost = now[k] - before[k] - 13.0 * heap.model().gravity[k] * time;
            assert!(lost.abs() < 1e-12 * before[0], "{time} s: {lost}");
            worst = worst.max((turning[k] - angular[k]).abs() / scale);
        }
    }
    println!("angular momentum off by {worst:e}");
    // impulses act where contacts are at the start of a round, on bodies that move in it
    assert!(worst < 1e-6, "{worst}");
    assert!(heap.report().n_events.impacts > 0);
}

#[test]
fn a_free_heap_moves_the_same_for_any_observer() {
    let speed = 100.0;
    let (mut still, mut passing) = (heap(0.0), heap(speed));
    for i in 1..=10 {
        let time = f64::from(i) * 0.005;
        still.advance_to(time).unwrap();
        passing.advance_to(time).unwrap();
        for body in &still.model().bodies {
            for k in 0..3 {
                let at = body.first + k;
                let way = if k == 0 { speed * time } else { 0.0 };
                let off = passing.state().position[at] - way - still.state().position[at];
                assert!(off.abs() < 1e-9, "{time} s: {off}");
            }
        }
    }
    assert!(still.report().n_events.impacts > 0);
}
