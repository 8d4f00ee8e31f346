"""The conversation about one survey as a pure state machine."""
