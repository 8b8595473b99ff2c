"""Ways to share out records among buckets, one record after the other."""
