"""What whoever runs the service can watch: metrics, health, logs."""
