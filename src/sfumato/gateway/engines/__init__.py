"""Where the gateway's data lie: the contract of a source, and its two implementations."""
