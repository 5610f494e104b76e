//! `stiction describe`.

use super::CliError;
use super::args::DescribeOptions;
use super::bundled;
use super::output::Output;
use crate::describe::fmi2::{causality, model_description, variability};
use crate::describe::{shown_start, type_name};
use crate::instance::variables::table;
use crate::model::Model;

/// Columns that are as wide as their widest cell; the last one is not.
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
    let text = if options.xml {
        model_description(&found.model, &found.text)
    } else {
        variables(&found.model)
    };
    let mut out = Output::stdout();
    out.write(&text)?;
    out.flush()
}

fn variables(model: &Model) -> String {
    let mut rows = vec![HEADER.map(str::to_owned)];
    for (reference, variable) in table(model).iter().enumerate() {
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
            line.push_str(&format!("{cell:width$}  "));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
