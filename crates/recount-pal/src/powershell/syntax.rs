//! Statements and expressions of PowerShell, to the extent that threshold files use them.

/// Statements in order.
pub(super) type Block = Vec<Statement>;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Statement {
    /// `If (...) {...} ElseIf (...) {...} Else {...}`
    If(Vec<(Expression, Block)>, Block),
    /// `Switch (value) { label {...} default {...} }`
    Switch(Expression, Vec<(Option<Expression>, Block)>),
    /// `For ($i = 0; $i -lt $All.Count; $i++) {...}`: the variable and the array.
    For(String, Expression, Block),
    /// `$name = value`
    Assign(String, Expression),
    /// An expression or a command by itself.
    Run(Expression),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Number(f64),
    Text(String),
    /// A string with variables in it.
    Name,
    Variable(String),
    /// `@{}`
    Table,
    Binary(Operator, Box<Expression>, Box<Expression>),
    Negative(Box<Expression>),
    Not(Box<Expression>),
    /// `[Int] value`
    Cast(String, Box<Expression>),
    /// `value.Count`
    Member(Box<Expression>, String),
    /// `value.Add(a, b)`
    Method(Box<Expression>, String, Vec<Expression>),
    /// `value[index]`
    Element(Box<Expression>, Box<Expression>),
    /// `[Math]::Round(a, b)`
    Static(String, String, Vec<Expression>),
    Command(Command),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Compare(Relation),
}

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Relation {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
}

impl Relation {
    pub(super) fn of_word(word: &str) -> Option<Relation> {
        Some(match word.to_ascii_lowercase().as_str() {
            "gt" => Relation::Greater,
            "ge" => Relation::GreaterOrEqual,
            "lt" => Relation::Less,
            "le" => Relation::LessOrEqual,
            "eq" => Relation::Equal,
            "ne" => Relation::NotEqual,
            _ => return None,
        })
    }

    /// In the syntax of rules.
    pub(in super::super) fn sign(self) -> &'static str {
        match self {
            Relation::Greater => ">",
            Relation::GreaterOrEqual => ">=",
            Relation::Less => "<",
            Relation::LessOrEqual => "<=",
            Relation::Equal => "=",
            Relation::NotEqual => "!=",
        }
    }

    pub(super) fn negated(self) -> Relation {
        match self {
            Relation::Greater => Relation::LessOrEqual,
            Relation::GreaterOrEqual => Relation::Less,
            Relation::Less => Relation::GreaterOrEqual,
            Relation::LessOrEqual => Relation::Greater,
            Relation::Equal => Relation::NotEqual,
            Relation::NotEqual => Relation::Equal,
        }
    }

    /// The same with the sides exchanged.
    pub(super) fn mirrored(self) -> Relation {
        match self {
            Relation::Greater => Relation::Less,
            Relation::GreaterOrEqual => Relation::LessOrEqual,
            Relation::Less => Relation::Greater,
            Relation::LessOrEqual => Relation::GreaterOrEqual,
            same => same,
        }
    }

    #[expect(clippy::float_cmp, reason = "PowerShell compares exactly")]
    pub(super) fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Relation::Greater => a > b,
            Relation::GreaterOrEqual => a >= b,
            Relation::Less => a < b,
            Relation::LessOrEqual => a <= b,
            Relation::Equal => a == b,
            Relation::NotEqual => a != b,
        }
    }
}

/// A call of a function: `StaticThreshold -Operator 'gt' ...`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Command {
    pub(super) name: String,
    pub(super) arguments: Vec<Argument>,
    /// As written.
    pub(super) code: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Argument {
    /// `-Name`
    Name(String),
    Value(Expression),
}
