//! The shared library, and stand-ins for it.

use std::path::PathBuf;
use stiction::fmu::IDENTITY;
use stiction::tool::describe::Platform;

/// The shared library that was built with this program: above the folder of the program's executable.
pub fn built_library() -> PathBuf {
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let name = format!("{prefix}stiction{suffix}");
    let program = std::env::current_exe().unwrap();
    let mut files = program.ancestors().skip(1).map(|above| above.join(&name));
    let file = files.find(|file| file.is_file());
    file.unwrap_or_else(|| panic!("{name} is not above {}", program.display()))
}

/// What is looked at in a library: its header, and the name of a function.
pub fn fake_library(platform: Platform) -> Vec<u8> {
    let mut bytes = vec![0; 256];
    bytes.extend(b"fmi2DoStep");
    match platform {
        Platform::Linux64 | Platform::Aarch64Linux => {
            bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
            bytes[18] = if platform == Platform::Linux64 {
                62
            } else {
                183
            };
        }
        Platform::Win64 | Platform::Win32 => {
            bytes[..2].copy_from_slice(b"MZ");
            bytes[0x3c] = 0x80;
            bytes[0x80..0x84].copy_from_slice(b"PE\0\0");
            let machine: [u8; 2] = if platform == Platform::Win64 {
                [0x64, 0x86]
            } else {
                [0x4c, 0x01]
            };
            bytes[0x84..0x86].copy_from_slice(&machine);
        }
        Platform::Darwin64 => bytes[..4].copy_from_slice(&[0xcf, 0xfa, 0xed, 0xfe]),
    }
    bytes
}

/// One that says that it is of the source of this program.
pub fn current_library(platform: Platform) -> Vec<u8> {
    let mut bytes = fake_library(platform);
    bytes.extend(IDENTITY.as_bytes());
    bytes
}
