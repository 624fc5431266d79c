use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{NO_START, SelftestArguments, complain, interruption};
use crate::drive::Fault;
use crate::run::INTERRUPTED;
use crate::selftest::{self, CannotTest, Plan, Suite, Tried, write_matrix};

pub(super) fn selftest(arguments: &SelftestArguments) -> io::Result<ExitCode> {
    let interrupted = Arc::new(AtomicBool::new(false));
    interruption::watch(&interrupted)?;
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
            Err(CannotTest::Output(error)) => return Err(error),
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
    let (name, seconds) = (tried.name(), tried.took.as_secs_f64());
    match tried.surprise() {
        None => writeln!(to, "ok    {seconds:>6.1} s  {name}  {}", tried.caught_by())?,
        Some(surprise) => writeln!(to, "WRONG {seconds:>6.1} s  {name} {surprise}")?,
    }
    to.flush()
}

/// Most of the time is spent waiting.
fn many() -> NonZeroUsize {
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    cores.saturating_mul(const { NonZeroUsize::new(10).expect("ten is not nought") })
}
