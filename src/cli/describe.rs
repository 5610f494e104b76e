//! `stiction describe`.

use super::CliError;
use super::args::DescribeOptions;
use super::bundled;
use super::format::padded;
use super::output::{Output, write_bytes};
use serde_json::{Value, json};
use stiction::fmu::instance::variable::Variable;
use stiction::fmu::instance::variables::table;
use stiction::model::Model;
use stiction::tool::describe::fmi2::{causality, listed, model_description, variability};
use stiction::tool::describe::{drawing, shown_start, type_name};

/// Header of the table. Columns are as wide as their widest cell, except for the last one.
const HEADER: [&str; 7] = [
    "ref",
    "name",
    "causality",
    "variability",
    "unit or type",
    "start",
    "description",
];

/// Prints the variables of a scene, or its model description.
pub fn describe(options: &DescribeOptions) -> Result<(), CliError> {
    let found = bundled::find(&options.scene)?;
    if let Some(path) = &options.picture {
        let drawn = drawing::picture(&found.scene, &found.model);
        let bytes = drawn.ok_or_else(|| CliError::Io {
            what: "the picture".to_owned(),
            error: std::io::Error::other("it does not fit into memory"),
        })?;
        return write_bytes(path, &bytes);
    }
    let text = if options.xml {
        model_description(&found.model, &found.scene)
    } else if options.json {
        as_json(&found.model)
    } else {
        variables(&found.model)
    };
    let mut out = Output::stdout();
    out.write(&text)?;
    out.finish()
}

fn as_json(model: &Model) -> String {
    let table = table(model);
    let row = |(reference, variable): (usize, &Variable)| {
        json!({
            "reference": reference,
            "name": variable.name,
            "causality": causality(variable.causality),
            "variability": variability(variable.variability),
            "unit_or_type": type_name(variable),
            "start": shown_start(variable, model),
            "description": variable.description,
        })
    };
    let rows: Vec<Value> = listed(&table).map(row).collect();
    format!("{:#}\n", json!(rows))
}

fn variables(model: &Model) -> String {
    let mut rows = vec![HEADER.map(str::to_owned)];
    for (reference, variable) in listed(&table(model)) {
        rows.push([
            reference.to_string(),
            variable.name.clone(),
            causality(variable.causality).to_owned(),
            variability(variable.variability).to_owned(),
            type_name(variable).to_owned(),
            shown_start(variable, model),
            variable.description.clone(),
        ]);
    }
    let mut widths = [0; HEADER.len()];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            line.push_str(&padded(cell, width));
            line.push_str("  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
