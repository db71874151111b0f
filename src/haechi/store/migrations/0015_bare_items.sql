-- Whether there are bare items is asked with every look at a study's state; in most studies there are none.
CREATE INDEX bare_items ON items (number) WHERE kind = 'bare';
