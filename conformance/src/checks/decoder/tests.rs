use nightcrow_protocol::LineFramer;

use super::*;
use crate::stimulus::{Barrier, Step};

#[test]
fn our_own_decoder_gives_every_verdict_that_is_expected() {
    for check in &*CHECKS {
        let Test::Decoder(exam) = check.test else {
            panic!("{} is about a decoder", check.id)
        };
        let checked = exam.stream().self_check();
        assert_eq!(checked, Ok(()), "{} {}", check.id, check.role.as_str());
    }
}

#[test]
fn every_line_that_is_due_is_sent_and_then_the_end() {
    for check in &*CHECKS {
        let Test::Decoder(exam) = check.test else {
            panic!("{} is about a decoder", check.id)
        };
        let stream = exam.stream();
        let steps = stream.steps();
        let (mut framer, mut lines, mut looks) = (LineFramer::new(), 0, 0);
        for step in &steps {
            match step {
                Step::SendChunk { chunk, .. } => {
                    for _ in 0..chunk.times() {
                        let mut input = chunk.unit();
                        while framer.next_line(&mut input).is_some() {
                            lines += 1;
                        }
                    }
                }
                Step::Sample => looks += 1,
                _ => {}
            }
        }
        lines += usize::from(framer.finish().is_some());
        assert_eq!(lines, stream.lines(), "{}", check.id);
        assert_eq!(
            looks > 0,
            exam.measure() != Measure::Nothing,
            "{}",
            check.id
        );
        assert!(
            matches!(
                steps[..],
                [.., Step::CloseStdin, Step::Await(Barrier::LastWord)]
            ),
            "{}",
            check.id
        );
    }
}
