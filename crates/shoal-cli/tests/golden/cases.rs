//! The list of commands, and running them as `record.sh` does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

/// Where the record is.
pub fn golden_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// `commands.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// Keys of JSON whose values differ from run to run.
    pub unstable: Vec<String>,
    /// Keys of JSON whose texts must be the same.
    pub exact: Vec<String>,
    words: BTreeMap<String, String>,
    pub case: Vec<Case>,
}

/// Commands that are run one after the other in a folder of their own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    #[serde(default)]
    tables: Vec<String>,
    run: Vec<String>,
    #[serde(default)]
    keep: Vec<String>,
    /// For recording alone: a golden file with fewer keys asks for no others.
    #[serde(default, rename = "only")]
    _only: Vec<String>,
}

impl Listed {
    pub fn read() -> Self {
        let text = std::fs::read_to_string(golden_folder().join("commands.toml")).unwrap();
        toml::from_str(&text).unwrap()
    }

    fn expanded(&self, command: &str) -> String {
        let expand = |text: String, (word, meaning): (&String, &String)| text.replace(&format!("{{{word}}}"), meaning);
        self.words.iter().fold(command.into(), expand)
    }
}

impl Case {
    /// The files to compare.
    pub fn kept(&self) -> Vec<String> {
        let shown = self.run.iter().filter_map(|command| Some(command.split_once(" > ")?.1.to_string()));
        self.keep.iter().cloned().chain(shown).collect()
    }

    /// Runs all commands in an empty folder; the first that fails is the error.
    pub fn run(&self, listed: &Listed, folder: &Path) -> Result<(), String> {
        for table in &self.tables {
            let own = golden_folder().join("tables").join(table);
            let source = if own.exists() { own } else { golden_folder().join("../../../../data").join(table) };
            std::fs::copy(&source, folder.join(table)).map_err(|error| format!("{}: {error}", source.display()))?;
        }
        for command in &self.run {
            let command = listed.expanded(command);
            let (words, shown) = match command.split_once(" > ") {
                Some((words, shown)) => (words, Some(shown)),
                None => (&*command, None),
            };
            let mut program = Command::new(env!("CARGO_BIN_EXE_shoal"));
            program
                .args(words.split_whitespace())
                .env_remove("SHOAL_DATA")
                .env_remove("SHOAL_LEDGER")
                .current_dir(folder)
                .stdin(Stdio::null());
            let run = program.output().map_err(|error| error.to_string())?;
            if !run.status.success() {
                let said = String::from_utf8_lossy(&run.stderr).into_owned();
                return Err(format!("{}: shoal {words}: {}: {said}", self.name, run.status));
            }
            if let Some(shown) = shown {
                std::fs::write(folder.join(shown), run.stdout).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }
}

/// All files of the record by their paths, sorted.
pub fn recorded_files() -> Vec<String> {
    let golden = golden_folder();
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> =
        entries(&golden).into_iter().filter(|path| path.is_dir() && !path.ends_with("tables")).collect();
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path.strip_prefix(&golden).unwrap().to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    files.sort();
    files
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}
