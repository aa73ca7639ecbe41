-- Which database the history belongs to: its own oid, and that of this table, which a restore in place makes again. Null
-- in a mark of the release before, whose history stays.
ALTER TABLE log_history ADD COLUMN database_oid oid, ADD COLUMN table_oid oid;
