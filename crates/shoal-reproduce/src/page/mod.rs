//! Pages for people: one for each figure, and an index.
