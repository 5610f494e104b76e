//! Command line arguments.

use std::path::PathBuf;

use super::libraries::PlatformChoice;
use super::plot::Quantity;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use stiction::kinds::range::Range;
use stiction::scene::spec::Scheme;
use stiction::scene::spec::settings::{Setting, items_of, setting_of};

/// Shown by `--version`.
const VERSION: &str = concat!(env!("STICTION_VERSION"), " (", env!("STICTION_TARGET"), ")");

const EXAMPLES: &str = "\
Examples:
  stiction demo                                from a scene to an FMU and a report to open
  stiction new crate                           a commented scene to start from
  stiction scenes                              list the bundled scenes
  stiction run bouncing_ball                   events and summary of a bundled scene
  stiction run my/scene.toml -o out.csv        and the trajectory, as a CSV file
  stiction run two_carts -o - | head           the trajectory on stdout
  stiction build my/scene.toml -o scene.fmu    an FMU of a scene
  stiction describe falling_rod                its variables
  stiction run any.fmu --report fmu.html       simulate an FMU from any tool
  stiction check any.fmu                       find errors in an FMU
  stiction bench rover                         how long do its steps take?
  stiction compare a.csv b.csv                 do two trajectories agree?

Exit codes: 0 success, 1 failure or difference, 2 invalid arguments, errors in a scene, or a file that cannot be written.
NO_COLOR turns colours off. Data goes to stdout, messages to stderr.";

const RUN_EXAMPLES: &str = "\
Examples:
  stiction run bouncing_ball                   events and summary
  stiction run my/scene.toml -o out.csv        and the trajectory, as a CSV file
  stiction run falling_rod --until 0.6 --step 1e-3 --output-step 0.05 -o -
  stiction run falling_rod --report rod.html   an animation with plots, to open in a browser
  stiction run two_carts --plot velocities,status --plot-file carts.svg
  stiction run falling_rod --tolerance 1e-8    order eight, steps by tolerance
  stiction run plant.toml --input \"hold.force_x=6*cos(t)\"
  stiction run two_carts --scheme implicit_euler --events all
  stiction run two_carts --alpha 0.6 --gamma 0.5

Exit codes: 0 success, 1 the simulation failed, 2 invalid arguments or errors in the scene.";

const COMPARE_EXAMPLES: &str = "\
Examples:
  stiction compare today.csv reference.csv                     absolute 1e-9, relative 1e-6
  stiction compare today.csv reference.csv --tolerance 1e-6    absolute 1e-6 in every unit
  stiction compare today.csv reference.csv --tolerance 0,1e-3  relative 1e-3

Exit codes: 0 they agree, 1 they differ, 2 they cannot be compared.";

const NEW_EXAMPLES: &str = "\
Examples:
  stiction new crate                        crate.toml, in the plane, with comments
  stiction new robot --space                the same in space
  stiction new mine --from two_carts        a copy of a bundled scene";

const BUILD_EXAMPLES: &str = "\
Examples:
  stiction build bouncing_ball                 bouncing_ball.fmu for all platforms with a library
  stiction build my/scene.toml -o scene.fmu
  stiction build my/scene.toml --platforms linux64,win64
  stiction build my/scene.toml --platforms linux64=aarch64-linux
  stiction build my/scene.toml --library linux64=libstiction.so --library win64=stiction.dll

Platforms: linux64, win64, win32, darwin64, aarch64-linux. Without a platform, it is taken from the library's header.
Without --library, libraries come from the folder \"platforms\" next to this program or one level up, and the one for this
machine from the program's own folder if that has none.";

const BENCH_EXAMPLES: &str = "\
Examples:
  stiction bench rover                         duration of its steps: median, 99th percentile, longest
  stiction bench my/scene.toml --until 10 --json
  stiction bench any.fmu                       of its communication steps

Exit codes: 0 success, 1 the simulation failed, 2 invalid arguments or errors in the scene.";

const CHECK_EXAMPLES: &str = "\
Examples:
  stiction check any.fmu                       archive, model description, library
  stiction check any.fmu --no-run              without loading the library
  stiction check any.fmu --json                findings as JSON
  stiction check --rules                       list the rules

