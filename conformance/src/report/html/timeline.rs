use maud::{Markup, html};

use super::card::bytes;
use super::seconds;
use crate::evidence::{Lane, Moment, Timeline};

/// The exchange, moment by moment.
pub(super) fn timeline(timeline: &Timeline, open: bool) -> Markup {
    let count = timeline.moments().count() + timeline.left_out;
    if count == 0 {
        return html! {};
    }
    html! {
        details.part open[open] {
            summary { h3 { "Timeline" } " " span.count { (count) " moments" } }
            ol.timeline {
                @for moment in &timeline.beginning {
                    (entry(moment))
                }
                @if timeline.left_out > 0 {
                    li.gap { (timeline.left_out) " moments are left out here; the transcript has them all." }
                }
                @for moment in &timeline.end {
                    (entry(moment))
                }
            }
        }
    }
}

fn entry(moment: &Moment) -> Markup {
    let lane = moment.lane.as_str();
    html! {
        li.(lane).fault[moment.is_fault] {
            span.at { (when(moment)) }
            span.lane { (arrow(moment.lane)) " " (lane) }
            div.what {
                @if moment.is_fault {
                    span.here { "the fault shows here" }
                }
                p { (moment.what) }
                @if !moment.excerpts.is_empty() {
                    (bytes(&moment.excerpts))
                }
            }
        }
    }
}

fn when(moment: &Moment) -> String {
    let (from, until) = (seconds(moment.from), seconds(moment.until));
    if from == until {
        from
    } else {
        format!("{from} – {until}")
    }
}

/// Where things went, seen from the subject.
const fn arrow(lane: Lane) -> char {
    match lane {
        Lane::Stdin => '→',
        Lane::Stdout | Lane::Stderr => '←',
        Lane::Subject => '■',
        Lane::Runner => '·',
    }
}
