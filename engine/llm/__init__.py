"""Language models: one protocol, two providers, one meter around them."""
