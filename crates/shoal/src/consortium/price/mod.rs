//! What codes cost: their promise and the error of the distances that are left in them.
