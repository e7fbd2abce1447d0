"""The files that ivme writes and reads: versioned, checksummed, written atomically."""
