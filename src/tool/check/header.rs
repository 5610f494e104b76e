//! Consistency of the headers of a shared library: a truncated or damaged file crashes the loader.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Maximum number of entries of a table in a header; no library has more.
const MAX_ENTRIES: u64 = 10_000;

/// The damage of an ELF, PE or Mach-O library, if any.
///
/// # Errors
/// The file cannot be read.
pub fn damage(path: &Path) -> io::Result<Option<String>> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut library = Library { file, length };
    let start = library.part(0, 4)?;
    let damage = match start.as_deref() {
        Some(b"\x7fELF") => elf(&mut library)?,
        Some([b'M', b'Z', ..]) => pe(&mut library)?,
        Some([0xcf, 0xfa, 0xed, 0xfe]) => mach(&mut library)?,
        Some([0xca, 0xfe, 0xba, 0xbe]) => fat(&mut library)?,
        _ => Some("its header is not that of a library"),
    };
    Ok(damage.map(str::to_owned))
}

type Verdict = io::Result<Option<&'static str>>;

struct Library {
    file: File,
    length: u64,
}

impl Library {
    /// Bytes at an offset, if the file has them.
    fn part(&mut self, at: u64, length: u64) -> io::Result<Option<Vec<u8>>> {
        if !self.has(at, length) {
            return Ok(None);
        }
        self.file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        self.file.by_ref().take(length).read_to_end(&mut bytes)?;
        Ok((bytes.len() as u64 == length).then_some(bytes))
    }

    fn has(&self, at: u64, length: u64) -> bool {
        at.checked_add(length).is_some_and(|end| end <= self.length)
    }
}

fn elf(library: &mut Library) -> Verdict {
    const SHORT: Verdict = Ok(Some("its header is truncated"));
    const SEGMENT: u64 = 56;
    const SECTION: u64 = 64;
    let Some(header) = library.part(0, 64)? else {
        return SHORT;
    };
    let (u16_at, u64_at) = (|at| little(&header, at, 2), |at| little(&header, at, 8));
    let (n_segments, n_sections) = (u16_at(56), u16_at(60));
    if u16_at(16) != 3 {
        return Ok(Some("its header is not that of a shared library"));
    }
    if n_segments == 0 || u16_at(54) != SEGMENT {
        return Ok(Some("its header has no table of segments"));
    }
    let Some(table) = library.part(u64_at(32), n_segments * SEGMENT)? else {
        return Ok(Some("its table of segments is outside the file"));
    };
    // the loader does not need sections, but they come last: a truncated file has lost them
    if n_sections > 0 && (u16_at(58) != SECTION || !library.has(u64_at(40), n_sections * SECTION)) {
        return Ok(Some("its table of sections is outside the file"));
    }
    let mut end = 0;
    let (mut is_loaded, mut is_linked) = (false, false);
    for segment in table.chunks_exact(SEGMENT as usize) {
        let field = |at| little(segment, at, 8);
        let (kind, offset, address) = (little(segment, 0, 4), field(8), field(16));
        let (in_file, in_memory, align) = (field(32), field(40), field(48));
        // loadable segments and the dynamic section
        if ![1, 2].contains(&kind) {
            continue;
        }
        if !library.has(offset, in_file) {
            return Ok(Some("a segment is outside the file"));
        }
        if kind == 2 {
            is_linked = true;
            continue;
        }
        is_loaded = true;
        let Some(last) = address.checked_add(in_memory) else {
            return Ok(Some("a segment is outside memory"));
        };
        let is_aligned = align < 2 || align.is_power_of_two() && address % align == offset % align;
        if in_file > in_memory || !is_aligned || address < end {
            return Ok(Some("a segment has no valid address in memory"));
        }
        end = last;
    }
    let is_whole = is_loaded && is_linked;
    Ok((!is_whole).then_some("it has no loadable segment or no dynamic section"))
}

fn pe(library: &mut Library) -> Verdict {
    const SECTION: u64 = 40;
    const CUT_OFF: &str = "its header is truncated";
    let Some(stub) = library.part(0, 64)? else {
        return Ok(Some(CUT_OFF));
    };
    let at = little(&stub, 0x3c, 4);
    let Some(header) = library.part(at, 24)? else {
        return Ok(Some(CUT_OFF));
    };
    let (n, optional) = (little(&header, 6, 2), little(&header, 20, 2));
    let Some(table) = library.part(at + 24 + optional, n * SECTION)? else {
        return Ok(Some("its table of sections is outside the file"));
    };
    let is_outside = |section: &[u8]| {
        let (size, at) = (little(section, 16, 4), little(section, 20, 4));
        at > 0 && !library.has(at, size)
    };
    let mut sections = table.chunks_exact(SECTION as usize);
    let damage = sections.any(is_outside);
    Ok(damage.then_some("a section is outside the file"))
}

fn mach(library: &mut Library) -> Verdict {
    const SEGMENT: u64 = 0x19;
    let Some(header) = library.part(0, 32)? else {
        return Ok(Some("its header is truncated"));
    };
    let (n, size) = (little(&header, 16, 4), little(&header, 20, 4));
    let commands = match library.part(32, size)? {
        Some(commands) if n <= MAX_ENTRIES => commands,
        _ => return Ok(Some("its load commands are outside the file")),
    };
    let mut rest = commands.as_slice();
    for _ in 0..n {
        let length = if rest.len() < 8 {
            0
        } else {
            little(rest, 4, 4)
        };
        if length < 8 || length > rest.len() as u64 {
            return Ok(Some("a load command is outside the table"));
        }
        let (command, behind) = rest.split_at(length as usize);
        if little(command, 0, 4) == SEGMENT
            && (length < 72 || !library.has(little(command, 40, 8), little(command, 48, 8)))
        {
            return Ok(Some("a segment is outside the file"));
        }
        rest = behind;
    }
    Ok(None)
}

