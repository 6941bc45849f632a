SELECT * FROM 'people.parquet'
