"""More than one machine: tasks on a Dask cluster. What the tasks do is the business of other rooms."""
