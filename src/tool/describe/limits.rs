//! Size limits of FMUs, shared by `build` and `check`.

/// Maximum number of entries of an archive.
const MOST_ENTRIES: usize = 20_000;
/// Maximum unpacked size of an archive, bytes.
const MOST_BYTES: u64 = 1 << 30;
/// Maximum length of the name of an entry, bytes.
const LONGEST_NAME: usize = 1000;
/// Maximum depth of folders.
const DEEPEST: usize = 100;

/// The limit that an archive exceeds, if any.
pub fn of_archive(n_entries: usize, bytes: u64) -> Option<String> {
    if n_entries > MOST_ENTRIES {
        return Some(format!(
            "{n_entries} entries, and at most {MOST_ENTRIES} are unpacked"
        ));
    }
    (bytes > MOST_BYTES)
        .then(|| format!("{bytes} bytes when unpacked, and at most {MOST_BYTES} are unpacked"))
}

/// The limit that the name of an entry exceeds, if any.
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
