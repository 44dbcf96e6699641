"""The parts of the pytest plugin; `vcr_gen.pytest_plugin` is the plugin itself."""
