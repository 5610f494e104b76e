//! The process that loads a library and executes the calls it receives. It ends when its parent does.

use super::channel::ChildEnd;
use super::frame::{Answer, Call, packed, unpacked};
use crate::cli::CliError;
use crate::cli::args::LibraryOptions;
use std::io;
use std::sync::{Arc, Mutex};
use stiction::tool::import::{Library, Message, Observer, ParentWatch, Slave, Status};

/// Maximum number of messages forwarded per call.
const MOST_MESSAGES: usize = 10_000;
/// Maximum number of characters forwarded per message.
const LONGEST_MESSAGE: usize = 2000;

/// Collects log messages of the library.
#[derive(Default)]
struct LogCollector {
    messages: Mutex<Vec<Message>>,
}

impl Observer for LogCollector {
    fn entered(&self, _function: &'static str) {}

    fn message(&self, message: Message) {
        let Ok(mut messages) = self.messages.lock() else {
            return;
        };
        if messages.len() < MOST_MESSAGES {
            let shortened = |text: String| text.chars().take(LONGEST_MESSAGE).collect();
            messages.push(Message {
                status: message.status,
                category: message.category.map(shortened),
                text: message.text.map(shortened),
            });
        }
    }
}

impl LogCollector {
    fn take(&self) -> Vec<Message> {
        let messages = self.messages.lock();
        messages.map_or_else(|_| Vec::new(), |mut m| std::mem::take(&mut *m))
    }
}

/// Loads a library and answers calls until there are no more.
pub fn serve(options: &LibraryOptions) -> Result<(), CliError> {
    let failed = |error: io::Error| CliError::Io {
        what: options.library.display().to_string(),
        error,
    };
    let watch = ParentWatch::start(options.parent, options.folder.clone());
    let mut channel = ChildEnd::open().map_err(failed)?;
    let log = Arc::new(LogCollector::default());
    let library = match Library::load(&options.library, log.clone()) {
        Ok(library) => library,
        Err(reason) => {
            let answer = Answer {
                reason,
                ..Answer::new(Status::Error)
            };
            return channel.send(&packed(&answer)).map_err(failed);
        }
    };
    let loaded = Answer::new(Status::Ok);
    channel.send(&packed(&loaded)).map_err(failed)?;
    let mut slave = None;
    loop {
        // the last call frees the instance; the channel closes earlier only if the parent dies
        let Ok(bytes) = channel.receive() else {
            watch.clean();
            return Ok(());
        };
        let Some(call) = unpacked(&bytes) else {
            return Err(failed(io::ErrorKind::InvalidData.into()));
        };
        let answer = answer(&call, &library, &mut slave);
        let answer = Answer {
            messages: log.take(),
            ..answer
        };
        channel.send(&packed(&answer)).map_err(failed)?;
        if call == Call::Free {
            return Ok(());
        }
    }
}

fn answer<'a>(call: &Call, library: &'a Library, slave: &mut Option<Slave<'a>>) -> Answer {
    match call {
        Call::Instantiate {
            name,
            guid,
            resources,
        } => {
            *slave = Slave::new(library, name, guid, resources, false);
            let status = match slave {
                Some(_) => Status::Ok,
                None => Status::Error,
            };
            return Answer::new(status);
        }
        Call::Free => {
            // frees the instance
            *slave = None;
            return Answer::new(Status::Ok);
        }
        _ => {}
    }
    let Some(slave) = slave else {
        return Answer::new(Status::Fatal);
    };
    let of_reals = |(status, reals): (Status, Vec<f64>)| Answer {
        reals,
        ..Answer::new(status)
    };
    let of_wholes = |(status, wholes): (Status, Vec<i32>)| Answer {
        wholes,
        ..Answer::new(status)
    };
    let status = match call {
        Call::LogEvents => slave.set_debug_logging(true, &["logEvents"]),
        Call::SetupExperiment(start) => slave.setup_experiment(*start),
        Call::EnterInitialization => slave.enter_initialization(),
        Call::ExitInitialization => slave.exit_initialization(),
        Call::SetReal(reference, value) => slave.set_real(*reference, *value),
        Call::SetInteger(reference, value) => slave.set_integer(*reference, *value),
        Call::SetBoolean(reference, value) => slave.set_boolean(*reference, *value),
        Call::SetInputDerivative(reference, value) => {
            slave.set_input_derivatives(&[*reference], 1, &[*value])
        }
        Call::DoStep(time, step) => slave.do_step(*time, *step),
        Call::GetReal(references) => return of_reals(slave.get_real(references)),
        Call::GetInteger(references) => return of_wholes(slave.get_integer(references)),
        Call::GetBoolean(references) => return of_wholes(slave.get_boolean(references)),
        Call::LastSuccessfulTime => {
            let reached = slave.last_successful_time();
            return of_reals((Status::Ok, reached.into_iter().collect()));
        }
        Call::WantsToEnd => {
            let wants = i32::from(slave.wants_to_end());
            return of_wholes((Status::Ok, vec![wants]));
        }
        Call::Terminate => slave.terminate(),
        Call::Instantiate { .. } | Call::Free => Status::Ok,
    };
    Answer::new(status)
}
