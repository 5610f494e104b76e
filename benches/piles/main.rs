//! Piles of spheres, chains, a pawl, saved states of a pile: processor time, accuracy, and what the report says.
//!
//! ```text
//! cargo bench --bench piles                                     some of all, as tables
//! cargo bench --bench piles -- grid <n>                         where the spheres start, for other engines
//! cargo bench --bench piles -- scene <n> <rules>                the scene file
//! cargo bench --bench piles -- run <n> <rules> <limit> <trace>  300 steps as JSON; places after each step in <trace>
//! cargo bench --bench piles -- rest <n> <rules> <rolling> <limit>  until all spheres sleep, as JSON
//! cargo bench --bench piles -- chain | pawl | states <n> <rules>
//! cargo bench --bench piles -- settle <n> <rules> <file>        saves the state of a settled pile
//! cargo bench --bench piles -- profile <n> <rules> <file> <k>   takes k steps from there, for callgrind
//! ```
//!
//! `<rules>` are the options of time stepping, such as `sweeps = 30`; `<limit>` is processor time in seconds;
//! `<rolling>` is friction against rolling and turning in metres.

#[path = "../../tests/common/mod.rs"]
mod common;

mod chains;
mod falling;
mod pawl;
mod settled;
mod states;

use common::{cpu, model, time_stepping_scenes};
use std::process::ExitCode;
use stiction::Simulation;

/// s.
const STEP: f64 = 0.005;

fn simulation(text: &str) -> Simulation {
    Simulation::new(model(text))
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |word: &str| -> usize {
        word.parse()
            .unwrap_or_else(|_| panic!("{word} is no number"))
    };
    match words[..] {
        [] => {
            falling::table();
            chains::table();
            pawl::table();
            states::costs(1000, "sweeps = 30");
        }
        ["grid", n] => falling::grid(number(n)),
        ["scene", n, rules] => print!("{}", time_stepping_scenes::pile(number(n), rules)),
        ["run", n, rules, limit, trace] => {
            falling::run(number(n), rules, number(limit) as f64, trace);
        }
        ["rest", n, rules, rolling, limit] => {
            falling::rest(number(n), rules, rolling, number(limit) as f64);
        }
        ["chain"] => chains::table(),
        ["pawl"] => {
            if !pawl::table() {
                return ExitCode::FAILURE;
            }
        }
        ["states", n, rules] => states::costs(number(n), rules),
        ["settle", n, rules, file] => settled::settle(number(n), rules, file),
        ["profile", n, rules, file, steps] => {
            settled::profile(number(n), rules, file, number(steps));
        }
        _ => {
            eprintln!("see the top of benches/piles/main.rs");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
