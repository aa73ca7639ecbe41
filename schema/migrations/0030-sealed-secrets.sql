-- Secrets that have to be read again are encrypted by the processes, under keys of SECRETS_KEY, which no database sees.
CREATE TABLE secret_keys (
  -- Follows from the key: tells it from others, and nothing about it.
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{16}$'),
  first_used_at timestamptz NOT NULL DEFAULT now()
);

-- Columns of their own: a process of the release before finds no secret, where it would take a sealed one for the secret
-- and sign with it. Rows in clear are sealed by the first workers of this release. The generated columns hold the ids of
-- the keys, none of which is forgotten while a row needs it.
ALTER TABLE webhooks
  ALTER COLUMN secret DROP NOT NULL,
  ADD COLUMN sealed_secret text,
  ADD COLUMN sealed_previous_secret text,
  ADD COLUMN secret_key text GENERATED ALWAYS AS (split_part(sealed_secret, '.', 2)) STORED REFERENCES secret_keys,
  ADD COLUMN previous_secret_key text GENERATED ALWAYS AS (split_part(sealed_previous_secret, '.', 2)) STORED
    REFERENCES secret_keys,
  ADD CONSTRAINT webhooks_one_secret CHECK (num_nonnulls(secret, sealed_secret) = 1),
  ADD CONSTRAINT webhooks_one_previous_secret CHECK (num_nonnulls(previous_secret, sealed_previous_secret) <= 1);

ALTER TABLE vapid_keys
  ALTER COLUMN private_key DROP NOT NULL,
  ADD COLUMN sealed_private_key text,
  ADD COLUMN secret_key text GENERATED ALWAYS AS (split_part(sealed_private_key, '.', 2)) STORED REFERENCES secret_keys,
  ADD CONSTRAINT vapid_keys_one_private_key CHECK (num_nonnulls(private_key, sealed_private_key) = 1);

ALTER TABLE internal_secret
  ALTER COLUMN secret DROP NOT NULL,
  ADD COLUMN sealed_secret text,
  ADD COLUMN secret_key text GENERATED ALWAYS AS (split_part(sealed_secret, '.', 2)) STORED REFERENCES secret_keys,
  ADD CONSTRAINT internal_secret_one_secret CHECK (num_nonnulls(secret, sealed_secret) = 1);
