-- Tabs that refresh at once each hold a pair of tokens, and a refresh whose answer is lost is repeated. `sessions` has the
-- newest pair, as gateways of the release before know it, and this table the others: those that are still good, and those
-- whose refresh token was used a moment ago.
CREATE TABLE session_pairs (
  organization_id bigint NOT NULL,
  session_id bigint NOT NULL,
  refresh_hash bytea NOT NULL,
  refresh_expires_at timestamptz NOT NULL,
  -- Null once the refresh token was used: the access token is void then.
  access_hash bytea,
  access_expires_at timestamptz NOT NULL,
  -- The refresh token for which the pair was issued; null for the pair of a login.
  refreshed_from bytea,
  issued_at timestamptz NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (organization_id, session_id, refresh_hash)
);
CREATE UNIQUE INDEX session_pairs_access ON session_pairs (access_hash);

-- Of the newest pair.
ALTER TABLE sessions ADD COLUMN refreshed_from bytea;
