//! A strict JSON reader for one line (PLG-202 to PLG-207).
//!
//! General-purpose readers let through what the contract refuses (unpaired surrogates, duplicate
//! names, unbounded nesting, arrays in place of objects), mostly in members they skip. This one
//! checks every byte of the line and allocates nothing: it finds [`Token`]s, and a [`Value`] reads
//! what one of them says.

mod escape;
mod lexer;
mod number;
mod plain;
mod value;

pub(crate) use lexer::Lexer;
pub(crate) use value::{Kind, Token, Value};

/// Where a line stops being JSON, and what should have stood there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    /// Bytes before the first one that cannot go on.
    pub(crate) at: u32,
    pub(crate) expected: Expected,
}

/// What should have stood where a line stops being JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Expected {
    #[error("a value")]
    Value,
    #[error("null, true or false")]
    Literal,
    #[error("a digit")]
    Digit,
    #[error("a number within the range of a double")]
    FiniteNumber,
    #[error("a member name in quotes")]
    Name,
    #[error("`:`")]
    Colon,
    #[error("`,` or `]`")]
    CommaOrBracket,
    #[error("`,` or `}}`")]
    CommaOrBrace,
    #[error("at most 64 nested arrays and objects")]
    LessNesting,
    #[error("a closing quote")]
    ClosingQuote,
    #[error("control characters as escapes")]
    EscapedControl,
    #[error("one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")]
    Escape,
    #[error("four hexadecimal digits")]
    HexDigits,
    #[error("surrogate escapes in pairs")]
    SurrogatePair,
    #[error("the end of the line")]
    End,
}

impl Expected {
    /// The error of not finding this at byte `at` of a line.
    #[cold]
    fn at(self, at: usize) -> SyntaxError {
        let at = u32::try_from(at).expect("lines are far shorter than 4 GiB");
        SyntaxError { at, expected: self }
    }
}

type Result<T> = std::result::Result<T, SyntaxError>;
