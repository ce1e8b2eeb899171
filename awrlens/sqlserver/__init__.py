"""SQL Server's checkpoints in error logs and Extended Events: read, counted and compared.

The equivalent of Oracle's recovery target on another engine. Source: Indirect Checkpoints.
"""
