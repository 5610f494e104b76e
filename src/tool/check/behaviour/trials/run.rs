//! The default experiment.

use crate::tool::check::behaviour::bench::Bench;
use crate::tool::check::description::{Causality, Kind, Variable};
use crate::tool::check::rules::Rule;
use crate::tool::import::{Slave, Status};
use std::time::Instant;

/// Runs it, as far as the number of steps and the time allow, and checks the outputs.
pub fn run(bench: &Bench) {
    let Some(slave) = bench.instance() else {
        return;
    };
    let plan = &bench.plan;
    if !bench.initialize(&slave, Some(plan.stop)) {
        return;
    }
    let began = Instant::now();
    let outputs = bench.variables(Causality::Output, Kind::Real);
    let mut n_done = 0;
    look(bench, &slave, &outputs, plan.start);
    for step in 0..plan.n_steps {
        let time = plan.time(step);
        // the last step ends exactly at the stop time
        let size = plan.step.min(plan.stop - time);
        let status = slave.do_step(time, size);
        if !status.is_good() {
            failed(bench, &slave, time, status);
            break;
        }
        n_done += 1;
        look(bench, &slave, &outputs, plan.time(n_done));
        if began.elapsed() > bench.limit {
            break;
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    let reached = plan.time(n_done).min(plan.stop);
    let until = if reached < plan.stop {
        format!("{reached} s of {} s", plan.stop)
    } else {
        format!("{reached} s")
    };
    let text = format!(
        "{n_done} steps of {} s from {} s to {until}, in {seconds:.3} s",
        plan.step, plan.start
    );
    bench.journal.add_fact("run", text);
    if n_done > 0 {
        let status = slave.terminate();
        if !status.is_good() {
            let message = format!("fmi2Terminate returns {status}");
            bench.journal.find(Rule::RunFailed, message);
        }
    }
}

fn failed(bench: &Bench, slave: &Slave, time: f64, status: Status) {
    let at = format!("the step from {time} s");
    let (rule, message) = match status {
        Status::Discard if slave.wants_to_end() => {
            (Rule::RunTerminated, format!("{at} was rejected"))
        }
        Status::Discard => {
            let reached = slave.last_successful_time();
            let reached = reached.map_or(String::new(), |t| format!("; it reached {t} s"));
            (Rule::RunDiscarded, format!("{at} was discarded{reached}"))
        }
        Status::Pending if bench.interface.asynchronous => {
            let message = format!("{at} is pending");
            (Rule::RunDiscarded, message)
        }
        Status::Pending => (Rule::RunPending, format!("{at} is pending")),
        Status::Ok
        | Status::Warning
        | Status::Error
        | Status::Fatal
        | Status::Unknown(_)
        | Status::Missing => (Rule::RunFailed, format!("{at} returns {status}")),
    };
    bench.journal.find(rule, message);
}

fn look(bench: &Bench, slave: &Slave, outputs: &[&Variable], time: f64) {
    let references: Vec<u32> = outputs.iter().map(|v| v.reference).collect();
    let (status, values) = slave.get_real(&references);
    // the trial of the start values reports which
    if !status.is_good() {
        return;
    }
    for (output, value) in outputs.iter().zip(values) {
        let (min, max) = (output.attributes.min, output.attributes.max);
        let rule = if value.is_nan() {
            Rule::RunNan
        } else if value.is_infinite() {
            Rule::RunInfinite
        } else if min.is_some_and(|min| value < min) || max.is_some_and(|max| value > max) {
            Rule::RunOutside
        } else {
            continue;
        };
        if !bench.journal.has_reported(rule, &output.name) {
            let message = format!("it is {value} at {time} s");
            bench.journal.find_in(rule, &output.name, message);
        }
    }
}
