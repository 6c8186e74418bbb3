//! Queries as tables: those that work row by row, and no others.

use shoal::{Engine as _, Fit};
use shoal_engine::{EngineError, Options, TableEngine};

use crate::tables::{both, error, people};

fn open(place: &str, sql: &str) -> Result<TableEngine, EngineError> {
    TableEngine::open(&[place], &Options { sql: Some(sql.into()), threads: Some(2), ..Options::default() })
}

#[test]
fn rows_are_chosen_and_columns_computed() {
    let folder = tempfile::tempdir().unwrap();
    let (_, pieces) = both(folder.path(), people(900));
    let sql = "select age, income / 12 as monthly, case when hours > 20 then 'full' else 'part' end as work \
               from (select * from people where age between 20 and 60) as adults \
               where upper('x') = 'X' and abs(income) > 10 order by age";
    let engine = open(&pieces, sql).unwrap();
    assert_eq!(engine.columns(), ["age", "monthly", "work"]);
    let fit =
        Fit::new(2, "5").unwrap().bounds("age=17:90,monthly=0:1000").unwrap().categories("work=full|part").unwrap();
    let model = fit.rows(600).seed(1).run_engine(&engine).unwrap().model;
    assert_eq!(model.columns, ["age", "monthly", "work=full", "work=part"]);
}

#[test]
fn a_query_without_conditions_is_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, pieces) = both(folder.path(), people(900));
    let engine = open(&pieces, "select income, age from people").unwrap();
    let fit = Fit::new(2, "2").unwrap().bounds("age=17:90,income=0:10000").unwrap().rows(900).seed(1);
    let (there, here) = (fit.run_engine(&engine).unwrap().model, fit.run(&whole).unwrap());
    assert_eq!(there.centres, here.centres);
    // The guarantee has one condition more; with a seed there is none.
    let fit = Fit::new(2, "2").unwrap().bounds("age=17:90,income=0:10000").unwrap().rows(900);
    let (there, here) = (fit.run_engine(&engine).unwrap().model, fit.run(&whole).unwrap());
    let condition = "the query was chosen without looking at the data";
    assert!(there.guarantee.to_string().contains(condition), "{}", there.guarantee);
    assert!(!here.guarantee.to_string().contains(condition));
}

/// What is refused, and a word of its reason.
const REFUSED: [(&str, &str); 20] = [
    ("select age from people limit 10", "a limit"),
    ("select age from people order by income limit 10", "a limit"),
    ("select age from people offset 3", "a limit"),
    ("select distinct age from people", "DISTINCT"),
    ("select avg(age) as age from people", "an aggregate"),
    ("select hours, max(age) as age from people group by hours", "an aggregate"),
    ("select age from people group by age having count(*) > 1", "an aggregate"),
    ("select rank() over (order by age) as age from people", "a window function"),
    ("select age - avg(age) over () as age from people", "a window function"),
    ("select a.age from people a join people b on a.hours = b.hours", "a join"),
    ("select a.age from people a, people b", "a join"),
    ("select age from people union all select age from people", "a union"),
    ("select age from people union select age from people", "DISTINCT"),
    ("select age from people where age > (select avg(age) from people)", "a subquery"),
    ("select age from people where hours in (select hours from people)", "a subquery"),
    ("select age from people a where exists (select 1 from people b where a.hours = b.hours)", "a subquery"),
    ("select unnest(make_array(age, age)) as age from people", ""),
    ("select age + random() as age from people", "random"),
    ("select age from people where now() > '2020-01-01'", "now"),
    ("select 1.0 as age", "rows of its own"),
];

#[test]
fn what_depends_on_other_rows_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (_, pieces) = both(folder.path(), people(90));
    for (sql, reason) in REFUSED {
        let refused = error(open(&pieces, sql));
        assert!(refused.contains(reason), "{sql}: {refused}");
    }
    for sql in
        ["drop table people", "create table x as select age from people", "set a = 1", "insert into people values (1)"]
    {
        error(open(&pieces, sql));
    }
    // In a part that others build on, too.
    for (sql, reason) in &REFUSED[..9] {
        let nested = format!("with inner_rows as ({sql}) select age from inner_rows where age > 0");
        let refused = error(open(&pieces, &nested));
        assert!(refused.contains(reason), "{nested}: {refused}");
    }
}

#[test]
fn mistakes_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let (_, pieces) = both(folder.path(), people(90));
    assert!(error(open(&pieces, "select wage from people")).contains("wage"));
    assert!(error(open(&pieces, "select age from folk")).contains("folk"));
    assert!(error(open(&pieces, "selekt")).contains("the query cannot be used"));
}