The library of an FMU is untrusted code. It is loaded and called in separate processes: that keeps this program alive
after a crash, but does not protect against a malicious library. --no-run loads nothing.

Exit codes: 0 no errors, 1 errors were found or the FMU cannot be read, 2 invalid arguments.";

/// Multibody systems with impacts, dry friction and stiff springs.
#[derive(Debug, Parser)]
#[command(name = "stiction", version = VERSION, after_help = EXAMPLES, max_term_width = 100)]
pub struct Arguments {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene or an FMU: events, summary, trajectory, plots, report
    Run(Box<RunOptions>),
    /// Pack a scene into an FMU (FMI 2.0 for co-simulation)
    Build(BuildOptions),
    /// Print the variables of a scene, or its model description
    Describe(DescribeOptions),
    /// Check any FMI 2.0 FMU: its files, its model description and, by calling it, its library
    Check(CheckOptions),
    /// Measure how long the steps of a scene or an FMU take
    Bench(BenchOptions),
    /// Run one trial of `check` in a separate process
    #[command(hide = true)]
    CheckTrial(TrialOptions),
    /// Serve the calls of a library for `run` in a separate process
    #[command(hide = true)]
    CallLibrary(LibraryOptions),
    /// Compare two trajectories: which variable differs first, when and by how much
    Compare(CompareOptions),
    /// Write a commented scene to start from
    New(NewOptions),
    /// List the scenes that can be named without a path
    Scenes(ScenesOptions),
    /// Build the FMU of a bundled scene, simulate it, and write a report to open in a browser
    Demo(DemoOptions),
    /// Print shell completions
    Completions(CompletionsOptions),
}

/// Arguments of `compare`.
#[derive(Args, Debug)]
#[command(after_help = COMPARE_EXAMPLES)]
pub struct CompareOptions {
    /// A CSV file with a column "time", as `run -o` writes
    pub first: PathBuf,

    /// The CSV file to compare it with
    pub second: PathBuf,

    /// Allowed difference: ABS + REL * largest absolute value of the variable
    #[arg(long, value_name = "ABS[,REL]", default_value = "1e-9,1e-6", value_parser = allowed, allow_negative_numbers = true)]
    pub tolerance: Allowed,

    /// Print the verdict as JSON
    #[arg(long)]
    pub json: bool,
}

/// Allowed difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowed {
    /// In the unit of the variable.
    pub absolute: f64,
    /// Relative to the largest absolute value of the variable.
    pub relative: f64,
}

/// Arguments of `bench`.
#[derive(Args, Debug)]
#[command(after_help = BENCH_EXAMPLES)]
pub struct BenchOptions {
    /// A scene file, the name of a bundled scene, or an FMU
    pub scene: PathBuf,

    /// End of the run, s [default: the scene's]
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    pub until: Option<f64>,

    /// Step, s: the standard step of a scene, the communication step of an FMU [default: the scene's]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub step: Option<f64>,

    /// Print the distribution as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `new`.
#[derive(Args, Debug)]
#[command(after_help = NEW_EXAMPLES)]
pub struct NewOptions {
    /// Name of the scene; the file gets the extension .toml
    pub name: String,

    /// Start from this scene, either a bundled one or a file
    #[arg(long, value_name = "SCENE", conflicts_with = "space")]
    pub from: Option<PathBuf>,

    /// Create a scene in space instead of in the plane
    #[arg(long)]
    pub space: bool,
}

/// Arguments of `scenes`.
#[derive(Args, Debug)]
pub struct ScenesOptions {
    /// Print the list as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `demo`.
#[derive(Args, Debug)]
pub struct DemoOptions {
    /// A scene file, or the name of a bundled scene
    #[arg(default_value = "gripper")]
    pub scene: PathBuf,

    /// Folder for the FMU and the report
    #[arg(long, value_name = "FOLDER", default_value = "stiction_demo")]
    pub folder: PathBuf,
}

/// Arguments of `completions`.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stiction completions bash > ~/.local/share/bash-completion/completions/stiction"
)]
pub struct CompletionsOptions {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Arguments of `run`, for scenes and FMUs. Some apply to only one of the two.
#[derive(Args, Debug)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunOptions {
    /// A scene file, the name of a bundled scene, or an FMU
    pub scene: PathBuf,

