"""What a storage must do (`interface`), in dicts (`dicts`) and in machine words (`compact`)."""
