//! Transport of frames between this program and the process that has loaded the library.
//!
//! Output of the library goes to stderr and cannot mix with the frames: on Unix they use a socket in place of the
//! child's stdin. Elsewhere they use its stdin and stderr, and a library that writes to stderr is reported as an error.

use super::frame;
use std::io::{self, ErrorKind};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Reason for a missing answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// Timeout.
    Slow,
    /// The other process has ended.
    Gone,
    /// The received bytes are not a valid frame.
    Garbled,
}

impl From<io::Error> for NoAnswer {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Self::Slow,
            ErrorKind::InvalidData => Self::Garbled,
            _ => Self::Gone,
        }
    }
}

#[cfg(unix)]
mod system {
    use super::*;
    use std::os::fd::{AsFd as _, OwnedFd};
    use std::os::unix::net::UnixStream;

    /// The parent's end of the channel.
    pub struct Channel(UnixStream);

    /// Starts a process with the other end of the channel.
    pub fn start(command: &mut Command, limit: Duration) -> io::Result<(Child, Channel)> {
        let (own, other) = UnixStream::pair()?;
        own.set_read_timeout(Some(limit))?;
        own.set_write_timeout(Some(limit))?;
        let child = command
            .stdin(Stdio::from(OwnedFd::from(other)))
            .stdout(Stdio::from(io::stderr()))
            .stderr(Stdio::inherit())
            .spawn()?;
        Ok((child, Channel(own)))
    }

    impl Channel {
        pub fn send(&mut self, bytes: &[u8]) -> Result<(), NoAnswer> {
            Ok(frame::write(&mut self.0, bytes)?)
        }

        pub fn receive(&mut self) -> Result<Vec<u8>, NoAnswer> {
            Ok(frame::read(&mut self.0)?)
        }
    }

    /// The child's end of the channel.
    pub struct ChildEnd(UnixStream);

    impl ChildEnd {
        pub fn open() -> io::Result<Self> {
            let stream = io::stdin().as_fd().try_clone_to_owned()?;
            Ok(Self(UnixStream::from(stream)))
        }

        pub fn receive(&mut self) -> io::Result<Vec<u8>> {
            frame::read(&mut self.0)
        }

        pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
            frame::write(&mut self.0, bytes)
        }
    }
}

#[cfg(not(unix))]
mod system {
    use super::*;
    use std::process::ChildStdin;
    use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
    use std::thread;

    /// The parent's end of the channel.
    pub struct Channel {
        calls: Option<ChildStdin>,
        answers: Receiver<io::Result<Vec<u8>>>,
        limit: Duration,
    }

    /// Starts a process with the other end of the channel.
    pub fn start(command: &mut Command, limit: Duration) -> io::Result<(Child, Channel)> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::from(io::stderr()))
            .stderr(Stdio::piped())
            .spawn()?;
        let (sender, answers) = channel();
        if let Some(mut from) = child.stderr.take() {
            thread::spawn(move || {
                loop {
                    let frame = frame::read(&mut from);
                    let is_over = frame.is_err();
                    if sender.send(frame).is_err() || is_over {
                        break;
                    }
                }
            });
        }
        let calls = child.stdin.take();
        let channel = Channel {
            calls,
            answers,
            limit,
        };
        Ok((child, channel))
    }

    impl Channel {
        pub fn send(&mut self, bytes: &[u8]) -> Result<(), NoAnswer> {
            let calls = self.calls.as_mut().ok_or(NoAnswer::Gone)?;
            Ok(frame::write(calls, bytes)?)
        }

        pub fn receive(&mut self) -> Result<Vec<u8>, NoAnswer> {
            match self.answers.recv_timeout(self.limit) {
                Ok(frame) => Ok(frame?),
                Err(RecvTimeoutError::Timeout) => Err(NoAnswer::Slow),
                Err(RecvTimeoutError::Disconnected) => Err(NoAnswer::Gone),
            }
        }
    }

    /// The child's end of the channel.
    pub struct ChildEnd;

    impl ChildEnd {
        pub fn open() -> io::Result<Self> {
            Ok(Self)
        }

        pub fn receive(&mut self) -> io::Result<Vec<u8>> {
            frame::read(&mut io::stdin().lock())
        }

        pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
            frame::write(&mut io::stderr().lock(), bytes)
        }
    }
}

pub use system::{Channel, ChildEnd, start};
