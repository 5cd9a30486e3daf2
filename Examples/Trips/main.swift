// The program follows.
