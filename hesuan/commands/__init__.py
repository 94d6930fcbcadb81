"""One module a command. Each reads what it needs, calls the rooms, and prints."""
