//! A program as a side: it reads a data set on standard input and prints the numbers it releases.
//!
//! One call is one run, and every number it prints belongs to it. Programs that take long to start are asked for several
//! runs a call: `SHOAL_AUDIT_RUNS` says how many, and each line they print is one run. `SHOAL_AUDIT_SEED` is another
//! number in each call, for programs that would otherwise seed themselves alike.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use shoal_noise::NoiseSource;

use crate::runs::{RunFailure, Runs, Side};

/// Most of a program's own words that an error repeats.
const MOST_WORDS: usize = 400;

/// A program, and how many runs it makes at a call.
#[derive(Clone, Debug)]
pub struct Program {
    /// The command, as a shell would take it.
    pub command: String,
    /// Runs for each call.
    pub runs_per_call: usize,
}

impl Program {
    /// The program on one data set.
    #[must_use]
    pub fn on(self: &Arc<Self>, data: String) -> Box<dyn Side> {
        Box::new(OnData { program: self.clone(), data, seen: Mutex::default(), seeds: Mutex::default() })
    }
}

/// Two calls that print the same are refused when chance does that less often than this.
const LN_UNLIKELY: f64 = -27.0;
/// As much of a long output as is kept to compare others with.
const MOST_KEPT: usize = 4096;

struct OnData {
    program: Arc<Program>,
    data: String,
    /// What calls have printed that chance does not repeat.
    seen: Mutex<BTreeSet<String>>,
    /// Seeds that calls have been given.
    seeds: Mutex<BTreeSet<u64>>,
}

impl OnData {
    /// A seed that no other call has: among some ten thousand drawn ones two are likely to be the same, and so would be
    /// the runs of a program that takes them.
    fn new_seed(&self, noise: &mut dyn NoiseSource) -> u64 {
        let mut seeds = self.seeds.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            // Programs tend to read a seed as a signed number of 31 bits.
            let seed = noise.next_u64() >> 33;
            if seeds.insert(seed) {
                return seed;
            }
        }
    }

    /// Refuses runs that repeat others: bounds on probabilities are for independent runs, and would be wrong.
    fn check_new(&self, lines: &[&str]) -> Result<(), RunFailure> {
        let mut times: BTreeMap<&str, f64> = BTreeMap::new();
        lines.iter().for_each(|line| *times.entry(line).or_default() += 1.0);
        let runs = lines.len() as f64;
        // About the probability that two independent lines are the same.
        let same: f64 = times.values().map(|count| (count / runs).powi(2)).sum();
        if runs * same.ln() > LN_UNLIKELY {
            return Ok(());
        }
        let telling: String = lines.join("\n").chars().take(MOST_KEPT).collect();
        if self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(telling) {
            return Ok(());
        }
        Err(RunFailure::Other(
            "two calls of the program printed the same numbers, line for line: it starts from the same seed each time, so its runs show nothing; let it draw from the operating system, or seed it with the number in SHOAL_AUDIT_SEED".into(),
        ))
    }
}

impl Side for OnData {
    fn draw(&self, runs: usize, noise: &mut dyn NoiseSource, out: &mut Runs) -> Result<(), RunFailure> {
        let seed = self.new_seed(noise);
        let printed = call(&self.program.command, &self.data, runs, seed)?;
        if printed.trim().is_empty() {
            return Err(RunFailure::Other("the program printed no numbers; it must print what it releases".into()));
        }
        if self.program.runs_per_call == 1 {
            tell_numbers(&printed, out)?;
            out.end_run();
            return Ok(());
        }
        let lines: Vec<&str> = printed.lines().filter(|line| !line.trim().is_empty()).collect();
        if lines.len() != runs {
            return Err(RunFailure::Other(format!(
                "the program was asked for {runs} runs (SHOAL_AUDIT_RUNS) and printed {}; it must print one line of numbers for each run, or be audited with --runs-per-call 1",
                match lines.len() {
                    1 => "1 line".into(),
                    n => format!("{n} lines"),
                }
            )));
        }
        self.check_new(&lines)?;
        for line in lines {
            tell_numbers(line, out)?;
            out.end_run();
        }
        Ok(())
    }

    fn at_a_time(&self) -> usize {
        self.program.runs_per_call
    }
}

/// What the program prints for one data set.
fn call(command: &str, data: &str, runs: usize, seed: u64) -> Result<String, RunFailure> {
    let failed = |why: String| RunFailure::Other(format!("the program `{command}` {why}"));
    let mut child = Command::new("sh")
        .args(["-c", command])
        .env("SHOAL_AUDIT_RUNS", runs.to_string())
        .env("SHOAL_AUDIT_SEED", seed.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(format!("could not be started ({error})")))?;
    let (Some(mut to), Some(mut from), Some(mut errors)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(failed("has no standard input or output".into()));
    };
    let mut printed = Vec::new();
    let mut errors_text = Vec::new();
    // All three at once: a pipe that nobody empties stops the program.
    let (written, read) = std::thread::scope(|scope| {
        let writer = scope.spawn(move || to.write_all(data.as_bytes()));
        let listener = scope.spawn(|| errors.read_to_end(&mut errors_text));
        let read = from.read_to_end(&mut printed);
        let _ = listener.join();
        (writer.join().unwrap_or(Ok(())), read)
    });
    let ended = child.wait().map_err(|error| failed(format!("could not be waited for ({error})")))?;
    if !ended.success() {
        let errors_text = String::from_utf8_lossy(&errors_text);
        let errors_text = errors_text.trim();
        let start = errors_text.char_indices().rev().nth(MOST_WORDS - 1).map_or(0, |(i, _)| i);
        let code = ended.code().map_or("a signal".into(), |code| format!("exit code {code}"));
        return Err(failed(format!("ended with {code}: {}", &errors_text[start..])));
    }
    read.map_err(|error| failed(format!("could not be read ({error})")))?;
    match written {
        // A program need not read all of its input.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            return Err(failed(format!("could not be sent its data ({error})")));
        }
        _ => {}
    }
    String::from_utf8(printed).map_err(|_| failed("printed something that is not text".into()))
}

