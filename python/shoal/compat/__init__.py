"""Other packages' interfaces."""
