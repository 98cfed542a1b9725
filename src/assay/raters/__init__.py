"""Agreement of several raters, and of a judge with people."""
