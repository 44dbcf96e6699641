"""The HTML report of a session: one self-contained page."""

from vcr_gen.html_report.failure import describe_failure
from vcr_gen.html_report.session_report import REPORT_VERSION, write_comparison, write_report

__all__ = ["REPORT_VERSION", "describe_failure", "write_comparison", "write_report"]
