//! A full disk, Ctrl-C or a kill leaves the old file or the new one, never another.

#![cfg(target_os = "linux")]

use crate::common::command::{TOOL, scratch};
use crate::common::libraries;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stiction::tool::describe::Platform;

/// Attempts with each command and signal.
const ATTEMPTS: u32 = 20;

const OLD: &[u8] = b"what was there before";

fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(TOOL);
    command
        .args(line.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The commands, and the file that each of them makes.
const COMMANDS: [(&str, &str); 3] = [
    ("run two_carts --until 40 -o rows.csv", "rows.csv"),
    ("run two_carts --until 40 --report page.html", "page.html"),
    (
        "build gripper --library linux64=LIBRARY -o gripper.fmu",
        "gripper.fmu",
    ),
];

/// The line of a command; there may be no library beside a tool that is tested.
fn line(command: &str, folder: &Path) -> String {
    let library = folder.join("library.so");
    if !library.exists() {
        let mut bytes = libraries::current_library(Platform::Linux64);
        // as large as one
        bytes.extend((0..2_000_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8));
        fs::write(&library, bytes).unwrap();
    }
    command.replace("LIBRARY", "library.so")
}

/// The file as a whole, once, and how long that took.
fn whole(folder: &Path, line: &str, file: &str) -> (u64, Duration) {
    let clock = Instant::now();
    let done = command(folder, line).status().unwrap();
    let span = clock.elapsed();
    assert!(done.success(), "{line}");
    (fs::metadata(folder.join(file)).unwrap().len(), span)
}

fn is_whole(path: &Path, length: u64) -> bool {
    let bytes = fs::read(path).unwrap();
    // pages tell the time that the run took
    bytes == OLD || bytes.len().abs_diff(length as usize) < 64
}

fn interrupt(signal: &str) {
    let folder = scratch(signal);
    let mut left = 0;
    for (text, file) in COMMANDS {
        let line = line(text, &folder);
        let (length, span) = whole(&folder, &line, file);
        let path = folder.join(file);
        let mut seed = 1u32;
        for attempt in 0..ATTEMPTS {
            fs::write(&path, OLD).unwrap();
            let mut child = command(&folder, &line).spawn().unwrap();
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let part = f64::from(seed >> 8) / f64::from(1u32 << 24);
            std::thread::sleep(span.mul_f64(1.1 * part));
            let id = child.id().to_string();
            let _ = Command::new("kill")
                .args([signal, &id])
                .stderr(Stdio::null())
                .status();
            child.wait().unwrap();
            assert!(
                is_whole(&path, length),
                "{text}, attempt {attempt}: another file"
            );
            left += u32::from(fs::read(&path).unwrap() == OLD);
        }
    }
    assert!(left > ATTEMPTS / 2, "signals came too late: {left}");
    let remains = fs::read_dir(&folder).unwrap();
    let parts = remains.filter(|e| {
        e.as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .ends_with(".part")
    });
    // nobody can clean up after a kill
    assert!(signal == "-KILL" || parts.count() == 0);
}

#[test]
fn ctrl_c_leaves_the_old_file_or_the_new_one() {
    interrupt("-INT");
}

#[test]
fn a_kill_leaves_the_old_file_or_the_new_one() {
    interrupt("-KILL");
}

/// A disk of 64 kB, where that is permitted; otherwise files of that size at most.
#[test]
fn a_full_disk_leaves_the_old_file() {
    let folder = scratch("interrupted/full");
    let tool = TOOL;
    for (text, file) in COMMANDS {
        let line = line(text, &folder);
        let place = folder.join("disk");
        fs::create_dir_all(&place).unwrap();
        let file_on_disk = place.join(file);
        let line = line.replace(&format!(" {file}"), &format!(" disk/{file}"));
        let small_disk = format!(
            "mount -t tmpfs -o size=64k none disk && printf 'what was there before' > disk/{file} && {{ {tool} {line} >/dev/null 2>told; echo $? >code; cat disk/{file} >after; ls -A disk >list; }}"
        );
        let mounted = Command::new("unshare")
            .args(["-rm", "sh", "-c", &small_disk])
            .current_dir(&folder)
            .stderr(Stdio::null())
            .status();
        if mounted.is_ok_and(|status| status.success()) {
            let code = fs::read_to_string(folder.join("code")).unwrap();
            assert_ne!(code.trim(), "0", "{text}");
            assert_eq!(fs::read(folder.join("after")).unwrap(), OLD, "{text}");
            let list = fs::read_to_string(folder.join("list")).unwrap();
            assert_eq!(list.trim(), file, "{text}");
        } else {
            fs::write(&file_on_disk, OLD).unwrap();
            // 512 bytes each; the signal is ignored, so that writing fails
            let short_files = format!("trap '' XFSZ; ulimit -f 128; exec {tool} {line}");
            let status = Command::new("sh")
                .args(["-c", &short_files])
                .current_dir(&folder)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .unwrap();
            assert!(!status.success(), "{text}");
            assert_eq!(fs::read(&file_on_disk).unwrap(), OLD, "{text}");
        }
    }
}

#[test]
fn a_device_without_room_is_reported() {
    let folder = scratch("interrupted/device");
    let output = Command::new(TOOL)
        .args(["run", "two_carts", "-o", "/dev/full"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("the disk is full"), "{text}");
}
