"""Ready-made boundaries: Protocols, bridges and fronts in the shape of the libraries people use."""
