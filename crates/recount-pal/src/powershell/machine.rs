//! Runs code symbolically, with unknown counter values, to find out what it computes and compares.
//!
//! A loop over instances is run once, for an arbitrary instance, since PAL treats all instances alike.
//! Counters of the same instance are matched by its name, as in rules.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::super::obstacle::Obstacle;
use super::super::text::{LEN_NAME, one_line};
use super::amount::{
    Amount, Condition, Statistic, abs, and, binary, compare, count, known, not, number, number_of, or,
    truth_of,
};
use super::call::{self, StaticThreshold};
use super::parser::own_code;
use super::syntax::{Argument, Block, Command, Expression, Operator, Relation, Statement};
use super::value::{Answers, Collections, Value, amount, cast, compared, element, merged};

/// People don't write more variables than this.
const MAX_VARIABLES: usize = 200;
/// Thresholds have one call, rarely two. Each becomes a rule with all the texts.
const MAX_CALLS: usize = 20;

/// The interpreter's state, and what the code did.
pub(super) struct Machine<'a> {
    collections: &'a Collections,
    answers: &'a Answers,
    variables: BTreeMap<String, Value>,
    /// The condition under which the code gets here.
    path: Condition,
    pub(super) calls: Vec<StaticThreshold>,
    /// The conditions under which alerts are created.
    pub(super) alerts: Vec<(String, Condition)>,
    /// The values of generated data sources.
    pub(super) generated: BTreeMap<String, Amount>,
    /// Questions whose answers were used.
    pub(super) questions: BTreeSet<String>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(collections: &'a Collections, answers: &'a Answers) -> Machine<'a> {
        Machine {
            collections,
            answers,
            variables: BTreeMap::new(),
            path: known(true),
            calls: Vec::new(),
            alerts: Vec::new(),
            generated: BTreeMap::new(),
            questions: BTreeSet::new(),
        }
    }

    pub(super) fn run(&mut self, block: &Block) -> Result<(), Obstacle> {
        block.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Obstacle> {
        match statement {
            Statement::Assign(name, value) => {
                let value = self.value(value)?;
                self.set(name, value)
            }
            Statement::Run(expression) => self.value(expression).map(|_| ()),
            Statement::If(arms, otherwise) => self.branch(arms, otherwise),
            Statement::Switch(value, arms) => self.switch(value, arms),
            Statement::For(name, all, body) => {
                let counted = self.value(all);
                let index = if let Ok(Value::Collection(_)) = counted { Value::Index } else { Value::Time };
                self.set(name, index)?;
                self.run(body)
            }
        }
    }

    fn set(&mut self, name: &str, value: Value) -> Result<(), Obstacle> {
        self.variables.insert(name.to_lowercase(), value);
        if self.variables.len() > MAX_VARIABLES { Err(Obstacle::TooComplex) } else { Ok(()) }
    }

    fn branch(&mut self, arms: &[(Expression, Block)], otherwise: &Block) -> Result<(), Obstacle> {
        let Some(((test, block), rest)) = arms.split_first() else { return self.run(otherwise) };
        let test = self.condition(test)?;
        match truth_of(&test) {
            Some(true) => return self.run(block),
            Some(false) => return self.branch(rest, otherwise),
            None => {}
        }
        let (before, path) = (self.variables.clone(), Rc::clone(&self.path));
        self.path = and(&path, &test)?;
        self.run(block)?;
        let then = std::mem::replace(&mut self.variables, before);
        self.path = and(&path, &not(&test)?)?;
        self.branch(rest, otherwise)?;
        self.path = path;
        self.variables = merged(&test, then, std::mem::take(&mut self.variables))?;
        Ok(())
    }

    fn switch(&mut self, value: &Expression, arms: &[(Option<Expression>, Block)]) -> Result<(), Obstacle> {
        let value = self.value(value)?;
        for (label, block) in arms {
            let is_it = match label {
                None => true,
                Some(label) => {
                    let label = self.value(label)?;
                    let same = compared(Relation::Equal, &value, &label)?;
                    truth_of(&same).ok_or(Obstacle::TooComplex)?
                }
            };
            if is_it {
                return self.run(block);
            }
        }
        Ok(())
    }

    fn value(&mut self, expression: &Expression) -> Result<Value, Obstacle> {
        Ok(match expression {
            Expression::Number(value) => Value::Amount(number(*value)),
            Expression::Text(text) => Value::Text(text.clone()),
            Expression::Name => Value::Name,
            Expression::Table => Value::Table,
            Expression::Variable(name) => self.variable(name)?,
            Expression::Binary(operator, a, b) => self.binary(*operator, a, b)?,
            Expression::Negative(inner) => {
                let inner = self.amount(inner)?;
                Value::Amount(binary(Operator::Subtract, &number(0.0), &inner)?)
            }
            Expression::Not(inner) => Value::Truth(not(&self.condition(inner)?)?),
            Expression::Cast(kind, inner) => {
                let inner = self.value(inner)?;
                cast(kind, inner)?
            }
            Expression::Member(of, name) => {
                let of = self.value(of)?;
                self.member(&of, name)?
            }
            Expression::Element(of, index) => {
                let (of, index) = (self.value(of)?, self.value(index)?);
                element(of, &index)?
            }
            Expression::Method(of, name, arguments) => self.method(of, name, arguments)?,
            Expression::Static(class, method, arguments) => self.static_method(class, method, arguments)?,
            Expression::Command(command) => self.command(command)?,
        })
    }

    fn variable(&mut self, name: &str) -> Result<Value, Obstacle> {
        let key = name.to_lowercase();
        match key.as_str() {
            "true" => return Ok(Value::Truth(known(true))),
            "false" => return Ok(Value::Truth(known(false))),
            "null" => return Ok(Value::Null),
            _ => {}
        }
        if let Some(value) = self.variables.get(&key) {
            return Ok(value.clone());
        }
        if self.collections.contains_key(&key) {
            return Ok(Value::Collection(key));
        }
        let answer = self.answers.get(&key).ok_or_else(|| unknown(name))?.clone();
        self.questions.insert(key);
        Ok(answer)
    }

    fn binary(&mut self, operator: Operator, a: &Expression, b: &Expression) -> Result<Value, Obstacle> {
        match operator {
            Operator::And => {
                let a = self.condition(a)?;
                // Code that isn't reached needn't be understood.
                if truth_of(&a) == Some(false) {
                    return Ok(Value::Truth(a));
                }
                Ok(Value::Truth(and(&a, &self.condition(b)?)?))
            }
            Operator::Or => {
                let a = self.condition(a)?;
                if truth_of(&a) == Some(true) {
                    return Ok(Value::Truth(a));
                }
                Ok(Value::Truth(or(&a, &self.condition(b)?)?))
            }
            Operator::Compare(relation) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                Ok(Value::Truth(compared(relation, &a, &b)?))
            }
            _ => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                let is_name = |value: &Value| matches!(value, Value::Name);
                if operator == Operator::Add && (is_name(&a) || is_name(&b)) {
                    return Ok(Value::Name);
                }
                Ok(Value::Amount(binary(operator, &amount(a)?, &amount(b)?)?))
            }
        }
    }

    fn amount(&mut self, expression: &Expression) -> Result<Amount, Obstacle> {
        let value = self.value(expression)?;
        amount(value)
    }

    fn condition(&mut self, expression: &Expression) -> Result<Condition, Obstacle> {
        match self.value(expression)? {
            Value::Truth(condition) => Ok(condition),
            Value::Text(text) => Ok(known(!text.is_empty())),
            Value::Null => Ok(known(false)),
            Value::Amount(amount) => compare(Relation::NotEqual, &amount, &number(0.0)),
            _ => Err(Obstacle::TooComplex),
        }
    }

    fn method(&mut self, of: &Expression, name: &str, arguments: &[Expression]) -> Result<Value, Obstacle> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.value(argument)?);
        }
        let name = name.to_ascii_lowercase();
        if let (Expression::Variable(variable), "add") = (of, name.as_str()) {
            return self.add(variable, values);
        }
        let Value::Text(text) = self.value(of)? else { return Err(Obstacle::Method(name)) };
        match (name.as_str(), values.as_slice()) {
            ("toupper", []) => Ok(Value::Text(text.to_uppercase())),
            ("tolower", []) => Ok(Value::Text(text.to_lowercase())),
            ("trim", []) => Ok(Value::Text(text.trim().to_owned())),
            ("substring", [Value::Amount(_), ..]) => {
                let at = |value: Option<&Value>| match value {
                    Some(Value::Amount(amount)) => number_of(amount).map(|at| at as usize),
                    _ => None,
                };
                let from = at(values.first()).ok_or(Obstacle::TooComplex)?;
                let len = at(values.get(1)).unwrap_or(usize::MAX);
                Ok(Value::Text(text.chars().skip(from).take(len).collect()))
            }
            _ => Err(Obstacle::Method(name)),
        }
    }

    /// `$values.Add(5)`, or `$generated.Add('name', $values)`.
    fn add(&mut self, variable: &str, mut arguments: Vec<Value>) -> Result<Value, Obstacle> {
        let key = variable.to_lowercase();
        match (self.variables.get_mut(&key), arguments.pop()) {
            (Some(Value::List(list)), Some(value)) => {
                let value = amount(value)?;
                // There was no other argument.
                if !arguments.is_empty() || list.len() >= MAX_CALLS {
                    return Err(Obstacle::TooComplex);
                }
                list.push(value);
            }
            (Some(Value::Table), Some(Value::List(list))) => {
                let [amount] = list.as_slice() else { return Err(Obstacle::TooComplex) };
                if truth_of(&self.path) != Some(true) {
                    return Err(Obstacle::TooComplex);
                }
                self.generated.insert(key, Rc::clone(amount));
            }
            _ => return Err(Obstacle::Method("add".to_owned())),
        }
        Ok(Value::Null)
    }

    fn static_method(
        &mut self,
        class: &str,
        method: &str,
        arguments: &[Expression],
    ) -> Result<Value, Obstacle> {
        let name = method.to_ascii_lowercase();
        if class != "math" || !["round", "abs", "floor", "ceiling"].contains(&name.as_str()) {
            return Err(Obstacle::Method(format!("[{class}]::{method}")));
        }
        let value = self.amount(arguments.first().ok_or(Obstacle::TooComplex)?)?;
        let digits = match arguments.get(1) {
            Some(digits) => number_of(&self.amount(digits)?).ok_or(Obstacle::TooComplex)?,
            None => 0.0,
        };
        if name == "abs" {
            return Ok(Value::Amount(abs(&value)?));
        }
        // Rules don't round counter values.
        let Some(known) = number_of(&value) else { return Ok(Value::Amount(value)) };
        let scale = 10.0_f64.powi(digits.clamp(0.0, 15.0) as i32);
        let rounded = match name.as_str() {
            "floor" => known.floor(),
            "ceiling" => known.ceil(),
            _ => (known * scale).round_ties_even() / scale,
        };
        Ok(Value::Amount(number(rounded)))
    }

    fn command(&mut self, command: &Command) -> Result<Value, Obstacle> {
        let name = command.name.to_ascii_lowercase();
        match name.as_str() {
            "staticthreshold" => {
                if truth_of(&self.path) != Some(true) {
                    return Err(Obstacle::Conditional);
                }
                if self.calls.len() >= MAX_CALLS {
                    return Err(Obstacle::Calls(MAX_CALLS));
                }
                let arguments = self.arguments(command)?;
                self.calls.push(call::static_threshold(arguments, command.code.clone())?);
                Ok(Value::Null)
            }
            "createalert" => {
                if self.alerts.len() >= MAX_CALLS {
                    return Err(Obstacle::Calls(MAX_CALLS));
                }
                let named = self.arguments(command)?;
                let of = call::instance_of(named).ok_or(Obstacle::TooComplex)?;
                self.alerts.push((of, Rc::clone(&self.path)));
                Ok(Value::Null)
            }
            "isgreaterthanzero" | "isnumeric" => {
                let [Argument::Value(value)] = command.arguments.as_slice() else {
                    return Err(own_code(&command.code));
                };
                let value = self.amount(value)?;
                if name == "isnumeric" {
                    return Ok(Value::Truth(known(true)));
                }
                Ok(Value::Truth(compare(Relation::Greater, &value, &number(0.0))?))
            }
            "extractsqlnamedinstancefromcounterobjectpath" => Ok(Value::Name),
            "new-object" if command.code.to_ascii_lowercase().ends_with("arraylist") => {
                Ok(Value::List(Vec::new()))
            }
            _ => Err(own_code(&command.code)),
        }
    }

    fn member(&self, of: &Value, name: &str) -> Result<Value, Obstacle> {
        let lower = name.to_ascii_lowercase();
        Ok(match (of, lower.as_str()) {
            (Value::Collection(variable), "count") => {
                let total =
                    f64::from(u8::from(self.collections.get(variable).is_some_and(|has_total| *has_total)));
                Value::Amount(binary(Operator::Add, &count(variable), &number(total))?)
            }
            (Value::Instance(variable), "value") => Value::Series(variable.clone(), Statistic::Value),
            (Value::Instance(variable), "quantizedavg") => {
                Value::Series(variable.clone(), Statistic::Average)
            }
            (Value::Instance(variable), "quantizedmin") => {
                Value::Series(variable.clone(), Statistic::Smallest)
            }
            (Value::Instance(variable), "quantizedmax") => {
                Value::Series(variable.clone(), Statistic::Largest)
            }
            (
                Value::Instance(_),
                "counterinstance" | "countercomputer" | "counterobject" | "countername" | "counterpath",
            ) => Value::Name,
            (Value::Text(text), "length") => Value::Amount(number(text.chars().count() as f64)),
            _ => return Err(Obstacle::Method(lower)),
        })
    }

    fn arguments(&mut self, command: &Command) -> Result<Vec<call::Given>, Obstacle> {
        let mut given = Vec::with_capacity(command.arguments.len());
        for argument in &command.arguments {
            given.push(match argument {
                Argument::Name(name) => call::Given::Name(one_line(name, LEN_NAME)),
                Argument::Value(value) => call::Given::Value(self.value(value)?),
            });
        }
        Ok(given)
    }
}

fn unknown(name: &str) -> Obstacle {
    Obstacle::Variable(one_line(name, LEN_NAME))
}
