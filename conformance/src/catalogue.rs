//! Every check as a page to read: what is sent, case by case, and what must come of it.

use std::fmt::Display;
use std::io::{self, Write};

use crate::checks::decoder::{Case, Exam, Expected};
use crate::checks::{self, Check, Role, Test};
use crate::profile::{Act, Place, Profile};
use crate::stimulus::{Barrier, PlayedHost, Step};

const HEAD: &str = "\
# The checks

`conformance list --markdown` wrote this page. Each check names the requirement of the specification that it
proves, what is done to the subject, and what is accepted. Behind that stands what exactly is sent: to a
decoder the cases, each followed by a good line that nobody can have seen before; to a plugin the steps, as
the profile `examples/nudge.toml` makes them, with the length of each line in bytes.
";

/// Writes the page.
///
/// # Errors
/// If `to` takes no more.
pub fn write(to: &mut impl Write) -> io::Result<()> {
    write!(to, "{HEAD}")?;
    for role in [Role::Plugin, Role::CommandDecoder, Role::EventDecoder] {
        writeln!(to, "\n## Role: {}", role.as_str())?;
        for check in checks::of(role) {
            write_check(to, check)?;
        }
    }
    Ok(())
}

fn write_check(to: &mut impl Write, check: &Check) -> io::Result<()> {
    let Check {
        id,
        title,
        level,
        tier,
        stimulus,
        accepted,
        ..
    } = check;
    let requirement = check.requirement();
    let (proves, origin) = (&requirement.id, &requirement.origin);
    writeln!(to, "\n### {id}: {title}\n")?;
    writeln!(to, "{level}, {tier} tier; proves {proves} ({origin})\n")?;
    writeln!(to, "* stimulus: {stimulus}\n* accepted: {accepted}")?;
    match &check.test {
        Test::Plugin { play, .. } => writeln!(to, "* steps: {}", steps(*play)),
        Test::Explored { seeds, .. } => {
            let (first, count) = (seeds.first, seeds.count);
            writeln!(to, "* histories: {count}, from seed {first} on")
        }
        Test::Decoder(exam) => write_exam(to, exam),
    }
}

fn write_exam(to: &mut impl Write, exam: &Exam) -> io::Result<()> {
    writeln!(to, "* measured: {}", exam.measure())?;
    for case in exam.own_cases() {
        let Case { about, times, .. } = &case;
        let (bytes, verdicts) = (case.total_bytes(), verdicts(&case));
        let writes = match case.chunks.len() {
            1 => String::new(),
            writes => format!(" in {writes} writes"),
        };
        let again = match times {
            1 => String::new(),
            times => format!(", {times} times"),
        };
        writeln!(to, "  * {about}: {bytes} bytes{writes} → {verdicts}{again}")?;
    }
    for requirement in exam.vectors() {
        let count = exam.vector_cases(&[requirement]).len();
        writeln!(to, "  * the vectors of {requirement}: {count}")?;
    }
    Ok(())
}

fn verdicts(case: &Case) -> String {
    let verdict = |expected: &Expected| match expected {
        Expected::Message(_) => "message".to_owned(),
        Expected::Refused(code) => code.as_str().to_owned(),
        Expected::Blank => "blank".to_owned(),
        Expected::Open => "message or refusal".to_owned(),
    };
    in_short(case.verdicts.iter().map(verdict), ", ")
}

fn steps(play: fn(&PlayedHost) -> Vec<Step>) -> String {
    let host = PlayedHost::on(Place::nowhere(), Profile::example().into());
    in_short(play(&host).iter().map(step), " · ")
}

fn step(step: &Step) -> String {
    match step {
        Step::Send(line) => match (line.kind(), line.breaks()) {
            (Some(kind), None) => format!("{} ({})", kind.as_str(), line.bytes().len()),
            (_, Some(breaks)) => format!("line that breaks {breaks} ({})", line.bytes().len()),
            (None, None) => format!("unknown event ({})", line.bytes().len()),
        },
        Step::SendBurst(burst) => format!("burst of {} bytes", burst.total_bytes()),
        Step::SendChunk { chunk, .. } => format!("{} bytes", chunk.total_bytes()),
        Step::Act(act, _) => match act {
            Act::Idle => "idle",
            Act::Output(_) => "output",
            Act::Write(_) => "write a file",
            Act::Append(_) => "append to a file",
            Act::Send(_) => "send to a socket",
            Act::Run(_) => "run a command",
            Act::Answer(_) => "answer a request",
        }
        .to_owned(),
        Step::Await(barrier) => match barrier {
            Barrier::Taken => "until taken",
            Barrier::Settled => "until settled",
            Barrier::Command => "until a command",
            Barrier::Answer { .. } => "until an answer",
            Barrier::Action { .. } => "until an action",
            Barrier::Alike { .. } => "until alike",
            Barrier::Exit => "until exit",
            Barrier::LastWord => "until its last word",
        }
        .to_owned(),
        Step::Watch(length) => format!("watch for {} ms", length.as_millis()),
        Step::Sample => "look at its figures".to_owned(),
        Step::WatchQuiet => "watch it be quiet".to_owned(),
        Step::HoldStdout => "stop reading stdout".to_owned(),
        Step::ReleaseStdout => "read stdout again".to_owned(),
        Step::CloseStdout => "close stdout".to_owned(),
        Step::CloseStdin => "close stdin".to_owned(),
    }
}

/// Words one after the other, each run of equal ones once and with its length.
fn in_short(words: impl IntoIterator<Item = impl PartialEq + Display>, between: &str) -> String {
    let mut runs = Vec::new();
    for word in words {
        match runs.last_mut() {
            Some((last, length)) if *last == word => *length += 1,
            _ => runs.push((word, 1)),
        }
    }
    let told = runs.into_iter().map(|(word, length)| match length {
        1 => word.to_string(),
        _ => format!("{word} ×{length}"),
    });
    told.collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a check sends, and what is said about it, does not change unnoticed.
    #[test]
    fn the_published_page_is_up_to_date() {
        let mut page = Vec::new();
        write(&mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        let published = include_str!("../CHECKS.md");
        let differs = page.lines().zip(published.lines()).find(|(a, b)| a != b);
        assert_eq!(differs, None, "write it with `conformance list --markdown`");
        assert_eq!(page.lines().count(), published.lines().count());
    }
}
