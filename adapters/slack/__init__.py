"""Slack: messages, buttons, forms and files over Socket Mode or signed HTTP."""
