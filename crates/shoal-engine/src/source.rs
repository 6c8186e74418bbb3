//! The files of a table: in a folder, a glob, a partitioned data set, or an object store.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::catalog::Session;
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::arrow::ArrowFormat;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::prelude::SessionContext;
use futures::TryStreamExt;
use object_store::{ObjectMeta, ObjectStore};
use shoal_files::{FileKind, Source};

use crate::EngineError;
use crate::error::{planning, store};

/// Endings of files that are tables, and which kind they are.
const KINDS: [(&str, Kind); 5] = [
    (".parquet", Kind::Parquet),
    (".pq", Kind::Parquet),
    (".arrow", Kind::Arrow),
    (".feather", Kind::Arrow),
    (".ipc", Kind::Arrow),
];

/// Endings of tables that Shoal reads and engines do not: one of them in a folder is not passed over in silence.
const OTHERS: [&str; 9] = [".csv", ".tsv", ".txt", ".gz", ".zst", ".xlsx", ".ods", ".json", ".avro"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Parquet,
    Arrow,
}

/// A file as it was when the table was opened. Another size, time or tag means that it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    size: u64,
    modified: i64,
    tag: Option<String>,
}

/// One table, made of all files that some places hold.
pub struct Files {
    places: Vec<Place>,
    /// Every file, by its address.
    versions: BTreeMap<String, Version>,
}

struct Place {
    url: ListingTableUrl,
    store: Arc<dyn ObjectStore>,
}

impl Files {
    /// Finds the files of all places: a file, a folder, a glob in quotes (`data/2026-*.parquet`), or an address such as
    /// `s3://bucket/people/`. Stores are reached with the credentials of the environment.
    pub async fn find(
        context: &SessionContext,
        places: &[impl AsRef<str>],
    ) -> Result<(Self, ListingTable), EngineError> {
        let mut found = Self { places: Vec::new(), versions: BTreeMap::new() };
        let mut table: Option<(SchemaRef, ListingOptions)> = None;
        for place in places {
            let (options, schema) = found.add(context, place.as_ref()).await?;
            match &table {
                None => table = Some((schema, options)),
                Some((first, before)) => {
                    if **first != *schema || before.table_partition_cols != options.table_partition_cols {
                        let why = format!("those of {} are not those of {}", place.as_ref(), places[0].as_ref());
                        return Err(EngineError::Columns { why });
                    }
                }
            }
        }
        let Some((schema, options)) = table else { return Err(EngineError::Nothing { place: "nowhere".into() }) };
        let urls = found.places.iter().map(|place| place.url.clone()).collect();
        let config = ListingTableConfig::new_with_multi_paths(urls).with_listing_options(options).with_schema(schema);
        let table = ListingTable::try_new(config);
        let table = table.map_err(|error| EngineError::Columns { why: planning(&error) })?;
        Ok((found, table))
    }

    /// The name of the table in queries: that of the first place.
    pub fn name_of(place: &str) -> String {
        let place = place.trim_end_matches('/');
        let last = place.rsplit('/').next().unwrap_or(place);
        let stem = last.split(['.', '*', '?', '[']).next().unwrap_or_default();
        let name: String =
            stem.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
        if name.starts_with(|first: char| first.is_alphabetic()) { name } else { "rows".into() }
    }

    async fn add(&mut self, context: &SessionContext, given: &str) -> Result<(ListingOptions, SchemaRef), EngineError> {
        let unclear = |why: String| EngineError::Place { place: given.into(), why };
        if !given.contains("://") && Path::new(given).is_dir() && !given.ends_with('/') {
            return Box::pin(self.add(context, &format!("{given}/"))).await;
        }
        let url = ListingTableUrl::parse(given).map_err(|error| unclear(planning(&error)))?;
        let store = connect(&context.runtime_env(), &url).map_err(unclear)?;
        let state = context.state();
        let place = Place { url, store };
        let files = place.list(&state).await.map_err(unclear)?;
        let mut kinds = BTreeSet::new();
        let mut partitions = Partitions::default();
        for file in &files {
            let name = file.location.as_ref();
            let kind = KINDS.iter().find(|(ending, _)| name.ends_with(ending));
            let Some((ending, _)) = kind else {
                if OTHERS.iter().any(|other| name.ends_with(other)) {
                    let found = file.location.filename().unwrap_or("a file").to_string();
                    return Err(EngineError::Kind { place: given.into(), found });
                }
                continue;
            };
            kinds.insert(*ending);
            partitions.add(&place.url, file);
            let address = format!("{}{name}", place.url.object_store());
            if place.url.scheme() == "file" {
                check_unreleased(name)?;
            }
            if self.versions.insert(address, Version::of(file)).is_some() {
                return Err(EngineError::Twice { file: name.into() });
            }
        }
        let ending = match kinds.iter().collect::<Vec<_>>()[..] {
            [] => return Err(EngineError::Nothing { place: given.into() }),
            [ending] => *ending,
            ref several => {
                let found = several.iter().map(|it| **it).collect::<Vec<_>>().join(" and ");
                return Err(EngineError::Kind { place: given.into(), found: format!("files that end in {found}") });
            }
        };
        let partitions = partitions.columns().ok_or_else(|| EngineError::Columns {
            why: format!(
                "the folders of {given} are not partitioned alike (name=value, the same names for every file)"
            ),
        })?;
        let options =
            ListingOptions::new(format_of(ending)).with_file_extension(ending).with_table_partition_cols(partitions);
        let schema = options.infer_schema(&state, &place.url).await;
        let schema = schema.map_err(|error| EngineError::Columns { why: planning(&error) })?;
        self.places.push(place);
        Ok((options, schema))
    }

