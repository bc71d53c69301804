//! Where the rest of an answer begins.

use rmcp::model::JsonObject;

use crate::refusal::Refusal;

/// Bits of a cursor that say to which question it belongs. With them, it is a number that JavaScript has exactly.
const BITS: u32 = 12;

/// Of which tool and parameters there is more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Question(u64);

impl Question {
    /// The same parameters are the same question, however long its answers may be.
    pub(crate) fn new(tool: &str, parameters: &JsonObject) -> Question {
        let mut fields: Vec<String> =
            parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        fields.sort();
        let text = format!("{tool} {}", fields.join(" "));
        // FNV-1a: this keeps mistakes out, not attacks.
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Question(hash >> (u64::BITS - BITS))
    }

    /// The cursor of a place in its answer.
    pub(crate) fn cursor(self, position: u64) -> u64 {
        position << BITS | self.0
    }

    /// The place that a cursor is about. 0 is the begin of any answer.
    pub(crate) fn position(self, cursor: u64) -> Result<u64, Refusal> {
        if cursor == 0 || self.cursor(cursor >> BITS) == cursor {
            return Ok(cursor >> BITS);
        }
        Err(Refusal::new(format!("cursor: {cursor} isn't of an answer to this question"))
            .hint("take next_cursor of an answer to the same question, with the same parameters"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cursors_belong_to_questions() {
        let question = |tool: &str, parameters: serde_json::Value| {
            Question::new(tool, parameters.as_object().expect("an object"))
        };
        let one = question("stats", json!({ "capture": "a", "top": 3 }));
        for position in [0, 1, 3_300, 1 << 40] {
            assert_eq!(one.position(one.cursor(position)).ok(), Some(position));
        }
        assert_eq!(one.position(0).ok(), Some(0));
        for other in [question("stats", json!({ "capture": "b", "top": 3 })), question("top", json!({}))] {
            assert!(other.position(one.cursor(3_300)).is_err() && other.position(3_300).is_err());
        }
    }
}
