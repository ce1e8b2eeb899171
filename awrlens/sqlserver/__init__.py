"""SQL Server's checkpoints: error logs and Extended Events, read, counted and compared.

The same question as of Oracle's recovery target, on another engine. Source: document 5.
"""
