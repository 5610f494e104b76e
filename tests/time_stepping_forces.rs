//! Scenes with `[crowd]`: forces, accelerations and rates are those of the motion at the communication point, whatever the steps that led there.

use stiction::instance::Instance;
use stiction::instance::variable::Value;
use stiction::simulate::{Simulation, model_from_text};

const CHAIN: &str = include_str!("data/defects/minichain.toml");
const CROWD: &str = include_str!("data/defects/minicrowd.toml");

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

#[test]
fn try_it() {
    for last in [1e-8, 1e-6, 1e-5, 1e-4, 1e-3] {
        for text in [CHAIN, CROWD] {
            let mut one = instance(text);
            for i in 0..40 {
                one.do_step(i as f64 * 0.005, 0.005).unwrap();
            }
            one.do_step(0.2, last).unwrap();
            let names: Vec<String> = one
                .variables()
                .iter()
                .map(|v| v.name.clone())
                .filter(|n| n.contains("pin.") || n.contains("acceler"))
                .collect();
            for name in names {
                print!("{name} {:.6} ", real(&mut one, &name));
            }
            println!();
        }
    }
    let mut s = Simulation::new(model_from_text("x", CROWD).unwrap());
    s.advance_to(0.2).unwrap();
    println!("{:?}", s.instant());
}

#[test]
fn try_rates() {
    for entry in std::fs::read_dir("resources").unwrap() {
        let path = entry.unwrap().path().join("scene.toml");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if !text.contains("[crowd]") {
            continue;
        }
        let began = std::time::Instant::now();
        let mut one = Instance::in_folder("test", path.parent().unwrap(), "test.toml", &text).unwrap();
        one.setup_experiment(None, 0.0, None).unwrap();
        one.enter_initialization().unwrap();
        one.exit_initialization().unwrap();
        let outputs: Vec<(u32, String)> = one
            .variables()
            .iter()
            .enumerate()
            .filter(|(_, v)| v.causality == stiction::instance::variable::Causality::Output)
            .map(|(i, v)| (i as u32, v.name.clone()))
            .collect();
        let step = 0.005;
        let mut t = 0.0;
        for round in 0..3 {
            for _ in 0..20 {
                one.do_step(t, step).unwrap();
                t += step;
            }
            let stepped = began.elapsed();
            let read = |one: &mut Instance| -> Vec<f64> {
                outputs
                    .iter()
                    .map(|(r, _)| match one.get(*r).unwrap() {
                        Value::Real(x) => x,
                        _ => 0.0,
                    })
                    .collect()
            };
            let before = read(&mut one);
            let asked = began.elapsed();
            let kinds = |name: &str| name.contains("velocity") || name.contains("rate.") || name.contains("position") || name.contains("coordinate") || name.starts_with("energy") ;
            let rates: Vec<f64> = outputs.iter().map(|(r, n)| if kinds(n) { one.output_derivative(*r, 1).unwrap_or(f64::NAN) } else { 0.0 }).collect();
            let size = 1e-5;
            let n_events = one.report().n_events.total();
            one.do_step(t, size).unwrap();
            t += size;
            let after = read(&mut one);
            let mut worst = std::collections::BTreeMap::new();
            for (k, (_, name)) in outputs.iter().enumerate() {
                if !kinds(name) { continue; }
                let found = (after[k] - before[k]) / size;
                let error = (found - rates[k]).abs() / (1.0 + rates[k].abs());
                let kind = name.split('.').skip(1).take(1).collect::<String>();
                let e: &mut (f64, String) = worst.entry(kind).or_insert((0.0, String::new()));
                if error > e.0 { *e = (error, format!("{name} {found} {}", rates[k])); }
            }
            println!("{} t {t:.3} events {} stepping {:.1?} asked {:.1?}", path.display(), one.report().n_events.total() - n_events, stepped, asked - stepped);
            for (kind, w) in worst.iter().filter(|w| w.1.0 > 1e-3) { println!("   {round} {kind}: {w:?}"); }
        }
    }
}
