"""What generalizing means for each way of drawing a taxonomy."""
