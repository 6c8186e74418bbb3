//! Values on the command line, and what is wrong with those that are none.

use std::num::NonZeroUsize;

use shoal::IntoEpsilon;
use shoal_privacy::{Delta, Epsilon};

pub fn parse_epsilon(text: &str) -> Result<Epsilon, String> {
    text.into_epsilon().map_err(|error| error.to_string())
}

pub fn parse_rows(text: &str) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(0) | Err(_) => Err("give a whole number of rows, 1 or more, for example 50000".into()),
        Ok(rows) => Ok(rows),
    }
}

pub fn parse_delta(text: &str) -> Result<Delta, String> {
    text.parse().map_err(|error| format!("{error}"))
}

pub fn parse_k(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("0 clusters are none; give 1 or more".into()),
        Ok(k) if k > 10_000 => Err("give at most 10000 clusters".into()),
        Ok(k) => Ok(k),
        Err(_) => Err("give a whole number of clusters, for example 5".into()),
    }
}

pub fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = text.parse().ok().and_then(NonZeroUsize::new).filter(|threads| threads.get() <= 512);
    threads.ok_or_else(|| "give a whole number of threads from 1 to 512".into())
}

pub fn parse_method(name: &str) -> Result<String, String> {
    match shoal_curator::find_method(name) {
        Some(method) => Ok(method.info.name.into()),
        None => {
            let names: Vec<_> = shoal_curator::methods().map(|method| method.info.name).collect();
            Err(format!("there is no such method; choose one of {} (see `shoal methods`)", names.join(", ")))
        }
    }
}

/// `512M`, `4G` or plain bytes.
pub fn parse_size(text: &str) -> Result<usize, String> {
    let wrong = || "give a size such as 512M or 4G".to_string();
    let (digits, unit) = match text.trim().char_indices().find(|(_, c)| !c.is_ascii_digit()) {
        Some((at, _)) => text.trim().split_at(at),
        None => (text.trim(), ""),
    };
    let shift = match unit.trim_end_matches(['B', 'b']).trim_end_matches(['I', 'i']).to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(wrong()),
    };
    let bytes = digits.parse::<usize>().map_err(|_| wrong())?.checked_mul(1 << shift).ok_or_else(wrong)?;
    if bytes < 1 << 20 { Err("give at least 1M".into()) } else { Ok(bytes) }
}

/// A number of clusters, or the wish to have it chosen.
pub fn parse_clusters(text: &str) -> Result<shoal::K, String> {
    shoal::K::parse(text).map_err(|error| match error {
        shoal::Error::K { wanted, .. } => format!("give {wanted}"),
        other => other.to_string(),
    })
}
