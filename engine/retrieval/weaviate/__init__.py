"""The library of papers in a Weaviate server."""
