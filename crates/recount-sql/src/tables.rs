//! The tables that a query asks for, built of cooked values: the layout by objects (`formats/tables.md#objects`), in
//! memory, and only the columns that the query names.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use polars::prelude::{
    ChunkedBuilder, Column, DataFrame, DataType, Float64Type, IntoColumn, NamedFrom, PolarsResult,
    PrimitiveChunkedBuilder, Series, StringChunkedBuilder, TimeUnit, TimeZone, UInt64Type,
};
use recount_compute::Cooked;
use recount_model::{CounterDef, CounterPath, Status};

/// Columns that every table of an object has.
const FIXED: [&str; 6] = ["time", "interval_s", "host", "instance", "instance_id", "date"];

/// Which columns a query may need.
#[derive(Clone, Debug)]
pub(crate) struct Mentioned {
    /// `None`: all.
    text: Option<String>,
}

impl Mentioned {
    /// A column may be needed if its name stands anywhere in the query, or if a star does.
    pub(crate) fn new(sql: &str) -> Mentioned {
        let lower = sql.to_lowercase();
        let without_counts: String = lower.split_whitespace().collect::<String>().replace("count(*)", "");
        let any =
            without_counts.contains('*') || without_counts.contains("columns(") || lower.contains("natural");
        Mentioned { text: (!any).then(|| sql.to_owned()) }
    }

    fn column(&self, name: &str) -> bool {
        // A quotation mark within a quoted name is written twice.
        self.text.as_ref().is_none_or(|text| text.contains(name) || text.contains(&name.replace('"', "\"\"")))
    }
}

/// The table of an object, of all machines.
pub(crate) struct ObjectTable {
    num_rows: usize,
    time: Vec<i64>,
    interval: PrimitiveChunkedBuilder<Float64Type>,
    host: StringChunkedBuilder,
    instance: StringChunkedBuilder,
    id: PrimitiveChunkedBuilder<UInt64Type>,
    /// In the order in which they were met.
    columns: Vec<CounterColumn>,
    by_counter: HashMap<Arc<str>, usize>,
    taken: HashSet<String>,
}

struct CounterColumn {
    name: String,
    /// `None`: the query doesn't name it.
    values: Option<PrimitiveChunkedBuilder<Float64Type>>,
    num_rows: usize,
}

impl ObjectTable {
    pub(crate) fn new() -> ObjectTable {
        ObjectTable {
            num_rows: 0,
            time: Vec::new(),
            interval: PrimitiveChunkedBuilder::new("interval_s".into(), 0),
            host: StringChunkedBuilder::new("host".into(), 0),
            instance: StringChunkedBuilder::new("instance".into(), 0),
            id: PrimitiveChunkedBuilder::new("instance_id".into(), 0),
            columns: Vec::new(),
            by_counter: HashMap::new(),
            taken: FIXED.iter().map(ToString::to_string).collect(),
        }
    }

