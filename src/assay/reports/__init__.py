"""What people look at: text, Markdown and tables of figures."""
