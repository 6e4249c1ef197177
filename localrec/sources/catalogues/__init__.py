"""Tables without users as catalogues: any file's records, what its columns are, a domain for them.

`open_records` reads CSV, TSV, JSON, JSON Lines and Parquet into records, `profile_columns` tells
what each column holds, `propose_domain` makes a domain and its columns of that, and
`read_catalogue` turns the records into items.
"""
