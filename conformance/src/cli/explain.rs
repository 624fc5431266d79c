use std::io::{self, Write};
use std::process::ExitCode;

use super::{USAGE, complain};
use crate::checks::{self, Check};
use crate::report::wrap;
use crate::spec::{self, Requirement};

pub(super) fn explain(id: &str) -> io::Result<ExitCode> {
    let id = id.to_ascii_uppercase();
    let mut to = anstream::stdout().lock();
    if let Some(check) = checks::find(&id) {
        writeln!(to, "{}  {}  ({})", check.id, check.title, check.level)?;
        tell_requirement(&mut to, check.requirement())?;
        tell_check(&mut to, check)?;
    } else if let Some(requirement) = spec::requirement(&id) {
        writeln!(to, "{}  {}", requirement.id, requirement.title)?;
        tell_requirement(&mut to, requirement)?;
        let proofs = checks::ALL
            .into_iter()
            .filter(|check| check.proves == requirement.id);
        for check in proofs {
            writeln!(to, "\n{}  {}  ({})", check.id, check.title, check.level)?;
            tell_check(&mut to, check)?;
        }
    } else {
        let what = format!(
            "there is no check and no requirement `{id}`: `conformance list` shows the checks"
        );
        return Ok(complain(USAGE, what));
    }
    Ok(ExitCode::SUCCESS)
}

fn tell_requirement(to: &mut impl Write, requirement: &Requirement) -> io::Result<()> {
    let Requirement {
        id,
        level,
        binds,
        origin,
        sentence,
        why,
        ..
    } = requirement;
    tell(
        to,
        "requirement",
        &format!("{id} ({level}, binds: {binds}, origin: {origin})"),
    )?;
    tell(to, "", sentence)?;
    if why.is_empty() {
        Ok(())
    } else {
        tell(to, "why", why)
    }
}

fn tell_check(to: &mut impl Write, check: &Check) -> io::Result<()> {
    tell(to, "stimulus", check.stimulus)?;
    tell(to, "accepted", check.accepted)
}

fn tell(to: &mut impl Write, label: &str, text: &str) -> io::Result<()> {
    for (index, line) in wrap(text, 85).iter().enumerate() {
        writeln!(to, "  {:<12} {line}", if index == 0 { label } else { "" })?;
    }
    Ok(())
}
