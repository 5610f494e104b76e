//! Two articulated bars with a spring and a damper that fall on a rough table ([E] 3.3): the six parameter sets.

use crate::common::{halvings, order_study, variant};
use stiction::model::Model;
use stiction::scene::spec::Scheme;
use stiction::simulation::Simulation;

const SCHEMES: [Scheme; 2] = [Scheme::ImplicitEuler, Scheme::Trapezoidal];

fn bars(friction: f64, damping: f64) -> Model {
    let friction = format!("friction = {friction:?}");
    let damping = format!("damping = {damping:?}");
    variant(
        "two_bars",
        &[
            ("friction = 0.15", &friction),
            ("damping = 10\n", &format!("{damping}\n")),
        ],
    )
}

/// What a run of 10 s at h = 0.01 showed.
#[derive(Debug)]
struct Course {
    /// Largest rise of the energy over its lowest value so far, J.
    energy_rise: f64,
    /// Largest distance of the centres from its start, m.
    stretch: f64,
    /// Path of the lower ends along the table while they touch it, m.
    slid: [f64; 2],
    /// When nothing moves faster than 1 mm/s any more, s.
    rest: f64,
    drift: f64,
    first_order_steps: u64,
}

fn course(model: &Model, scheme: Scheme, step: f64) -> Course {
    let mut settings = model.settings.clone();
    settings.scheme = scheme;
    settings.step = step;
    let mut simulation = Simulation::with_settings(model.clone(), settings);
    let ends = |q: &[f64]| [q[0] + q[2].cos(), q[3] + q[5].cos()];
    let centres = |q: &[f64]| (q[3] - q[0]).hypot(q[4] - q[1]);
    let mut lowest = simulation.energy().total();
    let start = centres(&simulation.state().position);
    let mut before = ends(&simulation.state().position);
    let (mut energy_rise, mut stretch, mut rest): (f64, f64, f64) = (0.0, 0.0, 0.0);
    let mut slid = [0.0; 2];
    for i in 1..=(10.0 / step).round() as usize {
        let time = step * i as f64;
        simulation
            .advance_to(time)
            .unwrap_or_else(|e| panic!("{scheme:?}: {e}"));
        let energy = simulation.energy().total();
        energy_rise = energy_rise.max(energy - lowest);
        lowest = lowest.min(energy);
        let (q, v) = (&simulation.state().position, &simulation.state().velocity);
        stretch = stretch.max((centres(q) - start).abs());
        let now = ends(q);
        for (i, contact) in [1, 3].into_iter().enumerate() {
            let moved = (now[i] - before[i]).abs();
            if simulation.state().status[contact].is_closed() {
                slid[i] += moved;
            }
        }
        before = now;
        if v.iter().any(|v| v.abs() > 1e-3) {
            rest = time;
        }
    }
    Course {
        energy_rise,
        stretch,
        slid,
        rest,
        drift: simulation.report().worst_joint_drift,
        first_order_steps: simulation.report().first_order_steps,
    }
}

#[test]
fn all_six_parameter_sets_run_without_failure_and_without_gaining_energy() {
    let sets = [
        (0.15, 10.0),
        (0.15, 1000.0),
        (0.15, 1e8),
        (0.05, 20.0),
        (0.2, 20.0),
        (0.5, 20.0),
    ];
    for (friction, damping) in sets {
        for scheme in SCHEMES {
            let course = course(&bars(friction, damping), scheme, 0.01);
            println!("mu = {friction}, damping {damping:e}, {scheme:?}: {course:.3?}");
            assert!(course.energy_rise < 1e-9);
            assert!(course.drift < 1e-12 && course.first_order_steps == 0);
        }
    }
}

#[test]
fn more_friction_stops_the_bars_after_a_shorter_way() {
    for scheme in SCHEMES {
        let courses = [0.05, 0.2, 0.5].map(|mu| course(&bars(mu, 20.0), scheme, 0.01));
        for (mu, c) in [0.05, 0.2, 0.5].iter().zip(&courses) {
            println!(
                "{scheme:?}, mu = {mu}: ends slid {:.4?} m, all at rest from {:.2} s on",
                c.slid, c.rest
            );
        }
        // in time the order is another one here: friction at the first end sends the pair sideways
        let way = courses.map(|c| c.slid[0] + c.slid[1]);
        assert!(way[0] > 1.2 * way[1] && way[1] > 1.2 * way[2]);
    }
}

#[test]
fn damping_of_a_hundred_million_acts_as_a_rigid_link() {
    for scheme in SCHEMES {
        let stretch: Vec<f64> = [10.0, 1000.0, 1e8]
            .map(|damping| course(&bars(0.15, damping), scheme, 0.01).stretch)
            .to_vec();
        let [soft, firm, rigid] = [stretch[0], stretch[1], stretch[2]];
        println!(
            "{scheme:?}: distance of the centres changes by {soft:.2e}, {firm:.2e}, {rigid:.2e} m"
        );
        assert!(soft > firm && firm > rigid);
        // what the strut yields by itself, (force / damping) times the time, is below 1e-5; the rest is the way that
        // its ends go straight on in a step while it turns, of the order of the step
        let order = order_study("rigid link", &halvings(0.01, 5), |step| {
            course(&bars(0.15, 1e8), scheme, step).stretch
        });
        assert!(rigid < 0.5 * 0.01 && order >= 0.9);
    }
}
