//! What a check can come to.

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The requirement was put to the test and kept. The note says what was seen, where that is of
    /// interest.
    Pass {
        /// What was seen, for the curious.
        note: Option<String>,
    },
    /// The requirement was broken.
    Fail(Failure),
    /// The check makes no sense here.
    NotApplicable(String),
    /// The subject never did what the requirement is about. Silence is legal, but proves nothing.
    NotExercised(String),
    /// The runner is at fault, not the subject.
    Error(String),
}

/// What a judge returns: an outcome, or early on a failure that `?` passes up.
pub type Judgement = Result<Outcome, Failure>;

/// A broken requirement, with what is needed to show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What kind of fault.
    pub reason: Reason,
    /// What happened, as a sentence about this subject.
    pub explanation: String,
    /// The offending byte of the subject's stdout, counted from its start.
    pub stdout_offset: Option<usize>,
    /// The entry of the transcript up to which the sent lines matter; all of them if `None`.
    pub after: Option<usize>,
    /// The line that the subject was sent and that it is about, if it is about one.
    pub sent: Option<Box<SentLine>>,
    /// What the decoder or the schema said about the line, in its own words: about the one that was
    /// sent, if there is one, and else about the one that came.
    pub decoder: Option<String>,
}

/// A line that the subject was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentLine {
    /// Where it begins in the subject's stdin.
    pub offset: u64,
    /// Its bytes, with the terminator.
    pub bytes: Vec<u8>,
    /// The byte that makes it no message, counted from its start.
    pub fault: Option<usize>,
}

macro_rules! reasons {
    ($($(#[doc = $line:literal])+ $variant:ident = $code:literal,)+) => {
        /// Why a check failed: a closed list, so that a baseline can name the fault it expects.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Reason {
            $($(#[doc = $line])+ $variant,)+
        }

        impl Reason {
            /// Every reason.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// What it means, as a sentence.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($line),+).trim_start(),)+
                }
            }

            /// The code as reports spell it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)+
                }
            }
        }
    };
}

reasons! {
    /// A line on stdout is not a command of the contract.
    NotACommand = "not_a_command",
    /// A line on stdout is blank.
    BlankLine = "blank_line",
    /// A carriage return on stdout.
    CarriageReturn = "carriage_return",
    /// A byte order mark on stdout.
    ByteOrderMark = "byte_order_mark",
    /// The last line has no terminator.
    Unterminated = "unterminated",
    /// Commands came only when stdin was closed.
    NotFlushed = "not_flushed",
    /// A line over 65,536 bytes.
    LineTooLong = "line_too_long",
    /// A `data` over 8,192 bytes.
    InputTooLarge = "input_too_large",
    /// An event that the subject answers elsewhere was not answered here.
    NotAnswered = "not_answered",
    /// The subject ended while its host still had something to say.
    ExitedEarly = "exited_early",
    /// A signal ended the subject.
    Crashed = "crashed",
    /// The subject ended with a status other than 0.
    ExitStatus = "exit_status",
    /// The subject had not ended when the grace was over.
    StillRunning = "still_running",
    /// A pane command after `shutdown`.
    CommandAfterShutdown = "command_after_shutdown",
    /// A command for a pane that was never announced.
    UnknownPane = "unknown_pane",
    /// A command with another `v`, or with none.
    WrongVersion = "wrong_version",
    /// A pane command in answer to events of another version.
    ActedOnOtherVersion = "acted_on_other_version",
    /// Events of another version were ignored without a word.
    NotRecorded = "not_recorded",
    /// Memory grows with what was sent.
    MemoryGrew = "memory_grew",
    /// CPU is used while there is nothing to do.
    BusyWhenQuiet = "busy_when_quiet",
    /// A command for a pane that was closed.
    ClosedPane = "closed_pane",
    /// Input for a program that had ended.
    InputToExited = "input_to_exited",
    /// A relaunch of a program that is alive.
    RelaunchOfLive = "relaunch_of_live",
    /// A command about another process than the newest.
    StaleGeneration = "stale_generation",
    /// An action that a person had taken over.
    ActedOverAPerson = "acted_over_a_person",
    /// The same command again and again, to no effect.
    Repeated = "repeated",
    /// More panes asked for at once than it says itself.
    TooManyPending = "too_many_pending",
    /// A pane was granted, and what it had been asked for was not done.
    SignalForgotten = "signal_forgotten",
    /// Something private in a command.
    PrivateText = "private_text",
    /// A command in answer to an event that does not exist.
    ActedOnUnknownEvent = "acted_on_unknown_event",
    /// The subject no longer reads its stdin.
    StoppedReading = "stopped_reading",
    /// A line on a decoder's stdout is no verdict.
    NotAVerdict = "not_a_verdict",
    /// A verdict has the number of another line.
    WrongNumber = "wrong_number",
    /// A line got no verdict.
    MissingVerdict = "missing_verdict",
    /// More verdicts than lines.
    ExtraVerdict = "extra_verdict",
    /// A line that must be refused was taken for a message.
    AcceptedBadLine = "accepted_bad_line",
    /// A message was refused.
    RefusedGoodLine = "refused_good_line",
    /// A blank line was refused.
    RefusedBlankLine = "refused_blank_line",
    /// A line that is not blank was skipped.
    SkippedLine = "skipped_line",
    /// A message was decoded to something else.
    WrongValue = "wrong_value",
    /// A line was refused for another reason than the first that there is.
    WrongCode = "wrong_code",
    /// The CPU time for a line grows faster than its width.
    SlowOnWideLines = "slow_on_wide_lines",
}

