//! Saved and serialized states: runs continued from them must be identical.

use crate::tool::check::behaviour::bench::{Bench, Observation};
use crate::tool::check::rules::Rule;
use crate::tool::import::{SavedState, Slave};

/// Number of steps before the state is saved.
const BEFORE: u32 = 3;

/// A comparison: rules, description, both runs.
type Pair = ([Rule; 2], &'static str, Vec<Observation>, Vec<Observation>);

/// Saves, continues, restores and continues again; the same with serialized states, and in another instance.
pub fn state(bench: &Bench) {
    let Some(slave) = bench.ready() else { return };
    let mut pairs = Vec::new();
    if let Err((rule, message)) = try_state(bench, slave, &mut pairs) {
        bench.journal.find(rule, message);
    }
    for (rules, what, one, other) in pairs {
        if !bench.compare(rules, what, &one, &other) {
            return;
        }
    }
}

fn try_state(bench: &Bench, slave: Slave, pairs: &mut Vec<Pair>) -> Result<(), (Rule, String)> {
    let last = bench.plan.n_steps.min(BEFORE + bench.plan.n_short());
    let before = last.min(BEFORE);
    let failed = |message: String| (Rule::StateFailed, message);
    // the trial `run` reports a failed step
    if bench.steps(&slave, 0, before).is_none() {
        return Ok(());
    }
    let go_on = |slave: &Slave, what: &str| {
        let seen = bench.steps(slave, before, last);
        seen.ok_or_else(|| failed(format!("a step fails {what}")))
    };
    let saved = slave
        .save()
        .map_err(|status| failed(format!("fmi2GetFMUstate returns {status} or a null state")))?;
    let Some(first) = bench.steps(&slave, before, last) else {
        return Ok(());
    };
    restore(&slave, &saved)?;
    let what = "after fmi2SetFMUstate";
    pairs.push((
        [Rule::StateDiffers, Rule::StateInexact],
        what,
        first.clone(),
        go_on(&slave, what)?,
    ));
    if bench.interface.serializes_state {
        serialized(bench, &slave, &saved, &first, &go_on, pairs)?;
    }
    let (status, is_null) = slave.free_state(saved);
    if !status.is_good() {
        return Err(failed(format!("fmi2FreeFMUstate returns {status}")));
    }
    if !is_null {
        let message = "fmi2FreeFMUstate leaves the pointer unchanged";
        bench.journal.find(Rule::StateFree, message);
    }
    let status = slave.free_null_state();
    if !status.is_good() {
        let message = format!("fmi2FreeFMUstate with null returns {status}");
        bench.journal.find(Rule::StateFree, message);
    }
    Ok(())
}

fn restore(slave: &Slave, saved: &SavedState) -> Result<(), (Rule, String)> {
    let status = slave.restore(saved);
    if status.is_good() {
        Ok(())
    } else {
        let message = format!("fmi2SetFMUstate returns {status}");
        Err((Rule::StateFailed, message))
    }
}

fn serialized(
    bench: &Bench,
    slave: &Slave,
    saved: &SavedState,
    first: &[Observation],
    go_on: &impl Fn(&Slave, &str) -> Result<Vec<Observation>, (Rule, String)>,
    pairs: &mut Vec<Pair>,
) -> Result<(), (Rule, String)> {
    let failed = |message: String| (Rule::SerializeFailed, message);
    let bytes = slave
        .serialize(saved)
        .map_err(|status| failed(format!("the state cannot be serialized: {status}")))?;
    bench
        .journal
        .add_fact("serialized state", format!("{} bytes", bytes.len()));
    let mut from_bytes = |slave: &Slave, what: &'static str| {
        let state = slave
            .deserialize(&bytes)
            .map_err(|status| failed(format!("fmi2DeSerializeFMUstate returns {status}")))?;
        restore(slave, &state)?;
        let again = go_on(slave, what)?;
        let rules = [Rule::SerializeDiffers, Rule::SerializeInexact];
        pairs.push((rules, what, first.to_vec(), again));
        slave.free_state(state);
        Ok(())
    };
    from_bytes(slave, "after fmi2DeSerializeFMUstate")?;
    if bench.interface.only_once {
        return Ok(());
    }
    // failure to create a second instance is reported by another trial
    match bench.with_guid(&bench.description.guid, "second") {
        Some(other) if bench.initialize(&other, None) => {
            from_bytes(&other, "after fmi2DeSerializeFMUstate in another instance")
        }
        _ => Ok(()),
    }
}
