//! A look at a table that costs nothing: its header and its declared types, and no record.

use serde::Serialize;
use shoal_files::{FileKind, ReadOptions, TableFormat, TableHead, looks_like_a_key};

use crate::Error;
use crate::input::{Input, Reading};

/// A look at a table that is set up and waits for it.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let table = folder.path().join("people.csv");
/// # std::fs::write(&table, "patient_id;age;income\n1;39;$40,000\n")?;
/// let looked = shoal::Look::new().run(&table)?;
/// assert_eq!(looked.bounds, "age=0:110,income=LO:HI");
/// assert_eq!(looked.columns[0].role, shoal::Role::Key);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Look {
    reading: Reading,
}

/// What the head of a table shows. All of it follows from names and declared types, which are taken to be public.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Looked {
    /// The format in words.
    pub format: String,
    /// The character between columns, for text tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// The columns, in order.
    pub columns: Vec<LookedColumn>,
    /// Bounds to edit, one for each column that looks like one of numbers; `LO:HI` where nothing is known.
    pub bounds: String,
    /// Categories to edit, one for each column that looks like one; `LEVEL|LEVEL` where nothing is known.
    pub categories: String,
}

/// One column.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct LookedColumn {
    /// Its name.
    pub name: String,
    /// The type that the file declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<String>,
    /// What it seems to be, by name and type.
    pub role: Role,
    /// Limits to start from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<String>,
    /// Levels to start from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<String>,
}

/// What a column seems to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Role {
    /// Numbers, or what can be read as numbers.
    Number,
    /// Something that names a person or a place: its numbers mean nothing, and each may be one person's alone.
    Key,
    /// Words of which there are few: a category.
    Category,
    /// Text.
    Text,
}

/// Words in names of columns that identify somebody or something.
const KEYS: [&str; 34] = [
    "id", "ids", "key", "uuid", "guid", "pid", "uid", "patient", "user", "person", "customer", "client", "member",
    "employee", "student", "subject", "ssn", "nhs", "passport", "account", "iban", "email", "mail", "phone", "tel",
    "mobile", "ip", "mac", "zip", "zipcode", "postcode", "postal", "plz", "hash",
];

/// Words in names of columns of free text.
const TEXTS: [&str; 25] = [
    "name",
    "nachname",
    "kommentar",
    "bemerkung",
    "firstname",
    "lastname",
    "surname",
    "forename",
    "comment",
    "comments",
    "note",
    "notes",
    "remark",
    "remarks",
    "description",
    "text",
    "message",
    "address",
    "street",
    "city",
    "title",
    "url",
    "diagnosis",
    "reason",
    "feedback",
];

/// Words in names of columns that usually have few different values.
const CATEGORIES: [&str; 29] = [
    "gender",
    "geschlecht",
    "sex",
    "region",
    "country",
    "state",
    "county",
    "province",
    "district",
    "education",
    "degree",
    "marital",
    "race",
    "ethnicity",
    "occupation",
    "job",
    "profession",
    "industry",
    "department",
    "status",
    "category",
    "class",
    "group",
    "type",
    "level",
    "plan",
    "product",
    "channel",
    "language",
];

/// Levels that some of them usually have.
const USUAL_LEVELS: [(&str, &str); 2] = [("gender", "F|M"), ("sex", "F|M")];

/// What is common knowledge about columns of these names.
const KNOWN: [(&str, &str); 29] = [
    ("geboren", "1900-01-01:2030-12-31"),
    ("geburtstag", "1900-01-01:2030-12-31"),
    ("geburtsdatum", "1900-01-01:2030-12-31"),
    ("datum", "1900-01-01:2030-12-31"),
    ("alter", "0:110"),
    ("age", "0:110"),
    ("bmi", "10:60"),
    ("height", "50:220"),
    ("weight", "2:250"),
    ("year", "1900:2030"),
    ("month", "1:12"),
    ("day", "1:31"),
    ("weekday", "1:7"),
    ("hour", "0:24"),
    ("hours", "0:168"),
    ("minute", "0:60"),
    ("lat", "-90:90"),
    ("latitude", "-90:90"),
    ("lon", "-180:180"),
    ("lng", "-180:180"),
    ("longitude", "-180:180"),
    ("percent", "0:100"),
    ("pct", "0:100"),
    ("share", "0:1"),
    ("rating", "1:5"),
    ("born", "1900-01-01:2030-12-31"),
    ("birthday", "1900-01-01:2030-12-31"),
    ("birth", "1900-01-01:2030-12-31"),
    ("date", "1900-01-01:2030-12-31"),
];

impl Look {
    /// A look at a table as it is.
    pub fn new() -> Self {
        Self::default()
    }

    /// How the table is written, where that has to be declared.
    #[must_use]
    pub fn format(mut self, format: TableFormat) -> Self {
        self.reading.format = format;
        self
    }

    /// The CSV file has no header; its columns are called c1, c2, and so on.
    #[must_use]
    pub fn no_header(mut self) -> Self {
        self.reading.no_header = true;
        self
    }

