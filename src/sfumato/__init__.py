"""sfumato: publish data about persons so that the population stays visible and the person does not."""
