"""Who runs the tasks: processes of this machine, or a Dask cluster. What the tasks do is the business of other rooms."""
