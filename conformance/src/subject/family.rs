use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::Pid;

#[cfg(not(target_os = "linux"))]
use crate::transcript::Figures;

/// The subject's processes: those of its process group, and strays that left the group but still
/// have the path of the check's private home in their environment.
#[derive(Debug)]
pub struct Family<'a> {
    /// Leader of the process group.
    pub leader: Pid,
    /// The private home.
    pub home: &'a Path,
}

/// Whether this system tells about memory, CPU time and descriptors of processes.
#[must_use]
pub const fn can_measure() -> bool {
    cfg!(target_os = "linux")
}

/// For how long this thread has wanted a CPU and got none, where the system tells.
pub(crate) fn own_wait() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat");
    text.map_or(Duration::ZERO, |text| wait_in(&text))
}

/// The time spent waiting for a CPU in a `schedstat` file.
fn wait_in(schedstat: &str) -> Duration {
    let nanos = schedstat.split(' ').nth(1);
    Duration::from_nanos(nanos.and_then(|field| field.parse().ok()).unwrap_or(0))
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};
    use std::thread;
    use std::time::Duration;

    use memchr::memmem;
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    use super::{Family, wait_in};
    use crate::transcript::Figures;

    impl Family<'_> {
        /// What the system says about all of them together; `None` when none is left.
        #[must_use]
        pub fn figures(&self) -> Option<Figures> {
            let mut sum = Figures {
                asleep: true,
                ..Figures::default()
            };
            for pid in self.candidates() {
                let folder = proc(pid);
                let Some(stat) = Stat::read(&folder.join("stat")) else {
                    continue;
                };
                let belongs = stat.group() == Some(self.leader) || self.is_stray(pid);
                if belongs && let Some(one) = figures_of(&folder, &stat) {
                    sum.processes += 1;
                    sum.resident += one.resident;
                    sum.cpu += one.cpu;
                    sum.waited += one.waited;
                    sum.descriptors += one.descriptors;
                    sum.asleep &= one.asleep;
                }
            }
            (sum.processes > 0).then_some(sum)
        }

        /// Ends those that left the process group, and what they start meanwhile.
        pub fn kill_strays(&self) {
            let mut blind = 0;
            // A fork may be one step ahead of us, but not for ever: each round ends its parent.
            for _ in 0..MOST_ROUNDS {
                let (mut strays, mut is_clear) = (Vec::new(), true);
                for pid in self.candidates() {
                    match self.kinship(pid) {
                        Kinship::Stray => strays.push(pid),
                        Kinship::Unclear => is_clear = false,
                        Kinship::Stranger => {}
                    }
                }
                if strays.is_empty() {
                    if is_clear || blind == MOST_BLIND_ROUNDS {
                        return;
                    }
                    blind += 1;
                    thread::sleep(TO_BECOME_CLEAR);
                }
                for stray in strays {
                    // Whoever holds the descriptor cannot end another process that got the same id.
                    if let Ok(process) = pidfd_open(stray, PidfdFlags::empty())
                        && self.is_stray(stray)
                    {
                        let _ = pidfd_send_signal(process, Signal::KILL);
                    }
                }
            }
        }

        /// The processes that may belong to the leader: those that were started after it, as far as their
        /// ids tell.
        fn candidates(&self) -> impl Iterator<Item = Pid> {
            let first = self.leader.as_raw_nonzero().get();
            let listed: Vec<Pid> = processes().collect();
            // Looked up afterwards: nobody in the list is newer.
            let last = last_pid();
            listed.into_iter().filter(move |pid| {
                last.is_none_or(|last| is_between(first, pid.as_raw_nonzero().get(), last))
            })
        }

        fn is_stray(&self, pid: Pid) -> bool {
            self.kinship(pid) == Kinship::Stray
        }

        fn kinship(&self, pid: Pid) -> Kinship {
            let folder = proc(pid);
            match fs::read(folder.join("environ")) {
                Ok(environment) if environment.is_empty() => {
                    // Kernel threads, and ended processes that nobody has waited for yet, have no program.
                    match fs::read_link(folder.join("exe")) {
                        Ok(_) => Kinship::Unclear,
                        Err(_) => Kinship::Stranger,
                    }
                }
                Ok(environment) => {
                    let home = self.home.as_os_str().as_bytes();
                    match memmem::find(&environment, home) {
                        Some(_) => Kinship::Stray,
                        None => Kinship::Stranger,
                    }
                }
                Err(_) => Kinship::Stranger,
            }
        }
    }

    /// Whether a process belongs to the subject, as its environment tells.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Kinship {
        Stray,
        Stranger,
        /// Its environment is empty, as it is for a moment while a process becomes another program.
        Unclear,
    }

    /// How often strays are looked for at most.
    const MOST_ROUNDS: usize = 100;

    /// How often that is done for processes whose environment is empty: some have none at all.
    const MOST_BLIND_ROUNDS: usize = 20;

    /// How long such a process is given to show one.
    const TO_BECOME_CLEAR: Duration = Duration::from_millis(1);

    /// The id that was given last.
    fn last_pid() -> Option<i32> {
        let text = fs::read_to_string("/proc/loadavg").ok()?;
        text.split_whitespace().last()?.parse().ok()
    }

    /// Whether an id was given from `first` on until `last` was: ids rise, and begin anew at the highest.
    const fn is_between(first: i32, id: i32, last: i32) -> bool {
        if first <= last {
            first <= id && id <= last
        } else {
            first <= id || id <= last
        }
    }

    fn processes() -> impl Iterator<Item = Pid> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
    }

    fn proc(pid: Pid) -> PathBuf {
        PathBuf::from(format!("/proc/{pid}"))
    }

    /// The text of a `stat` file.
    struct Stat(String);

    impl Stat {
        fn read(file: &Path) -> Option<Self> {
            fs::read_to_string(file).ok().map(Self)
        }

        /// A field, counted from the state on.
        fn field(&self, index: usize) -> Option<&str> {
            // The program's name comes before it, in parentheses, and may hold anything.
            let (_, fields) = self.0.rsplit_once(") ")?;
            fields.split(' ').nth(index)
        }

        fn number(&self, index: usize) -> Option<u64> {
            self.field(index)?.parse().ok()
        }

        fn group(&self) -> Option<Pid> {
            // A process that is just ending is in no group: -1.
            let group = self.field(2)?.parse().ok().filter(|group| *group > 0)?;
            Pid::from_raw(group)
        }

        /// CPU time of the process and of the children that it has waited for.
        fn cpu(&self) -> Option<Duration> {
            let ticks: u64 = (11..=14)
                .map(|index| self.number(index))
                .sum::<Option<u64>>()?;
            let per_second = rustix::param::clock_ticks_per_second();
            Some(Duration::from_millis(ticks * 1_000 / per_second))
        }

        fn resident(&self) -> Option<u64> {
            Some(self.number(21)? * rustix::param::page_size() as u64)
        }

        fn is_asleep(&self) -> bool {
            !matches!(self.field(0), Some("R" | "D"))
        }
    }

    fn figures_of(folder: &Path, stat: &Stat) -> Option<Figures> {
        let (waited, asleep) = threads(folder);
        Some(Figures {
            processes: 1,
            resident: stat.resident()?,
            cpu: stat.cpu()?,
            waited,
            descriptors: fs::read_dir(folder.join("fd")).map_or(0, Iterator::count),
            asleep,
        })
    }

    /// How long the threads waited for a CPU, and whether all of them sleep.
    fn threads(folder: &Path) -> (Duration, bool) {
        let (mut waited, mut asleep) = (Duration::ZERO, true);
        for thread in fs::read_dir(folder.join("task"))
            .into_iter()
            .flatten()
            .flatten()
        {
            let path = thread.path();
            if let Ok(text) = fs::read_to_string(path.join("schedstat")) {
                waited += wait_in(&text);
            }
            asleep &= Stat::read(&path.join("stat")).is_none_or(|stat| stat.is_asleep());
        }
        (waited, asleep)
    }

    #[cfg(test)]
    mod tests {
        use std::process::Command;

        use rustix::process::{WaitId, WaitIdOptions};

        use super::*;

        #[test]
        fn reads_a_name_with_parentheses_and_spaces() {
            let stat = Stat("1 (a) b) c) S 2 3".to_owned());
            assert_eq!(stat.field(0), Some("S"));
            assert_eq!(stat.field(2), Some("3"));
            assert!(stat.is_asleep());
        }

        #[test]
        fn children_that_were_waited_for_count() {
            let text = "7 (sh) S 1 7 7 0 -1 4194304 5 6 0 0 1000 200 30 4 20 0 1 0 99";
            let stat = Stat(text.to_owned());
            let per_second = rustix::param::clock_ticks_per_second();
            let expected = Duration::from_millis(1_234 * 1_000 / per_second);
            assert_eq!(stat.cpu(), Some(expected));
            assert_eq!(stat.group(), Pid::from_raw(7));
        }

        #[test]
        fn kin_is_known_by_its_environment() {
            let home = Path::new("/the/home/of/this/test");
            let leader = rustix::process::getpid();
            let family = Family { leader, home };
            let kinship = |start: &dyn Fn(&mut Command) -> &mut Command| {
                let mut command = Command::new("sleep");
                let mut child = start(command.arg("60")).spawn().unwrap();
                let pid = Pid::from_child(&child);
                // It becomes another program, and for a moment has no environment.
                let seen = (0..1_000).map(|_| {
                    thread::sleep(TO_BECOME_CLEAR);
                    family.kinship(pid)
                });
                let mut seen = seen.skip_while(|seen| *seen == Kinship::Unclear);
                let seen = seen.next().unwrap_or(Kinship::Unclear);
                child.kill().unwrap();
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                rustix::process::waitid(WaitId::Pid(pid), options).unwrap();
                assert_eq!(family.kinship(pid), Kinship::Stranger, "it has ended");
                child.wait().unwrap();
                seen
            };
            assert_eq!(kinship(&|child| child.env("HOME", home)), Kinship::Stray);
            assert_eq!(
                kinship(&|child| child.env_clear().env("A", "b")),
                Kinship::Stranger
            );
            assert_eq!(kinship(&|child| child.env_clear()), Kinship::Unclear);
        }

        #[test]
        fn ids_begin_anew_at_the_highest() {
            assert!(is_between(10, 10, 20) && is_between(10, 20, 20));
            assert!(!is_between(10, 9, 20));
            assert!(is_between(30_000, 30_000, 20) && is_between(30_000, 20, 20));
            assert!(!is_between(30_000, 21, 20) && !is_between(30_000, 29_999, 20));
        }

        #[test]
        fn the_last_id_is_known() {
            let child = Command::new("true").spawn();
            let mut child = child.unwrap();
            let id = i32::try_from(child.id()).unwrap();
            let own = i32::try_from(std::process::id()).unwrap();
            assert!(last_pid().is_some_and(|last| is_between(own, id, last)));
            child.wait().unwrap();
        }

        #[test]
        fn finds_this_process_by_its_group() {
            let leader = rustix::process::getpgrp();
            let home = Path::new("/no/such/home/anywhere");
            let figures = Family { leader, home }.figures().unwrap();
            assert!(
                figures.processes >= 1 && figures.resident > 1 << 20 && figures.descriptors >= 3
            );
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Family<'_> {
    /// This system does not tell.
    #[must_use]
    pub fn figures(&self) -> Option<Figures> {
        let _ = (self.leader, self.home);
        None
    }

    /// This system does not tell who left the group.
    pub fn kill_strays(&self) {}
}
