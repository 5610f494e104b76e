//! A process that calls a library ends with the one that started it, also in the middle of a call.

use std::path::PathBuf;

/// How often it is looked for the other process.
#[cfg(unix)]
const LOOK: std::time::Duration = std::time::Duration::from_millis(200);

/// From now on this process ends, and removes the folder, when the one that started it is gone. Where the system does not tell
/// that, a process ends when it finds nobody to answer to.
#[cfg(unix)]
pub fn end_with_parent(parent: u32, folder: PathBuf) {
    use std::os::unix::process::parent_id;
    let watch = move || {
        while parent_id() == parent {
            std::thread::sleep(LOOK);
        }
        // nobody is left to hear of a failure
        let _ = std::fs::remove_dir_all(&folder);
        // SAFETY: does not return, and runs nothing of the library
        unsafe { _exit(1) };
    };
    // without a thread it ends after the call
    let _ = std::thread::Builder::new().spawn(watch);
}

/// From now on this process ends when it finds nobody to answer to.
#[cfg(not(unix))]
pub fn end_with_parent(_parent: u32, _folder: PathBuf) {}

#[cfg(unix)]
unsafe extern "C" {
    fn _exit(code: i32) -> !;
}
