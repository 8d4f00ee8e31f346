"""Online scholarly services, one file each, over one shared transport."""
