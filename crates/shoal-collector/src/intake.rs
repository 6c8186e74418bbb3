//! Bytes of a request in, checked reports out.

use serde::Serialize;
use shoal_device::wire::{Day, DesignTag, MEDIA_TYPE, Reader, ReportId, decode_json};

use crate::live::Live;
use crate::refusal::Refusal;
use crate::store::Group;

/// The form of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Batches of the wire format.
    Binary,
    /// JSON.
    Json,
}

impl Form {
    /// The form that a media type names.
    pub fn of(media_type: &str) -> Option<Self> {
        let name = media_type.split(';').next().unwrap_or_default().trim();
        if name.eq_ignore_ascii_case(MEDIA_TYPE) {
            Some(Self::Binary)
        } else if name.eq_ignore_ascii_case("application/json") {
            Some(Self::Json)
        } else {
            None
        }
    }
}

/// A report that was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rejected {
    /// Its place in the body, from 0.
    pub index: usize,
    /// Why.
    pub code: &'static str,
}

/// Checks the reports of a body, each by itself.
///
/// # Errors
/// A body that cannot be read as reports, or that has more of them than `most`.
pub fn check(live: &Live, form: Form, body: &[u8], most: usize, today: Day) -> Result<(Group, Vec<Rejected>), Refusal> {
    let dims = live.checked.client.dims();
    let group = Group { number: live.number, dims, arrived: today.0, ..Group::default() };
    let mut taken = Taken { live, today, group, rejected: Vec::new(), index: 0 };
    match form {
        Form::Binary => {
            let mut reader = Reader::new(body);
            let mut steps = Vec::with_capacity(dims);
            while let Some(head) = reader.read(&mut steps).map_err(Refusal::Malformed)? {
                taken.take(head.design, head.id, head.day, &steps, most)?;
            }
            if taken.index == 0 {
                return Err(Refusal::Malformed(shoal_device::wire::WireError::Empty));
            }
        }
        Form::Json => {
            for report in decode_json(body, most).map_err(Refusal::Malformed)? {
                let steps: Vec<i64> = report.steps.iter().map(|steps| steps.0).collect();
                taken.take(report.design, report.id, report.day, &steps, most)?;
            }
        }
    }
    Ok((taken.group, taken.rejected))
}

struct Taken<'a> {
    live: &'a Live,
    today: Day,
    group: Group,
    rejected: Vec<Rejected>,
    index: usize,
}

impl Taken<'_> {
    fn take(&mut self, design: DesignTag, id: ReportId, day: Day, steps: &[i64], most: usize) -> Result<(), Refusal> {
        if self.index == most {
            return Err(Refusal::Malformed(shoal_device::wire::WireError::TooMany { most }));
        }
        match fault(self.live, self.today, design, day, steps) {
            None => {
                self.group.ids.push(id);
                self.group.steps.extend_from_slice(steps);
            }
            Some(refusal) => {
                self.live.count_refused(&refusal);
                self.rejected.push(Rejected { index: self.index, code: refusal.code() });
            }
        }
        self.index += 1;
        Ok(())
    }
}

/// Why a report cannot be taken.
fn fault(live: &Live, today: Day, design: DesignTag, day: Day, steps: &[i64]) -> Option<Refusal> {
    let client = &live.checked.client;
    if design != live.tag {
        Some(Refusal::OtherDesign)
    } else if steps.len() != client.dims() {
        Some(Refusal::OtherColumns)
    } else if !client.could_have_made(steps) {
        Some(Refusal::Impossible)
    } else if day.0 > today.0.saturating_add(1) {
        // Tomorrow is still today somewhere, on a clock that is a little fast.
        Some(Refusal::TooEarly)
    } else if day.0.saturating_add(live.checked.collection.oldest_days) < today.0 {
        Some(Refusal::TooOld)
    } else {
        None
    }
}
