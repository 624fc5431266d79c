use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::json;

use super::ListArguments;
use crate::catalogue;
use crate::checks::{self, Check};

pub(super) fn list(arguments: &ListArguments) -> io::Result<ExitCode> {
    let mut to = anstream::stdout().lock();
    if arguments.markdown {
        catalogue::write(&mut to)?;
        return Ok(ExitCode::SUCCESS);
    }
    let is_listed = |check: &&Check| arguments.role.is_none_or(|role| role == check.role);
    let checks = checks::all().filter(is_listed);
    if arguments.json {
        let checks: Vec<_> = checks.map(describe).collect();
        writeln!(to, "{:#}", json!(checks))?;
    } else {
        for check in checks {
            let Check {
                id,
                title,
                level,
                role,
                proves,
                ..
            } = check;
            writeln!(
                to,
                "{id}  {:<15}  {level:<6}  {proves}  {:<8}  {title}",
                role.as_str(),
                check.requirement().origin
            )?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(check: &Check) -> serde_json::Value {
    let requirement = check.requirement();
    json!({
        "id": check.id,
        "title": check.title,
        "role": check.role,
        "tier": check.tier,
        "level": check.level,
        "proves": requirement.id,
        "origin": requirement.origin,
        "sentence": requirement.sentence,
        "stimulus": check.stimulus,
        "accepted": check.accepted,
    })
}
