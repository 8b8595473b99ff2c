"""Where counting and applying happen: the same verbs over a laptop's file, a frame in memory or a cluster."""
