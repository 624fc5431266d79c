/// Declares [`Name`] from one list of spellings.
macro_rules! names {
    ($($name:ident = $spelling:literal),+ $(,)?) => {
        /// The member names of the contract, both directions together.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Name {
            $($name),+
        }

        impl Name {
            pub(super) const COUNT: usize = [$(Self::$name),+].len();

            pub(super) const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $spelling),+
                }
            }

            /// The name so spelt, if the contract has it.
            #[inline]
            pub(super) fn from_spelling(spelling: &str) -> Option<Self> {
                match spelling {
                    $($spelling => Some(Self::$name),)+
                    _ => None,
                }
            }
        }
    };
}

names! {
    Cmd = "cmd",
    Event = "event",
    V = "v",
    Token = "token",
    Generation = "generation",
    Data = "data",
    ResumeArgs = "resume_args",
    State = "state",
    Detail = "detail",
    DeadlineEpoch = "deadline_epoch",
    Attempt = "attempt",
    Level = "level",
    Message = "message",
    Title = "title",
    Command = "command",
    Cwd = "cwd",
    Text = "text",
    IdleMs = "idle_ms",
}
