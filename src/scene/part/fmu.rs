//! `[fmu]`: the interface of an FMU.

use crate::scene::read::Table;
use crate::scene::spec::Name;
use crate::scene::spec::interface::{Interface, Shown};
use crate::scene::value::Value;

const SHOWN: &[(&str, Shown)] = &[("all", Shown::All), ("interface", Shown::Interface)];

/// Reads `[fmu]`.
pub fn read(mut t: Table<'_>) -> Interface {
    let outputs = t.get("outputs").and_then(|v| patterns(&v));
    let parameters = t.get("parameters").and_then(|v| patterns(&v));
    let variables = t.choice_or("variables", SHOWN, Shown::All);
    let mut text = |key| t.get(key).and_then(|v| v.text()).map(str::to_owned);
    let interface = Interface {
        outputs,
        parameters,
        variables,
        author: text("author"),
        version: text("version"),
        license: text("license"),
        copyright: text("copyright"),
    };
    t.finish("[fmu]");
    interface
}

/// A list of names of variables.
fn patterns(value: &Value<'_>) -> Option<Vec<Name>> {
    let list = value.list("a list of names of variables")?;
    Some(list.iter().filter_map(Value::name).collect())
}
