//! The command line tool.

mod cli;

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::execute(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // a closed terminal leaves nobody to tell
            let _ = error.print().and_then(|()| std::io::stderr().flush());
            ExitCode::from(error.exit_code())
        }
    }
}
