use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{NO_START, SelftestArguments, complain, interruption};
use crate::drive::Fault;
use crate::run::INTERRUPTED;
use crate::selftest::{self, CannotTest, Outcomes, Plan, Suite, Tried, write_matrix};

pub(super) fn selftest(arguments: &SelftestArguments) -> io::Result<ExitCode> {
    let interrupted = Arc::new(AtomicBool::new(false));
    interruption::watch(&interrupted)?;
    let suites = arguments
        .role
        .map_or(Suite::ALL.to_vec(), |suite| vec![suite]);
    let plan = Plan {
        suites: &suites,
        only: &arguments.subject,
        checks: &arguments.check,
        jobs: arguments.jobs.unwrap_or_else(many),
        interrupted: &interrupted,
    };
    match test(&plan) {
        Ok(true) => Ok(ExitCode::SUCCESS),
        Ok(false) => Ok(ExitCode::FAILURE),
        Err(CannotTest::Fault(Fault::Interrupted)) => Ok(complain(INTERRUPTED, Fault::Interrupted)),
        Err(CannotTest::Output(error)) => Err(error),
        Err(error) => Ok(complain(NO_START, error)),
    }
}

/// Says whether all came as expected.
fn test(plan: &Plan<'_>) -> Result<bool, CannotTest> {
    let mut to = anstream::stdout().lock();
    let all = selftest::run(plan, |tried| show(&mut to, tried))?;
    for outcomes in &all {
        conclude(&mut to, outcomes)?;
    }
    let tried: usize = all.iter().map(Outcomes::tried).sum();
    Ok(tried > 0 && all.iter().all(Outcomes::are_as_expected))
}

fn show(to: &mut impl Write, tried: &Tried) -> io::Result<()> {
    let (name, seconds) = (tried.name(), tried.took.as_secs_f64());
    match tried.surprise() {
        None => writeln!(to, "ok    {seconds:>6.1} s  {name}  {}", tried.caught_by())?,
        Some(surprise) => writeln!(to, "WRONG {seconds:>6.1} s  {name} {surprise}")?,
    }
    to.flush()
}

fn conclude(to: &mut impl Write, outcomes: &Outcomes) -> io::Result<()> {
    writeln!(to, "\nThe {} checks\n", outcomes.suite.as_str())?;
    write_matrix(outcomes, to)?;
    writeln!(to)?;
    for check in outcomes.toothless() {
        writeln!(to, "WRONG  nobody fails {check}")?;
    }
    let (tried, surprises) = (outcomes.tried(), outcomes.surprises());
    writeln!(
        to,
        "{tried} faulty and odd subjects, {surprises} of them not as expected"
    )
}

/// Most of the time is spent waiting.
fn many() -> NonZeroUsize {
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    cores.saturating_mul(const { NonZeroUsize::new(16).expect("sixteen is not nought") })
}
