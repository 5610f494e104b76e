//! Runs that must reproduce others: with half steps, after a reset, next to another instance.

use crate::tool::check::behaviour::bench::Bench;
use crate::tool::check::rules::Rule;

/// Two half steps instead of one must be possible.
pub fn halves(bench: &Bench) {
    if !bench.can_step() {
        return;
    }
    let Some(slave) = bench.ready() else { return };
    let (plan, half) = (&bench.plan, 0.5 * bench.plan.step);
    for time in [plan.start, plan.start + half] {
        let status = slave.do_step(time, half);
        if !status.is_good() {
            let message = format!("half a step from {time} s returns {status}");
            bench.journal.find(Rule::StepHalves, message);
            return;
        }
    }
    // followed by a whole step
    let status = slave.do_step(plan.start + plan.step, plan.step);
    if plan.n_steps > 1 && !status.is_good() {
        let message = format!("a step after two half steps returns {status}");
        bench.journal.find(Rule::StepHalves, message);
    }
}

/// A run after a reset must reproduce the first one: in the middle of a run, and after its end.
pub fn reset(bench: &Bench) {
    let n = bench.plan.n_short();
    let Some(slave) = bench.ready() else { return };
    let Some(first) = bench.steps(&slave, 0, n) else {
        return;
    };
    let mut later = Vec::new();
    for what in ["after a reset", "after fmi2Terminate and a reset"] {
        if !later.is_empty() {
            slave.terminate();
        }
        let status = slave.reset();
        if !status.is_good() {
            let message = format!("fmi2Reset returns {status}");
            bench.journal.find(Rule::ResetFailed, message);
            return;
        }
        if !bench.initialize(&slave, None) {
            let message = "it cannot be initialized after a reset";
            bench.journal.find(Rule::ResetFailed, message);
            return;
        }
        let Some(again) = bench.steps(&slave, 0, n) else {
            let message = "a step fails after a reset";
            bench.journal.find(Rule::ResetFailed, message);
            return;
        };
        later.push((what, again));
    }
    drop(slave);
    let rules = [Rule::ResetDiffers, Rule::ResetInexact];
    for (what, again) in later {
        if !bench.compare(rules, what, &first, &again) {
            return;
        }
    }
}

/// Two simultaneous instances must behave like single ones.
pub fn instances(bench: &Bench) {
    let n = bench.plan.n_short();
    let Some(alone) = bench.record() else { return };
    let mut seen = [Vec::new(), Vec::new()];
    {
        let Some(first) = bench.instance() else {
            return;
        };
        let second = bench.with_guid(&bench.description.guid, "second");
        let Some(second) = second else {
            let message = "fmi2Instantiate returns null for a second instance";
            bench.journal.find(Rule::InstancesSecond, message);
            return;
        };
        let slaves = [first, second];
        if !slaves.iter().all(|slave| bench.initialize(slave, None)) {
            return;
        }
        for step in 0..n {
            for (slave, seen) in slaves.iter().zip(&mut seen) {
                let Some(values) = bench.steps(slave, step, step + 1) else {
                    let message = "a step fails that a single instance can take";
                    bench.journal.find(Rule::InstancesDiffer, message);
                    return;
                };
                seen.extend(values);
            }
        }
    }
    let (rules, what) = ([Rule::InstancesDiffer; 2], "next to another instance");
    for seen in &seen {
        if !bench.compare(rules, what, &alone, seen) {
            return;
        }
    }
}
