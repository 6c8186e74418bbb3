//! A question as readable text, JSON for example: with its version, as in the byte form.
//!
//! ```text
//! {"format_version": 1, "question": {"Moments": {"dims": 3}}}
//! ```
//!
//! The version comes first, because what follows it may have any shape in another version. The name sorts before
//! `question`, so that writers which sort keys keep it there. In the byte form the envelope has the version, and the body
//! is the question alone.

use std::fmt;

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};

use crate::wire::{QUESTION, VERSION};
use crate::{Question, WireError};

const VERSION_KEY: &str = "format_version";
const QUESTION_KEY: &str = "question";

impl Serialize for Question {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return Question::serialize(self, serializer);
        }
        let mut versioned = serializer.serialize_struct("Question", 2)?;
        versioned.serialize_field(VERSION_KEY, &VERSION)?;
        versioned.serialize_field(QUESTION_KEY, &Unversioned(self))?;
        versioned.end()
    }
}

impl<'de> Deserialize<'de> for Question {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return Question::deserialize(deserializer);
        }
        deserializer.deserialize_map(Versioned)
    }
}

/// The question without its version, as the derived implementation writes it.
struct Unversioned<T>(T);

impl Serialize for Unversioned<&Question> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Question::serialize(self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Unversioned<Question> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Question::deserialize(deserializer).map(Self)
    }
}

struct Versioned;

impl<'de> Visitor<'de> for Versioned {
    type Value = Question;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a question that starts with its `{VERSION_KEY}`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Question, A::Error> {
        let expect = |found: Option<String>, key: &str| match found {
            Some(found) if found == key => Ok(()),
            Some(found) => Err(de::Error::custom(format_args!("a question has `{key}` where `{found}` is"))),
            None => Err(de::Error::custom(format_args!("a question lacks its `{key}`"))),
        };
        expect(map.next_key()?, VERSION_KEY)?;
        let found: u16 = map.next_value()?;
        if found != VERSION {
            return Err(de::Error::custom(WireError::Version { what: QUESTION.what, found, known: VERSION }));
        }
        expect(map.next_key()?, QUESTION_KEY)?;
        let Unversioned(question) = map.next_value()?;
        match map.next_key::<String>()? {
            Some(key) => Err(de::Error::custom(format_args!("a question has no `{key}`"))),
            None => Ok(question),
        }
    }
}
