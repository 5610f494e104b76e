//! Random passive scenes, run and checked: does energy rise, are losses negative or invented, do shapes overlap or joints drift, without a warning?
//!
//! `cargo bench --bench passive -- count=1000 family=plane mode=tolerance` prints a line for each scene that is wrong and a table.
//! Arguments, each with its default: `from=0 count=100 family=all contacts=rigid|compliant mode=fixed|tolerance tool=PATH jobs=1 write=FOLDER keep=FOLDER tolerance=1e-6 step=`.
//! `tool` checks another build through its command line; `write` writes all scenes and runs none; `keep` keeps the scenes that are wrong.

mod command;
#[path = "../../tests/common/mod.rs"]
mod common;
mod measure;

use command::Way;
use common::command::TOOL;
use common::passive::{Class, Finding, Record, check};
use common::random_scenes::{Contacts, Family, scene};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Arguments {
    from: u64,
    count: u64,
    families: Vec<Family>,
    contacts: Contacts,
    way: Way,
    tool: PathBuf,
    jobs: usize,
    write: Option<PathBuf>,
    keep: Option<PathBuf>,
    files: Vec<PathBuf>,
}

fn main() {
    let arguments = Arguments::read();
    let scenes = arguments.scenes();
    if let Some(folder) = &arguments.write {
        for (name, text) in &scenes {
            write(folder, name, text);
        }
        return println!("{} scenes", scenes.len());
    }
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs {
            scope.spawn(|| {
                while let Some((name, text)) = scenes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let record = command::run(&arguments.tool, name, text, arguments.way);
                    let findings = check(&record);
                    print_line(name, &record, &findings);
                    if let Some(folder) = arguments.keep.as_deref().filter(|_| !findings.is_empty())
                    {
                        write(folder, name, text);
                    }
                    if let Ok(mut results) = results.lock() {
                        results.push((name.clone(), record, findings));
                    }
                }
            });
        }
    });
    print_table(&results.into_inner().unwrap_or_default());
}

impl Arguments {
    fn read() -> Self {
        let mut arguments = Self {
            from: 0,
            count: 100,
            families: Family::ALL.to_vec(),
            contacts: Contacts::Rigid,
            way: Way {
                tolerance: None,
                step: None,
            },
            tool: PathBuf::from(TOOL),
            jobs: 1,
            write: None,
            keep: None,
            files: Vec::new(),
        };
        let mut tolerance = 1e-6;
        for argument in std::env::args().skip(1).filter(|a| a != "--bench") {
            let Some((key, value)) = argument.split_once('=') else {
                arguments.files.push(PathBuf::from(argument));
                continue;
            };
            let number = || value.parse::<f64>().expect("a number");
            match key {
                "from" => arguments.from = number() as u64,
                "count" => arguments.count = number() as u64,
                "family" => arguments
                    .families
                    .retain(|f| value == "all" || f.name() == value),
                "contacts" if value == "rigid" => (),
                "contacts" => arguments.contacts = Contacts::Compliant,
                "mode" if value == "fixed" => (),
                "mode" => arguments.way.tolerance = Some(tolerance),
                "tolerance" => {
                    tolerance = number();
                    arguments.way.tolerance = Some(tolerance);
                }
                "step" => arguments.way.step = Some(number()),
                "tool" => arguments.tool = PathBuf::from(value),
                "jobs" => arguments.jobs = number() as usize,
                "write" => arguments.write = Some(PathBuf::from(value)),
                "keep" => arguments.keep = Some(PathBuf::from(value)),
                _ => panic!("no argument is called {key}"),
            }
        }
        // time stepping has no tolerance
        if arguments.way.tolerance.is_some() {
            arguments
                .families
                .retain(|family| *family != Family::TimeStepping);
        }
        arguments
    }

    fn scenes(&self) -> Vec<(String, String)> {
        if !self.files.is_empty() {
            let read = |path: &PathBuf| {
                let text = std::fs::read_to_string(path).expect("a scene");
                (
                    path.file_stem()
                        .unwrap_or_default()
                        .to_string_lossy()
                        .into_owned(),
                    text,
                )
            };
            return self.files.iter().map(read).collect();
        }
        let mut scenes = Vec::new();
        for seed in self.from..self.from + self.count {
            for family in &self.families {
                let text = scene(seed, *family, self.contacts);
                scenes.push((format!("{}_{seed}", family.name()), text));
            }
        }
        scenes
    }
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(folder.join(format!("{name}.toml")), text).expect("a file");
}

fn print_line(name: &str, record: &Record, findings: &[Finding]) {
    if findings.is_empty() {
        return;
    }
    let mut line = format!("{name:12} {:6.2} s ", record.seconds);
    for finding in findings {
        let silent = if finding.is_silent { "silent " } else { "" };
        line += &format!(" {silent}{} {:.1e};", finding.class.name(), finding.size);
    }
    if let Some(why) = &record.stopped {
        line += &format!(" {why}");
    }
    println!("{line}");
}

/// Counts of each class: scenes that are wrong, those without a warning, and warnings of it, right or not.
fn print_table(results: &[(String, Record, Vec<Finding>)]) {
    let n = results.len().max(1) as f64;
    println!(
        "\n{} runs        wrong  silent            warned",
        results.len()
    );
    for class in Class::ALL {
        let all = results.iter().flat_map(|(_, _, findings)| findings);
        let of_class: Vec<_> = all.filter(|finding| finding.class == class).collect();
        let silent = of_class.iter().filter(|finding| finding.is_silent).count();
        let warned = results
            .iter()
            .filter(|(_, record, _)| class.is_told(record));
        row(class.name(), of_class.len(), silent, warned.count(), n);
    }
    let wrong = results
        .iter()
        .filter(|(_, _, findings)| !findings.is_empty());
    let silent = results
        .iter()
        .filter(|(_, _, findings)| findings.iter().any(|f| f.is_silent));
    let warned = results
        .iter()
        .filter(|(_, record, _)| !record.warnings.is_empty());
    row("any", wrong.count(), silent.count(), warned.count(), n);
    let seconds = results.iter().map(|(_, record, _)| record.seconds);
    let longest = seconds.clone().fold(0.0, f64::max);
    println!("longest {longest:.2} s, all {:.1} s", seconds.sum::<f64>());
}

fn row(label: &str, wrong: usize, silent: usize, warned: usize, n: f64) {
    let part = |count: usize| 100.0 * count as f64 / n;
    println!(
        "{label:16} {wrong:6} {silent:7} {:6.2} % {warned:7} {:6.2} %",
        part(silent),
        part(warned)
    );
}
