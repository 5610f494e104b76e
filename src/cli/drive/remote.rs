//! A library in a process of its own, called from here. Whatever it does, this program goes on: a crash, a call that does not
//! come back and a library that ends its process are told, with the call.

use super::channel::{self, Channel, Silence};
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

/// How long a process may take to end after its last call.
const FAREWELL: Duration = Duration::from_secs(5);
/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(2);

/// Why there is no library to call.
pub enum NotLoaded {
    /// The process cannot be started.
    Process(io::Error),
    /// The system's reason.
    Refused(String),
    /// It crashed, hung or ended its process.
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
    /// How it failed; nothing is called any more then.
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
        // the command holds the other end, whose closing tells that the process is gone
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

    /// What the library said since the last time.
    pub fn take_messages(&self) -> Vec<Message> {
        std::mem::take(&mut self.state.borrow_mut().messages)
    }

    fn call(&self, call: &Call) -> Answer {
        {
            let mut state = self.state.borrow_mut();
            if state.failure.is_some() {
                return Answer::new(Status::Fatal);
            }
            if let Err(silence) = state.channel.send(&packed(call)) {
                state.fail(&silence, call.function(), self.limit);
                return Answer::new(Status::Fatal);
            }
        }
        self.receive(call.function())
    }

    fn receive(&self, function: &str) -> Answer {
        let mut state = self.state.borrow_mut();
        let received = state.channel.receive();
        let answer = received.and_then(|bytes| unpacked::<Answer>(&bytes).ok_or(Silence::Garbled));
        match answer {
            Ok(mut answer) => {
                state.messages.append(&mut answer.messages);
                answer
            }
            Err(silence) => {
                state.fail(&silence, function, self.limit);
                Answer::new(Status::Fatal)
            }
        }
    }

    fn status(&self, call: &Call) -> Status {
        self.call(call).status
    }

    /// Makes the instance.
    pub fn instantiate(&self, name: &str, guid: &str, resources: &str) -> bool {
        let call = Call::Instantiate {
            name: name.to_owned(),
            guid: guid.to_owned(),
            resources: resources.to_owned(),
        };
        self.status(&call).is_good()
    }

    /// Asks for messages about events.
    pub fn log_events(&self) -> Status {
        self.status(&Call::LogEvents)
    }

    /// Start and stop time.
    pub fn setup_experiment(&self, start: Start) -> Status {
        self.status(&Call::SetupExperiment(start))
    }

    /// Begins the initialization.
    pub fn enter_initialization(&self) -> Status {
        self.status(&Call::EnterInitialization)
    }

    /// Ends the initialization.
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

    /// First derivative of an input by time.
    pub fn set_input_derivative(&self, reference: u32, value: f64) -> Status {
        self.status(&Call::SetInputDerivative(reference, value))
    }

    /// One step.
    pub fn do_step(&self, time: f64, step: f64) -> Status {
        self.status(&Call::DoStep(time, step))
    }

    /// Reads as many values as there are references.
    pub fn get_real(&self, references: &[u32]) -> (Status, Vec<f64>) {
        let answer = self.call(&Call::GetReal(references.to_vec()));
        sized(answer.status, answer.reals, references.len(), f64::NAN)
    }

    /// Reads as many values as there are references.
    pub fn get_integer(&self, references: &[u32]) -> (Status, Vec<i32>) {
        let answer = self.call(&Call::GetInteger(references.to_vec()));
        sized(answer.status, answer.wholes, references.len(), 0)
    }

    /// Reads as many values as there are references.
    pub fn get_boolean(&self, references: &[u32]) -> (Status, Vec<i32>) {
        let answer = self.call(&Call::GetBoolean(references.to_vec()));
        sized(answer.status, answer.wholes, references.len(), 0)
    }

    /// How far the last step got, if the library says so.
    pub fn last_successful_time(&self) -> Option<f64> {
        self.call(&Call::LastSuccessfulTime).reals.first().copied()
    }

    /// Does it want to end the run?
    pub fn wants_to_end(&self) -> bool {
        self.call(&Call::WantsToEnd).wholes.first() == Some(&1)
    }

    /// Ends the run.
    pub fn terminate(&self) -> Status {
        self.status(&Call::Terminate)
    }

    /// Frees the instance and ends the process. What went wrong meanwhile changes no result.
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
        // one that has ended cannot be killed, and is not waited for twice
        let _ = state.child.kill();
        let _ = state.child.wait();
    }
}

impl State {
    fn fail(&mut self, silence: &Silence, function: &str, limit: Duration) {
        let what = match silence {
            Silence::Slow => {
                let seconds = limit.as_secs_f64();
                format!("the library did not come back within {seconds} s from {function}")
            }
            Silence::Gone => words(self.ended(), &format!("in {function}")),
            Silence::Garbled => {
                format!("the library disturbed the answer of its process in {function}")
            }
        };
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.failure = Some(what);
    }

    /// Waits for the end, but not for long.
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
            format!("the library ended its process with exit code {code} {place}")
        }
        Some(End::Success) => format!("the library ended its process {place}"),
        Some(End::Hung | End::Slow) | None => {
            format!("the process of the library did not end {place}")
        }
    }
}

/// What is not as long as it was asked to be is no good.
fn sized<T: Clone>(status: Status, mut values: Vec<T>, n: usize, empty: T) -> (Status, Vec<T>) {
    let status = if values.len() == n || !status.is_good() {
        status
    } else {
        Status::Fatal
    };
    values.resize(n, empty);
    (status, values)
}