/// A universal binary: libraries for several processors in one file.
fn fat(library: &mut Library) -> Verdict {
    const ENTRY: u64 = 20;
    let Some(header) = library.part(0, 8)? else {
        return Ok(Some("its header is truncated"));
    };
    let n = big(&header, 4);
    let entries = match library.part(8, n.min(MAX_ENTRIES) * ENTRY)? {
        Some(entries) if (1..=MAX_ENTRIES).contains(&n) => entries,
        _ => return Ok(Some("its table of libraries is outside the file")),
    };
    let is_outside = |entry: &[u8]| !library.has(big(entry, 8), big(entry, 12));
    let damage = entries.chunks_exact(ENTRY as usize).any(is_outside);
    Ok(damage.then_some("one of several libraries is outside the file"))
}

/// A little-endian number.
fn little(bytes: &[u8], at: usize, n: usize) -> u64 {
    let found = bytes.get(at..at + n).unwrap_or_default();
    found
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// A big-endian number of four bytes.
fn big(bytes: &[u8], at: usize) -> u64 {
    let found = bytes.get(at..at + 4).unwrap_or_default();
    found
        .iter()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn damage_of(bytes: &[u8]) -> Option<String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        damage(file.path()).unwrap()
    }

    fn put(bytes: &mut [u8], at: usize, number: u64, n: usize) {
        bytes[at..at + n].copy_from_slice(&number.to_le_bytes()[..n]);
    }

    /// One loadable segment and one dynamic section.
    fn elf() -> Vec<u8> {
        let mut bytes = vec![0; 0x200];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        for (at, number, n) in [
            (16, 3, 2),
            (18, 62, 2),
            (32, 64, 8),
            (54, 56, 2),
            (56, 2, 2),
        ] {
            put(&mut bytes, at, number, n);
        }
        for (at, number) in [
            (64, 1),
            (64 + 32, 0x200),
            (64 + 40, 0x400),
            (64 + 48, 0x1000),
        ] {
            put(&mut bytes, at, number, 8);
        }
        for (at, number) in [
            (120, 2),
            (120 + 8, 0x100),
            (120 + 32, 0x40),
            (120 + 40, 0x40),
        ] {
            put(&mut bytes, at, number, 8);
        }
        bytes
    }

    #[test]
    fn a_library_that_is_whole_passes_and_one_that_is_cut_off_does_not() {
        let whole = elf();
        assert_eq!(damage_of(&whole), None);
        for length in [0, 3, 5, 63, 64, 150, 0x1ff] {
            assert!(damage_of(&whole[..length]).is_some(), "{length}");
        }
    }

    #[test]
    fn fields_that_point_elsewhere_are_damage() {
        for (at, number, n) in [
            (16, 2, 2),
            (32, u64::MAX, 8),
            (54, 55, 2),
            (56, 0, 2),
            (56, 60_000, 2),
            (60, 9, 2),
            (64, 7, 4),
            (64 + 8, 0x1000, 8),
            (64 + 8, 8, 8),
            (64 + 16, u64::MAX - 10, 8),
            (64 + 32, u64::MAX, 8),
            (64 + 40, 0x100, 8),
            (64 + 48, 3, 8),
            (120, 7, 4),
            (120 + 8, 0x1f0, 8),
        ] {
            let mut bytes = elf();
            put(&mut bytes, at, number, n);
            assert!(damage_of(&bytes).is_some(), "{number:#x} at {at}");
        }
    }

    #[test]
    fn other_formats_are_read_too() {
        let mut pe = vec![0; 0x200];
        pe[..2].copy_from_slice(b"MZ");
        put(&mut pe, 0x3c, 0x80, 4);
        pe[0x80..0x84].copy_from_slice(b"PE\0\0");
        put(&mut pe, 0x86, 1, 2);
        put(&mut pe, 0x98 + 16, 0x80, 4);
        put(&mut pe, 0x98 + 20, 0x180, 4);
        assert_eq!(damage_of(&pe), None);
        assert!(damage_of(&pe[..0x1ff]).is_some());
        put(&mut pe, 0x3c, 0xffff_fff0, 4);
        assert!(damage_of(&pe).is_some());

        let mut mach = vec![0; 0x100];
        mach[..4].copy_from_slice(&[0xcf, 0xfa, 0xed, 0xfe]);
        for (at, number) in [(16, 1), (20, 72), (32, 0x19), (36, 72), (80, 0x100)] {
            put(&mut mach, at, number, 4);
        }
        assert_eq!(damage_of(&mach), None);
        assert!(damage_of(&mach[..0xff]).is_some());
        put(&mut mach, 36, 0, 4);
        assert!(damage_of(&mach).is_some());

        let mut fat = vec![0; 0x100];
        fat[..8].copy_from_slice(&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1]);
        fat[8 + 11] = 0x80;
        fat[8 + 15] = 0x80;
        assert_eq!(damage_of(&fat), None);
        assert!(damage_of(&fat[..0xff]).is_some());
        fat[4] = 0xff;
        assert!(damage_of(&fat).is_some());
    }
}
