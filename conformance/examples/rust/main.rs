//! The nudge plugin as a program of its own: `cargo run --example nudge`.

#[expect(unreachable_pub, reason = "the runner includes the same file")]
mod nudge;

fn main() -> std::process::ExitCode {
    nudge::run()
}
