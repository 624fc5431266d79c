use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};

use super::{INTERRUPTED, NO_START, SelftestArguments, complain};
use crate::drive::Fault;
use crate::selftest::{self, CannotTest, Plan, Suite, Tried, write_matrix};

pub(super) fn selftest(arguments: &SelftestArguments) -> io::Result<ExitCode> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))?;
    }
    let suites = arguments
        .role
        .map_or(Suite::ALL.to_vec(), |suite| vec![suite]);
    let mut status = ExitCode::SUCCESS;
    for suite in suites {
        match test(suite, arguments, &interrupted) {
            Ok(true) => {}
            Ok(false) => status = ExitCode::FAILURE,
            Err(CannotTest::Fault(Fault::Interrupted)) => {
                return Ok(complain(INTERRUPTED, Fault::Interrupted));
            }
            Err(CannotTest::Fault(Fault::Unheard(error))) => return Err(error),
            Err(error) => return Ok(complain(NO_START, error)),
        }
    }
    Ok(status)
}

/// Tests one suite; says whether all came as expected.
fn test(
    suite: Suite,
    arguments: &SelftestArguments,
    interrupted: &AtomicBool,
) -> Result<bool, CannotTest> {
    let mut to = anstream::stdout().lock();
    writeln!(to, "Self-test of the {} checks\n", suite.as_str())?;
    let plan = Plan {
        suite,
        only: &arguments.subject,
        checks: &arguments.check,
        jobs: arguments.jobs.unwrap_or_else(many),
        interrupted,
    };
    let outcomes = selftest::run(&plan, |tried| show(&mut to, tried))?;
    writeln!(to)?;
    write_matrix(&outcomes, &mut to)?;
    writeln!(to)?;
    let toothless = outcomes.toothless();
    for check in &toothless {
        writeln!(to, "WRONG  nobody fails {check}")?;
    }
    let surprises = outcomes.surprises();
    writeln!(
        to,
        "{} faulty and odd subjects, {surprises} of them not as expected\n",
        outcomes.tried()
    )?;
    Ok(surprises == 0 && toothless.is_empty() && outcomes.tried() > 0)
}

fn show(to: &mut impl Write, tried: &Tried) -> io::Result<()> {
    match tried.surprise() {
        None => writeln!(to, "ok     {}  {}", tried.name(), tried.caught_by())?,
        Some(surprise) => writeln!(to, "WRONG  {} {surprise}", tried.name())?,
    }
    to.flush()
}

/// Most of the time is spent waiting.
fn many() -> NonZeroUsize {
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    cores.saturating_mul(NonZeroUsize::MIN.saturating_add(4))
}
