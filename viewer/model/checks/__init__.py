"""The numbered rules of the specification that the decoders do not see for themselves."""
