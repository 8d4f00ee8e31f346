"""Quick reviews: the question, its search, the studies read, what is written of them."""
