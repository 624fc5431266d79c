use std::io::{self, Write};
use std::process::ExitCode;

use super::{USAGE, complain};
use crate::checks::{self, Check};
use crate::outcome::Reason;
use crate::report::wrap;
use crate::select::glob;
use crate::spec::{self, Requirement};

pub(super) fn explain(id: &str) -> io::Result<ExitCode> {
    let mut to = anstream::stdout().lock();
    if let Some(reason) = Reason::ALL.iter().find(|reason| reason.as_str() == id) {
        writeln!(to, "{id}  a reason for which a check fails")?;
        tell(&mut to, "meaning", reason.meaning())?;
        return Ok(ExitCode::SUCCESS);
    }
    let id = id.to_ascii_uppercase();
    let of_that_id: Vec<_> = checks::all().filter(|check| glob(&id, check.id)).collect();
    if !of_that_id.is_empty() {
        for (index, check) in of_that_id.into_iter().enumerate() {
            if index > 0 {
                writeln!(to)?;
            }
            tell_heading(&mut to, check)?;
            tell_requirement(&mut to, check.requirement())?;
            tell_check(&mut to, check)?;
        }
    } else if let Some(requirement) = spec::requirement(&id) {
        writeln!(to, "{}  {}", requirement.id, requirement.title)?;
        tell_requirement(&mut to, requirement)?;
        for check in checks::all().filter(|check| check.proves == requirement.id) {
            writeln!(to)?;
            tell_heading(&mut to, check)?;
            tell_check(&mut to, check)?;
        }
    } else {
        let what = format!(
            "there is no check, no requirement and no reason `{id}`: `conformance list` shows the checks"
        );
        return Ok(complain(USAGE, what));
    }
    Ok(ExitCode::SUCCESS)
}

fn tell_heading(to: &mut impl Write, check: &Check) -> io::Result<()> {
    let (id, title, level) = (check.id, check.title, check.level);
    writeln!(to, "{id}  {title}  ({level}, {})", check.role.as_str())
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
