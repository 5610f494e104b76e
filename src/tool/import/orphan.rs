//! A process that calls a library ends with the one that started it, also in the middle of a call.

use std::path::PathBuf;

/// How often it is looked for the other process.
#[cfg(unix)]
const LOOK: std::time::Duration = std::time::Duration::from_millis(200);

/// Looks for the process that started this one, as long as it lives. Without that one the folder is removed.
#[derive(Debug)]
pub struct ParentWatch {
    parent: u32,
    folder: PathBuf,
}

impl ParentWatch {
    /// From now on this process ends, and removes the folder, when the one that started it is gone. Where the system does not
    /// tell that, it ends when it finds nobody to answer to.
    pub fn start(parent: u32, folder: PathBuf) -> Self {
        let watch = Self { parent, folder };
        watch.start_thread();
        watch
    }

    /// The other process is gone.
    pub fn clean(&self) {
        // nobody is left to hear of a failure
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
                std::thread::sleep(LOOK);
            }
            own.clean();
            // SAFETY: does not return, and runs nothing of the library
            unsafe { _exit(1) };
        };
        // without a thread it ends after the call
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
