//! Why a part of a file has no counterpart in rules.

/// What keeps a threshold, an analysis or an inherited file from being translated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Obstacle {
    #[error("inherits the thresholds of {0}, which isn't in the same directory; import that file, too")]
    Inheritance(String),
    #[error("inherits the thresholds of {0}, which can't be read: {1}")]
    Inherited(String, String),
    #[error("disabled in the file")]
    Disabled,
    #[error("has no threshold")]
    NoThreshold,
    #[error("CONDITION is {0:?}; there is Warning and Critical")]
    Condition(String),
    #[error("has no CODE that raises an alert")]
    NoCode,
    #[error("PowerShell that has no counterpart in rules: {0}")]
    OwnCode(String),
    #[error("PowerShell that isn't understood at: {0}")]
    Syntax(String),
    #[error("PowerShell that computes more than rules can say")]
    TooComplex,
    #[error("PowerShell that uses {0:?}, which has no counterpart in rules")]
    Method(String),
    #[error("needs the value of ${0}, which only a run of PAL knows")]
    Variable(String),
    #[error("calls StaticThreshold under a condition on counter values")]
    Conditional,
    #[error("raises alerts by several counters at once, in one time slice")]
    Conjunction,
    #[error("compares a trend with values of counters")]
    Trend,
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
    #[error("the result of the arithmetic is not a number, or too large for its type")]
    NoResult,
    #[error("parentheses or signs are nested more than {0} deep")]
    Nesting(u32),
    #[error("${0} is not a data source of this file")]
    NoDataSource(String),
    #[error("${0} is a data source of another analysis")]
    ForeignDataSource(String),
    #[error("${0} is the variable of several data sources of the analysis")]
    AmbiguousDataSource(String),
    #[error("the data source ${0} is computed by PowerShell that has no counterpart in rules")]
    Generated(String),
    #[error("the data source ${variable} has TYPE {found:?}; there is CounterLog and Generated")]
    SourceType { variable: String, found: String },
    #[error("the data source ${0} is chosen by a regular expression that wildcards can't say: {1}")]
    RegularExpression(String, String),
    #[error(
        "EXPRESSIONPATH of the data source ${variable} is not a counter path such as \\Object(*)\\Counter: {path}"
    )]
    Path { variable: String, path: String },
    #[error("the data source ${variable} leaves out instances in a way that isn't understood: {found}")]
    Exclude { variable: String, found: String },
    #[error("the data source ${variable} holds an unknown element {element}")]
    Element { variable: String, element: String },
    #[error("would produce an invalid rule: {0}")]
    Rule(String),
}

impl Obstacle {
    /// The kind of obstacle, for counting.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Obstacle::Inheritance(_) | Obstacle::Inherited(..) => "inherited files that are missing",
            Obstacle::Disabled => "disabled",
            Obstacle::NoThreshold | Obstacle::NoCode => "without a condition",
            Obstacle::Condition(_) => "of another severity",
            Obstacle::OwnCode(_)
            | Obstacle::Syntax(_)
            | Obstacle::TooComplex
            | Obstacle::Method(_)
            | Obstacle::Nesting(_)
            | Obstacle::Calls(_)
            | Obstacle::NoResult
            | Obstacle::Hexadecimal(_) => "other PowerShell",
            Obstacle::Conditional | Obstacle::Conjunction | Obstacle::Trend => "conditions on several values",
            Obstacle::Variable(_) => "variables that only PAL knows",
            Obstacle::Argument { parameter: "Operator", .. } => "other operators",
            Obstacle::Parameter(_)
            | Obstacle::Twice(_)
            | Obstacle::Missing(_)
            | Obstacle::Surplus(_)
            | Obstacle::Argument { .. } => "other arguments of StaticThreshold",
            Obstacle::NoDataSource(_)
            | Obstacle::ForeignDataSource(_)
            | Obstacle::AmbiguousDataSource(_)
            | Obstacle::SourceType { .. }
            | Obstacle::Path { .. }
            | Obstacle::Exclude { .. }
            | Obstacle::Element { .. } => "data sources that aren't clear",
            Obstacle::Generated(_) => "data sources that PowerShell computes",
            Obstacle::RegularExpression(..) => "regular expressions",
            Obstacle::Rule(_) => "rules with mistakes",
        }
    }
}
