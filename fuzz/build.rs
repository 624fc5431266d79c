//! `PLANTED=name cargo fuzz …` is short for `RUSTFLAGS='--cfg planted="name"'`, without building every
//! dependency again.

fn main() {
    println!("cargo::rerun-if-env-changed=PLANTED");
    if let Ok(name) = std::env::var("PLANTED") {
        println!("cargo::rustc-cfg=planted=\"{name}\"");
    }
}
