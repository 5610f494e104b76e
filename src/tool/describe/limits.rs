//! How large an FMU may be: `build` makes none that `check` would not unpack.

/// Entries of an archive that is unpacked.
const MOST_ENTRIES: usize = 20_000;
/// Bytes of an archive that is unpacked, altogether.
const MOST_BYTES: u64 = 1 << 30;
/// Bytes of the name of an entry.
const LONGEST_NAME: usize = 1000;
/// Folders inside each other.
const DEEPEST: usize = 100;

/// What an archive has too much of, if so.
pub fn of_archive(n_entries: usize, bytes: u64) -> Option<String> {
    if n_entries > MOST_ENTRIES {
        return Some(format!(
            "{n_entries} entries, and at most {MOST_ENTRIES} are unpacked"
        ));
    }
    (bytes > MOST_BYTES)
        .then(|| format!("{bytes} bytes when unpacked, and at most {MOST_BYTES} are unpacked"))
}

/// What is too long about the name of an entry, if it is.
pub fn of_name(name: &str) -> Option<String> {
    let n_folders = name.matches(['/', '\\']).count();
    if n_folders > DEEPEST {
        return Some(format!(
            "is {n_folders} folders deep, and at most {DEEPEST} are unpacked"
        ));
    }
    let bytes = name.len();
    (bytes > LONGEST_NAME)
        .then(|| format!("has a name of {bytes} bytes, and at most {LONGEST_NAME} are unpacked"))
}
