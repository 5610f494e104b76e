//! `--set NAME=VALUE` for scenes: their parameters, with the names that `stiction describe` prints.

use super::CliError;
use super::args::RunOptions;
use super::bundled::LoadedScene;
use super::inputs::{meant, split};
use stiction::fmu::instance::variable::{Causality, Kind, Source, Value, Variable};
use stiction::fmu::instance::variables::table;
use stiction::model;
use stiction::scene::spec::Settings;
use stiction::scene::{SceneError, packed};

const EXAMPLE: &str = "crate.mass=2.5";

/// Sets parameters of a scene, those that it names itself first: its model is built again with them.
pub fn apply(
    found: &mut LoadedScene,
    settings: &mut Settings,
    options: &RunOptions,
) -> Result<(), CliError> {
    if options.set.is_empty() {
        return Ok(());
    }
    let rows = table(&found.model);
    let mut others = Vec::new();
    let parameters = &found.scene.parameters;
    let mut values: Vec<f64> = parameters.iter().map(|p| p.value).collect();
    for text in &options.set {
        let (name, written) = split(text, "--set", EXAMPLE)?;
        let row = find(&rows, name)?;
        let value = value(row, written)?;
        let Source::Parameter(parameter) = row.source else {
            continue;
        };
        if !parameter.accepts(settings, value) {
            let message = format!("{value} is outside the range of {name}");
            let hint = "`stiction describe` prints the range";
            return Err(CliError::usage(message, hint));
        }
        let index = parameters.iter().position(|p| p.name == name);
        match (index.filter(|_| parameter.is_of_scene()), value) {
            (Some(index), Value::Real(x)) => values[index] = x,
            _ => others.push((parameter, value)),
        }
    }
    if !parameters.is_empty() {
        let file = found.path.as_ref().map(|path| path.display().to_string());
        let file = file.unwrap_or_else(|| found.model.name.clone());
        let invalid = |problems| SceneError::new(&file, &found.text, problems);
        let scene = packed::with_parameters(&found.scene, &values).map_err(invalid)?;
        found.model = model::build(&scene).map_err(invalid)?;
        found.scene = scene;
    }
    for (parameter, value) in others {
        parameter.set((&mut found.model, settings), value);
    }
    Ok(())
}

fn find<'r>(rows: &'r [Variable], name: &str) -> Result<&'r Variable, CliError> {
    let is_settable = |row: &&Variable| row.causality == Causality::Parameter;
    let found = rows.iter().filter(is_settable).find(|row| row.name == name);
    let Some(row) = found else {
        let names: Vec<&str> = rows
            .iter()
            .filter(is_settable)
            .map(|row| row.name.as_str())
            .collect();
        let hint = meant(name, &names, "it has no parameters");
        return Err(CliError::usage(
            format!("the scene has no parameter {name:?}"),
            hint,
        ));
    };
    if name.contains(".initial.") {
        return Err(CliError::usage(
            format!("{name} may leave joints open or shapes overlapping"),
            "change the scene, or name a `[[parameter]]` in it that sets the position",
        ));
    }
    Ok(row)
}

fn value(row: &Variable, written: &str) -> Result<Value, CliError> {
    let value = match row.kind {
        Kind::Real { .. } => written.parse().ok().map(Value::Real),
        Kind::Integer { .. } => written.parse().ok().map(Value::Integer),
        Kind::Boolean => written.parse().ok().map(Value::Boolean),
        Kind::Enumeration(enumeration) => {
            let mut items = (1..).zip(enumeration.items);
            let found = items.find(|(_, (item, _))| *item == written);
            found.map(|(number, _)| Value::Integer(number))
        }
    };
    value.ok_or_else(|| {
        CliError::usage(
            format!("{written:?} is not a value of {}", row.name),
            format!("write for example --set {EXAMPLE}"),
        )
    })
}
