"""One run, from the settings to a plan; start reading at `plan_run.py`. And `vcr-gen verify`."""