/// Adds the numbers in a text, separated by spaces, commas, semicolons or brackets.
fn tell_numbers(text: &str, out: &mut Runs) -> Result<(), RunFailure> {
    let words = text.split(|c: char| c.is_whitespace() || ",;[]()".contains(c)).filter(|word| !word.is_empty());
    for word in words {
        let number: f64 = word.parse().map_err(|_| {
            let word: String = word.chars().take(40).filter(|&c| !shoal_privacy::is_unprintable(c)).collect();
            RunFailure::Other(format!(
                "the program printed `{word}`, which is not a number; it must print numbers only, and notes to standard error"
            ))
        })?;
        out.tell(number);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use shoal_noise::SeededNoise;

    use super::*;

    fn run(command: &str, data: &str, runs: usize, per_call: usize) -> Result<Runs, String> {
        let program = Arc::new(Program { command: command.into(), runs_per_call: per_call });
        let mut out = Runs::default();
        let drawn = program.on(data.into()).draw(runs, &mut SeededNoise::new(1), &mut out);
        drawn.map(|()| out).map_err(|error| error.to_string())
    }

    #[test]
    fn a_program_reads_a_data_set_and_prints_numbers() {
        let runs = run("cat", "1,2\n3.5,-4e1\n", 1, 1).unwrap();
        assert_eq!((runs.len(), runs.run(0)), (1, &[1.0, 2.0, 3.5, -40.0][..]));
        // Python prints its arrays so.
        assert_eq!(run("echo '[[ 1. 2.]\n [nan inf]]'", "", 1, 1).unwrap().run(0)[1..2], [2.0]);
        // A program that reads nothing, of a data set that fills any pipe.
        assert_eq!(run("echo 7", &"1,2,3\n".repeat(100_000), 1, 1).unwrap().run(0), [7.0]);
    }

    #[test]
    fn many_runs_a_call_are_one_line_each() {
        let runs = run("for i in $(seq $SHOAL_AUDIT_RUNS); do echo $i $i; done", "", 3, 50).unwrap();
        assert_eq!((runs.len(), runs.run(2)), (3, &[3.0, 3.0][..]));
        let failure = run("echo 1", "", 3, 50).unwrap_err();
        assert!(failure.contains("printed 1 line;") && failure.contains("--runs-per-call 1"), "{failure}");
    }

    #[test]
    fn calls_that_repeat_themselves_are_refused() {
        let program =
            |command: &str| Arc::new(Program { command: command.into(), runs_per_call: 20 }).on(String::new());
        let twice = |side: &dyn Side| {
            let mut noise = SeededNoise::new(2);
            let mut draw = || side.draw(20, &mut noise, &mut Runs::default());
            draw().and_then(|()| draw()).map_err(|error| error.to_string())
        };
        assert!(twice(&*program("seq 20")).unwrap_err().contains("SHOAL_AUDIT_SEED"));
        // Few values may well come out alike, and seeded ones are not.
        twice(&*program("for i in $(seq 20); do echo 1; done")).unwrap();
        // Few different values, but always in the same order.
        let coins = "for i in $(seq 100); do echo $((i * i % 7 % 2)); done";
        let many = Arc::new(Program { command: coins.into(), runs_per_call: 100 }).on(String::new());
        let draw = || many.draw(100, &mut SeededNoise::new(3), &mut Runs::default());
        draw().unwrap();
        assert!(draw().unwrap_err().to_string().contains("same seed"));
        twice(&*program("seq $SHOAL_AUDIT_SEED $((SHOAL_AUDIT_SEED + 19))")).unwrap();
    }

    #[test]
    fn no_two_calls_get_the_same_seed() {
        let program = Program { command: "true".into(), runs_per_call: 1 };
        let side =
            OnData { program: program.into(), data: String::new(), seen: Mutex::default(), seeds: Mutex::default() };
        // Both sources start with the same number.
        let seed = || side.new_seed(&mut SeededNoise::new(3));
        assert_ne!(seed(), seed());
        assert_eq!(side.seeds.lock().unwrap().len(), 2);
    }

    #[test]
    fn what_goes_wrong_is_told() {
        let failure = run("echo no data >&2; exit 3", "", 1, 1).unwrap_err();
        assert!(failure.contains("exit code 3: no data"), "{failure}");
        let failure = run("echo centre: 1", "", 1, 1).unwrap_err();
        assert!(failure.contains("`centre:`") && failure.contains("standard error"), "{failure}");
        assert!(run("true", "", 1, 1).unwrap_err().contains("no numbers"));
        assert!(run("no-such-program-anywhere", "", 1, 1).unwrap_err().contains("exit code 127"));
    }
}
