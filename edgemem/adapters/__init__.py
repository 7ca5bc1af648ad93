"""edgemem behind other people's interfaces. Each module needs the package it adapts to; see the extras."""
