//! Cooked values: formulas, aggregates, the pipeline.

mod aggregate_cases;
mod aggregates;
mod instances;
mod line_use;
mod links;
mod newborn;
mod numbers;
mod pdh_order;
mod pipeline;
mod random;
mod resource_kit;
mod rhythm;
mod selection;
mod specification;
mod stored_vectors;
mod stretch;
mod support;
mod totals;
