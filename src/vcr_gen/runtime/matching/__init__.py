"""Which recorded event a live one stands for, and what of it must agree."""
