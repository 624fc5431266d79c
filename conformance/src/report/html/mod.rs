//! The report for a browser: one file that needs no other, and that may be passed on without a worry.
//!
//! Every text goes through the template, which escapes it. What could still slip through would find a
//! policy that allows nothing but the style and the script below, by their hashes.

mod card;
mod timeline;

use std::sync::LazyLock;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::json::timestamp;
use super::{Counts, Report, Standing};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
});

/// The whole document.
pub(super) fn html(report: &Report<'_>) -> String {
    let standing = Standing::of_verdict(report.verdict);
    let verdict = capitalised(report.word());
    let name = report.subject.name();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(*POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (standing.symbol()) " " (verdict) " – " (name) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (header(report, standing, &verdict, &name))
                (filters(report))
                main {
                    @for (group, cases) in report.groups() {
                        section {
                            h2 { (group) }
                            @for case in &cases {
                                (card::card(report, case))
                            }
                        }
                    }
                    p.nothing hidden { "No check matches." }
                }
                footer {
                    p { "Transcripts, byte for byte, and report.json: " code { (report.folder()) } }
                    p { "nightcrow-conformance " (env!("CARGO_PKG_VERSION")) " · plugin contract v3" }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn header(report: &Report<'_>, standing: Standing, verdict: &str, name: &str) -> Markup {
    let counts = Counts::of(report.results);
    html! {
        header {
            p.kicker { "Plugin contract v3 · conformance" }
            h1 class=(standing.class()) {
                span.symbol aria-hidden="true" { (standing.symbol()) }
                " " (verdict)
            }
            p.sentence { (report.sentence()) }
            p.sentence { (in_words(counts)) }
            @if let Some(caveat) = report.caveat() {
                p.caveat { (caveat) "." }
            }
            (proportions(counts))
            (failures(report))
            dl.facts {
                div { dt { "Subject" } dd { code { (name) } } }
                div { dt { "Started" } dd { (timestamp(report.started).replace('T', " ").replace('Z', " UTC")) } }
                div { dt { "Took" } dd { (seconds(report.took)) } }
                div { dt { "Exit status" } dd { (report.exit_code()) } }
            }
        }
    }
}

/// The way to what failed.
fn failures(report: &Report<'_>) -> Markup {
    let failed: Vec<_> = report
        .cases()
        .filter(|case| {
            matches!(
                case.standing,
                Standing::Fail | Standing::Stale | Standing::Error
            )
        })
        .collect();
    html! {
        @if !failed.is_empty() {
            ul.failures {
                @for case in &failed {
                    li.(case.standing.class()) {
                        a href=(format!("#{}", case.check.id)) {
                            span.symbol aria-hidden="true" { (case.standing.symbol()) }
                            " " b { (case.check.id) } " " (case.check.title)
                        }
                        @if let Some(remark) = case.remark() {
                            " " span.remark { (remark) }
                        }
                    }
                }
            }
        }
    }
}

/// The counts that are not nought.
fn in_words(counts: Counts) -> String {
    let told: Vec<_> = Standing::ALL
        .iter()
        .map(|standing| (counts.get(*standing), standing.counted()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    match told.as_slice() {
        [] => "No check was done.".to_owned(),
        told => format!("{}.", told.join(", ")),
    }
}

/// The counts as a bar.
fn proportions(counts: Counts) -> Markup {
    let total: usize = Standing::ALL
        .iter()
        .map(|standing| counts.get(*standing))
        .sum();
    let mut from = 0;
    let parts = Standing::ALL.iter().map(|standing| {
        let start = from;
        from += counts.get(*standing);
        (standing.class(), start, counts.get(*standing))
    });
    html! {
        svg.proportions viewBox=(format!("0 0 {} 1", total.max(1))) preserveAspectRatio="none" aria-hidden="true" {
            @for (class, start, width) in parts {
                @if width > 0 {
                    rect class=(class) x=(start) y="0" width=(width) height="1" {}
                }
            }
        }
    }
}

/// Which results are shown: buttons that work without the script, and a search that needs it.
fn filters(report: &Report<'_>) -> Markup {
    let counts = Counts::of(report.results);
    html! {
        form.filters autocomplete="off" {
            fieldset {
                legend { "Show" }
                input #show-all type="radio" name="show" checked;
                label for="show-all" { "all " b { (report.results.len()) } }
                @for standing in Standing::ALL.iter().filter(|standing| counts.get(**standing) > 0) {
                    @let id = format!("show-{}", standing.class());
                    input id=(id) type="radio" name="show";
                    label for=(id) class=(standing.class()) {
                        span.symbol aria-hidden="true" { (standing.symbol()) }
                        " " (standing.counted()) " " b { (counts.get(*standing)) }
                    }
                }
            }
            div.tools hidden {
                input #search type="search" placeholder="Find: FRM, PLG-701, flush…" aria-label="Find a check by id or words";
                button #unfold type="button" { "Unfold all" }
            }
        }
    }
}

/// A time for people.
fn seconds(time: Duration) -> String {
    match time.as_millis() {
        few @ 0..1000 => format!("{few} ms"),
        _ => format!("{:.2} s", time.as_secs_f64()),
    }
}

/// A word in capitals with only its first letter so.
fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    format!("{first}{}", rest.to_ascii_lowercase())
}

/// A page reduced to what depends on the report.
#[cfg(test)]
pub(super) fn without_style_and_script(page: &str) -> String {
    let policy: &str = &POLICY;
    [STYLE, SCRIPT, policy]
        .iter()
        .fold(page.to_owned(), |page, text| page.replace(text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_and_script_stay_within_their_elements() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("<!--"));
        }
        for text in ["http:", "https:", "url(", "@import"] {
            assert!(!STYLE.contains(text) && !SCRIPT.contains(text), "{text}");
        }
    }

    #[test]
    fn every_standing_has_its_filter_in_the_style() {
        for standing in Standing::ALL {
            let class = standing.class();
            let rule = format!(
                "body:has(#show-{class}:checked) :is(.card, main > section:not(:has(.{class}))):not(.{class})"
            );
            assert!(STYLE.contains(&rule), "{rule}");
        }
    }
}
