//! Reads the values for a `SELECT`, and runs it in polars.

use arrow_array::RecordBatch;
use polars::prelude::{DataFrame, IntoLazy};
use polars::sql::SQLContext;
use recount_compute::{Cancelled, CookOptions, OnProgress, PipelineOptions, run};
use recount_model::{CounterPath, Health, Pattern, Selection};
use recount_tables::batches::{catalogue_batch, nulls_batch};
use recount_tables::processes::{processes_batch, read_processes};
use recount_tables::schema::{NULLS, schema};

use crate::answer;
use crate::capture::NamedInputs;
use crate::frame::Frame;
use crate::information::{self, is_information};
use crate::names::{TableName, known_table, pattern_of, resolve};
use crate::needs::Needs;
use crate::tables::Tables;
use crate::{QueryError, described};

/// Answers a query with these `needs`. Values are read once.
pub(crate) fn select(
    captures: &[NamedInputs<'_>],
    sql: &str,
    needs: &Needs,
    progress: OnProgress<'_>,
) -> Result<(RecordBatch, Health), QueryError> {
    // What polars will change one day is nothing that users can do anything about.
    polars::error::set_warning_function(|_, _| {});
    let mut context = SQLContext::new();
    let mut health = Health::default();
    let mut columns = Vec::new();
    for table in needs.tables().filter(|table| is_information(table)) {
        let (batch, found) = described(captures, |all| information::batch(table, all))?;
        let mut frame = Frame::default();
        frame.push(&batch)?;
        context.register(table, frame.to_polars()?.lazy());
        health = found;
        columns.extend(batch.schema().fields().iter().map(|field| field.name().clone()));
    }
    let needs = needs.of_tables(|table| (!is_information(table)).then_some(table));
    for capture in captures {
        let read = read(capture, &capture.needs(&needs), progress).map_err(|error| capture.named(error))?;
        for (name, frame) in read.frames {
            context.register(&capture.full(&name), frame.lazy());
        }
        health.absorb(read.health);
        columns.extend(read.columns);
    }
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let failed = |error| QueryError::of_query(&error, &columns);
    let answer = context.execute(sql).map_err(failed)?.collect().map_err(failed)?;
    Ok((answer::batch(&answer).map_err(failed)?, health))
}

/// The tables read from a capture.
struct Read {
    /// Tables as the query names them.
    frames: Vec<(String, DataFrame)>,
    /// Names of all columns.
    columns: Vec<String>,
    health: Health,
}

fn read(capture: &NamedInputs<'_>, needs: &Needs, progress: OnProgress<'_>) -> Result<Read, QueryError> {
    let mut tables = Tables::known(capture.inputs, needs);
    let selection = selection(needs, &tables)?;
    let mut nulls = Frame::default();
    nulls.widen(&schema(&NULLS))?;
    let mut health = None;
    if let Some(selection) = selection {
        let wants_nulls = selection.is_all();
        let cook = CookOptions { selection, ..CookOptions::default() };
        let options = PipelineOptions { cook, ..PipelineOptions::default() };
        health = Some(run(capture.inputs, &options, |slice, step| {
            if wants_nulls && let Some(batch) = nulls_batch(&slice)? {
                nulls.push(&batch)?;
            }
            tables.add(slice)?;
            Ok::<(), QueryError>(Cancelled::check(progress(step))?)
        })?);
    }
    // For the catalogue, for tables without rows, and to list the tables in errors.
    let meanings: Result<Vec<_>, _> = needs.tables().map(|name| resolve(name, tables.names())).collect();
    if meanings?.iter().any(|meaning| matches!(meaning, None | Some(TableName::Counters))) {
        let found = tables.survey(capture.inputs);
        health.get_or_insert(found);
    }

    let mut frames = Vec::new();
    for name in needs.tables() {
        let frame = match known_table(name, tables.names())? {
            TableName::Object(object) => tables.object(&object).frame()?,
            TableName::Nulls => nulls.to_polars()?,
            TableName::Processes => {
                let found = read_processes(capture.inputs, progress)?;
                health.get_or_insert_default().absorb(found.health.clone());
                let mut processes = Frame::default();
                processes.push(&processes_batch(&found)?)?;
                processes.to_polars()?
            }
            TableName::Counters => {
                let mut counters = Frame::default();
                counters.push(&catalogue_batch(tables.objects.iter().map(|object| &object.batches))?)?;
                counters.to_polars()?
            }
        };
        frames.push((name.to_owned(), frame));
    }
    let columns =
        tables.objects.iter().flat_map(|object| object.batches.names()).map(str::to_owned).collect();
    Ok(Read { frames, columns, health: health.unwrap_or_default() })
}

/// What to read; `None`: nothing.
fn selection(needs: &Needs, known: &Tables<'_>) -> Result<Option<Selection>, QueryError> {
    let mut patterns = Vec::new();
    for name in needs.tables() {
        match resolve(name, known.names())? {
            Some(TableName::Object(object)) => {
                patterns.push(Pattern::Path(CounterPath::of("", &object, None, "*")));
            }
            Some(TableName::Counters | TableName::Processes) => {}
            Some(TableName::Nulls) => return Ok(Some(Selection::all())),
            None => patterns.push(pattern_of(name)),
        }
    }
    Ok((!patterns.is_empty()).then(|| patterns.into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use recount_model::{
        CaptureInfo, Cooked, CookedColumn, CounterDef, Decoded, Instance, ObjectDef, Opened, SampleTime,
        Source, Timestamp,
    };

    use recount_compute::{Input, unwatched};

    use super::*;

    /// A source with cooked values of two objects, which it doesn't list beforehand. It counts what is read.
    struct Counting {
        opened: Opened,
        num_decoded: AtomicUsize,
        num_surveyed: AtomicUsize,
    }

    impl Counting {
        fn new() -> Arc<Counting> {
            let time = |second: i64| SampleTime {
                utc: Timestamp(130_057_919_400_000_000 + second * 10_000_000),
                offset_min: 0,
            };
            Arc::new(Counting {
                opened: Opened {
                    info: CaptureInfo { is_cooked: true, ..CaptureInfo::default() },
                    times: (0..4).map(time).collect(),
                    ..Opened::default()
                },
                num_decoded: AtomicUsize::new(0),
                num_surveyed: AtomicUsize::new(0),
            })
        }

        fn cooked(&self, samples: &[u32], object: &str) -> Cooked {
            let counter = |name: &str| CounterDef { name: name.into(), ..CounterDef::default() };
            let column = |counter| CookedColumn {
                counter,
                values: samples.iter().map(|sample| f64::from(*sample)).collect(),
                status: None,
                covers: None,
                texts: None,
            };
            Cooked {
                host: "".into(),
                object: Arc::new(ObjectDef {
                    name: object.into(),
                    counters: vec![counter("a"), counter("b")],
                    ..ObjectDef::default()
                }),
                instances: [Instance::unnamed()].into(),
                times: samples.iter().map(|sample| self.times()[*sample as usize]).collect(),
                gaps: Vec::new(),
                first_s: Vec::new(),
                interval_s: vec![None; samples.len()],
                continued: vec![false],
                columns: vec![column(0), column(1)],
                raw: None,
            }
        }

        fn decoded(&self, samples: &[u32], selection: &Selection) -> Decoded {
            let objects = ["One Thing", "Two"].into_iter();
            let selected = objects.filter(|object| selection.may_match_object("", object));
            Decoded {
                cooked: selected.map(|object| self.cooked(samples, object)).collect(),
                ..Decoded::default()
            }
        }
    }

    impl Source for Counting {
        fn opened(&self) -> &Opened {
            &self.opened
        }

        fn len_sample(&self, _: usize) -> usize {
            16
        }

        fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
            self.num_surveyed.fetch_add(samples.len(), Ordering::Relaxed);
            let mut decoded = self.decoded(samples, selection);
            // Defined, and never computed.
            decoded.cooked.push(self.cooked(samples, "Three"));
            decoded
        }

        fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
            self.num_decoded.fetch_add(samples.len(), Ordering::Relaxed);
            self.decoded(samples, selection)
        }
    }

    /// The answer, and the numbers of samples decoded and surveyed for it.
    fn ask(sql: &str) -> (Result<RecordBatch, QueryError>, usize, usize) {
        let source = Counting::new();
        let inputs = [Input::new(Arc::clone(&source) as _, (0..4).collect())];
        let answer = crate::query(&inputs, sql, &unwatched).map(|(batch, _)| batch);
        let [decoded, surveyed] =
            [&source.num_decoded, &source.num_surveyed].map(|count| count.load(Ordering::Relaxed));
        (answer, decoded, surveyed)
    }

    #[test]
    fn values_are_read_once_and_only_if_they_are_needed() {
        for (sql, decoded, surveyed, num_rows) in [
            ("SELECT a FROM one_thing", 4, 0, 4),
            ("SELECT x.a, y.b FROM one_thing x JOIN two y USING (time) JOIN nulls z USING (time)", 4, 0, 0),
            ("SELECT a FROM three WHERE b > 1", 4, 4, 0),
            ("SELECT * FROM counters", 0, 4, 6),
            ("SHOW TABLES", 0, 4, 5),
            ("DESCRIBE two", 0, 4, 8),
            ("SELECT 1 AS one", 0, 0, 1),
            ("SELECT current_timestamp, current_date, 1, 2", 0, 0, 1),
        ] {
            let (answer, num_decoded, num_surveyed) = ask(sql);
            assert_eq!(answer.expect(sql).num_rows(), num_rows, "{sql}");
            assert_eq!((num_decoded, num_surveyed), (decoded, surveyed), "{sql}");
        }
    }

    #[test]
    fn processes_are_a_table_of_their_own() {
        let (answer, ..) = ask("SELECT name, shown, cpu_s FROM _processes");
        let answer = answer.expect("a table");
        assert_eq!((answer.num_rows(), answer.num_columns()), (0, 3));
        let grouped = "SELECT user, p.\"end\", count(*) AS n FROM _processes p WHERE user <> 'root' GROUP BY user, p.\"end\"";
        for sql in
            ["SELECT user FROM _processes", "SELECT \"end\", USER FROM _processes ORDER BY user", grouped]
        {
            let (answer, ..) = ask(sql);
            answer.expect(sql);
        }
        let (answer, ..) = ask("SELECT pid, end FROM _processes");
        let said = answer.expect_err("a word of SQL").to_string();
        assert!(said.ends_with("the column of _processes is written \"end\", in double quotes"), "{said}");
        let (answer, ..) = ask("DESCRIBE _processes");
        assert_eq!(answer.expect("columns").num_rows(), recount_tables::schema::PROCESSES.len());
    }

    #[test]
    fn rows_are_counted_without_any_column() {
        let (answer, ..) = ask("SELECT count(*) AS n FROM two");
        assert_eq!(
            format!("{:?}", answer.expect("an answer").column(0)),
            "PrimitiveArray<Int64>\n[\n  4,\n]"
        );
    }

    #[test]
    fn times_are_compared_with_texts() {
        // The samples are at 2013-02-19T23:59:00Z and one to three seconds later.
        for (condition, num_rows) in [
            ("time > '2013-02-19T23:59:01Z'", 2),
            ("time >= '2013-02-19 23:59:01'", 3),
            ("time > timestamp '2013-02-19 23:59:01'", 2),
            ("time > timestamp '2013-02-19T23:59:01Z'", 2),
            ("time > cast('2013-02-19T23:59:01Z' as timestamp)", 2),
            ("'2013-02-20 00:59:01 Europe/Berlin'::timestamp < time", 2),
            ("time = '2013-02-20 00:59:01+01:00'", 1),
            ("time <> '2013-02-19T23:59:01Z'", 3),
            ("time BETWEEN '2013-02-19 23:59:01' AND '2013-02-19T23:59:02Z'", 2),
            ("time NOT BETWEEN '2013-02-19 23:59:01' AND '2013-02-19T23:59:02Z'", 2),
            ("time IN ('2013-02-19 23:59:01', timestamp '2013-02-19T23:59:03Z', '2013-02-19')", 2),
            ("time > date '2013-02-19'", 4),
            ("time > '2013-02-20'", 0),
            ("time > timestamp '2013-02-19 23:59:00' + interval '1 second'", 2),
            ("date_trunc('minute', time) = '2013-02-19 23:59'", 4),
            ("coalesce(time, '2013-02-19T23:59:01Z') > '2013-02-19T23:59:01Z'", 2),
            ("greatest(time, '2013-02-19 23:59:01') = '2013-02-19T23:59:01Z'", 2),
            ("CASE WHEN time IS NULL THEN '2013-02-19' ELSE time END > '2013-02-19 23:59:01'", 2),
            ("time > '2013-02-19 23:59:00' + interval '1 second'", 2),
            ("time - '2013-02-19 23:59:00' > interval '1 second'", 2),
            ("cast(time as date) = '2013-02-19'", 4),
            ("extract(epoch from time - timestamp '2013-02-19 23:59:00') > 1", 2),
            ("CAST(time AS VARCHAR) > '2013-02-19 23:59:01.5'", 2),
        ] {
            for sql in [
                format!("SELECT a FROM two WHERE {condition}"),
                format!(
                    "SELECT x.a FROM one_thing x JOIN two USING (time) WHERE {}",
                    condition.replace("time ", "x.time ")
                ),
                format!("WITH y AS (SELECT time, a FROM two) SELECT a FROM y WHERE {condition}"),
            ] {
                let found = ask(&sql).0.map(|batch| batch.num_rows()).map_err(|error| error.to_string());
                assert_eq!(found, Ok(num_rows), "{sql}");
            }
        }
        let grouped = "WITH y AS (SELECT time_bucket('2 seconds', time) AS began, max(a) FROM two GROUP BY began) \
                       SELECT began FROM y WHERE began > '2013-02-19T23:59:00Z'";
        assert_eq!(ask(grouped).0.expect("an answer").num_rows(), 1);
        let refused = ask("SELECT a FROM two WHERE time > 'noon'").0.expect_err("no time").to_string();
        assert!(refused.contains("found 'noon'"), "{refused}");
    }

    #[test]
    fn errors_are_in_our_words() {
        for (sql, part) in [
            ("SELECT a FROM two WHERE a > 'x'", "different types are compared"),
            ("SELECT foo(a) FROM two", "there is no function 'foo'"),
            ("SELECT a + instance FROM two", "different types are added"),
            ("SELECT CAST('x' AS DOUBLE) FROM two", "can't be converted"),
            ("SELECT sum(time) FROM two", "time"),
            ("SELECT time + 1 FROM two", "INTERVAL '90 minutes'"),
            ("SELECT time, time FROM two", "would be called \"time\""),
            ("SELECT date_trunc('minute', instance) FROM two", "isn't a time"),
            ("SELECT a FROM two WHERE max(time) > '2013-02-20'", "HAVING max(time)"),
            (
                "SELECT sum(time - time) / 0 AS d, abs(time - time) FROM two WHERE (a, b) = (1, 2)",
                "isn't answered: Tuple",
            ),
            ("SELECT a FROM two ORDER BY zz", "there is no column \"zz\""),
            ("SELECT CAST(a AS FOO) FROM two", "\"FOO\" is not supported"),
            ("WITH RECURSIVE x AS (SELECT a FROM x) SELECT * FROM x", "not supported"),
            ("SELECT time AT TIME ZONE 'Europe/Berlin' FROM two", "columns are in UTC"),
        ] {
            let said = ask(sql).0.expect_err(sql).to_string();
            assert!(said.contains(part), "{sql}: {said}");
            for theirs in ["dtype", "f64", "str`", "[ns]", "CTE", "polars", "deprecated", "Deprecation"] {
                assert!(!said.contains(theirs), "{sql}: {said}");
            }
        }
    }

    #[test]
    fn programs_that_know_databases_find_the_tables() {
        for (sql, num_rows) in [
            ("SELECT * FROM information_schema.tables", 5),
            ("SELECT table_name FROM INFORMATION_SCHEMA.TABLES WHERE table_schema NOT IN ('pg_catalog')", 5),
            ("SELECT c.table_name FROM information_schema.columns c WHERE c.column_name = 'a'", 3),
            (
                "SELECT column_name FROM information_schema.columns WHERE table_name = 'Two' AND data_type = 'TIMESTAMP'",
                1,
            ),
            ("SELECT a FROM main.two", 4),
        ] {
            let (answer, num_decoded, _) = ask(sql);
            assert_eq!(
                answer.map(|batch| batch.num_rows()).map_err(|error| error.to_string()),
                Ok(num_rows),
                "{sql}"
            );
            assert!(num_decoded == 0 || sql.contains("main"), "{sql}");
        }
        let both = ask_both("SELECT table_schema FROM information_schema.tables WHERE table_name = 'Two'");
        assert_eq!(both.expect("two captures").num_rows(), 2);
    }

    #[test]
    fn missing_tables_and_columns_lead_to_near_ones() {
        let near_table = ask("SELECT * FROM twoo").0;
        assert!(matches!(near_table, Err(QueryError::UnknownTable { near, .. }) if near == ["Two"]));
        let near_column = ask("SELECT aa FROM two").0;
        assert!(matches!(near_column, Err(QueryError::UnknownColumn { near, .. }) if near == ["a"]));
    }

    /// Queries two captures with the same tables.
    fn ask_both(sql: &str) -> Result<RecordBatch, QueryError> {
        let inputs = [(); 2].map(|()| [Input::new(Counting::new() as _, (0..4).collect())]);
        let named = |(name, inputs)| NamedInputs { name: Some(name), inputs };
        let captures: Vec<NamedInputs<'_>> =
            ["a", "b"].into_iter().zip(inputs.iter().map(|inputs| &inputs[..])).map(named).collect();
        crate::query_named(&captures, sql, &unwatched).map(|(batch, _)| batch)
    }

    #[test]
    fn captures_are_distinguished_by_their_names() {
        for (sql, num_rows) in [
            ("SELECT a.two.b FROM a.two", 4),
            (r#"SELECT x.a AS one, y.a AS other FROM a."One Thing" x JOIN b.one_thing y USING (time)"#, 4),
            ("SELECT a FROM a.two UNION ALL SELECT a FROM b.two", 8),
            ("SELECT * FROM a.two WHERE a IN (SELECT b.two.a FROM b.two WHERE b.two.a > 1)", 2),
            ("SHOW TABLES", 10),
            ("DESCRIBE b.two", 8),
        ] {
            assert_eq!(ask_both(sql).expect(sql).num_rows(), num_rows, "{sql}");
        }
        let tables = ask_both("SHOW TABLES").expect("tables");
        assert_eq!(tables.schema().field(0).name(), "capture");
        let refused = ask_both("SELECT a FROM two");
        assert!(matches!(refused, Err(QueryError::Unqualified { name, .. }) if name == "two"));
        let refused = ask_both("SELECT a FROM b.twoo");
        assert!(
            matches!(refused, Err(QueryError::UnknownTable { name, near }) if name == "b.twoo" && near == ["b.Two"])
        );
    }
}
