//! Which table a command line names.

use std::path::Path;

use shoal_files::Source;

use crate::arguments::Shown;

/// The table that a command-line argument names: as it stands or, where there is no such file, in the data folder.
pub fn source(data: &str, shown: &Shown) -> Source {
    let elsewhere = shown.data_dir.as_ref().map(|folder| folder.join(data)).filter(|path| path.exists());
    match elsewhere {
        Some(path) if data != "-" && !Path::new(data).exists() => Source::Path(path),
        _ => Source::from_arg(data),
    }
}

/// The file's own name, or what stands for it.
pub fn short_name(data: &str) -> String {
    match Path::new(data).file_name() {
        _ if data == "-" => "standard input".into(),
        Some(name) => name.to_string_lossy().into_owned(),
        None => data.into(),
    }
}