    /// End of the run, s [default: the scene's]
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    pub until: Option<f64>,

    /// Time between rows of the trajectory, s [default: the standard step]
    #[arg(long, value_name = "DT", value_parser = positive, allow_negative_numbers = true)]
    pub output_step: Option<f64>,

    /// Standard step, s [default: the scene's]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub step: Option<f64>,

    /// Error tolerance of a step, which selects variable steps [default: the scene's]
    #[arg(long, value_name = "TOL", value_parser = setting("tolerance"), allow_negative_numbers = true, conflicts_with = "step")]
    pub tolerance: Option<f64>,

    /// Integration scheme [default: the scene's]
    #[arg(long, value_name = "NAME", value_parser = scheme_names())]
    pub scheme: Option<Scheme>,

    /// Scheme "general": weight of the end of the step in the forces, 0.5 to 1
    #[arg(long, value_name = "A", value_parser = setting("alpha"), allow_negative_numbers = true)]
    pub alpha: Option<f64>,

    /// Scheme "general": weight of the end velocity in the positions, 0 to 1
    #[arg(long, value_name = "G", value_parser = setting("gamma"), allow_negative_numbers = true)]
    pub gamma: Option<f64>,

    /// Write the trajectory to this CSV file; with "-" it goes to stdout and everything else to stderr
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Add units to the header of the trajectory: "block.position.x [m]" instead of "block.position.x"
    #[arg(long, requires = "output")]
    pub units: bool,

    /// Maximum number of rows in the event table, or "all"
    #[arg(long, value_name = "N", default_value = "200", value_parser = event_rows, allow_negative_numbers = true)]
    pub events: EventRows,

    /// Write all events to this CSV file; with "-" they go to stdout and everything else to stderr
    #[arg(long, value_name = "FILE")]
    pub events_csv: Option<PathBuf>,

    /// Write a report with an animation, plots and events as a self-contained HTML file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Print the summary as JSON, without the table of events
    #[arg(long)]
    pub json: bool,

    /// Inputs over time: a CSV file with a column "time" and one column per input
    #[arg(long, value_name = "FILE")]
    pub inputs: Option<PathBuf>,

    /// An input as an expression of the time t: "push.force_x=6*cos(t)"; may be repeated
    #[arg(long, value_name = "NAME=EXPRESSION")]
    pub input: Vec<String>,

    /// A parameter of a scene, or a start value of an FMU: "pair.block.on.ground.friction=0.5"; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Time limit for each call of an FMU's library, s [default: 60]
    #[arg(long, value_name = "T", value_parser = limit, allow_negative_numbers = true)]
    pub time_limit: Option<f64>,

    /// Plot these quantities over time, separated by commas
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub plot: Vec<Quantity>,

    /// Output file of --plot, SVG or PNG [default: the scene's name with .svg]
    #[arg(long, value_name = "FILE", requires = "plot")]
    pub plot_file: Option<PathBuf>,
}

/// Arguments of `build`.
#[derive(Args, Debug)]
#[command(after_help = BUILD_EXAMPLES)]
pub struct BuildOptions {
    /// A scene file, or the name of a bundled scene
    pub scene: PathBuf,

    /// Output file; "-" for stdout [default: the scene's name with .fmu]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Shared library of a platform; may be repeated
    #[arg(long, value_name = "[PLATFORM=]FILE")]
    pub library: Vec<PathBuf>,

    /// Platforms of the FMU, separated by commas: names, "all" or "own"; "linux64=aarch64-linux" puts the ARM64 library into the
    /// folder where masters on ARM64 look for it [default: all platforms with a library]
    #[arg(long, value_name = "LIST", value_parser = PlatformChoice::parse, conflicts_with = "library")]
    pub platforms: Option<PlatformChoice>,
}

/// Arguments of `describe`.
#[derive(Args, Debug)]
pub struct DescribeOptions {
    /// A scene file, or the name of a bundled scene
    pub scene: PathBuf,

