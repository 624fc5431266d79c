use super::number::scan_number;
use super::string::{RawString, scan_string};
use super::{Result, SyntaxError};
use crate::limits::MAX_NESTING;

/// One value as it stands in the line. Containers are checked but not taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Null,
    Bool,
    Number(&'a str),
    String(RawString<'a>),
    /// The text from `[` to `]`.
    Array(&'a str),
    Object,
}

/// Reads JSON from front to back; every method leaves it behind what it read.
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
    pub(crate) fn peek(&mut self) -> Option<u8> {
        self.skip_whitespace();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Consumes `byte` if it comes next.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Consumes `byte`, which must come next.
    pub(crate) fn expect(&mut self, byte: u8, expected: &'static str) -> Result<()> {
        if self.eat(byte) {
            Ok(())
        } else {
            Err(self.error(expected))
        }
    }

    /// Checks that nothing but whitespace is left.
    pub(crate) fn end(&mut self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error("the end of the line")),
        }
    }

    /// Reads a string, from quote to quote.
    pub(crate) fn string(&mut self, expected: &'static str) -> Result<RawString<'a>> {
        self.expect(b'"', expected)?;
        let (string, end) = scan_string(self.text, self.at)?;
        self.at = end;
        Ok(string)
    }

    /// Reads a value that stands inside `depth` containers of the same member.
    pub(crate) fn value(&mut self, depth: u32) -> Result<Value<'a>> {
        match self.peek() {
            Some(b'"') => self.string("a string").map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'n') => self.literal("null", Value::Null),
            Some(b't') => self.literal("true", Value::Bool),
            Some(b'f') => self.literal("false", Value::Bool),
            Some(b'[') => self.array(depth),
            Some(b'{') => self.object(depth),
            _ => Err(self.error("a value")),
        }
    }

    fn number(&mut self) -> Result<Value<'a>> {
        let start = self.at;
        self.at = scan_number(self.text, start)?;
        Ok(Value::Number(&self.text[start..self.at]))
    }

    fn literal(&mut self, word: &'static str, value: Value<'a>) -> Result<Value<'a>> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(self.error("null, true or false"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn array(&mut self, depth: u32) -> Result<Value<'a>> {
        let start = self.at;
        self.enter(depth)?;
        if !self.eat(b']') {
            loop {
                self.value(depth + 1)?;
                if self.eat(b']') {
                    break;
                }
                self.expect(b',', "`,` or `]`")?;
            }
        }
        Ok(Value::Array(&self.text[start..self.at]))
    }

    fn object(&mut self, depth: u32) -> Result<Value<'a>> {
        self.enter(depth)?;
        if !self.eat(b'}') {
            loop {
                self.string("a member name in quotes")?;
                self.expect(b':', "`:`")?;
                self.value(depth + 1)?;
                if self.eat(b'}') {
                    break;
                }
                self.expect(b',', "`,` or `}`")?;
            }
        }
        Ok(Value::Object)
    }

    /// Consumes the opening bracket unless that goes too deep.
    fn enter(&mut self, depth: u32) -> Result<()> {
        if depth == MAX_NESTING {
            return Err(self.error("at most 64 nested arrays and objects"));
        }
        self.at += 1;
        Ok(())
    }

    /// JSON's whitespace without LF, which ends a line and therefore cannot be inside one.
    fn skip_whitespace(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
            .count();
    }

    fn error(&self, expected: &'static str) -> SyntaxError {
        SyntaxError {
            at: self.at,
            expected,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Value<'_>> {
        let mut lexer = Lexer::new(text);
        let value = lexer.value(0)?;
        lexer.end()?;
        Ok(value)
    }

    fn error(text: &str) -> (usize, &'static str) {
        let SyntaxError { at, expected } = value(text).unwrap_err();
        (at, expected)
    }

    #[test]
    fn tells_the_kinds_of_value_apart() {
        assert_eq!(value(" null\t"), Ok(Value::Null));
        assert_eq!(value("true\r"), Ok(Value::Bool));
        assert_eq!(value("false"), Ok(Value::Bool));
        assert_eq!(value("-1.5e3"), Ok(Value::Number("-1.5e3")));
        assert!(matches!(value(r#""a""#), Ok(Value::String(_))));
        assert_eq!(value(r#"{"a" : {} , "b":[]}"#), Ok(Value::Object));
        assert_eq!(
            value("[ 1 , [ ] , {} ]"),
            Ok(Value::Array("[ 1 , [ ] , {} ]"))
        );
    }

    #[test]
    fn says_where_and_what() {
        assert_eq!(error(""), (0, "a value"));
        assert_eq!(error("  ]"), (2, "a value"));
        assert_eq!(error("nul"), (0, "null, true or false"));
        assert_eq!(error("[1 2]"), (3, "`,` or `]`"));
        assert_eq!(error("[1,]"), (3, "a value"));
        assert_eq!(error("{1:2}"), (1, "a member name in quotes"));
        assert_eq!(error(r#"{"a" 1}"#), (5, "`:`"));
        assert_eq!(error(r#"{"a":1 "b":2}"#), (7, "`,` or `}`"));
        assert_eq!(error(r#"{"a":1,}"#), (7, "a member name in quotes"));
        assert_eq!(error("1 1"), (2, "the end of the line"));
        assert_eq!(error("[1\n]"), (2, "`,` or `]`"));
    }

    #[test]
    fn nests_sixty_four_deep_and_no_deeper() {
        let nested =
            |open: &str, close: &str, depth| open.repeat(depth) + "1" + &close.repeat(depth);
        assert!(value(&nested("[", "]", 64)).is_ok());
        assert!(value(&nested(r#"{"a":"#, "}", 64)).is_ok());
        assert_eq!(
            error(&nested("[", "]", 65)),
            (64, "at most 64 nested arrays and objects")
        );
        assert_eq!(error(&nested(r#"{"a":"#, "}", 65)).0, 64 * 5);
        assert!(
            value(&("[".to_owned() + &"[],".repeat(100) + "{}]")).is_ok(),
            "width is not depth"
        );
    }
}
