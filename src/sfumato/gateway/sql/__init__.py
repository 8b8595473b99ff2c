"""The compiler of questions: from a user's SQL to SQL on masked relations."""
