use maud::{Markup, html};

use super::{seconds, timeline};
use crate::evidence::Excerpt;
use crate::report::Report;
use crate::report::case::{Case, Fault};

/// A check, folded unless it failed.
pub(super) fn card(report: &Report<'_>, case: &Case<'_>) -> Markup {
    let (check, requirement, standing) = (case.check, case.requirement, case.standing);
    html! {
        details.card.(standing.class()) id=(check.id) open[case.fault.is_some()] {
            summary {
                span.outcome {
                    span.symbol aria-hidden="true" { (standing.symbol()) }
                    " " (standing.word())
                }
                span.id { (check.id) }
                span.title {
                    (check.title)
                    @if let Some(note) = &case.note {
                        " " span.remark { (note) }
                    }
                }
                span.took { (seconds(case.took)) }
            }
            div.body {
                @if let Some(fault) = &case.fault {
                    p.lead { (fault.explanation) }
                    p.reason { code { (fault.reason) } }
                }
                @if let Some(note) = &case.note {
                    p.lead { (note) }
                }
                @if let Some(aside) = &case.aside {
                    p.lead { (aside) }
                }
                div.requirement {
                    p.citation {
                        b { (requirement.id) } " " (requirement.title)
                        span.tag { (requirement.level) }
                        span.tag { "origin: " (requirement.origin) }
                        @if check.level.as_str() != requirement.level {
                            span.tag { "checked as " (check.level) }
                        }
                    }
                    blockquote { (prose(&requirement.sentence)) }
                    @if !requirement.why.is_empty() {
                        p.why { b { "Why: " } (prose(&requirement.why)) }
                    }
                }
                @if let Some(fault) = &case.fault {
                    (exchange(case, fault))
                    (part("What would have passed", &html! { p { (prose(check.accepted)) } }))
                } @else {
                    (part("What was done", &html! { p { (prose(check.stimulus)) } }))
                    (part("What passes", &html! { p { (prose(check.accepted)) } }))
                }
                (timeline::timeline(&case.evidence.timeline, case.fault.is_some()))
                (part("Run this check again", &html! {
                    div.command {
                        pre { code { (report.again(case)) } }
                        button.copy type="button" hidden { "Copy" }
                    }
                    p.transcript { "Transcript: " code { (case.transcript) } }
                }))
            }
        }
    }
}

/// A text of the specification or the catalogue, where backquotes stand round code.
fn prose(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn part(heading: &str, content: &Markup) -> Markup {
    html! {
        section.part {
            h3 { (heading) }
            (content)
        }
    }
}

/// The bytes that went back and forth.
fn exchange(case: &Case<'_>, fault: &Fault) -> Markup {
    let evidence = case.evidence;
    html! {
        div.exchange {
            (part("Sent to its stdin", &html! {
                (bytes(&evidence.sent))
                @if let Some(words) = fault.decoder.as_ref().filter(|_| fault.is_about_sent) {
                    p.decoder { (words) }
                }
            }))
            (part("Received from its stdout", &html! {
                (bytes(&evidence.received))
                @if let Some(words) = verdict(fault).filter(|_| !fault.is_about_sent) {
                    p.decoder { (words) }
                }
            }))
            @if !evidence.stderr.is_empty() {
                (part("Its stderr", &bytes(&evidence.stderr)))
            }
        }
    }
}

/// What the mark stands at, and what the decoder has against it.
fn verdict(fault: &Fault) -> Option<String> {
    let offset = fault
        .stdout_offset
        .map(|offset| format!("▲ byte {offset} of stdout"));
    match (offset, &fault.decoder) {
        (Some(offset), Some(decoder)) => Some(format!("{offset}: {decoder}")),
        (Some(offset), None) => Some(offset),
        (None, decoder) => decoder.clone(),
    }
}

/// Lines of a stream with their offsets.
pub(super) fn bytes(excerpts: &[Excerpt]) -> Markup {
    if excerpts.is_empty() {
        return html! { p.silence { "nothing" } };
    }
    html! {
        ol.bytes {
            @for excerpt in excerpts {
                li {
                    span.offset { "@" (excerpt.offset) }
                    code { (marked(excerpt)) }
                }
            }
        }
    }
}

/// A line in which the offending byte is marked.
fn marked(excerpt: &Excerpt) -> Markup {
    let Some((before, rest)) = excerpt
        .caret
        .and_then(|caret| excerpt.text.split_at_checked(caret))
    else {
        return html! { (excerpt.text) };
    };
    let (fault, behind) = rest.split_at(spelled_length(rest));
    html! { (before) mark title="the offending byte" { (fault) } (behind) }
}

/// How many characters spell the first byte of an escaped text.
fn spelled_length(text: &str) -> usize {
    let is_unicode = text.starts_with("\\u{");
    let length = match text.as_bytes() {
        [b'\\', b'x', ..] => 4,
        [b'\\', b'n' | b'r' | b't', ..] => 2,
        _ if is_unicode => text.find('}').map_or(1, |end| end + 1),
        _ => 1,
    };
    length.min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_takes_the_whole_spelling_of_a_byte() {
        for (text, marked) in [
            ("abc", "a"),
            ("\\x1b[2J", "\\x1b"),
            ("\\u{202e}x", "\\u{202e}"),
            ("\\n", "\\n"),
            ("\\d", "\\"),
            ("", ""),
        ] {
            assert_eq!(&text[..spelled_length(text)], marked);
        }
    }
}
