//! A strict JSON reader for one line (PLG-202 to PLG-207).
//!
//! General-purpose readers let through what the contract refuses (unpaired surrogates, duplicate
//! names, unbounded nesting, arrays in place of objects), mostly in members they skip. This one
//! checks every byte of the line, borrows what it finds and allocates nothing itself.

mod lexer;
mod number;
mod string;

pub(crate) use lexer::{Lexer, Value};

/// Where a line stops being JSON, and what should have stood there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    /// Bytes before the first one that cannot go on.
    pub(crate) at: usize,
    pub(crate) expected: &'static str,
}

type Result<T> = std::result::Result<T, SyntaxError>;
