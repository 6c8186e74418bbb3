//! Names of columns that look like the name of a person, an account, a record. Only names are looked at, never values.

/// Words that are a key on their own or as a part of a name: `patient_id`, `userNo`, `UUID`.
const KEYS: [&str; 14] = [
    "id",
    "ids",
    "uid",
    "uuid",
    "guid",
    "pid",
    "ssn",
    "mrn",
    "nhs",
    "patientid",
    "userid",
    "personid",
    "customerid",
    "memberid",
];

/// Words for a person, which are a key where they are the whole name, or with one of [`NUMBERS`].
const PERSONS: [&str; 18] = [
    "person",
    "patient",
    "user",
    "customer",
    "client",
    "member",
    "subject",
    "participant",
    "respondent",
    "employee",
    "student",
    "account",
    "device",
    "household",
    "individual",
    "email",
    "username",
    "login",
];

const NUMBERS: [&str; 7] = ["no", "nr", "num", "number", "key", "code", "ref"];

/// How compounds for such a number end.
const ENDS: [&str; 2] = ["nr", "nummer"];

/// Whether a column of this name probably names a person.
///
/// ```
/// use shoal_files::looks_like_a_key;
///
/// assert!(["id", "person_id", "PatientID", "user", "customerNo", "UUID", "Kundennr"].iter().all(|name| looks_like_a_key(name)));
/// assert!(!["age", "bid", "humidity", "user_age", "paid", "number", "Nr"].iter().any(|name| looks_like_a_key(name)));
/// ```
pub fn looks_like_a_key(name: &str) -> bool {
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    // Languages that write compounds as one word: Kundennr, Matrikelnummer.
    let ends = |word: &String| ENDS.iter().any(|end| word.len() > end.len() + 2 && word.ends_with(end));
    if words.iter().any(ends) {
        return true;
    }
    match words.as_slice() {
        [] => false,
        [only] => KEYS.contains(&only.as_str()) || PERSONS.contains(&only.as_str()),
        _ => has(&KEYS) || (has(&PERSONS) && has(&NUMBERS)),
    }
}

/// The words of a name: parted by anything that is no letter or digit, and by a capital letter after a small one.
fn words(name: &str) -> Vec<String> {
    let (mut words, mut word, mut small) = (Vec::new(), String::new(), false);
    for c in name.chars() {
        if !c.is_alphanumeric() || (small && c.is_uppercase()) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        small = c.is_lowercase();
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}
