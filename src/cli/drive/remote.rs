//! A library in a separate process, called from here. This program survives whatever the library does: a crash, a call that
//! does not return and a library that exits are reported with the name of the call.

use super::channel::{self, Channel, NoAnswer};
use super::frame::{Answer, Call, packed, unpacked};
use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};
use stiction::tool::check::behaviour::{End, end_of};
use stiction::tool::import::{Message, Start, Status};

/// Name of the hidden command that serves a library.
pub const COMMAND: &str = "call-library";

/// Time for the process to exit after its last call.
const FAREWELL: Duration = Duration::from_secs(5);
/// Polling interval meanwhile.
const LOOK: Duration = Duration::from_millis(2);

/// Reason why the library cannot be called.
pub enum NotLoaded {
    /// The process cannot be started.
    Process(io::Error),
    /// The system's reason.
    Refused(String),
    /// It crashed, hung or exited.
    Failed(String),
}

/// An instance in another process.
pub struct Remote {
    state: RefCell<State>,
    limit: Duration,
}

struct State {
    child: Child,
    channel: Channel,
    /// How the library failed; no further calls are made then.
    failure: Option<String>,
    messages: Vec<Message>,
}

impl Remote {
    /// Starts the process and loads the library. If this program dies, the process removes the folder.
    pub fn load(library: &Path, folder: &Path, limit: Duration) -> Result<Self, NotLoaded> {
        let program = std::env::current_exe().map_err(NotLoaded::Process)?;
        let mut command = Command::new(program);
        command
            .arg(COMMAND)
            .arg(library)
            .arg(folder)
            .arg(std::process::id().to_string());
        let (child, channel) = channel::start(&mut command, limit).map_err(NotLoaded::Process)?;
        // the command holds the other end; closing it makes the end of the process visible
        drop(command);
        let remote = Self {
            state: RefCell::new(State {
                child,
                channel,
                failure: None,
                messages: Vec::new(),
            }),
            limit,
        };
        let answer = remote.receive("the loading of the library");
        if let Some(failure) = remote.failure() {
            return Err(NotLoaded::Failed(failure));
        }
        if answer.status.is_good() {
            Ok(remote)
        } else {
            Err(NotLoaded::Refused(answer.reason))
        }
    }

    /// How the library failed, if it did.
    pub fn failure(&self) -> Option<String> {
        self.state.borrow().failure.clone()
    }

    /// Log messages since the last call of this function.
    pub fn take_messages(&self) -> Vec<Message> {
        std::mem::take(&mut self.state.borrow_mut().messages)
    }

    fn call(&self, call: &Call) -> Answer {
        {
            let mut state = self.state.borrow_mut();
            if state.failure.is_some() {
                return Answer::new(Status::Fatal);
            }
            if let Err(reason) = state.channel.send(&packed(call)) {
                state.fail(&reason, call.function(), self.limit);
                return Answer::new(Status::Fatal);
            }
        }
        self.receive(call.function())
    }

    fn receive(&self, function: &str) -> Answer {
        let mut state = self.state.borrow_mut();
        let received = state.channel.receive();
        let answer = received.and_then(|bytes| unpacked::<Answer>(&bytes).ok_or(NoAnswer::Garbled));
        match answer {
            Ok(mut answer) => {
                state.messages.append(&mut answer.messages);
                answer
            }
            Err(reason) => {
                state.fail(&reason, function, self.limit);
                Answer::new(Status::Fatal)
            }
        }
    }

    fn status(&self, call: &Call) -> Status {
        self.call(call).status
    }

    /// Creates the instance.
    pub fn instantiate(&self, name: &str, guid: &str, resources: &str) -> bool {
        let call = Call::Instantiate {
            name: name.to_owned(),
            guid: guid.to_owned(),
            resources: resources.to_owned(),
        };
        self.status(&call).is_good()
    }

    /// Enables the log category of events.
    pub fn log_events(&self) -> Status {
        self.status(&Call::LogEvents)
    }

    /// Start and stop time.
    pub fn setup_experiment(&self, start: Start) -> Status {
        self.status(&Call::SetupExperiment(start))
    }

    /// Enters initialization mode.
    pub fn enter_initialization(&self) -> Status {
        self.status(&Call::EnterInitialization)
    }

