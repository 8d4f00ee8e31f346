"""Discord: commands, buttons, forms and messages over the gateway."""
