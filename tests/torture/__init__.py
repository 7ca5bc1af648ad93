"""Long runs of what the tests do for seconds: `python -m tests.torture.NAME`."""
