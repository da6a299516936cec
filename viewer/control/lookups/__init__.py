"""What panels look up in worker threads: lists, searches, statistics, comparisons, bytes."""
