use super::escape::pass_escape;
use super::number::pass_number;
use super::plain::{plain_prefix, short_plain_prefix};
use super::value::{Kind, Token};
use super::{Expected, Result};
use crate::limits::MAX_NESTING;

/// Reads JSON from front to back; every method leaves it behind what it read.
///
/// The methods for what every line holds are inlined, and nothing that is not inlined borrows the
/// lexer, so that its position stays in a register.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Bytes read so far.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The next significant byte, which is not consumed.
    #[inline(always)]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        let next = self.text.as_bytes().get(self.at).copied();
        if next.is_some_and(|byte| byte > b' ') {
            return next;
        }
        self.at = pass_whitespace(self.text, self.at);
        self.text.as_bytes().get(self.at).copied()
    }

    /// Consumes `byte` if it comes next.
    #[inline(always)]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Consumes the colon between a name and its value.
    #[inline(always)]
    pub(crate) fn colon(&mut self) -> Result<()> {
        if self.eat(b':') {
            Ok(())
        } else {
            Err(Expected::Colon.at(self.at))
        }
    }

    /// After an element of a container: whether another follows a comma, or the container is closed.
    #[inline(always)]
    pub(crate) fn goes_on(&mut self, close: u8, expected: Expected) -> Result<bool> {
        let next = self.peek();
        if next != Some(b',') && next != Some(close) {
            return Err(expected.at(self.at));
        }
        self.at += 1;
        Ok(next == Some(b','))
    }

    /// Checks that nothing but whitespace is left.
    pub(crate) fn end(&mut self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(Expected::End.at(self.at)),
        }
    }

    /// Reads a member's name.
    #[inline(always)]
    pub(crate) fn name(&mut self) -> Result<Token> {
        match self.peek() {
            Some(b'"') => self.string(short_plain_prefix),
            _ => Err(Expected::Name.at(self.at)),
        }
    }

    /// Reads a value that stands inside `depth` containers of the same member.
    #[inline(always)]
    pub(crate) fn value(&mut self, depth: u32) -> Result<Token> {
        match self.peek() {
            Some(b'"') => self.string(plain_prefix),
            Some(b'-' | b'0'..=b'9') => {
                let end = pass_number(self.text, self.at)?;
                Ok(self.token(Kind::Number, end))
            }
            Some(b'n') => self.literal("null", Kind::Null),
            Some(b't') => self.literal("true", Kind::Bool),
            Some(b'f') => self.literal("false", Kind::Bool),
            Some(b'[') => {
                let end = pass_array(self.text, self.at, depth)?;
                Ok(self.token(Kind::Array, end))
            }
            Some(b'{') => {
                let end = pass_object(self.text, self.at, depth)?;
                Ok(self.token(Kind::Object, end))
            }
            _ => Err(Expected::Value.at(self.at)),
        }
    }

    /// Reads the string whose quote comes next.
    #[inline(always)]
    fn string(&mut self, plain_prefix: impl Fn(&[u8]) -> usize) -> Result<Token> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut end = start + plain_prefix(&bytes[start..]);
        let mut kind = Kind::Plain;
        if bytes.get(end) != Some(&b'"') {
            kind = Kind::Escaped;
            end = pass_escaped(bytes, end)?;
        }
        self.at = end + 1;
        Ok(Token::new(kind, start, end))
    }

    #[inline(always)]
    fn literal(&mut self, word: &'static str, kind: Kind) -> Result<Token> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(Expected::Literal.at(self.at));
        }
        Ok(self.token(kind, self.at + word.len()))
    }

    /// What stands from here to `end`, which becomes the new position.
    fn token(&mut self, kind: Kind, end: usize) -> Token {
        let start = std::mem::replace(&mut self.at, end);
        Token::new(kind, start, end)
    }
}

#[cold]
fn pass_whitespace(text: &str, at: usize) -> usize {
    at + text.as_bytes()[at..]
        .iter()
        .take_while(|byte| is_whitespace(**byte))
        .count()
}

/// JSON's whitespace without LF, which ends a line and therefore cannot be inside one.
fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Passes the rest of a string from its first byte that is not plain to its closing quote.
fn pass_escaped(bytes: &[u8], mut at: usize) -> Result<usize> {
    loop {
        at = match bytes.get(at) {
            Some(b'"') => return Ok(at),
            Some(b'\\') => pass_escape(bytes, at)?,
            Some(_) => return Err(Expected::EscapedControl.at(at)),
            None => return Err(Expected::ClosingQuote.at(at)),
        };
        at += plain_prefix(&bytes[at..]);
    }
}

