"""From a mart to what people sign and scripts read: PDF, XLSX, CSV, Parquet."""
