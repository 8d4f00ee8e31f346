"""Plain words read as commands of the grammar, without a language model. Pure."""
