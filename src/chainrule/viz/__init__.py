"""Looking at graphs: as data, as pictures, as worked examples."""
