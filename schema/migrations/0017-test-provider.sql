-- The payment provider that stands in for a real one: its checkouts, and what it signs its callbacks with. Made by
-- workers that carry out a payment, ended by whoever pays on its page.
CREATE TABLE test_checkouts (
  organization_id bigint NOT NULL,
  payment_id bigint NOT NULL,
  -- What its name ends with: whoever knows that may pay.
  secret text NOT NULL,
  amount_minor bigint NOT NULL,
  currency text NOT NULL,
  description text NOT NULL,
  -- Where the customer goes from its page.
  return_url text NOT NULL,
  status text NOT NULL CHECK (status IN ('open', 'paid', 'declined', 'expired')),
  -- The refund that was asked for first; there is no second one.
  refund_attempt int,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, payment_id)
);

CREATE TABLE test_provider_secret (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  secret text NOT NULL
);
INSERT INTO test_provider_secret (secret) SELECT replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
