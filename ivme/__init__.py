"""Triangle queries kept up to date under inserts and deletes: IVM^epsilon."""

__version__ = "0.1.0"
