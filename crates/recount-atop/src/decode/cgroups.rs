//! Cgroups, named by their paths.

use recount_model::{FindingKind, Health, Instance, Place};

use super::draft::PendingObject;
use super::note_part;
use crate::objects::Listing;
use crate::objects::value::{Context, FieldRow};
use crate::parts::unpack;
use crate::store::AtopLog;
use crate::structure::Record;

/// Maximum length of a path on Linux.
const MAX_LEN_PATH: usize = 4096;

/// Far beyond what cgroups take: the recorder counts them in 16 bits.
pub(super) const MAX_LEN_PART: u32 = 64 << 20;

impl AtopLog {
    pub(super) fn list_cgroups(
        &self,
        record: &Record,
        context: &Context,
        drafts: &mut [PendingObject<'_>],
        health: &mut Health,
    ) {
        let Some((ofs, packed)) = record.part(self.content.bytes(), 2) else { return };
        let mut bytes = Vec::new();
        let unpacked = if record.len_cgroups <= MAX_LEN_PART {
            unpack(packed, record.len_cgroups as usize, &mut bytes)
        } else {
            Err(format!(
                "{} bytes of cgroups are more than the {MAX_LEN_PART} that are read",
                record.len_cgroups
            ))
        };
        let drafts = drafts.iter_mut().filter(|draft| matches!(draft.object.listing, Listing::Cgroups));
        if let Err(what) = unpacked {
            return note_part(health, 2, ofs, &what);
        }
        let (cgroups, fault) = self.cgroups(&bytes, record.num_cgroups);
        if let Some(what) = fault {
            health.note(FindingKind::Damaged, Place::structure("cgroup part", ofs as u64), what);
        }
        for draft in drafts {
            for (path, cgroup) in &cgroups {
                draft.push(Instance::named(path.as_str()), 0, &FieldRow::of(cgroup, 0), context);
            }
            draft.is_there = true;
        }
    }

    /// The cgroups with their paths, up to the first damaged one; and the error of that one.
    pub(crate) fn cgroups<'b>(&self, bytes: &'b [u8], num: u16) -> (Vec<(String, &'b [u8])>, Option<String>) {
        let layout = &self.layouts.cgroup;
        let int = |cgroup: &[u8], name: &str| layout.slot(name).map_or(0, |slot| slot.int(cgroup, 0));
        let mut cgroups: Vec<(String, &[u8])> = Vec::new();
        let mut rest = bytes;
        for number in 0..usize::from(num) {
            let len = usize::try_from(int(rest, "gen.length")).unwrap_or(0);
            let Some((cgroup, next)) = rest.split_at_checked(len).filter(|_| len > layout.len) else {
                return (cgroups, Some(format!("cgroup {number} of {num}: {len} bytes can't be one")));
            };
            rest = next;
            let name = &cgroup[layout.len..];
            let name = &name[..name.iter().position(|byte| *byte == 0).unwrap_or(name.len())];
            let parent = usize::try_from(int(cgroup, "gen.parent")).ok();
            let path = match parent.map(|parent| cgroups.get(parent)) {
                None => "/".to_owned(),
                Some(Some((parent, _))) => {
                    format!("{}/{}", parent.trim_end_matches('/'), String::from_utf8_lossy(name))
                }
                Some(None) => {
                    let what = format!("cgroup {number} of {num}: its parent isn't before it");
                    return (cgroups, Some(what));
                }
            };
            if path.len() > MAX_LEN_PATH {
                return (
                    cgroups,
                    Some(format!("cgroup {number} of {num}: its path has {} bytes", path.len())),
                );
            }
            cgroups.push((path, cgroup));
        }
        let fault =
            (!rest.is_empty()).then(|| format!("{num} cgroups, followed by {} more bytes", rest.len()));
        (cgroups, fault)
    }
}
