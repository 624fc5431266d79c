use std::borrow::Cow;
use std::collections::BTreeSet;

use super::name::Name;
use crate::json::{Expected, Kind, Lexer, SyntaxError, Token, Value};
use crate::limits::{MAX_LINE_BYTES, PROTOCOL_VERSION};
use crate::refusal::{Reason, Refusal};

/// The members of one message, checked as far as that needs no knowledge of its kind: from the
/// length of the line to the version, in the contract's order (PLG-305).
pub(super) struct Object<'a> {
    line: &'a str,
    members: [Option<Token>; Name::COUNT],
    /// Where the closing brace stands.
    end: usize,
}

impl<'a> Object<'a> {
    /// Reads a line; `None` if it is blank.
    #[inline(always)]
    pub(super) fn read(line: &'a [u8]) -> Result<Option<Self>, Refusal> {
        if line.len() > MAX_LINE_BYTES {
            return Err(Reason::LineTooLong.at(MAX_LINE_BYTES));
        }
        let line = str::from_utf8(line).map_err(|error| Reason::NotUtf8.at(error.valid_up_to()))?;
        let mut lexer = Lexer::new(line);
        if lexer.peek().is_none() {
            return Ok(None);
        }
        let mut object = Self {
            line,
            members: [None; Name::COUNT],
            end: 0,
        };
        object.parse(&mut lexer)?;
        object.refuse_other_versions()?;
        Ok(Some(object))
    }

    #[inline(always)]
    fn parse(&mut self, lexer: &mut Lexer<'a>) -> Result<(), Refusal> {
        let start = lexer.at();
        if !lexer.eat(b'{') {
            lexer.value(0)?;
            lexer.end()?;
            return Err(Reason::NotAnObject.at(start));
        }
        let mut duplicates = Duplicates::default();
        if !lexer.eat(b'}') {
            loop {
                self.parse_member(lexer, &mut duplicates)?;
                if !lexer.goes_on(b'}', Expected::CommaOrBrace)? {
                    break;
                }
            }
        }
        self.end = lexer.at() - 1;
        lexer.end()?;
        duplicates.first.map_or(Ok(()), Err)
    }

    #[inline(always)]
    fn parse_member(
        &mut self,
        lexer: &mut Lexer<'a>,
        duplicates: &mut Duplicates<'a>,
    ) -> Result<(), SyntaxError> {
        let name = lexer.name()?;
        lexer.colon()?;
        let value = lexer.value(0)?;
        let spelling = name.in_line(self.line).text().unwrap_or_default();
        match Name::from_spelling(&spelling) {
            None => duplicates.watch(spelling, name.at()),
            Some(known) => {
                if self.members[known as usize].replace(value).is_some() {
                    duplicates.found(Some(known), name.at());
                }
            }
        }
        Ok(())
    }

    /// PLG-301: a line of another version is reported as such whatever else it holds.
    fn refuse_other_versions(&self) -> Result<(), Refusal> {
        match self.required(Name::V, "the integer 3", Value::integer::<u32>)? {
            PROTOCOL_VERSION => Ok(()),
            theirs => Err(self.refusal(Name::V, Reason::VersionMismatch { theirs })),
        }
    }

    /// The member's value as `read` understands it.
    #[inline(always)]
    pub(super) fn required<T>(
        &self,
        name: Name,
        expected: &'static str,
        read: impl FnOnce(Value<'a>) -> Option<T>,
    ) -> Result<T, Refusal> {
        let Some(member) = self.members[name as usize] else {
            return Err(self.refusal(
                name,
                Reason::MissingMember {
                    member: name.as_str(),
                },
            ));
        };
        read(member.in_line(self.line)).ok_or_else(|| {
            self.refusal(
                name,
                Reason::InvalidMember {
                    member: name.as_str(),
                    expected,
                },
            )
        })
    }

    /// The same for a member that may be absent or null, which mean the same (PLG-307).
    #[inline(always)]
    pub(super) fn optional<T>(
        &self,
        name: Name,
        expected: &'static str,
        read: impl FnOnce(Value<'a>) -> Option<T>,
    ) -> Result<Option<T>, Refusal> {
        match self.members[name as usize] {
            None
            | Some(Token {
                kind: Kind::Null, ..
            }) => Ok(None),
            Some(_) => self.required(name, expected, read).map(Some),
        }
    }

    /// A refusal because of a member: at its value, or at the brace before which it is missing.
    pub(super) fn refusal(&self, name: Name, reason: Reason) -> Refusal {
        reason.at(self.members[name as usize].map_or(self.end, Token::at))
    }
}

/// Finds members of equal names (PLG-209). The line is read to its end before that matters.
#[derive(Default)]
struct Duplicates<'a> {
    unknown: BTreeSet<Cow<'a, str>>,
    first: Option<Refusal>,
}

impl<'a> Duplicates<'a> {
    fn watch(&mut self, unknown: Cow<'a, str>, at: usize) {
        if !self.unknown.insert(unknown) {
            self.found(None, at);
        }
    }

    fn found(&mut self, name: Option<Name>, at: usize) {
        let member = name.map(Name::as_str);
        self.first
            .get_or_insert(Reason::DuplicateMember { member }.at(at));
    }
}

impl From<SyntaxError> for Refusal {
    fn from(error: SyntaxError) -> Self {
        Reason::NotJson {
            expected: error.expected,
        }
        .at(error.at as usize)
    }
}