impl Outcome {
    /// A pass without a note.
    #[must_use]
    pub const fn pass() -> Self {
        Self::Pass { note: None }
    }

    /// A pass that says what was seen.
    #[must_use]
    pub fn pass_with(note: impl Into<String>) -> Self {
        Self::Pass {
            note: Some(note.into()),
        }
    }

    /// The failure, if it is one.
    #[must_use]
    pub const fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Fail(failure) => Some(failure),
            Self::Pass { .. } | Self::NotApplicable(_) | Self::NotExercised(_) | Self::Error(_) => {
                None
            }
        }
    }

    /// What was seen, or why there is no verdict, in words; of a failure there is more to say.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        match self {
            Self::Pass { note } => note.as_deref(),
            Self::Fail(_) => None,
            Self::NotApplicable(reason) | Self::NotExercised(reason) | Self::Error(reason) => {
                Some(reason)
            }
        }
    }

    /// Whether the requirement was put to the test.
    #[must_use]
    pub const fn was_exercised(&self) -> bool {
        matches!(self, Self::Pass { .. } | Self::Fail(_))
    }
}

impl Failure {
    /// A fault of this kind, told as a sentence.
    #[must_use]
    pub fn new(reason: Reason, explanation: impl Into<String>) -> Self {
        let explanation = explanation.into();
        Self {
            reason,
            explanation,
            stdout_offset: None,
            after: None,
            sent: None,
            decoder: None,
        }
    }

    /// The same, pointing at a byte of stdout.
    #[must_use]
    pub const fn at(mut self, stdout_offset: usize) -> Self {
        self.stdout_offset = Some(stdout_offset);
        self
    }

    /// The same, about what was sent up to this entry of the transcript.
    #[must_use]
    pub const fn after(mut self, entry: usize) -> Self {
        self.after = Some(entry);
        self
    }

    /// The same, about a line that was sent.
    #[must_use]
    pub fn about(mut self, sent: SentLine) -> Self {
        self.sent = Some(Box::new(sent));
        self
    }

    /// The same, with the decoder's words.
    #[must_use]
    pub fn decoder(mut self, words: impl Into<String>) -> Self {
        self.decoder = Some(words.into());
        self
    }
}
