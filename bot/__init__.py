"""The application: the only package that knows both the engine and the chat adapters."""
