use chrono::{DateTime, Utc};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use super::case::Case;
use super::{Report, Standing, pretty};
use crate::run::Verdict;

/// The report as `JUnit` XML: a suite for each group of checks.
///
/// What was not put to the test is skipped, and a failure that is only recorded is no failure. So that
/// nobody takes a file of skipped tests for a success, a run without a good verdict that has no failure
/// to show ends with a test case of its own that says so.
pub(super) fn junit(report: &Report<'_>) -> String {
    let mut junit = quick_junit::Report::new("conformance");
    let started = DateTime::<Utc>::from(report.started);
    junit.set_timestamp(started).set_time(report.took);
    for (group, cases) in report.groups() {
        let mut suite = TestSuite::new(group);
        for case in &cases {
            suite.add_test_case(test_case(report, group, case));
        }
        junit.add_test_suite(suite);
    }
    if let Some(case) = missing_verdict(report) {
        let mut suite = TestSuite::new("Verdict");
        suite.add_test_case(case);
        junit.add_test_suite(suite);
    }
    junit
        .to_string()
        .expect("every text is printable, and memory takes every byte")
}

fn test_case(report: &Report<'_>, group: &str, case: &Case<'_>) -> TestCase {
    let check = case.check;
    let name = format!("{} {}", check.id, check.title);
    let mut test = TestCase::new(name, status(report, case));
    test.set_classname(format!("{}.{group}", check.role.as_str()))
        .set_time(case.took);
    if case.standing == Standing::Pass
        && let Some(note) = &case.note
    {
        test.set_system_out(note.clone());
    }
    test
}

fn status(report: &Report<'_>, case: &Case<'_>) -> TestCaseStatus {
    let mut status = match case.standing {
        Standing::Pass => TestCaseStatus::success(),
        Standing::Stale => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Standing::Fail if case.counts_as_failure => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
        Standing::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
        Standing::Fail | Standing::Known | Standing::NotApplicable | Standing::NotExercised => {
            TestCaseStatus::skipped()
        }
    };
    if case.standing == Standing::Pass {
        return status;
    }
    status.set_type(case.standing.word());
    match &case.fault {
        Some(fault) => {
            let text = pretty::plain(case, fault, report);
            status
                .set_type(fault.reason)
                .set_message(fault.explanation.clone())
                .set_description(format!("\n{text}"));
        }
        None => {
            status.set_message(case.remark().unwrap_or_default());
        }
    }
    status
}

fn missing_verdict(report: &Report<'_>) -> Option<TestCase> {
    let message = match (report.caveat(), report.verdict) {
        (Some(caveat), _) if report.interrupted => caveat,
        (_, Verdict::Unexercised) => report.sentence().to_owned(),
        (_, Verdict::Conformant | Verdict::Nonconformant | Verdict::Faulty) => return None,
    };
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_type(report.word()).set_message(message);
    let mut test = TestCase::new("the verdict", status);
    test.set_classname("conformance");
    Some(test)
}
