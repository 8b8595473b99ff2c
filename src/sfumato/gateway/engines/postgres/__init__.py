"""The PostgreSQL engine: sessions that run queries on masked views, and the deployment that creates these views."""
