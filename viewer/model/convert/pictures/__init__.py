"""Pictures of other programs: read as pixels, compared, written singly and as films."""
