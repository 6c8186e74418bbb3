//! Categories as the user writes them: `gender=F|M|X,region=regions.txt`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use shoal_lattice::{BoundsError, Category};

/// A file of levels has a line for each; beyond this it is some other file.
const FILE_LIMIT: u64 = 1 << 20;

/// Reads `NAME=LEVEL|LEVEL,…`, where instead of levels a file may be named that has one on each line. Text without a bar is
/// the name of a file, so a single level ends with one: `smoker=yes|`.
///
/// ```
/// use shoal_files::categories;
/// let found = categories("gender=F|M|X,smoker=yes|")?;
/// assert_eq!(found[0].levels(), ["F", "M", "X"]);
/// assert_eq!(found[1].levels(), ["yes"]);
/// # Ok::<(), shoal_lattice::BoundsError>(())
/// ```
///
/// # Errors
/// Parts without a column or levels, columns named twice, files that cannot be read, and lists that make no sense
/// ([`Category::new`]).
pub fn categories(text: &str) -> Result<Vec<Category>, BoundsError> {
    let mut found: Vec<Category> = Vec::new();
    for part in text.split(',') {
        let (column, levels) = match part.split_once('=') {
            Some((column, levels)) if !column.trim().is_empty() => (column.trim(), levels.trim()),
            _ => return Err(BoundsError::CategoryText),
        };
        let category = if levels.contains('|') {
            // A bar at the end ends the last level.
            let levels = levels.strip_suffix('|').filter(|rest| !rest.trim().is_empty()).unwrap_or(levels);
            Category::new(column, levels.split('|').map(str::trim))?
        } else if levels.is_empty() {
            Category::new(column, Vec::<String>::new())?
        } else {
            Category::new(column, levels_of(column, Path::new(levels))?)?
        };
        if found.iter().any(|other| other.column() == column) {
            let why = "it is named twice; list all its levels once".into();
            return Err(BoundsError::Levels { column: column.into(), why });
        }
        found.push(category);
    }
    Ok(found)
}

/// The lines of a file, without blank ones.
fn levels_of(column: &str, path: &Path) -> Result<Vec<String>, BoundsError> {
    let refuse = |why: String| BoundsError::Levels { column: column.into(), why };
    let shown = path.display();
    let file = File::open(path).map_err(|error| {
        let why = if error.kind() == std::io::ErrorKind::NotFound {
            "there is no such file".into()
        } else {
            error.to_string()
        };
        refuse(format!(
            "its levels are to be read from `{shown}`, and {why}; list levels with bars between them ({column}=A|B, or \
             {column}=A| for a single one), or name a file with one on each line"
        ))
    })?;
    let mut text = Vec::new();
    file.take(FILE_LIMIT + 1).read_to_end(&mut text).map_err(|error| refuse(format!("`{shown}`: {error}")))?;
    if text.len() as u64 > FILE_LIMIT {
        return Err(refuse(format!("`{shown}` is too long for a list of levels; is this the right file?")));
    }
    let text = String::from_utf8(text)
        .map_err(|_| refuse(format!("`{shown}` is not text in UTF-8; save it with that encoding")))?;
    let lines = text.trim_start_matches('\u{feff}').lines();
    Ok(lines.map(str::trim).filter(|line| !line.is_empty()).map(Into::into).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        categories(text).map_or_else(|error| error.to_string(), |_| "accepted".into())
    }

    #[test]
    fn levels_are_listed_or_in_a_file() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, "\u{feff}north\r\nsouth, east\n\n west \n".as_bytes()).unwrap();
        let path = file.path().display();
        let found = categories(&format!("gender= F | M ,region={path},smoker=yes|")).unwrap();
        assert_eq!(found[0].levels(), ["F", "M"]);
        assert_eq!(found[1].levels(), ["north", "south, east", "west"]);
        assert_eq!((found[2].column(), found[2].levels()), ("smoker", &["yes".to_string()][..]));
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_the_fix() {
        for text in ["", "F|M", "=F|M", "gender=F|M,X"] {
            assert!(refused(text).contains("gender=F|M|X"), "{text}: {}", refused(text));
        }
        assert!(refused("gender=").contains("no levels"));
        assert!(refused("gender=|").contains("empty"), "{}", refused("gender=|"));
        assert!(refused("gender=F||M").contains("level 2 is empty"));
        assert!(refused("gender=F|F").contains("twice"));
        assert!(refused("gender=F|M,gender=X|Y").contains("named twice"));
        let missing = refused("region=no_such_file.txt");
        assert!(missing.contains("no such file") && missing.contains("region=A|B"), "{missing}");
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, &[0xff, 0xfe, b'\n']).unwrap();
        assert!(refused(&format!("region={}", file.path().display())).contains("UTF-8"));
        let empty = tempfile::NamedTempFile::new().unwrap();
        assert!(refused(&format!("region={}", empty.path().display())).contains("no levels"));
        assert!(refused(&format!("region={}", std::env::temp_dir().display())).contains("region"));
    }
}
