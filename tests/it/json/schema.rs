//! Checks values against a JSON schema: the keywords that `docs/tblame.schema.json` uses.

use std::{collections::HashMap, sync::LazyLock};

use regex::Regex;

use super::value::Value;

/// Keywords that say nothing about values.
const NOTES: [&str; 4] = ["$defs", "$schema", "description", "title"];

/// The records of an output of `--json`, all of which the schema allows.
pub fn records_of(output: &[u8]) -> Vec<Value> {
    let schema = Schema::of_json();
    let text = str::from_utf8(output).expect("JSON is UTF-8");
    let records = text.lines().map(|line| {
        let record = Value::read(line);
        assert_eq!(schema.check(&record), Ok(()), "{line}");
        record
    });
    records.collect()
}

/// A schema with its definitions.
pub struct Schema {
    root: Value,
    /// By their text: to compile one takes much longer than to match it.
    patterns: HashMap<String, Regex>,
}

/// Writes where a value differs: seldom wanted, as a record differs from the definitions of all others.
type Difference<'a> = Box<dyn Fn() -> String + 'a>;

impl Schema {
    /// The schema of `--json`.
    pub fn of_json() -> &'static Schema {
        static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tblame.schema.json");
            let text = std::fs::read_to_string(path).expect("the schema is there");
            let root = Value::read(&text);
            let mut patterns = HashMap::new();
            add_patterns(&root, &mut patterns);
            Schema { root, patterns }
        });
        &SCHEMA
    }

    /// Checks that a value is a record. Keys that the schema does not name are errors here.
    ///
    /// # Errors
    ///
    /// Where the value differs.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.check_by(&self.root, value).map_err(|write| write())
    }

    fn check_by<'a>(&'a self, schema: &'a Value, value: &'a Value) -> Result<(), Difference<'a>> {
        let Value::Object(keywords) = schema else {
            panic!("a schema is an object");
        };
        for (keyword, rule) in keywords {
            self.keyword(keyword, rule, value)?;
        }
        if let (Some(Value::Object(known)), Value::Object(object)) =
            (keywords.get("properties"), value)
        {
            for (key, value) in object {
                let schema = known.get(key).ok_or_else(|| -> Difference<'a> {
                    Box::new(move || format!("the key {key} is unknown"))
                })?;
                self.check_by(schema, value)
                    .map_err(|write| -> Difference<'a> {
                        Box::new(move || format!("{key}: {}", write()))
                    })?;
            }
        }
        Ok(())
    }

    fn keyword<'a>(
        &'a self,
        keyword: &'a str,
        rule: &'a Value,
        value: &'a Value,
    ) -> Result<(), Difference<'a>> {
        let holds = match (keyword, rule) {
            ("$ref", Value::Text(name)) => {
                let name = name.strip_prefix("#/$defs/").expect("it is a definition");
                let definition = self.root.get("$defs").and_then(|all| all.get(name));
                return self.check_by(definition.expect("it is defined"), value);
            }
            ("oneOf", Value::List(schemas)) => {
                let results = schemas.iter().map(|schema| self.check_by(schema, value));
                let results: Vec<_> = results.collect();
                let fitting = results.iter().filter(|result| result.is_ok()).count();
                return match fitting {
                    1 => Ok(()),
                    _ => Err(Box::new(move || {
                        let results = results
                            .iter()
                            .map(|it| it.as_ref().map_err(|write| write()));
                        let results: Vec<_> = results.collect();
                        format!("{fitting} of several fit {value:?}: {results:?}")
                    })),
                };
            }
            ("type", Value::List(names)) => names.iter().any(|name| is_of_type(name, value)),
            ("type", name) => is_of_type(name, value),
            ("const", constant) => constant == value,
            ("enum", Value::List(values)) => values.contains(value),
            ("required", Value::List(keys)) => keys
                .iter()
                .all(|key| value.get(key.text().expect("a key")).is_some()),
            ("items", schema) => {
                let Value::List(items) = value else {
                    return Ok(());
                };
                return items
                    .iter()
                    .try_for_each(|item| self.check_by(schema, item));
            }
            ("minimum", least) => value.number() >= least.number(),
            ("pattern", Value::Text(pattern)) => {
                let pattern = &self.patterns[pattern];
                value.text().is_some_and(|text| pattern.is_match(text))
            }
            ("properties", _) => true,
            (note, _) => {
                assert!(NOTES.contains(&note), "the keyword {note} is unknown");
                true
            }
        };
        if holds {
            Ok(())
        } else {
            Err(Box::new(move || {
                format!("{value:?} is not {keyword} {rule:?}")
            }))
        }
    }
}

/// Compiles all patterns of a part of a schema.
fn add_patterns(part: &Value, patterns: &mut HashMap<String, Regex>) {
    match part {
        Value::Object(keywords) => {
            for (keyword, rule) in keywords {
                match (keyword.as_str(), rule) {
                    ("pattern", Value::Text(text)) => {
                        let pattern = Regex::new(text).expect("a pattern");
                        patterns.insert(text.clone(), pattern);
                    }
                    _ => add_patterns(rule, patterns),
                }
            }
        }
        Value::List(parts) => parts.iter().for_each(|part| add_patterns(part, patterns)),
        _ => {}
    }
}

fn is_of_type(name: &Value, value: &Value) -> bool {
    let of_value = match value {
        Value::Null => "null",
        Value::Flag(_) => "boolean",
        Value::Number(_) => "integer",
        Value::Text(_) => "string",
        Value::List(_) => "array",
        Value::Object(_) => "object",
    };
    name.text() == Some(of_value)
}

#[test]
fn what_differs_from_the_schema_is_found() {
    let schema = Schema::of_json();
    let end = "{\"type\":\"end\",\"commits\":1}";
    assert_eq!(schema.check(&Value::read(end)), Ok(()));
    for other in [
        "{\"type\":\"end\",\"deletions\":null}",
        "{\"type\":\"end\",\"commits\":-1}",
        "{\"type\":\"end\",\"commits\":\"1\"}",
        "{\"type\":\"end\",\"commits\":1,\"more\":1}",
        "{\"type\":\"ends\",\"commits\":1}",
        "[]",
    ] {
        assert!(schema.check(&Value::read(other)).is_err(), "{other}");
    }
}
