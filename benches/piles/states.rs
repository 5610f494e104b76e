//! Saved states of a pile: what they cost, and that runs go on from them with the same bits.

use super::{STEP, cpu, time_stepping_scenes};
use stiction::fmu::instance::Instance;
use stiction::fmu::instance::variable::Value;

const REPEATS: usize = 51;

fn started(n: usize, rules: &str) -> Instance {
    let text = time_stepping_scenes::pile(n, rules);
    let mut instance =
        Instance::new("pile", "scene", &text).unwrap_or_else(|error| panic!("{error}"));
    instance.setup_experiment(None, 0.0, None).unwrap();
    instance.enter_initialization().unwrap();
    instance.exit_initialization().unwrap();
    instance
}

fn step(instance: &mut Instance, count: usize) {
    for _ in 0..count {
        let time = instance.time();
        instance.do_step(time, STEP).unwrap();
    }
}

/// All values that a master can read, by their bits. (Bytes of snapshots also hold counts, such as how often memory grew.)
fn bits(instance: &mut Instance) -> Vec<u64> {
    let references = 0..instance.variables().len() as u32;
    references
        .map(|reference| match instance.get(reference).unwrap() {
            Value::Real(x) => x.to_bits(),
            Value::Integer(i) => i as u64,
            Value::Boolean(b) => u64::from(b),
        })
        .collect()
}

fn median_us(mut action: impl FnMut()) -> f64 {
    let times = (0..REPEATS).map(|_| cpu::seconds(&mut action)).collect();
    1e6 * cpu::median(times)
}

/// Prints the costs of saving and restoring, beside those of a step.
pub fn costs(n: usize, rules: &str) {
    let rules = format!("{rules}\nsleep_speed = 0");
    let mut instance = started(n, &rules);
    step(&mut instance, 100);
    let saved = instance.save();
    let bytes = saved.to_bytes();
    let a_step = 1e6 * cpu::seconds(|| step(&mut instance, 100)) / 100.0;
    let end = bits(&mut instance);

    let save = median_us(|| drop(std::hint::black_box(instance.save())));
    let restore = median_us(|| instance.restore(&saved).unwrap());
    let to_bytes = median_us(|| drop(std::hint::black_box(saved.to_bytes())));
    let from_bytes = median_us(|| drop(instance.snapshot_from_bytes(&bytes).unwrap()));

    // in the same instance, and in another one from the bytes
    instance.restore(&saved).unwrap();
    step(&mut instance, 100);
    let again = bits(&mut instance);
    let mut other = started(n, &rules);
    let read = other.snapshot_from_bytes(&bytes).unwrap();
    other.restore(&read).unwrap();
    step(&mut other, 100);
    let elsewhere = bits(&mut other);
    let told = |same: bool| if same { "the same" } else { "NOT THE SAME" };
    println!(
        "{n} spheres: {} bytes; us: a step {a_step:.0}, save {save:.1}, restore {restore:.1}, to bytes {to_bytes:.1}, from bytes {from_bytes:.1}",
        bytes.len()
    );
    println!(
        "100 steps later: {} bits in the same instance, {} bits in another one from the bytes",
        told(again == end),
        told(elsewhere == end)
    );
}
