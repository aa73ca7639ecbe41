-- Apart from 0006, whose locks on what leases and sessions are read from would be held while this is built.
CREATE INDEX task_history_recorded ON task_history (organization_id, recorded_at, sequence);
