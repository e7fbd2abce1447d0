"""Child processes: a pool of workers, and processes that are asked in lines."""
