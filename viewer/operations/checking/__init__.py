"""What is wrong: validating files, checking the program itself, reports of faults."""
