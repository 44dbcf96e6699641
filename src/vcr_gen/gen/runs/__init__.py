"""One run, from the settings to a plan; start reading at `run.py`. And `vcr-gen verify`."""