    /// Reads the head of a table. No record is read, so nothing about one can be in the result.
    pub fn run<'a>(&self, input: impl Into<Input<'a>>) -> Result<Looked, Error> {
        let options = ReadOptions { allow_empty: true, ..self.reading.options(None) };
        match input.into() {
            Input::Source(source) => {
                if let (shoal_files::Source::Path(path), kind) = (&source, FileKind::of(&source))
                    && kind != FileKind::Table
                {
                    return Err(Error::NotATable { path: path.clone(), kind });
                }
                Ok(Looked::of(TableHead::read(source, &options)?))
            }
            Input::Matrix(matrix) => {
                let columns =
                    matrix.all_columns().iter().map(|name| LookedColumn::of(name, Some("number"), Some(true)));
                Ok(Looked::new("columns in memory", None, columns.collect()))
            }
        }
    }
}

impl Looked {
    fn of(head: TableHead) -> Self {
        let column = |column: &shoal_files::ColumnHead| {
            LookedColumn::of(&column.name, column.declared.as_deref(), column.numeric)
        };
        Self::new(head.format, head.delimiter, head.columns.iter().map(column).collect())
    }

    fn new(format: &str, delimiter: Option<char>, columns: Vec<LookedColumn>) -> Self {
        let bounded = columns.iter().filter_map(|column| Some(format!("{}={}", column.name, column.bounds.as_ref()?)));
        let bounds = bounded.collect::<Vec<_>>().join(",");
        let listed = columns.iter().filter_map(|column| Some(format!("{}={}", column.name, column.levels.as_ref()?)));
        let categories = listed.collect::<Vec<_>>().join(",");
        Self { format: format.into(), delimiter, columns, bounds, categories }
    }

    /// The names of the columns in a role.
    pub fn names(&self, role: Role) -> Vec<&str> {
        self.columns.iter().filter(|column| column.role == role).map(|column| column.name.as_str()).collect()
    }
}

impl LookedColumn {
    fn of(name: &str, declared: Option<&str>, numeric: Option<bool>) -> Self {
        let words = words(name);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let role = match numeric {
            _ if has(&KEYS) || looks_like_a_key(name) => Role::Key,
            Some(false) | None if has(&TEXTS) => Role::Text,
            // Words are a category if they are to be anything; for numbers, the name decides.
            Some(false) => Role::Category,
            None if has(&CATEGORIES) => Role::Category,
            _ => Role::Number,
        };
        let by_type = match declared {
            Some("boolean") => Some("0:1"),
            Some(declared) if declared.starts_with("date") || declared.starts_with("timestamp") => {
                Some("1900-01-01:2030-12-31")
            }
            _ => None,
        };
        // The last word says what a column is: the age in `age`, and in `patient_age`; the hour in `hour of day`.
        let by_name = || words.iter().rev().find_map(|word| KNOWN.iter().find(|(known, _)| known == word));
        let bounds = by_type.or_else(|| by_name().map(|(_, bounds)| *bounds)).unwrap_or("LO:HI");
        let usual = words.iter().find_map(|word| USUAL_LEVELS.iter().find(|(known, _)| known == word));
        let levels = usual.map_or("LEVEL|LEVEL", |(_, levels)| levels);
        // A name with a comma or an equals sign has to go into a file of bounds.
        let writable = !name.is_empty() && !name.contains([',', '=']);
        Self {
            name: name.into(),
            declared: declared.map(Into::into),
            role,
            bounds: (role == Role::Number && writable).then(|| bounds.into()),
            levels: (role == Role::Category && writable).then(|| levels.into()),
        }
    }
}

/// The words of a name in lower case: `PatientID`, `patient_id` and `patient id` have two.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let boundary = !c.is_alphanumeric() || c.is_uppercase() && before.is_lowercase();
        if boundary && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_words() {
        for (name, found) in [
            ("PatientID", &["patient", "id"][..]),
            ("patient_id", &["patient", "id"]),
            ("user.uuid", &["user", "uuid"]),
            ("Alter (Jahre)", &["alter", "jahre"]),
            ("identity", &["identity"]),
            ("", &[]),
        ] {
            assert_eq!(words(name), found, "{name}");
        }
    }

    #[test]
    fn roles_follow_names_and_types() {
        let role = |name: &str, declared: Option<&str>, numeric| LookedColumn::of(name, declared, numeric).role;
        assert_eq!(role("person_id", None, None), Role::Key);
        assert_eq!(role("zip", Some("int64"), Some(true)), Role::Key);
        assert_eq!(role("comments", None, None), Role::Text);
        assert_eq!(role("gender", Some("text"), Some(false)), Role::Category);
        assert_eq!(role("gender", None, None), Role::Category);
        assert_eq!(role("gender", Some("int64"), Some(true)), Role::Number);
        assert_eq!(role("address", Some("text"), Some(false)), Role::Text);
        let levels = |name: &str| LookedColumn::of(name, None, None).levels;
        assert_eq!(levels("Gender").as_deref(), Some("F|M"));
        assert_eq!(levels("home_region").as_deref(), Some("LEVEL|LEVEL"));
        assert_eq!(levels("age"), None);
        assert_eq!(role("covid", None, None), Role::Number);
        let bounds =
            |name: &str, declared: Option<&str>| LookedColumn::of(name, declared, declared.map(|_| true)).bounds;
        assert_eq!(bounds("Age", None).as_deref(), Some("0:110"));
        assert_eq!(bounds("smoker", Some("boolean")).as_deref(), Some("0:1"));
        assert_eq!(bounds("seen", Some("timestamp")).as_deref(), Some("1900-01-01:2030-12-31"));
        assert_eq!(bounds("income", None).as_deref(), Some("LO:HI"));
        assert_eq!(bounds("a,b", None), None);
        assert_eq!(bounds("user", None), None);
    }
}
