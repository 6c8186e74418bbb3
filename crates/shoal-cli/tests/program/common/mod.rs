//! Running the program as a user does.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The iris table of the project.
#[allow(dead_code, reason = "each test file uses its share")]
pub fn iris() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/iris.csv")
}

/// Public limits for iris.
#[allow(dead_code, reason = "each test file uses its share")]
pub const IRIS_BOUNDS: &str = "sepal_length=4:8,sepal_width=2:5,petal_length=1:7,petal_width=0:3";

/// An empty folder to work in, and the program run there.
pub struct Place {
    folder: tempfile::TempDir,
}

#[allow(dead_code, reason = "each test file uses its share")]
impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_shoal"));
        command
            .args(args)
            .env_remove("SHOAL_DATA")
            .env_remove("SHOAL_LEDGER")
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Run {
        Run(self.command(args).output().unwrap())
    }

    /// With these variables of the environment.
    pub fn run_with(&self, args: &[&str], environment: &[(&str, &str)]) -> Run {
        Run(self.command(args).envs(environment.iter().copied()).output().unwrap())
    }

    pub fn run_with_input(&self, args: &[&str], input: &[u8]) -> Run {
        use std::io::Write;
        let mut child =
            self.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A program that refuses early may close its end first.
        let _ = child.stdin.take().unwrap().write_all(input);
        Run(child.wait_with_output().unwrap())
    }
}

/// What a run printed and how it ended.
pub struct Run(Output);

#[allow(dead_code, reason = "each test file uses its share")]
impl Run {
    pub fn out(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    pub fn err(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }

    pub fn code(&self) -> i32 {
        self.0.status.code().expect("the program was not killed")
    }

    /// Done, or the test fails with what was printed.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code(), 0, "{}{}", self.out(), self.err());
        self
    }

    /// Ended with this code and these words, without a panic.
    #[track_caller]
    pub fn fails(self, code: i32, words: &[&str]) -> Self {
        let message = self.err();
        assert_eq!(self.code(), code, "{message}");
        assert!(!message.contains("panicked"), "{message}");
        for word in words {
            assert!(message.contains(word), "“{word}” is not in: {message}");
        }
        self
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out()).unwrap_or_else(|error| panic!("{error}: {}", self.out()))
    }
}
