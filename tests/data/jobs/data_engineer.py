"""A data engineer: tables with types and keys, offline."""

import duckdb
import pyarrow.parquet as pq

import traincompute as t

schema = pq.read_schema(t.path("models"))
print(schema.field("training_compute_flop").type, schema.field("publication_date").type)
# > double date32[day]

with duckdb.connect() as warehouse:
    for table in ("models", "claims", "sources"):
        warehouse.execute(f"create table {table} as from read_parquet('{t.path(table)}')")
    keys = """select count(*) - count(distinct model_id) as repeated, count(*) > 3000 as whole
        from models"""
    print(warehouse.execute(keys).fetchone())
    # > (0, True)
    orphans = (
        "select count(*) from claims c where model_id is not null and not exists (from models m where m.model_id ="
        " c.model_id)"
    )
    print("claims of no model:", *warehouse.execute(orphans).fetchone())
    # > claims of no model: 0

units = t.load("columns").query("table_name == 'models'").set_index("column_name")["unit"].dropna()
print(units["training_compute_flop"], units["training_cost_usd"])
# > FLOP USD
