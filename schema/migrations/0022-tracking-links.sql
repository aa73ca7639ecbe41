-- A tracking link names its task: no index needs to know the tokens.
DROP INDEX tasks_tracking_token;
