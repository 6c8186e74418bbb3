//! A file that is not there, and one beside it that may be meant.

use std::io;
use std::path::Path;

use shoal_lattice::names::nearest;

/// Files of a folder that are compared at most.
const COMPARED: usize = 2000;

/// ` Did you mean ...?`, where no file has that name and another one in the folder has nearly the same; nothing otherwise.
pub(super) fn similar(name: &str, error: &io::Error) -> String {
    if error.kind() != io::ErrorKind::NotFound {
        return String::new();
    }
    let path = Path::new(name);
    let (Some(wanted), Some(folder)) = (path.file_name(), path.parent()) else { return String::new() };
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = std::fs::read_dir(here) else { return String::new() };
    let known: Vec<String> =
        entries.flatten().take(COMPARED).filter_map(|entry| entry.file_name().into_string().ok()).collect();
    match nearest(&wanted.to_string_lossy(), &known) {
        Some(found) => format!(" Did you mean `{}`?", folder.join(found).display()),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_finds_the_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("clean.csv"), "x\n").unwrap();
        let missing = io::Error::from(io::ErrorKind::NotFound);
        let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
        assert_eq!(similar(&at("claen.csv"), &missing), format!(" Did you mean `{}`?", at("clean.csv")));
        assert_eq!(similar(&at("people.parquet"), &missing), "");
        assert_eq!(similar(&at("claen.csv"), &io::Error::from(io::ErrorKind::PermissionDenied)), "");
        assert_eq!(similar("", &missing), "");
        assert_eq!(similar(&at("no/folder.csv"), &missing), "");
    }
}
