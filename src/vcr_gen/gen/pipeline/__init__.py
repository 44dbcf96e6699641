"""One run, from the settings to a plan (start reading at `plan_run.py`), and `vcr-gen verify`."""
