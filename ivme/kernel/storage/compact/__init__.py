"""The compact storage, for integers in the compiled kernel: values are interned, rows are vectors of ids."""
