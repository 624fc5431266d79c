use std::borrow::Cow;
use std::str::FromStr;

use super::Lexer;
use super::escape::unescape;

/// What kind of value stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Bool,
    Number,
    /// A string without escapes.
    Plain,
    /// A string with at least one escape.
    Escaped,
    Array,
    Object,
}

/// A value that was found and checked, as a place in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Of a string what stands between the quotes, else the whole value.
    start: u32,
    end: u32,
}

/// A token together with the line it stands in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<'a> {
    kind: Kind,
    body: &'a str,
}

impl Token {
    pub(super) fn new(kind: Kind, start: usize, end: usize) -> Self {
        Self {
            kind,
            start: start as u32,
            end: end as u32,
        }
    }

    /// Where the value begins, its quote included.
    pub(crate) fn at(self) -> usize {
        let quote = matches!(self.kind, Kind::Plain | Kind::Escaped);
        self.start as usize - usize::from(quote)
    }

    /// What it says in the line that it was found in.
    #[inline(always)]
    pub(crate) fn in_line(self, line: &str) -> Value<'_> {
        Value {
            kind: self.kind,
            body: &line[self.start as usize..self.end as usize],
        }
    }
}

impl<'a> Value<'a> {
    /// The text of a string; borrowed unless it holds escapes.
    #[inline(always)]
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        match self.kind {
            Kind::Plain => Some(Cow::Borrowed(self.body)),
            Kind::Escaped => Some(Cow::Owned(unescape(self.body))),
            _ => None,
        }
    }

    /// A number written as a plain integer within the type's range (PLG-403).
    #[inline(always)]
    pub(crate) fn integer<T: FromStr>(self) -> Option<T> {
        match self.kind {
            Kind::Number if self.body != "-0" => self.body.parse().ok(),
            _ => None,
        }
    }

    /// The strings of an array that holds nothing else.
    pub(crate) fn texts(self) -> Option<Vec<Cow<'a, str>>> {
        const CHECKED: &str = "the array was read before";
        if self.kind != Kind::Array {
            return None;
        }
        let mut lexer = Lexer::new(self.body);
        let mut texts = Vec::new();
        lexer.eat(b'[');
        while !lexer.eat(b']') {
            texts.push(lexer.value(0).expect(CHECKED).in_line(self.body).text()?);
            lexer.eat(b',');
        }
        Some(texts)
    }
}
