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
