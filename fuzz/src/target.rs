/// Makes a program of an oracle: a libFuzzer target under `cargo fuzz`, and without it a program that
/// replays the files it is given, so that a crash can be looked into on stable.
#[macro_export]
macro_rules! target {
    ($check:path) => {
        #[cfg(fuzzing)]
        ::libfuzzer_sys::fuzz_target!(|data: &[u8]| $check(data));

        #[cfg(not(fuzzing))]
        fn main() -> ::std::io::Result<()> {
            for file in ::std::env::args_os().skip(1) {
                $check(&::std::fs::read(file)?);
            }
            Ok(())
        }
    };
}