    /// Print modelDescription.xml (FMI 2.0) instead of a table
    #[arg(long)]
    pub xml: bool,

    /// Draw the scene in its initial state to a PNG file instead of printing a table
    #[arg(long, value_name = "FILE", conflicts_with_all = ["xml", "json"])]
    pub picture: Option<PathBuf>,

    /// Print the variables as JSON
    #[arg(long, conflicts_with = "xml")]
    pub json: bool,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct CheckOptions {
    /// The FMU
    #[arg(required_unless_present = "rules")]
    pub fmu: Option<PathBuf>,

    /// Do not load the library, which is untrusted code
    #[arg(long)]
    pub no_run: bool,

    /// Print the findings as JSON
    #[arg(long)]
    pub json: bool,

    /// Time limit for the whole check, s; each library call may take half of it, at most 20 s
    #[arg(long, value_name = "T", default_value = "300", value_parser = limit, allow_negative_numbers = true)]
    pub time_limit: f64,

    /// List the rules and their severities
    #[arg(long)]
    pub rules: bool,
}

/// Arguments of a trial.
#[derive(Args, Debug)]
pub struct TrialOptions {
    /// Name of the trial
    pub trial: String,
    /// The unpacked FMU
    pub folder: PathBuf,
    /// Journal file of the trial
    pub journal: PathBuf,
    /// Time limit for each call, s
    #[arg(value_parser = limit)]
    pub time_limit: f64,
    /// Id of the parent process
    pub parent: u32,
}

/// Arguments of the process that calls a library.
#[derive(Args, Debug)]
pub struct LibraryOptions {
    /// The library
    pub library: PathBuf,
    /// Folder to remove if the parent process dies
    pub folder: PathBuf,
    /// Id of the parent process
    pub parent: u32,
}

/// Number of events shown in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRows(pub usize);

/// Values of `--scheme`, the same as in a scene file.
fn scheme_names() -> impl TypedValueParser<Value = Scheme> {
    let names = items_of("scheme").iter();
    let names = names.map(|(name, what)| PossibleValue::new(*name).help(*what));
    PossibleValuesParser::new(names)
        .try_map(|name| Scheme::from_name(&name).ok_or("there is no such scheme"))
}

fn number(text: &str) -> Result<f64, String> {
    text.trim()
        .parse()
        .map_err(|_| "must be a number, for example 0.01".to_owned())
}

// a number in the range of a setting
fn setting(name: &str) -> impl Fn(&str) -> Result<f64, String> + Clone + use<> {
    let range = setting_of(name).map_or(Range::ANY, Setting::number_range);
    move |text| {
        let value = number(text)?;
        if range.contains(value) {
            Ok(value)
        } else {
            Err(format!("must be {}", range.words))
        }
    }
}

fn allowed(text: &str) -> Result<Allowed, String> {
    let (absolute, relative) = text.split_once(',').unwrap_or((text, "0"));
    let [absolute, relative] = [number(absolute)?, number(relative)?];
    if absolute >= 0.0 && relative >= 0.0 && absolute.is_finite() && relative.is_finite() {
        Ok(Allowed { absolute, relative })
    } else {
        Err("must be finite numbers, zero or more, for example 1e-9,1e-6".to_owned())
    }
}

fn positive(text: &str) -> Result<f64, String> {
    let value = number(text)?;
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err("must be a finite number of seconds above zero".to_owned())
    }
}

fn limit(text: &str) -> Result<f64, String> {
    let value = positive(text)?;
    if value <= 86_400.0 {
        Ok(value)
    } else {
        Err("must be at most one day, 86400".to_owned())
    }
}

fn event_rows(text: &str) -> Result<EventRows, String> {
    if text == "all" {
        return Ok(EventRows(usize::MAX));
    }
    text.parse()
        .map(EventRows)
        .map_err(|_| "must be a whole number, or \"all\"".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn times_are_finite_and_above_zero() {
        for bad in ["nan", "inf", "-inf", "0", "-0.0", "-1", "", "1s", "1e999"] {
            assert!(positive(bad).is_err(), "{bad}");
        }
        assert_eq!(positive("1e-3"), Ok(1e-3));
    }
}
