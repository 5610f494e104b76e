//! The command line tool.

mod cli;

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::remove_temporary_files_on_interrupt();
    match cli::execute(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // a closed terminal leaves nobody to tell
            let _ = error.print().and_then(|()| std::io::stderr().flush());
            ExitCode::from(error.exit_code())
        }
    }
}