    /// Names of all columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        FIXED.into_iter().take(FIXED.len() - 1).chain(self.columns.iter().map(|column| column.name.as_str()))
    }

    pub(crate) fn add(&mut self, cooked: &Cooked, mentioned: &Mentioned) {
        let places: Vec<usize> = self.places(cooked, mentioned);
        let shown: Vec<Option<String>> =
            cooked.instances.iter().map(|i| cooked.object.instanced.then(|| i.shown())).collect();
        let has_row: Vec<bool> = (0..cooked.instances.len())
            .map(|at| cooked.columns.iter().any(|column| column.covers(at)))
            .collect();
        for (sample, time) in cooked.times.iter().enumerate() {
            let Some(nanos) = time.utc.unix_nanos() else { continue };
            for at in (0..cooked.instances.len()).filter(|at| has_row[*at]) {
                self.time.push(nanos);
                self.interval.append_option(cooked.interval_of(sample, at));
                self.host.append_option(Some(&*cooked.host).filter(|host| !host.is_empty()));
                self.instance.append_option(shown[at].as_deref());
                self.id.append_option(cooked.instances[at].id);
                for (column, place) in cooked.columns.iter().zip(&places) {
                    let cell = sample * cooked.instances.len() + at;
                    let value = if column.covers(at) { column.value_at(cell) } else { None };
                    self.columns[*place].put(self.num_rows, value);
                }
                self.num_rows += 1;
            }
        }
    }

    fn places(&mut self, cooked: &Cooked, mentioned: &Mentioned) -> Vec<usize> {
        let mut seen: HashMap<Arc<str>, usize> = HashMap::new();
        cooked
            .columns
            .iter()
            .map(|column| {
                let def = &cooked.object.counters[column.counter];
                // Counters of one name in one definition are told apart by their order.
                let before = seen.entry(Arc::clone(&def.name)).or_insert(0);
                *before += 1;
                let key: Arc<str> = format!("{}\u{0}{before}", def.name).into();
                if let Some(&place) = self.by_counter.get(&key) {
                    return place;
                }
                let name = self.free_name(&def.name);
                let values =
                    mentioned.column(&name).then(|| PrimitiveChunkedBuilder::new(name.as_str().into(), 0));
                self.columns.push(CounterColumn { name, values, num_rows: 0 });
                self.by_counter.insert(key, self.columns.len() - 1);
                self.columns.len() - 1
            })
            .collect()
    }

    /// The counter's name, with a number if it is taken.
    fn free_name(&mut self, counter: &str) -> String {
        let numbered = (2_u32..).map(|number| format!("{counter} ({number})"));
        let mut names = std::iter::once(counter.to_owned()).chain(numbered);
        let free = names.find(|name| !self.taken.contains(&name.to_lowercase())).unwrap_or_default();
        self.taken.insert(free.to_lowercase());
        free
    }

    pub(crate) fn finish(self) -> PolarsResult<DataFrame> {
        let mut columns = vec![
            times("time", self.time)?,
            self.interval.finish().into_column(),
            self.host.finish().into_column(),
            self.instance.finish().into_column(),
            self.id.finish().into_column(),
        ];
        for mut column in self.columns {
            column.fill(self.num_rows);
            columns.extend(column.values.map(|values| values.finish().into_column()));
        }
        DataFrame::new(self.num_rows, columns)
    }
}

impl CounterColumn {
    fn put(&mut self, row: usize, value: Option<f64>) {
        self.fill(row);
        if let Some(values) = &mut self.values {
            values.append_option(value);
        }
        self.num_rows = row + 1;
    }

    /// Rows that hadn't got the counter.
    fn fill(&mut self, num_rows: usize) {
        if let Some(values) = &mut self.values {
            (self.num_rows..num_rows).for_each(|_| values.append_null());
        }
        self.num_rows = num_rows;
    }
}

fn times(name: &str, nanos: Vec<i64>) -> PolarsResult<Column> {
    let times = DataType::Datetime(TimeUnit::Nanoseconds, Some(TimeZone::UTC));
    Series::new(name.into(), nanos).cast(&times).map(IntoColumn::into_column)
}

/// `nulls`: which value is missing, and why (`formats/tables.md#nulls`).
#[derive(Default)]
pub(crate) struct NullsTable {
    time: Vec<i64>,
    texts: [Vec<Option<String>>; 5],
}

impl NullsTable {
    pub(crate) fn add(&mut self, cooked: &Cooked) {
        for column in cooked.columns.iter().filter(|column| column.status.is_some()) {
            let counter = &cooked.object.counters[column.counter].name;
            for (sample, time) in cooked.times.iter().enumerate() {
                let Some(nanos) = time.utc.unix_nanos() else { continue };
                for (at, instance) in cooked.instances.iter().enumerate().filter(|(at, _)| column.covers(*at))
                {
                    let status = column.status_at(sample * cooked.instances.len() + at);
                    if status == Status::Ok {
                        continue;
                    }
                    self.time.push(nanos);
                    let host = Some(&*cooked.host).filter(|host| !host.is_empty());
                    let texts = [
                        host.map(str::to_owned),
                        Some(cooked.object.name.to_string()),
                        cooked.object.instanced.then(|| instance.shown()),
                        Some(counter.to_string()),
                        Some(status.as_str().to_owned()),
                    ];
                    for (all, text) in self.texts.iter_mut().zip(texts) {
                        all.push(text);
                    }
                }
            }
        }
    }