    /// Exits initialization mode.
    pub fn exit_initialization(&self) -> Status {
        self.status(&Call::ExitInitialization)
    }

    /// Sets one value.
    pub fn set_real(&self, reference: u32, value: f64) -> Status {
        self.status(&Call::SetReal(reference, value))
    }

    /// Sets one value.
    pub fn set_integer(&self, reference: u32, value: i32) -> Status {
        self.status(&Call::SetInteger(reference, value))
    }

    /// Sets one value.
    pub fn set_boolean(&self, reference: u32, value: bool) -> Status {
        self.status(&Call::SetBoolean(reference, value))
    }

    /// Sets the first time derivative of an input.
    pub fn set_input_derivative(&self, reference: u32, value: f64) -> Status {
        self.status(&Call::SetInputDerivative(reference, value))
    }

    /// One step.
    pub fn do_step(&self, time: f64, step: f64) -> Status {
        self.status(&Call::DoStep(time, step))
    }

    /// Reads one value per reference.
    pub fn get_real(&self, references: &[u32]) -> (Status, Vec<f64>) {
        let answer = self.call(&Call::GetReal(references.to_vec()));
        sized(answer.status, answer.reals, references.len(), f64::NAN)
    }

    /// Reads one value per reference.
    pub fn get_integer(&self, references: &[u32]) -> (Status, Vec<i32>) {
        let answer = self.call(&Call::GetInteger(references.to_vec()));
        sized(answer.status, answer.wholes, references.len(), 0)
    }

    /// Reads one value per reference.
    pub fn get_boolean(&self, references: &[u32]) -> (Status, Vec<i32>) {
        let answer = self.call(&Call::GetBoolean(references.to_vec()));
        sized(answer.status, answer.wholes, references.len(), 0)
    }

    /// Time reached by the last step, if the library reports it.
    pub fn last_successful_time(&self) -> Option<f64> {
        self.call(&Call::LastSuccessfulTime).reals.first().copied()
    }

    /// Does the library want to terminate the run?
    pub fn wants_to_end(&self) -> bool {
        self.call(&Call::WantsToEnd).wholes.first() == Some(&1)
    }

    /// Terminates the run.
    pub fn terminate(&self) -> Status {
        self.status(&Call::Terminate)
    }

    /// Frees the instance and ends the process. Failures here do not change any result.
    pub fn end(&self) -> Option<String> {
        if self.failure().is_some() {
            return None;
        }
        self.call(&Call::Free);
        let mut state = self.state.borrow_mut();
        if state.failure.is_some() {
            return state.failure.take();
        }
        match state.ended() {
            Some(End::Success) => None,
            end => Some(words(end, "after the last call")),
        }
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        let mut state = self.state.borrow_mut();
        // an exited process can be neither killed nor waited for twice
        let _ = state.child.kill();
        let _ = state.child.wait();
    }
}

impl State {
    fn fail(&mut self, reason: &NoAnswer, function: &str, limit: Duration) {
        let what = match reason {
            NoAnswer::Slow => {
                let seconds = limit.as_secs_f64();
                format!("the library did not return from {function} within {seconds} s")
            }
            NoAnswer::Gone => words(self.ended(), &format!("in {function}")),
            NoAnswer::Garbled => {
                format!("the library corrupted the answer of its process in {function}")
            }
        };
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.failure = Some(what);
    }

    /// Waits a limited time for the process to exit.
    fn ended(&mut self) -> Option<End> {
        let began = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(end_of(status)),
                Ok(None) if began.elapsed() < FAREWELL => thread::sleep(LOOK),
                Ok(None) | Err(_) => return None,
            }
        }
    }
}

fn words(end: Option<End>, place: &str) -> String {
    match end {
        Some(End::Signal(signal)) => format!("the library crashed with {signal} {place}"),
        Some(End::Exit(code)) => {
            format!("the library exited with code {code} {place}")
        }
        Some(End::Success) => format!("the library exited {place}"),
        Some(End::Hung | End::Slow) | None => {
            format!("the process of the library did not end {place}")
        }
    }
}

/// Accepts only lists of the requested length.
fn sized<T: Clone>(status: Status, mut values: Vec<T>, n: usize, empty: T) -> (Status, Vec<T>) {
    let status = if values.len() == n || !status.is_good() {
        status
    } else {
        Status::Fatal
    };
    values.resize(n, empty);
    (status, values)
}
