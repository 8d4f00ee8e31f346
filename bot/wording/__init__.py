"""Every sentence, label, proposal and view that a person reads."""
