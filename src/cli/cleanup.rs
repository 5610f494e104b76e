//! Removes temporary files and folders when the program is interrupted.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Exit code of an interrupted program, as used by shells.
const INTERRUPTED: i32 = 130;

/// Attempts to remove a folder that is still being filled.
const ATTEMPTS: usize = 100;

static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn temporary() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Registers a path for removal on interruption.
pub fn remember(path: &Path) {
    temporary().push(path.to_owned());
}

/// Unregisters a path that was removed or has become permanent.
pub fn forget(path: &Path) {
    temporary().retain(|other| other != path);
}

/// Installs a handler that removes temporary files on interruption (Ctrl-C, a closed terminal, a request to terminate).
pub fn on_interrupt() {
    // without a handler only temporary files stay behind
    let _ = ctrlc::set_handler(|| {
        temporary().iter().for_each(|path| remove(path));
        std::process::exit(INTERRUPTED);
    });
}

fn remove(path: &Path) {
    for _ in 0..ATTEMPTS {
        // file or folder: one of the two calls fails
        let _ = std::fs::remove_file(path);
        let _ = std::fs::remove_dir_all(path);
        // another thread may still be unpacking into it
        if !path.exists() {
            return;
        }
    }
}
