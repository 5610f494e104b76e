//! The scene's settings with the overrides of the command line.

use super::CliError;
use super::args::RunOptions;
use stiction::model::Model;
use stiction::scene::spec::{Scheme, Settings};

/// Applies `--tolerance`, `--step`, `--scheme`, `--alpha` and `--gamma`. A step or a fixed-step scheme replaces the scene's
/// tolerance.
pub fn overridden(model: &Model, options: &RunOptions) -> Result<Settings, CliError> {
    let mut settings = model.settings.clone();
    let of_others = [
        ("--tolerance", options.tolerance.is_some()),
        ("--scheme", options.scheme.is_some()),
        ("--alpha", options.alpha.is_some()),
        ("--gamma", options.gamma.is_some()),
    ];
    if let (Some((option, _)), true) = (
        of_others.into_iter().find(|(_, given)| *given),
        model.time_stepping.is_some(),
    ) {
        return Err(CliError::usage(
            format!("{option} has no effect with time stepping, which has its own scheme"),
            "leave it out; a smaller --step makes the run more accurate",
        ));
    }
    let fixed = |scheme: Scheme| scheme != Scheme::Extrapolated;
    let scheme_of_fixed_steps =
        options.scheme.is_some_and(fixed) || options.alpha.is_some() || options.gamma.is_some();
    if options.tolerance.is_some() && scheme_of_fixed_steps {
        return Err(CliError::usage(
            "--tolerance requires the extrapolated scheme",
            "leave out --scheme, --alpha and --gamma, or give --step instead of --tolerance",
        ));
    }
    if options.step.is_some() || scheme_of_fixed_steps {
        settings.tolerance = None;
    }
    settings.tolerance = options.tolerance.or(settings.tolerance);
    settings.scheme = scheme(settings.scheme, options)?;
    settings.step = options.step.unwrap_or(settings.step);
    Ok(settings)
}

fn scheme(written: Scheme, options: &RunOptions) -> Result<Scheme, CliError> {
    let weighted = options.alpha.is_some() || options.gamma.is_some();
    let scheme = match options.scheme {
        None if weighted => return general(written, options),
        None => written,
        Some(Scheme::General { .. }) => return general(written, options),
        Some(scheme) => scheme,
    };
    if weighted {
        return Err(CliError::usage(
            format!(
                "--alpha and --gamma have no effect with --scheme {}",
                scheme.name()
            ),
            "leave them out, or leave --scheme out",
        ));
    }
    Ok(scheme)
}

// a weight not given is taken from the scene, if it has one
fn general(written: Scheme, options: &RunOptions) -> Result<Scheme, CliError> {
    let (mut alpha, mut gamma) = (options.alpha, options.gamma);
    if let Scheme::General { alpha: a, gamma: g } = written {
        alpha = alpha.or(Some(a));
        gamma = gamma.or(Some(g));
    }
    match (alpha, gamma) {
        (Some(alpha), Some(gamma)) => Ok(Scheme::General { alpha, gamma }),
        _ => Err(CliError::usage(
            "the scheme \"general\" needs both --alpha and --gamma",
            "add for example --alpha 0.6 --gamma 0.5",
        )),
    }
}
