"""The default on features beside single algorithms: shapes and real data, true k."""
