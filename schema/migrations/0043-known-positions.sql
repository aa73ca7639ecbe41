-- Every position that was received until then is known to the webhook, in the time of those who receive them, which is
-- not that of positions_told_at. Null where only an earlier release has sent it any.
ALTER TABLE webhook_followers ADD COLUMN positions_known_until timestamptz;