/// Passes the array whose bracket is at `start`.
fn pass_array(text: &str, start: usize, depth: u32) -> Result<usize> {
    let mut lexer = enter(text, start, depth)?;
    if !lexer.eat(b']') {
        loop {
            lexer.value(depth + 1)?;
            if !lexer.goes_on(b']', Expected::CommaOrBracket)? {
                break;
            }
        }
    }
    Ok(lexer.at)
}

/// Passes the object whose brace is at `start`.
fn pass_object(text: &str, start: usize, depth: u32) -> Result<usize> {
    let mut lexer = enter(text, start, depth)?;
    if !lexer.eat(b'}') {
        loop {
            lexer.name()?;
            lexer.colon()?;
            lexer.value(depth + 1)?;
            if !lexer.goes_on(b'}', Expected::CommaOrBrace)? {
                break;
            }
        }
    }
    Ok(lexer.at)
}

/// Goes into the container that opens at `start`, unless it is too deep.
fn enter(text: &str, start: usize, depth: u32) -> Result<Lexer<'_>> {
    if depth == MAX_NESTING {
        return Err(Expected::LessNesting.at(start));
    }
    Ok(Lexer {
        text,
        at: start + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::SyntaxError;

    fn value(text: &str) -> Result<Token> {
        let mut lexer = Lexer::new(text);
        let value = lexer.value(0)?;
        lexer.end()?;
        Ok(value)
    }

    fn kind(text: &str) -> Kind {
        value(text).unwrap().kind
    }

    fn error(text: &str) -> (u32, Expected) {
        let SyntaxError { at, expected } = value(text).unwrap_err();
        (at, expected)
    }

    #[test]
    fn tells_the_kinds_of_value_apart() {
        assert_eq!(kind(" null\t"), Kind::Null);
        assert_eq!(kind("true\r"), Kind::Bool);
        assert_eq!(kind("false"), Kind::Bool);
        assert_eq!(kind("-1.5e3"), Kind::Number);
        assert_eq!(kind(r#""a""#), Kind::Plain);
        assert_eq!(kind(r#""\n""#), Kind::Escaped);
        assert_eq!(kind(r#"{"a" : {} , "b":[]}"#), Kind::Object);
        assert_eq!(kind("[ 1 , [ ] , {} ]"), Kind::Array);
    }

    #[test]
    fn knows_where_a_value_begins() {
        for text in [
            r#"  "a""#,
            "  17",
            "  null",
            "  [1]",
            r#"  {"a":1}"#,
            r#"  "\t""#,
        ] {
            assert_eq!(value(text).unwrap().at(), 2, "{text}");
        }
    }

    #[test]
    fn says_where_and_what() {
        assert_eq!(error(""), (0, Expected::Value));
        assert_eq!(error("  ]"), (2, Expected::Value));
        assert_eq!(error("nul"), (0, Expected::Literal));
        assert_eq!(error("[1 2]"), (3, Expected::CommaOrBracket));
        assert_eq!(error("[1,]"), (3, Expected::Value));
        assert_eq!(error("{1:2}"), (1, Expected::Name));
        assert_eq!(error(r#"{"a" 1}"#), (5, Expected::Colon));
        assert_eq!(error(r#"{"a":1 "b":2}"#), (7, Expected::CommaOrBrace));
        assert_eq!(error(r#"{"a":1,}"#), (7, Expected::Name));
        assert_eq!(error("1 1"), (2, Expected::End));
        assert_eq!(error("[1\n]"), (2, Expected::CommaOrBracket));
        assert_eq!(error("\"abc"), (4, Expected::ClosingQuote));
        for control in '\0'..' ' {
            assert_eq!(
                error(&format!("\"ab{control}\"")),
                (3, Expected::EscapedControl)
            );
        }
    }

    #[test]
    fn nests_sixty_four_deep_and_no_deeper() {
        let nested =
            |open: &str, close, depth| open.repeat(depth) + "1" + &str::repeat(close, depth);
        assert!(value(&nested("[", "]", 64)).is_ok());
        assert!(value(&nested(r#"{"a":"#, "}", 64)).is_ok());
        assert_eq!(error(&nested("[", "]", 65)), (64, Expected::LessNesting));
        assert_eq!(
            error(&nested(r#"{"a":"#, "}", 65)),
            (64 * 5, Expected::LessNesting)
        );
        assert!(
            value(&("[".to_owned() + &"[],".repeat(100) + "{}]")).is_ok(),
            "width is not depth"
        );
    }
}
