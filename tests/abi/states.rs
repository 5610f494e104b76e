//! Saved states: the same bits afterwards, and no trust in bytes.

use crate::call;
use crate::library::{Fmu, Random, Resources, SCENES, pushed_block};
use stiction::fmu::c_api::types::*;

/// Some steps of random length with random inputs from a time on: every value after each.
pub fn course(fmu: &Fmu, mut time: f64, seed: u64, n: usize) -> Vec<Vec<u64>> {
    let mut random = Random::new(seed);
    let mut bits = Vec::new();
    let has_inputs = fmu.resources.variables[0].name == "push.force_x";
    for i in 0..n {
        if has_inputs && random.below(3) > 0 {
            assert_eq!(
                fmu.set_real("push.force_x", 20.0 * random.unit() - 10.0),
                OK
            );
            if i > 0 {
                let value = 20.0 * random.unit() - 10.0;
                assert_eq!(
                    call!(fmu, fmi2SetRealInputDerivatives, &0, 1, &1, &value),
                    OK
                );
            }
        }
        let size = 0.05 * random.unit() + 1e-4;
        assert_eq!(fmu.step(time, size), OK, "{:?}", fmu.log());
        time += size;
        bits.push(fmu.bits());
    }
    bits
}

#[test]
fn a_restored_state_goes_on_with_the_same_bits() {
    let mut random = Random::new(0x5eed_0123_4567);
    let mut resources: Vec<Resources> = SCENES.into_iter().map(Resources::shipped).collect();
    resources.push(Resources::temporary("rollback", &pushed_block()));
    let mut n = 0;
    for resources in &resources {
        let (fmu, other) = (Fmu::initialized(resources), Fmu::new(resources));
        let mut state = std::ptr::null_mut();
        let rounds = 1000 / SCENES.len();
        for _ in 0..rounds {
            // now and then from the start
            if random.below(10) == 0 {
                assert_eq!(call!(fmu, fmi2Reset), OK);
                fmu.initialize();
            }
            course(
                &fmu,
                fmu.last_time(),
                random.below(1 << 40) + 1,
                1 + random.below(4) as usize,
            );
            // a derivative that is still to be used is part of the state
            if resources.variables[0].name == "push.force_x" {
                assert_eq!(
                    call!(fmu, fmi2SetRealInputDerivatives, &0, 1, &2, &random.unit()),
                    OK
                );
            }
            let (time, seed) = (fmu.last_time(), random.below(1 << 40) + 1);
            assert_eq!(call!(fmu, fmi2GetFMUstate, &mut state), OK);
            let here = fmu.bits();
            let bytes = fmu.bytes();
            let first = course(&fmu, time, seed, 3);
            assert_eq!(call!(fmu, fmi2SetFMUstate, state), OK);
            assert!(fmu.bits() == here && fmu.last_time() == time);
            assert!(
                course(&fmu, time, seed, 3) == first,
                "{:?}: in place",
                resources.folder
            );
            assert_eq!(other.restore_bytes(&bytes), OK, "{:?}", other.log());
            assert!(other.bits() == here && other.bytes() == bytes);
            assert!(
                course(&other, time, seed, 3) == first,
                "{:?}: elsewhere",
                resources.folder
            );
            n += 1;
        }
        assert_eq!(call!(fmu, fmi2FreeFMUstate, &mut state), OK);
    }
    println!("{n} roll-backs");
    assert!(n >= 1000);
}

#[test]
fn a_state_of_another_phase_brings_it_back() {
    let resources = Resources::shipped("falling_rod");
    let fmu = Fmu::new(&resources);
    assert_eq!(fmu.set_real("rod.mass", 3.0), OK);
    let early = fmu.bytes();
    fmu.initialize();
    let first = course(&fmu, 0.0, 1, 5);
    assert_eq!(call!(fmu, fmi2Reset), OK);
    assert_eq!(fmu.real("rod.mass"), 1.0);
    assert_eq!(fmu.restore_bytes(&early), OK);
    assert_eq!(fmu.real("rod.mass"), 3.0);
    fmu.initialize();
    assert!(course(&fmu, 0.0, 1, 5) == first);
    assert_eq!(fmu.step(-9.0, 1.0), ERROR);
    assert_eq!(fmu.restore_bytes(&early), OK);
    fmu.initialize();
}

/// FNV-1a with 64 bits.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn corrupted_bytes_are_refused() {
    let resources = Resources::shipped("falling_rod");
    let fmu = Fmu::initialized(&resources);
    assert_eq!(fmu.step(0.0, 0.5), OK);
    let good = fmu.bytes();
    let mut random = Random::new(77);
    for i in 0..10_000 {
        let mut bytes = good.clone();
        let at = random.below(good.len() as u64) as usize;
        match i % 5 {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = bytes[at].wrapping_add(1 + random.below(255) as u8),
            2 => bytes.truncate(at),
            3 => bytes.insert(at, random.below(256) as u8),
            _ => {
                for byte in &mut bytes[at..] {
                    *byte = random.below(256) as u8;
                }
            }
        }
        if bytes == good {
            continue;
        }
        assert_eq!(fmu.restore_bytes(&bytes), ERROR, "mutation {i}");
    }
    assert_eq!(fmu.log().len(), 10_000);
    let other = Resources::shipped("two_carts");
    assert_eq!(Fmu::initialized(&other).restore_bytes(&good), ERROR);
    assert_eq!(fmu.restore_bytes(&good), OK);
    assert_eq!(fmu.step(0.5, 0.1), OK);
}

#[test]
fn forged_bytes_do_not_crash() {
    for tolerance in [0.0, 1e-8] {
        forge(tolerance);
    }
}

fn forge(tolerance: f64) {
    let resources = Resources::shipped("double_pendulum_wall");
    let fmu = Fmu::new(&resources);
    assert_eq!(fmu.set_real("settings.tolerance", tolerance), OK);
    fmu.initialize();
    assert_eq!(fmu.step(0.0, 0.5), OK);
    let good = fmu.bytes();
    let mut random = Random::new(99);
    let mut taken = 0;
    for _ in 0..1000 {
        let mut bytes = good.clone();
        let end = bytes.len() - 8;
        for _ in 0..=random.below(2) {
            let at = 20 + random.below(end as u64 - 20) as usize;
            bytes[at] ^= 1 << random.below(8);
        }
        let sum = checksum(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        if fmu.restore_bytes(&bytes) == OK {
            taken += 1;
            fmu.risky_step(0.5, 0.01);
            for reference in 0..resources.variables.len() as u32 {
                call!(fmu, fmi2GetReal, &reference, 1, &mut 0.0);
            }
        }
        assert_ne!(fmu.restore_bytes(&good), FATAL);
    }
    println!("{tolerance}: {taken} forged states were taken");
    assert_eq!(fmu.restore_bytes(&good), OK);
    assert_eq!(fmu.step(0.5, 0.1), OK, "{:?}", fmu.log().last());
}
