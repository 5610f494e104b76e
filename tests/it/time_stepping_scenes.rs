//! What the pages of the shipped scenes with time stepping promise.

use crate::common::variant;
use stiction::simulation::Simulation;

/// Runs a scene to its end and looks at it in every step.
fn run(scene: &str, mut look: impl FnMut(&mut Simulation)) -> Simulation {
    let model = variant(scene, &[]);
    let (until, step) = (model.until, model.settings.step);
    let mut simulation = Simulation::new(model);
    for k in 1..=(until / step).round() as u32 {
        simulation.advance_to(step * f64::from(k)).unwrap();
        look(&mut simulation);
    }
    simulation
}

#[test]
fn piles_come_to_rest_without_overlap_or_gain_of_energy() {
    for scene in ["pile_of_balls", "pile_of_boxes", "pile_of_jacks"] {
        let mut last = f64::INFINITY;
        let (mut lifted, mut gain): (f64, f64) = (0.0, 0.0);
        let simulation = run(scene, |simulation| {
            let energy = simulation.energy().total();
            let more = simulation.report().lifted - lifted;
            lifted += more;
            gain = gain.max(energy - last - more);
            last = energy;
        });
        let report = simulation.report();
        let state = simulation.state();
        let asleep = state
            .time_stepping
            .sleep_timer
            .iter()
            .filter(|x| x.is_infinite());
        println!(
            "{scene}: {} of {} sleep, worst overlap {:.1e} m, gain {gain:.1e} of {last} J, lifted {:.1e} J, {} of {} groups inexact, worst residual {:.1e}",
            asleep.clone().count(),
            state.time_stepping.sleep_timer.len(),
            report.worst_penetration,
            report.lifted,
            report.inexact_solves,
            report.lcps,
            report.worst_residual,
        );
        // what tumbles keeps its energy to order two
        assert!(gain <= 1e-5 * last, "{scene}: {gain} J");
        assert!(report.worst_penetration <= 1e-6);
        assert_eq!(
            asleep.count(),
            state.time_stepping.sleep_timer.len(),
            "{scene}"
        );
    }
}

#[test]
fn the_pawl_rests_on_its_outline_and_slides_when_pushed_hard_enough() {
    let end_of = |replacements: &[(&str, &str)]| {
        let mut simulation = Simulation::new(variant("pawl", replacements));
        simulation.advance_to(1.0).unwrap();
        let state = simulation.state();
        let place = state.position[..3].to_vec();
        (place, state.time_stepping.contacts.len(), state.velocity[1])
    };
    let (place, contacts, _) = end_of(&[]);
    let (with_all, all_contacts, _) = end_of(&[("merge_distance = 1e-4", "merge_distance = 0")]);
    println!("{contacts} contacts at {place:?}, {all_contacts} at {with_all:?}");
    assert_eq!((contacts, all_contacts), (8, 200));
    for (a, b) in place.iter().zip(&with_all) {
        assert!((a - b).abs() < 1e-7);
    }
    let [held, slid] = ["start = 6.8", "start = 7.2"].map(|push| end_of(&[("start = 2", push)]));
    println!("speed by 6.8 N: {} m/s, by 7.2 N: {} m/s", held.2, slid.2);
    assert!(held.2.abs() < 1e-9 && slid.2 > 0.1);
}

#[test]
fn parcels_move_with_the_belt_and_leave_it() {
    let mut tipped = None;
    let simulation = run("conveyor", |simulation| {
        let state = simulation.state();
        let last = 3 * 6;
        if state.time > 0.25 && state.position[last] < 0.9 && state.position[last + 2] > 0.55 {
            let speed = state.velocity[last];
            assert!(
                (speed - 0.8).abs() < 1e-6,
                "{speed} m/s at {} s",
                state.time
            );
        }
        let on_table = |i: usize| state.position[6 * i + 2] > 0.55;
        if tipped.is_none() && !(0..4).all(on_table) {
            tipped = Some(state.time);
        }
    });
    let state = simulation.state();
    let places: Vec<f64> = (0..4).map(|i| state.position[6 * i]).collect();
    println!("first parcel down at {tipped:?} s; at the end at {places:?}");
    assert!(tipped.is_some_and(|time| (time - 1.37_f64).abs() < 0.01));
    assert!(places.iter().all(|x| *x > 1.1));
}
