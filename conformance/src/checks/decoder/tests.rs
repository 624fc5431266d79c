use super::*;

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