    /// Refuses files that changed since the table was opened, that are gone, or that are new.
    pub async fn check_unchanged(&self, state: &dyn Session) -> Result<(), String> {
        let mut now = BTreeMap::new();
        for place in &self.places {
            for file in place.list(state).await? {
                let name = file.location.as_ref();
                if KINDS.iter().any(|(ending, _)| name.ends_with(ending)) {
                    now.insert(format!("{}{name}", place.url.object_store()), Version::of(&file));
                }
            }
        }
        if let Some(gone) = self.versions.keys().find(|file| !now.contains_key(*file)) {
            return Err(format!("{gone} is gone"));
        }
        match now.iter().find(|(file, version)| self.versions.get(*file) != Some(*version)) {
            Some((file, _)) if self.versions.contains_key(file) => Err(format!("{file} is another one now")),
            Some((file, _)) => Err(format!("{file} is new")),
            None => Ok(()),
        }
    }
}

impl Version {
    fn of(file: &ObjectMeta) -> Self {
        let modified = file.last_modified.timestamp_nanos_opt().unwrap_or_default();
        Self { size: file.size, modified, tag: file.e_tag.clone() }
    }
}

impl Place {
    async fn list(&self, state: &dyn Session) -> Result<Vec<ObjectMeta>, String> {
        let files = async { self.url.list_all_files(state, self.store.as_ref(), "").await?.try_collect().await };
        let files: Result<Vec<ObjectMeta>, datafusion::error::DataFusionError> = files.await;
        files.map_err(|error| match error.find_root() {
            datafusion::error::DataFusionError::ObjectStore(error) => store(error),
            other => planning(other),
        })
    }
}

/// The store that an address belongs to.
fn connect(runtime: &RuntimeEnv, url: &ListingTableUrl) -> Result<Arc<dyn ObjectStore>, String> {
    if url.scheme() != "file" {
        let known = ["s3", "s3a", "gs", "az", "adl", "abfs", "abfss", "azure"];
        if !known.contains(&url.scheme()) {
            return Err(format!("{}:// is no place for tables; use a path, s3://, gs:// or az://", url.scheme()));
        }
        let settings = std::env::vars().map(|(name, value)| (name.to_ascii_lowercase(), value));
        let settings = settings.filter(|(name, _)| ["aws_", "google_", "azure_"].iter().any(|it| name.starts_with(it)));
        let (connected, _) = object_store::parse_url_opts(url.get_url(), settings).map_err(|error| store(&error))?;
        runtime.register_object_store(url.object_store().as_ref(), Arc::from(connected));
    }
    runtime.object_store(url).map_err(|error| planning(&error))
}

fn format_of(ending: &str) -> Arc<dyn FileFormat> {
    match KINDS.iter().find(|(it, _)| *it == ending) {
        Some((_, Kind::Arrow)) => Arc::new(ArrowFormat),
        _ => Arc::new(ParquetFormat::default()),
    }
}

/// Refuses noisy cells, reports and codes: they could be read as a table of people, and are none.
fn check_unreleased(name: &str) -> Result<(), EngineError> {
    let path = Path::new("/").join(name);
    match FileKind::of(&Source::Path(path)) {
        FileKind::Table => Ok(()),
        _ => Err(EngineError::Released { file: format!("/{name}") }),
    }
}

/// Columns that the names of folders hold: `year=2026/`.
#[derive(Default)]
struct Partitions {
    files: Vec<Vec<(String, String)>>,
}

impl Partitions {
    fn add(&mut self, place: &ListingTableUrl, file: &ObjectMeta) {
        let parts: Vec<String> = place.strip_prefix(&file.location).into_iter().flatten().map(Into::into).collect();
        let folders = parts.iter().take(parts.len().saturating_sub(1));
        let named = folders.filter_map(|part| part.split_once('='));
        self.files.push(named.map(|(name, value)| (name.into(), value.into())).collect());
    }

    /// Their names and types: whole numbers where all values are, text otherwise. Nothing where the files differ.
    fn columns(&self) -> Option<Vec<(String, DataType)>> {
        let first = self.files.first()?;
        let names = |file: &[(String, String)]| file.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        if self.files.iter().any(|file| names(file) != names(first)) {
            return None;
        }
        let kind = |at: usize| match self.files.iter().all(|file| file[at].1.parse::<i64>().is_ok()) {
            true => DataType::Int64,
            false => DataType::Utf8,
        };
        Some(first.iter().enumerate().map(|(at, (name, _))| (name.clone(), kind(at))).collect())
    }
}
