//! Platforms of FMU libraries.

use std::fmt;

/// A platform, named after its FMI folder in `binaries/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Platform {
    /// Linux on x86-64.
    Linux64,
    /// Windows on x86-64.
    Win64,
    /// Windows on x86.
    Win32,
    /// macOS.
    Darwin64,
    /// Linux on ARM64.
    Aarch64Linux,
}

impl Platform {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Linux64,
        Self::Win64,
        Self::Win32,
        Self::Darwin64,
        Self::Aarch64Linux,
    ];

    /// The platform of this program, if FMI supports it.
    pub fn current() -> Option<Self> {
        match (std::env::consts::OS, std::env::consts::ARCH) {
            ("linux", "x86_64") => Some(Self::Linux64),
            ("linux", "aarch64") => Some(Self::Aarch64Linux),
            ("windows", "x86_64") => Some(Self::Win64),
            ("windows", "x86") => Some(Self::Win32),
            ("macos", _) => Some(Self::Darwin64),
            _ => None,
        }
    }

    /// From the name of its folder.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.folder() == name)
    }

    /// Folder in `binaries/`.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Linux64 => "linux64",
            Self::Win64 => "win64",
            Self::Win32 => "win32",
            Self::Darwin64 => "darwin64",
            Self::Aarch64Linux => "aarch64-linux",
        }
    }

    /// Extension of a shared library, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Linux64 | Self::Aarch64Linux => "so",
            Self::Win64 | Self::Win32 => "dll",
            Self::Darwin64 => "dylib",
        }
    }

    /// File name of the library as built by the compiler.
    pub fn built_name(self) -> String {
        let prefix = match self {
            Self::Linux64 | Self::Aarch64Linux | Self::Darwin64 => "lib",
            Self::Win64 | Self::Win32 => "",
        };
        format!("{prefix}{}.{}", super::LIBRARY, self.ending())
    }

    /// Do these bytes look like a library for it?
    pub fn takes(self, bytes: &[u8]) -> bool {
        let elf = |machine: u16| {
            bytes.starts_with(b"\x7fELF\x02\x01") && number(bytes, 18) == Some(machine)
        };
        let pe = |machine: u16| {
            let header = number(bytes, 0x3c).map(usize::from);
            let is_pe = |at: usize| bytes.get(at..at + 4) == Some(b"PE\0\0");
            bytes.starts_with(b"MZ")
                && header.is_some_and(|at| is_pe(at) && number(bytes, at + 4) == Some(machine))
        };
        match self {
            Self::Linux64 => elf(62),
            Self::Aarch64Linux => elf(183),
            Self::Win64 => pe(0x8664),
            Self::Win32 => pe(0x014c),
            Self::Darwin64 => {
                bytes.starts_with(&[0xcf, 0xfa, 0xed, 0xfe])
                    || bytes.starts_with(&[0xca, 0xfe, 0xba, 0xbe])
            }
        }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.folder())
    }
}

// two bytes, little-endian
fn number(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at + 2)?;
    Some(u16::from_le_bytes([pair[0], pair[1]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_told_apart_by_their_headers() {
        let mut elf = vec![0; 64];
        elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
        elf[18] = 62;
        let mut pe = vec![0; 0x100];
        pe[..2].copy_from_slice(b"MZ");
        pe[0x3c] = 0x80;
        pe[0x80..0x86].copy_from_slice(b"PE\0\0\x64\x86");
        for platform in Platform::ALL {
            assert_eq!(platform.takes(&elf), platform == Platform::Linux64);
            assert_eq!(platform.takes(&pe), platform == Platform::Win64);
            assert!(!platform.takes(b""), "{platform}");
            assert_eq!(Platform::from_name(platform.folder()), Some(platform));
        }
    }
}
