"""What an update would do: two sets of templates compared, each change judged. Pure values."""
