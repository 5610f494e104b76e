//! Removes temporary files and folders when the program is interrupted.
//!
//! One lock orders the creation of temporary files and their removal on interruption: what is created is registered before the
//! lock is released, and the thread that handles the interruption holds it until the program ends.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Exit code of an interrupted program, as used by shells.
const INTERRUPTED: i32 = 130;

/// Attempts to remove a folder that is still being filled.
const ATTEMPTS: usize = 100;

static TEMPORARY: Registry = Registry::new();

/// Creates a temporary file or folder, and registers it for removal on interruption.
pub fn create<T: AsRef<Path>>(create: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    TEMPORARY.create(create)
}

/// Unregisters a path that was removed or has become permanent.
pub fn forget(path: &Path) {
    TEMPORARY.paths().retain(|other| other != path);
}

/// Installs a handler that removes temporary files on interruption (Ctrl-C, a closed terminal, a request to terminate).
pub fn on_interrupt() {
    // without a handler only temporary files stay behind
    let _ = ctrlc::set_handler(|| {
        let _held_until_the_end = TEMPORARY.remove_all();
        std::process::exit(INTERRUPTED);
    });
}

/// Paths to remove on interruption.
struct Registry(Mutex<Vec<PathBuf>>);

impl Registry {
    const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    fn paths(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn create<T: AsRef<Path>>(&self, create: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let mut paths = self.paths();
        let created = create()?;
        paths.push(created.as_ref().to_owned());
        Ok(created)
    }

    /// Removes all paths. Nothing is created while the result is held.
    fn remove_all(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        let paths = self.paths();
        paths.iter().for_each(|path| remove(path));
        paths
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;
    use tempfile::{NamedTempFile, TempDir};

    #[test]
    fn a_file_that_is_being_created_is_removed_on_interruption() {
        let registry = Registry::new();
        let (begun, begins) = mpsc::channel();
        std::thread::scope(|scope| {
            let created = scope.spawn(|| {
                registry.create(|| {
                    let file = NamedTempFile::new();
                    begun.send(()).expect("the other thread listens");
                    std::thread::sleep(Duration::from_millis(50));
                    file
                })
            });
            begins.recv().expect("the file is created");
            drop(registry.remove_all());
            let created = created.join().expect("no panic").expect("a file");
            assert!(!created.path().exists());
        });
    }

    #[test]
    fn nothing_is_created_once_an_interruption_is_handled() {
        let registry = Registry::new();
        let (made, makes) = mpsc::channel();
        std::thread::scope(|scope| {
            let held = registry.remove_all();
            scope.spawn(|| {
                let folder = registry.create(TempDir::new);
                made.send(folder.is_ok()).expect("the other thread listens");
            });
            assert!(makes.recv_timeout(Duration::from_millis(50)).is_err());
            drop(held);
            assert!(makes.recv().expect("created after the lock is released"));
        });
    }
}
