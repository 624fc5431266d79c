use std::io::{self, Stdout};
use std::time::Duration;

use anstream::AutoStream;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::checks::{Check, Role};
use crate::report::{Pretty, Report};
use crate::run::{Audience, CheckResult};
use crate::subject::Subject;

/// What a person sees during a run: the results on stdout, and below them, if stderr is a terminal, how
/// far it is. The bar is taken away whenever something else is written.
pub(super) struct Screen {
    live: Option<Pretty<AutoStream<Stdout>>>,
    bar: ProgressBar,
    running: Vec<&'static str>,
}

/// How often the bar is drawn anew while nothing happens.
const BEAT: Duration = Duration::from_millis(200);

impl Screen {
    /// Begins, with the results shown live or not.
    pub(super) fn new(
        roles: &[Role],
        subject: &Subject,
        is_live: bool,
        checks: usize,
    ) -> io::Result<Self> {
        let live = match is_live {
            true => Some(Pretty::new(AutoStream::auto(io::stdout()), roles, subject)?),
            false => None,
        };
        let bar = ProgressBar::with_draw_target(Some(checks as u64), target());
        let style = ProgressStyle::with_template("  {bar:24} {pos}/{len} {elapsed}  {wide_msg}")
            .expect("the template is right")
            .progress_chars("━╸─");
        bar.set_style(style);
        if !bar.is_hidden() {
            bar.enable_steady_tick(BEAT);
        }
        Ok(Self {
            live,
            bar,
            running: Vec::new(),
        })
    }

    /// Ends, with all of it in a word.
    pub(super) fn end(mut self, report: &Report<'_>) -> io::Result<()> {
        self.bar.finish_and_clear();
        match &mut self.live {
            Some(live) => live.end(report),
            None => Ok(()),
        }
    }

    fn name_running(&self) {
        self.bar.set_message(self.running.join(" "));
    }
}

/// Where the bar is drawn: nowhere, if stderr cannot move its cursor.
fn target() -> ProgressDrawTarget {
    match std::env::var_os("TERM") {
        Some(terminal) if terminal == "dumb" => ProgressDrawTarget::hidden(),
        _ => ProgressDrawTarget::stderr(),
    }
}

impl Audience for Screen {
    fn started(&mut self, check: &'static Check) {
        self.running.push(check.id);
        self.name_running();
    }

    fn done(&mut self, result: &CheckResult) {
        if let Some(place) = self.running.iter().position(|id| *id == result.check.id) {
            self.running.remove(place);
        }
        self.name_running();
        self.bar.inc(1);
    }

    fn show(&mut self, result: &CheckResult) -> io::Result<()> {
        match &mut self.live {
            Some(live) => self.bar.suspend(|| live.result(result)),
            None => Ok(()),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
