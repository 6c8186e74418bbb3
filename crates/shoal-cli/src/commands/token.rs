//! `shoal token`: the issuer of one-time tokens.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, Write};
use std::path::Path;

use shoal_tokens::{Issuer, TokenError};

use crate::arguments::token::{TokenAction, TokenArgs};
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::show::output;

/// The longest line that is read.
const LONGEST: u64 = 10_000;

/// Makes a key, or signs.
pub fn run(args: &TokenArgs, shown: &Shown) -> Result<(), Failure> {
    match &args.action {
        TokenAction::Key { out } => make(out, shown),
        TokenAction::Sign { key } => sign(key),
    }
}

fn failed(error: TokenError) -> Failure {
    Failure::refused(error).with_code(error.code())
}

fn make(out: &Path, shown: &Shown) -> Result<(), Failure> {
    let unusable = |error: io::Error| Failure::refused(format!("{} cannot be written ({error})", out.display()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(out).map_err(unusable)?;
    let issuer = Issuer::generate().map_err(failed)?;
    let pem = issuer.to_pem().map_err(failed)?;
    file.write_all(pem.as_bytes()).and_then(|()| file.sync_all()).map_err(unusable)?;
    let public = issuer.key().to_text();
    match shown.format {
        Format::Json => output::json(&serde_json::json!({ "public_key": public })),
        Format::Table => output::print(&format!("{public}\n")),
    }
}

fn sign(key: &Path) -> Result<(), Failure> {
    let pem = fs::read_to_string(key)
        .map_err(|error| Failure::refused(format!("{} cannot be read ({error})", key.display())))?;
    let issuer = Issuer::from_pem(&pem).map_err(failed)?;
    let mut lines = io::stdin().lock();
    let unreadable = |error: io::Error| Failure::refused(format!("standard input cannot be read ({error})"));
    loop {
        let mut line = String::new();
        if io::Read::take(&mut lines, LONGEST).read_line(&mut line).map_err(unreadable)? == 0 {
            return Ok(());
        }
        if !line.trim().is_empty() {
            // Each is on its way before the next is read: a program can ask one by one.
            output::print(&format!("{}\n", issuer.sign(&line).map_err(failed)?))?;
        }
    }
}
