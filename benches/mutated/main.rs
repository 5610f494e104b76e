//! Many FMUs that have something wrong, through `stiction run` and `stiction check`:
//! `cargo bench --bench mutated -- [NUMBER [FIRST SEED]]`, 10,000 from seed 0 unless told. Ends with 1 if the tool crashed,
//! panicked, did not end, wrote outside of its folder or left something behind; the seed makes the FMU again.

#[path = "../../tests/common/mod.rs"]
mod common;

use common::mutated::mutant;
use common::mutated::trial::{Place, originals};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

fn main() -> ExitCode {
    let mut numbers = std::env::args().filter_map(|word| word.parse::<u64>().ok());
    let n = numbers.next().unwrap_or(10_000);
    let first = numbers.next().unwrap_or(0);
    let originals = originals();
    let (next, n_bad) = (AtomicU64::new(first), AtomicU64::new(0));
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| {
                let place = Place::new();
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + n {
                        break;
                    }
                    let (what, bytes) = mutant::mutant(&originals[(seed / 2 % 2) as usize], seed);
                    if let Some(complaint) = place.complaint(&bytes) {
                        n_bad.fetch_add(1, Ordering::Relaxed);
                        println!("seed {seed}, {what}: {complaint}");
                    }
                    let done = seed - first;
                    if done > 0 && done.is_multiple_of(500) {
                        println!("{done} done in {:.0} s", began.elapsed().as_secs_f64());
                    }
                }
            });
        }
    });
    let n_bad = n_bad.into_inner();
    let seconds = began.elapsed().as_secs_f64();
    println!("{n} mutants, {n_bad} of them bad, {seconds:.0} s");
    ExitCode::from(u8::from(n_bad > 0))
}
