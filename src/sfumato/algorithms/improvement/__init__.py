"""Local search that lowers the loss of the groups that other algorithms make."""
