"""What the records mean: units, types, stores, SQL, prices. Imports no other room of the project."""
