//! Why a part of a file has no counterpart in rules.

/// What keeps a threshold or an analysis from being translated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Obstacle {
    #[error("inherits the thresholds of {0}; import that file, too")]
    Inheritance(String),
    #[error("disabled in the file")]
    Disabled,
    #[error("has no threshold")]
    NoThreshold,
    #[error("CONDITION is {0:?}; there is Warning and Critical")]
    Condition(String),
    #[error("has no CODE")]
    NoCode,
    #[error("more PowerShell than calls of StaticThreshold: {0}")]
    OwnCode(String),
    #[error("PowerShell that isn't understood at: {0}")]
    Syntax(String),
    #[error("needs the value of ${0}, which only a run of PAL knows")]
    Variable(String),
    #[error("needs ${variable}, the answer to a question of PAL (default: {default})")]
    Question { variable: String, default: String },
    #[error("more than {0} calls of StaticThreshold in one threshold")]
    Calls(usize),
    #[error("StaticThreshold has no parameter -{0}")]
    Parameter(String),
    #[error("StaticThreshold is given -{0} twice")]
    Twice(&'static str),
    #[error("StaticThreshold is given no -{0}")]
    Missing(&'static str),
    #[error("StaticThreshold is given more than it takes: {0} (PowerShell computes within parentheses only)")]
    Surplus(String),
    #[error("-{parameter} of StaticThreshold is {value}, not {expected}")]
    Argument { parameter: &'static str, value: String, expected: &'static str },
    #[error("the hexadecimal number {0} is negative or too large in PowerShell")]
    Hexadecimal(String),
    #[error("the result of the arithmetic is no number, or too large for its type")]
    NoResult,
    #[error("parentheses or signs are nested more than {0} deep")]
    Nesting(u32),
    #[error("${0} is no data source of this file")]
    NoDataSource(String),
    #[error("${0} is a data source of another analysis")]
    ForeignDataSource(String),
    #[error("${0} is the variable of several data sources of the analysis")]
    AmbiguousDataSource(String),
    #[error("the data source ${0} is computed by PowerShell (TYPE=\"Generated\")")]
    Generated(String),
    #[error("the data source ${variable} has TYPE {found:?}; there is CounterLog and Generated")]
    SourceType { variable: String, found: String },
    #[error("the data source ${0} is chosen by a regular expression")]
    RegularExpression(String),
    #[error(
        "EXPRESSIONPATH of the data source ${variable} is no counter path such as \\Object(*)\\Counter: {path}"
    )]
    Path { variable: String, path: String },
    #[error("the data source ${variable} leaves out instances in a way that isn't understood: {found}")]
    Exclude { variable: String, found: String },
    #[error("the data source ${variable} holds an unknown element {element}")]
    Element { variable: String, element: String },
}
