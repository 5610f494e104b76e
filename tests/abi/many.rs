//! Many instances, many threads, many steps.

use crate::call;
use crate::library::{Fmu, IN_SPACE, Resources, SCENES};
use stiction::fmu::c_api::types::{ERROR, OK};

fn course(scene: &str, n_steps: u32) -> Vec<Vec<u64>> {
    let resources = Resources::shipped(scene);
    let fmu = Fmu::initialized(&resources);
    let mut bits = Vec::new();
    for i in 0..n_steps {
        assert_eq!(fmu.step(f64::from(i) * 0.01, 0.01), OK, "{:?}", fmu.log());
        bits.push(fmu.bits());
    }
    bits
}

#[test]
fn eight_threads_give_the_bits_of_one() {
    // steps in space take longer
    let plane = SCENES.map(|scene| (scene, 60));
    let space = IN_SPACE.map(|scene| (scene, 12));
    let runs = [&plane[..], &space[..]].concat();
    let alone: Vec<_> = runs.iter().map(|(scene, n)| course(scene, *n)).collect();
    std::thread::scope(|scope| {
        for first in 0..8 {
            let (runs, alone) = (&runs, &alone);
            scope.spawn(move || {
                // each in another order
                for i in 0..runs.len() {
                    let i = (first + i) % runs.len();
                    let (scene, n) = runs[i];
                    assert!(course(scene, n) == alone[i], "{scene}");
                }
            });
        }
    });
}

#[test]
fn a_million_steps_land_where_they_should() {
    let ball = Resources::shipped("bouncing_ball");
    let fmu = Fmu::new(&ball);
    assert_eq!(fmu.set_real("ball.initial.position.y", 0.0), OK);
    fmu.initialize();
    for i in 0..1_000_000 {
        let time = f64::from(i) * 0.01;
        assert_eq!(fmu.step(time, 0.01), OK, "{:?}", fmu.log());
        if i % 1000 == 0 {
            assert_eq!(fmu.last_time(), time + 0.01);
        }
    }
    assert_eq!(fmu.last_time(), 999_999.0 * 0.01 + 0.01);
    assert!((fmu.last_time() - 1e4).abs() < 1e-11);
    assert!(fmu.real("ball.position.y").abs() < 1e-9);
}

#[test]
fn a_master_that_adds_up_its_time_is_followed() {
    let ball = Resources::shipped("bouncing_ball");
    let fmu = Fmu::initialized(&ball);
    let mut time = 0.0;
    for i in 0..2000 {
        assert_eq!(fmu.step(time, 0.01), OK, "{:?}", fmu.log());
        // one adds, another one multiplies, a third one rounds
        time = match i % 3 {
            0 => time + 0.01,
            1 => f64::from(i + 1) * 0.01,
            _ => ((time + 0.01) * 1e9).round() / 1e9,
        };
    }
    assert!((fmu.last_time() - 20.0).abs() < 1e-9);
    // a point that is truly another one is refused
    assert_eq!(fmu.step(time + 0.001, 0.01), ERROR);
}

#[test]
fn a_step_that_would_never_end_returns() {
    let ball = Resources::shipped("bouncing_ball");
    for size in [1e300, 1e9, f64::MAX] {
        let fmu = Fmu::initialized(&ball);
        assert_eq!(fmu.step(0.0, size), ERROR);
        assert_eq!(fmu.log().len(), 1);
        assert_eq!(call!(fmu, fmi2Reset), OK);
        fmu.initialize();
        assert_eq!(fmu.step(0.0, 0.1), OK);
    }
}
