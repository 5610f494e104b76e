//! Temporary files and folders that must not stay behind when the program is interrupted.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Exit code of a program that was interrupted, as shells have it.
const INTERRUPTED: i32 = 130;

/// How often a folder is removed that is being filled.
const ATTEMPTS: usize = 100;

static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn temporary() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Is removed if the program is interrupted.
pub fn remember(path: &Path) {
    temporary().push(path.to_owned());
}

/// Is gone, or has become a file that stays.
pub fn forget(path: &Path) {
    temporary().retain(|other| other != path);
}

/// From now on an interrupted program (Ctrl-C, a closed terminal, a request to end) removes its temporary files before it ends.
pub fn on_interrupt() {
    // without a handler the system ends the program, and only what is temporary stays
    let _ = ctrlc::set_handler(|| {
        temporary().iter().for_each(|path| remove(path));
        std::process::exit(INTERRUPTED);
    });
}

fn remove(path: &Path) {
    for _ in 0..ATTEMPTS {
        // whatever it is; one of the two fails
        let _ = std::fs::remove_file(path);
        let _ = std::fs::remove_dir_all(path);
        // another thread may still be unpacking into it
        if !path.exists() {
            return;
        }
    }
}
