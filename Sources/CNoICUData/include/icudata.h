/* Linked, not called. */
