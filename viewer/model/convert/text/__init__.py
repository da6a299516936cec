"""JSON text of any resource that holds every byte of it and shows differences well."""
