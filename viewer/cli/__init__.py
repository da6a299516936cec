"""The command line: arguments, inputs, output, one module per verb."""
