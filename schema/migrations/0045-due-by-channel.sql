-- Due pushes are found without reading the mails that wait before them.
CREATE INDEX notifications_due_by_channel ON notifications (organization_id, channel, due_at) WHERE status = 'pending';
DROP INDEX notifications_due;
ALTER INDEX notifications_due_by_channel RENAME TO notifications_due;
