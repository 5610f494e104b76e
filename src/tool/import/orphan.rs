//! Ends a process that calls a library when its parent process ends, even during a call.

use std::path::PathBuf;

/// Polling interval.
#[cfg(unix)]
const POLL_INTERVAL: std::time::Duration = std::time::Duration::from_millis(200);

/// Watches the parent process; removes the folder when it is gone.
#[derive(Debug)]
pub struct ParentWatch {
    parent: u32,
    folder: PathBuf,
}

impl ParentWatch {
    /// Starts watching: this process ends, and removes the folder, when its parent is gone. Where the system does not
    /// provide that, it ends when it has no one to report to.
    pub fn start(parent: u32, folder: PathBuf) -> Self {
        let watch = Self { parent, folder };
        watch.start_thread();
        watch
    }

    /// To be called when the parent is gone.
    pub fn clean(&self) {
        // a failure cannot be reported
        let _ = std::fs::remove_dir_all(&self.folder);
    }

    #[cfg(unix)]
    fn is_orphan(&self) -> bool {
        std::os::unix::process::parent_id() != self.parent
    }

    #[cfg(not(unix))]
    fn is_orphan(&self) -> bool {
        let _ = self.parent;
        false
    }

    #[cfg(unix)]
    fn start_thread(&self) {
        let own = Self {
            parent: self.parent,
            folder: self.folder.clone(),
        };
        let watch = move || {
            while !own.is_orphan() {
                std::thread::sleep(POLL_INTERVAL);
            }
            own.clean();
            // SAFETY: does not return, and executes nothing of the library
            unsafe { _exit(1) };
        };
        // without a thread the process ends after the call
        let _ = std::thread::Builder::new().spawn(watch);
    }

    #[cfg(not(unix))]
    fn start_thread(&self) {}
}

impl Drop for ParentWatch {
    fn drop(&mut self) {
        if self.is_orphan() {
            self.clean();
        }
    }
}

#[cfg(unix)]
unsafe extern "C" {
    fn _exit(code: i32) -> !;
}
