//! Runs an FMU with the `fmi` crate and prints all its outputs as CSV, at the start and after each step.
//!
//! usage: fmi_crate FMU STEP N_STEPS

use std::error::Error;

use fmi::fmi2::import::Fmi2Import;
use fmi::fmi2::instance::{CoSimulation, Common};
use fmi::fmi2::schema::{Causality, ScalarVariable, ScalarVariableElement};
use fmi::traits::FmiImport;

/// Value of an output, written so that it reads back with the same bits.
fn value(instance: &mut impl Common, output: &ScalarVariable) -> Result<String, Box<dyn Error>> {
    let reference = [output.value_reference];
    match output.elem {
        ScalarVariableElement::Real(_) => {
            let mut value = [0.0];
            instance.get_real(&reference, &mut value)?;
            Ok(format!("{:?}", value[0]))
        }
        ScalarVariableElement::Integer(_) | ScalarVariableElement::Enumeration => {
            let mut value = [0];
            instance.get_integer(&reference, &mut value)?;
            Ok(value[0].to_string())
        }
        ScalarVariableElement::Boolean(_) | ScalarVariableElement::String => {
            Err(format!("{} is neither a number nor an enumeration", output.name).into())
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [fmu, step, n_steps] = arguments.as_slice() else {
        return Err("usage: fmi_crate FMU STEP N_STEPS".into());
    };
    let (step, n_steps): (f64, u32) = (step.parse()?, n_steps.parse()?);

    let import: Fmi2Import = fmi::import::from_path(fmu)?;
    let outputs: Vec<&ScalarVariable> = import
        .model_description()
        .model_variables
        .variables
        .iter()
        .filter(|variable| variable.causality == Causality::Output)
        .collect();
    let names: Vec<&str> = outputs.iter().map(|output| output.name.as_str()).collect();
    println!("{}", names.join(","));

    let mut instance = import.instantiate_cs("scene", false, false)?;
    instance.setup_experiment(None, 0.0, None)?;
    instance.enter_initialization_mode()?;
    instance.exit_initialization_mode()?;
    for i in 0..=n_steps {
        if i > 0 {
            instance.do_step(f64::from(i - 1) * step, step, true)?;
        }
        let values: Result<Vec<String>, _> = outputs
            .iter()
            .map(|output| value(&mut instance, output))
            .collect();
        println!("{}", values?.join(","));
    }
    instance.terminate()?;
    Ok(())
}