    pub(crate) fn finish(self) -> PolarsResult<DataFrame> {
        let num_rows = self.time.len();
        let names = ["host", "object", "instance", "counter", "status"];
        let texts = names
            .iter()
            .zip(self.texts)
            .map(|(name, texts)| Series::new((*name).into(), texts).into_column());
        DataFrame::new(num_rows, std::iter::once(times("time", self.time)?).chain(texts).collect())
    }
}

/// `counters`: the catalogue (`formats/tables.md#counters`).
#[derive(Default)]
pub(crate) struct CountersTable {
    counters: BTreeMap<(String, usize), CounterDef>,
    known: HashSet<(Arc<str>, Arc<str>)>,
    order: HashMap<Arc<str>, usize>,
}

impl CountersTable {
    pub(crate) fn add(&mut self, cooked: &Cooked) {
        for column in &cooked.columns {
            let def = &cooked.object.counters[column.counter];
            if self.known.insert((Arc::clone(&cooked.object.name), Arc::clone(&def.name))) {
                let next = self.order.entry(Arc::clone(&cooked.object.name)).or_insert(0);
                self.counters.insert((cooked.object.name.to_string(), *next), def.clone());
                *next += 1;
            }
        }
    }

    pub(crate) fn finish(self) -> PolarsResult<DataFrame> {
        let rows: Vec<(&str, &CounterDef)> =
            self.counters.iter().map(|((object, _), def)| (object.as_str(), def)).collect();
        let texts = |name: &str, of: &dyn Fn(&str, &CounterDef) -> Option<String>| {
            let texts: Vec<Option<String>> = rows.iter().map(|(object, def)| of(object, def)).collect();
            Series::new(name.into(), texts).into_column()
        };
        let columns = vec![
            texts("object", &|object, _| Some(object.to_owned())),
            texts("counter", &|_, def| Some(def.name.to_string())),
            texts("path", &|object, def| Some(path(object, &def.name))),
            texts("type", &|_, def| {
                def.counter_type.and_then(recount_model::CounterType::name).map(str::to_owned)
            }),
            Series::new(
                "type_word".into(),
                rows.iter().map(|(_, def)| def.counter_type.map(|word| word.0)).collect::<Vec<_>>(),
            )
            .into_column(),
            texts("unit", &|_, def| Some(def.unit().to_owned()).filter(|unit| !unit.is_empty())),
            Series::new(
                "default_scale".into(),
                rows.iter().map(|(_, def)| def.default_scale).collect::<Vec<_>>(),
            )
            .into_column(),
            texts("base", &|_, def| def.base.as_deref().map(str::to_owned)),
            texts("help", &|_, def| def.help.as_deref().map(str::to_owned)),
        ];
        DataFrame::new(rows.len(), columns)
    }
}

fn path(object: &str, counter: &str) -> String {
    CounterPath::of("", object, None, counter).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_are_not_named_are_not_kept() {
        let sql = r#"SELECT avg("% User Time"), count(*) FROM Processor"#;
        let mentioned = Mentioned::new(sql);
        assert!(mentioned.column("% User Time") && !mentioned.column("% Idle Time"));
        assert!(Mentioned::new("SELECT * FROM x").column("anything"));
        assert!(Mentioned::new("SELECT COLUMNS('a.c') FROM x").column("abc"));
        assert!(Mentioned::new(r#"SELECT "a""b" FROM x"#).column("a\"b"));
    }
}
