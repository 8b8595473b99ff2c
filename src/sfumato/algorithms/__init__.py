"""Ways of choosing what to publish. One algorithm a file."""
