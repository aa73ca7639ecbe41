-- Until then one process mails the administrators about a disabled webhook, and no other does; null: none does. Past: it
-- has died.
ALTER TABLE webhook_followers ADD COLUMN notice_claimed_until timestamptz;
