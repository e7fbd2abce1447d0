"""Tables of other libraries: updates and databases from them, answers as them."""
