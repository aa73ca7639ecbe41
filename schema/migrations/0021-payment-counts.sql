-- What lists of payments are counted and found by, and room for balances.

-- How many payments there are of each kind. Written by actors, through commit_group.
CREATE TABLE payment_counts (
  organization_id bigint NOT NULL,
  status text NOT NULL,
  method text NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (organization_id, status, method)
) WITH (fillfactor = 50);
INSERT INTO payment_counts (organization_id, status, method, count)
  SELECT organization_id, status, method, count(*) FROM payments GROUP BY 1, 2, 3;

-- Those that did not simply succeed: few among many. What they are filtered by comes along, so that no other is read.
CREATE INDEX payments_unsettled ON payments (organization_id, created_at, id, status, method) WHERE status <> 'succeeded';

-- Balances change with every payment, and nothing that they are found by does: with room in its page for the next
-- version of a row no index is written.
ALTER TABLE ledger_accounts SET (fillfactor = 50);
