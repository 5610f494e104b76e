//! Settings that are parameters of the FMU.

use super::Table;
use crate::fmu::instance::parameter::Place;
use crate::fmu::instance::variable::{Enumeration, Kind, Unit, Variability};
use crate::model::Model;
use crate::scene::spec::settings::{Field, InFmu, Setting, TABLE, UsedBy};

impl Table {
    pub(super) fn settings(&mut self, model: &Model) {
        let in_time_stepping = model.time_stepping.is_some();
        for (i, setting) in TABLE.iter().enumerate() {
            let is_used = setting.used_by == UsedBy::Both || !in_time_stepping;
            if setting.in_fmu != InFmu::Never && is_used {
                let name = format!("settings.{}", setting.name);
                let (kind, place) = (kind_of(setting), ([0; 2], Place::Setting(i)));
                self.parameter(name, setting.description, Variability::Fixed, kind, place);
                if let Some(row) = self.rows.last_mut() {
                    row.is_listed = setting.in_fmu == InFmu::Always;
                }
            }
        }
    }
}

/// The type of a setting, with its bounds.
fn kind_of(setting: &Setting) -> Kind {
    let real = |unit: &str, (min, max): (f64, f64)| Kind::Real {
        unit: Unit::of_symbol(unit),
        min: Some(min),
        max: max.is_finite().then_some(max),
    };
    let count = |min: u32, max: u32| Kind::Integer {
        min: Some(min as i32),
        max: Some(max as i32),
    };
    match setting.field {
        Field::Real { unit, range, .. } => real(unit, range.ends()),
        Field::OptionalReal { unit, range, .. } => real(unit, (0.0, range.ends().1)),
        Field::Count {
            range: (min, max), ..
        } => count(min, max),
        Field::OptionalCount {
            range: (_, max), ..
        } => count(0, max),
        Field::Flag(_) => Kind::Boolean,
        Field::Choice {
            type_name, items, ..
        } => Kind::Enumeration(Enumeration {
            name: type_name,
            items,
        }),
    }
}
