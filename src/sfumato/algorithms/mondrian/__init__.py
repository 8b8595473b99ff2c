"""The Mondrian family: top-down partitioning of records by cuts at values, as long as both sides satisfy the model."""
