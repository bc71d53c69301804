//! Whether a `_Total` is still the total of the same things.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Distinguishes one set of members from the next.
///
/// When a processor or a disk is added or removed, sums and averages jump, and the difference to the previous
/// sample would compare two different things. `_Total` has no id at first. After each change of its members
/// it becomes another instance, by its `UniqueID`, and so has no value in that sample.
#[derive(Debug, Default)]
pub(super) struct TotalIdentity {
    members: Option<u64>,
    num_changes: i32,
}

impl TotalIdentity {
    /// The `UniqueID` of the total of these members.
    pub(super) fn unique_id<T: Hash>(&mut self, members: impl Iterator<Item = T>) -> Option<i32> {
        let mut hasher = DefaultHasher::new();
        members.for_each(|member| member.hash(&mut hasher));
        let now = hasher.finish();
        if self.members.is_some_and(|before| before != now) {
            self.num_changes = self.num_changes.saturating_add(1);
        }
        self.members = Some(now);
        if self.num_changes == 0 { None } else { Some(self.num_changes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_members_are_another_total() {
        let mut identity = TotalIdentity::default();
        let mut id = |members: &[&str]| identity.unique_id(members.iter());
        assert_eq!((id(&["sda", "sdb"]), id(&["sda", "sdb"])), (None, None));
        assert_eq!((id(&["sda"]), id(&["sda"])), (Some(1), Some(1)));
        assert_eq!(id(&["sda", "sdb"]), Some(2));
    }
}
