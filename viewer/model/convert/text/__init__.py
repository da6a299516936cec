"""Any resource as JSON text that holds every byte of it and shows differences well."""
