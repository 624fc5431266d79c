use super::escape::pass_escape;
use super::number::pass_number;
use super::plain::plain_prefix;
use super::value::{Kind, Token};
use super::{Expected, Result, SyntaxError};
use crate::limits::MAX_NESTING;

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
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            let next = self.text.as_bytes().get(self.at).copied();
            if !next.is_some_and(is_whitespace) {
                return next;
            }
            self.at += 1;
        }
    }

    /// Consumes `byte` if it comes next.
    #[inline]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Consumes `byte`, which must come next.
    #[inline]
    pub(crate) fn expect(&mut self, byte: u8, expected: Expected) -> Result<()> {
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
            Some(_) => Err(self.error(Expected::End)),
        }
    }

    /// Reads a member's name.
    pub(crate) fn name(&mut self) -> Result<Token> {
        match self.peek() {
            Some(b'"') => self.string(),
            _ => Err(self.error(Expected::Name)),
        }
    }

    /// Reads a value that stands inside `depth` containers of the same member.
    pub(crate) fn value(&mut self, depth: u32) -> Result<Token> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'n') => self.literal("null", Kind::Null),
            Some(b't') => self.literal("true", Kind::Bool),
            Some(b'f') => self.literal("false", Kind::Bool),
            Some(b'[') => self.array(depth),
            Some(b'{') => self.object(depth),
            _ => Err(self.error(Expected::Value)),
        }
    }

    /// Reads the string whose quote comes next.
    #[inline]
    fn string(&mut self) -> Result<Token> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut at = start;
        let mut kind = Kind::Plain;
        loop {
            at += plain_prefix(&bytes[at..]);
            match bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(Token::new(kind, start, at));
                }
                Some(b'\\') => {
                    kind = Kind::Escaped;
                    at = pass_escape(bytes, at)?;
                }
                Some(_) => return Err(Expected::EscapedControl.at(at)),
                None => return Err(Expected::ClosingQuote.at(at)),
            }
        }
    }

    #[inline]
    fn number(&mut self) -> Result<Token> {
        let start = self.at;
        self.at = pass_number(self.text, start)?;
        Ok(Token::new(Kind::Number, start, self.at))
    }

    fn literal(&mut self, word: &'static str, kind: Kind) -> Result<Token> {
        let start = self.at;
        if !self.text.as_bytes()[start..].starts_with(word.as_bytes()) {
            return Err(self.error(Expected::Literal));
        }
        self.at += word.len();
        Ok(Token::new(kind, start, self.at))
    }

    fn array(&mut self, depth: u32) -> Result<Token> {
        let start = self.at;
        self.enter(depth)?;
        if !self.eat(b']') {
            loop {
                self.value(depth + 1)?;
                if self.eat(b']') {
                    break;
                }
                self.expect(b',', Expected::CommaOrBracket)?;
            }
        }
        Ok(Token::new(Kind::Array, start, self.at))
    }

    fn object(&mut self, depth: u32) -> Result<Token> {
        let start = self.at;
        self.enter(depth)?;
        if !self.eat(b'}') {
            loop {
                self.name()?;
                self.expect(b':', Expected::Colon)?;
                self.value(depth + 1)?;
                if self.eat(b'}') {
                    break;
                }
                self.expect(b',', Expected::CommaOrBrace)?;
            }
        }
        Ok(Token::new(Kind::Object, start, self.at))
    }

    /// Consumes the opening bracket unless that goes too deep.
    fn enter(&mut self, depth: u32) -> Result<()> {
        if depth == MAX_NESTING {
            return Err(self.error(Expected::LessNesting));
        }
        self.at += 1;
        Ok(())
    }

    #[cold]
    fn error(&self, expected: Expected) -> SyntaxError {
        expected.at(self.at)
    }
}

/// JSON's whitespace without LF, which ends a line and therefore cannot be inside one.
fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

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
