use std::borrow::Cow;
use std::collections::BTreeSet;
use std::str::FromStr;

use smallvec::SmallVec;

use crate::json::{Lexer, SyntaxError, Value};
use crate::limits::{MAX_LINE_BYTES, PROTOCOL_VERSION};
use crate::refusal::{Reason, Refusal};

/// The members of one message, checked as far as that needs no knowledge of its kind: from the
/// length of the line to the version, in the contract's order (PLG-305).
pub(super) struct Object<'a> {
    members: SmallVec<[Member<'a>; USUAL_MEMBERS]>,
    /// Where the closing brace stands.
    end: usize,
}

struct Member<'a> {
    name: Cow<'a, str>,
    name_at: usize,
    value: Value<'a>,
    value_at: usize,
}

/// No message of the contract has more than 8 members; these many cost no allocation.
const USUAL_MEMBERS: usize = 10;

/// Every member name of the contract, in both directions.
const KNOWN_NAMES: [&str; 18] = [
    "cmd",
    "event",
    "v",
    "token",
    "generation",
    "data",
    "resume_args",
    "state",
    "detail",
    "deadline_epoch",
    "attempt",
    "level",
    "message",
    "title",
    "command",
    "cwd",
    "text",
    "idle_ms",
];

impl<'a> Object<'a> {
    /// Reads a line; `None` if it is blank.
    pub(super) fn read(line: &'a [u8]) -> Result<Option<Self>, Refusal> {
        if line.len() > MAX_LINE_BYTES {
            return Err(Reason::LineTooLong.at(MAX_LINE_BYTES));
        }
        let text = str::from_utf8(line).map_err(|error| Reason::NotUtf8.at(error.valid_up_to()))?;
        let mut lexer = Lexer::new(text);
        if lexer.peek().is_none() {
            return Ok(None);
        }
        let object = Self::parse(&mut lexer)?;
        object.refuse_duplicates()?;
        object.refuse_other_versions()?;
        Ok(Some(object))
    }

    fn parse(lexer: &mut Lexer<'a>) -> Result<Self, Refusal> {
        let start = lexer.at();
        if !lexer.eat(b'{') {
            lexer.value(0)?;
            lexer.end()?;
            return Err(Reason::NotAnObject.at(start));
        }
        let mut members = SmallVec::new();
        if !lexer.eat(b'}') {
            loop {
                members.push(Member::parse(lexer)?);
                if lexer.eat(b'}') {
                    break;
                }
                lexer.expect(b',', "`,` or `}`")?;
            }
        }
        let end = lexer.at() - 1;
        lexer.end()?;
        Ok(Self { members, end })
    }

    /// PLG-209: equal names, known or not, after unescaping.
    fn refuse_duplicates(&self) -> Result<(), Refusal> {
        let duplicate = if self.members.len() <= USUAL_MEMBERS {
            let earlier = |at: usize| self.members[..at].iter();
            (1..self.members.len())
                .find(|&at| earlier(at).any(|member| member.name == self.members[at].name))
        } else {
            let mut seen = BTreeSet::new();
            self.members
                .iter()
                .position(|member| !seen.insert(&*member.name))
        };
        match duplicate {
            None => Ok(()),
            Some(at) => {
                let Member { name, name_at, .. } = &self.members[at];
                let member = KNOWN_NAMES.into_iter().find(|known| known == name);
                Err(Reason::DuplicateMember { member }.at(*name_at))
            }
        }
    }

    /// PLG-301: a line of another version is reported as such whatever else it holds.
    fn refuse_other_versions(&self) -> Result<(), Refusal> {
        match self.required("v", "the integer 3", Value::integer::<u32>)? {
            PROTOCOL_VERSION => Ok(()),
            theirs => Err(self.refusal("v", Reason::VersionMismatch { theirs })),
        }
    }

    /// The member's value as `read` understands it.
    pub(super) fn required<T>(
        &self,
        name: &'static str,
        expected: &'static str,
        read: impl FnOnce(Value<'a>) -> Option<T>,
    ) -> Result<T, Refusal> {
        let Some(member) = self.find(name) else {
            return Err(Reason::MissingMember { member: name }.at(self.end));
        };
        read(member.value).ok_or(
            Reason::InvalidMember {
                member: name,
                expected,
            }
            .at(member.value_at),
        )
    }

    /// The same for a member that may be absent or null, which mean the same (PLG-307).
    pub(super) fn optional<T>(
        &self,
        name: &'static str,
        expected: &'static str,
        read: impl FnOnce(Value<'a>) -> Option<T>,
    ) -> Result<Option<T>, Refusal> {
        match self.find(name) {
            None
            | Some(Member {
                value: Value::Null, ..
            }) => Ok(None),
            Some(_) => self.required(name, expected, read).map(Some),
        }
    }

    /// A refusal because of a member's value.
    pub(super) fn refusal(&self, name: &str, reason: Reason) -> Refusal {
        reason.at(self.find(name).map_or(self.end, |member| member.value_at))
    }

    fn find(&self, name: &str) -> Option<&Member<'a>> {
        self.members.iter().find(|member| member.name == name)
    }
}

impl<'a> Member<'a> {
    fn parse(lexer: &mut Lexer<'a>) -> Result<Self, SyntaxError> {
        lexer.peek();
        let name_at = lexer.at();
        let name = lexer.string("a member name in quotes")?.text();
        lexer.expect(b':', "`:`")?;
        lexer.peek();
        let value_at = lexer.at();
        let value = lexer.value(0)?;
        Ok(Self {
            name,
            name_at,
            value,
            value_at,
        })
    }
}

impl<'a> Value<'a> {
    /// The text of a string.
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::String(string) => Some(string.text()),
            _ => None,
        }
    }

    /// A number written as a plain integer within the type's range (PLG-403).
    pub(super) fn integer<T: FromStr>(self) -> Option<T> {
        match self {
            Self::Number(number) if number != "-0" => number.parse().ok(),
            _ => None,
        }
    }

    /// The strings of an array that holds nothing else.
    pub(super) fn texts(self) -> Option<Vec<Cow<'a, str>>> {
        const CHECKED: &str = "the array was read before";
        let Self::Array(array) = self else {
            return None;
        };
        let mut lexer = Lexer::new(array);
        let mut texts = Vec::new();
        lexer.eat(b'[');
        while !lexer.eat(b']') {
            texts.push(lexer.value(0).expect(CHECKED).text()?);
            lexer.eat(b',');
        }
        Some(texts)
    }
}

impl From<SyntaxError> for Refusal {
    fn from(error: SyntaxError) -> Self {
        Reason::NotJson {
            expected: error.expected,
        }
        .at(error.at)
    }
}
