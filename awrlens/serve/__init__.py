"""``awrlens serve``: a web server that analyzes uploaded reports, on the user's own machine.

Needs the extra ``awrlens[web]``. No other command imports this package.
"""
