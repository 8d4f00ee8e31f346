"""Stores of papers behind one protocol: a folder, Weaviate, two searched as one."""
