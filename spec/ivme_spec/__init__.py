"""What must hold of IVM^epsilon, executable."""
