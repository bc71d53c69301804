//! What a finding says of the counters that an expression is made of: `says` of a rule, or all of them.

use recount_model::CounterPath;

use super::expression::Expression;
use super::rule::{Quantity, Says};

/// How many counters are named if the rule has no `says`.
const MAX_NAMED: usize = 4;

/// Reads a sentence with quantities in braces: `{path or expression}`, or `{... | unit}`. They may use the
/// counters of the rule's expression only, since these are known to be there.
pub(super) fn parse(text: &str, of_rule: &Expression) -> Result<Says, String> {
    let mut says =
        Says { texts: Vec::new(), quantities: Vec::new(), is_addition: false, is_of_operands: false };
    let mut rest = text.trim();
    while let Some((before, behind)) = rest.split_once('{') {
        let (inner, behind) = behind.split_once('}').ok_or("a `{` without its `}`")?;
        says.texts.push(before.to_owned());
        says.quantities.push(quantity(inner, of_rule)?);
        rest = behind;
    }
    says.texts.push(rest.to_owned());
    if says.quantities.is_empty() {
        return Err("`says` shows no quantity: put a path of `expr` in braces".to_owned());
    }
    Ok(says)
}

fn quantity(text: &str, of_rule: &Expression) -> Result<Quantity, String> {
    let (text, unit) = match text.rsplit_once('|') {
        Some((text, unit)) => (text.trim(), Some(unit.trim().to_owned())),
        None => (text.trim(), None),
    };
    let expression = Expression::parse(text)?;
    let place = |path: &CounterPath| {
        let found = of_rule.operands.iter().position(|operand| operand == path);
        found.ok_or_else(|| format!("{path} isn't in `expr`"))
    };
    let operands = expression.operands.iter().map(place).collect::<Result<Vec<_>, String>>()?;
    Ok(Quantity { text: text.to_owned(), expression, operands, unit })
}

/// All counters of an expression, unless it is one. With `measure`, they are only an addition.
pub(super) fn of_operands(expression: &Expression, has_measure: bool) -> Option<Says> {
    if expression.is_counter() {
        return None;
    }
    let named = expression.operands.iter().enumerate().take(MAX_NAMED);
    let quantities = named.map(|(at, path)| Quantity {
        text: path.counter.clone(),
        expression: Expression::counter(path.clone()),
        operands: vec![at],
        unit: None,
    });
    let quantities = quantities.collect();
    Some(Says { texts: Vec::new(), quantities, is_addition: has_measure, is_of_operands: true })
}
