"""One report object; text, JSON and HTML only draw it."""
