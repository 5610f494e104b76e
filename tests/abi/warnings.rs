//! What an FMU knows to be off: `fmi2Warning` in the step in which it is first seen, once, and the balance of energy.

use crate::call;
use crate::common::defect_text;
use crate::library::{Fmu, Line, Resources};
use stiction::fmu::c_api::types::*;

fn defect(name: &str) -> Resources {
    Resources::temporary(name, &defect_text(name))
}

fn of_warnings(lines: Vec<Line>) -> Vec<String> {
    let own = |(status, category, text): Line| {
        (status == WARNING && category == "logStatusWarning").then_some(text)
    };
    lines.into_iter().filter_map(own).collect()
}

#[test]
fn a_step_too_long_for_smoothed_friction_warns_once_and_is_counted_in_the_end() {
    let resources = defect("s03_stribeck_wrong");
    let fmu = Fmu::initialized(&resources);
    let (mut warned, mut lines) = (Vec::new(), Vec::new());
    for i in 0..500 {
        let time = 0.01 * f64::from(i);
        let status = fmu.outcome(time, 0.01);
        assert!([OK, WARNING].contains(&status), "{:?}", fmu.log());
        let mut last = -1;
        assert_eq!(call!(fmu, fmi2GetStatus, DO_STEP_STATUS, &mut last), OK);
        assert_eq!(last, status);
        let log = of_warnings(fmu.log());
        assert_eq!(status == WARNING, !log.is_empty());
        if status == WARNING {
            warned.push(time);
        }
        lines.extend(log);
    }
    println!("{warned:?}: {lines:#?}");
    let friction = |line: &&String| line.contains("smoothed friction of a joint");
    assert_eq!(lines.iter().filter(friction).count(), 1);
    let line = lines.iter().find(friction).unwrap();
    assert!(line.starts_with("fmi2DoStep: the step is "), "{line}");
    assert!(line.contains("use a step of 0.0001"), "{line}");
    // a kind is told once: there are no more lines than kinds
    assert!(lines.len() <= 3, "{lines:?}");
    assert_eq!(call!(fmu, fmi2Terminate), OK);
    let end = of_warnings(fmu.log());
    println!("{end:#?}");
    for line in &end {
        assert!(line.starts_with("fmi2Terminate: in "), "{line}");
    }
}

#[test]
fn after_a_reset_it_warns_again_and_by_tolerance_it_does_not() {
    let resources = defect("s03_stribeck_wrong");
    let fmu = Fmu::new(&resources);
    let warnings = |tolerance: f64| {
        assert_eq!(
            call!(fmu, fmi2SetupExperiment, 1, tolerance, 0.0, 0, 0.0),
            OK
        );
        assert_eq!(call!(fmu, fmi2EnterInitializationMode), OK);
        assert_eq!(call!(fmu, fmi2ExitInitializationMode), OK);
        let steps = (0..100).map(|i| fmu.outcome(0.01 * f64::from(i), 0.01));
        let n = steps.filter(|status| *status == WARNING).count();
        assert_eq!(call!(fmu, fmi2Reset), OK);
        n
    };
    assert_eq!(warnings(0.0), 1);
    assert_eq!(warnings(1e-6), 0);
    assert_eq!(warnings(0.0), 1);
}

#[test]
fn collisions_that_are_not_located_warn_when_shapes_overlap() {
    let resources = defect("min_plane_304_pen");
    let fmu = Fmu::initialized(&resources);
    let steps = (0..100).map(|i| fmu.outcome(0.05 * f64::from(i), 0.05));
    assert!(steps.filter(|status| *status == WARNING).count() >= 1);
    let lines = of_warnings(fmu.log());
    println!("{lines:#?}");
    let told = |line: &&String| line.contains("locate_collisions = false");
    assert_eq!(lines.iter().filter(told).count(), 1);
}

#[test]
fn the_balance_error_is_what_energies_losses_and_work_leave_unexplained() {
    for name in ["slider_crank", "bouncing_ball", "pile_of_balls"] {
        let resources = Resources::shipped(name);
        let fmu = Fmu::initialized(&resources);
        let energy = |fmu: &Fmu| fmu.real("energy.kinetic") + fmu.real("energy.potential");
        // nothing is applied in these
        let start = energy(&fmu);
        let mut worst: f64 = 0.0;
        for i in 0..40 {
            assert_eq!(
                fmu.outcome(0.01 * f64::from(i), 0.01),
                OK,
                "{:?}",
                fmu.log()
            );
            let left = energy(&fmu) - start + fmu.real("energy.dissipated");
            let error = fmu.real("energy.balance_error");
            worst = worst.max((error - left).abs());
        }
        println!(
            "{name}: {} J, {worst:e} off",
            fmu.real("energy.balance_error")
        );
        assert!(worst < 1e-12 * (1.0 + start.abs()), "{name}");
    }
}

#[test]
fn a_parameter_that_changes_a_spring_is_no_error_of_the_balance() {
    let resources = Resources::shipped("two_carts");
    let fmu = Fmu::initialized(&resources);
    assert_eq!(fmu.outcome(0.0, 0.1), OK);
    let before = fmu.real("energy.balance_error");
    let names = resources.variables.iter().map(|v| v.name.as_str());
    let stiffness: Vec<&str> = names.filter(|n| n.ends_with(".stiffness")).collect();
    let energy = fmu.real("energy.potential");
    for name in &stiffness {
        assert_eq!(fmu.set_real(name, 1.5 * fmu.real(name)), OK);
    }
    assert!((fmu.real("energy.potential") - energy).abs() > 1e-3);
    let after = fmu.real("energy.balance_error");
    println!("{before:e} J, then {after:e} J");
    assert!((after - before).abs() < 1e-12);
}
