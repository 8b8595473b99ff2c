"""The gateway: live personal data, asked only for the purposes that people agreed to."""
