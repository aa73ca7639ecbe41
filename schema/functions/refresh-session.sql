-- Gives a session its next pair of tokens for one of its refresh tokens. `outcome`: null for a token of no live session,
-- `refreshed` for the first use, `repeated` for another one within the grace, while no pair that the token led to was used;
-- `reused` for any other, which ends the session; `user_inactive`, `organization_inactive`. A token that the session does
-- not know any more was used before its grace, or had to make room: it is `reused`.
-- Each statement sees what committed before the lock was given, so that uses at the same time are judged one after another.
CREATE OR REPLACE FUNCTION refresh_session(
  family bytea, given bytea, next_access bytea, next_refresh bytea,
  access_life interval, refresh_life interval, grace interval, most_pairs int,
  OUT organization bigint, OUT session bigint, OUT owner bigint, OUT outcome text
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  held sessions;
  pair session_pairs;
  -- By the clock of Postgres, which all gateways share, and from after the wait for the lock.
  at timestamptz;
BEGIN
  SELECT * INTO held FROM sessions s WHERE s.family_hash = family FOR UPDATE;
  at := clock_timestamp();
  IF held.id IS NULL OR held.revoked_at IS NOT NULL OR held.refresh_expires_at <= at
    OR held.organization_id <> 0 AND NOT EXISTS (SELECT FROM organizations o WHERE o.organization_id = held.organization_id)
  THEN RETURN; END IF;

  IF held.refresh_hash IS DISTINCT FROM given THEN
    SELECT * INTO pair FROM session_pairs p
      WHERE p.organization_id = held.organization_id AND p.session_id = held.id AND p.refresh_hash = given;
    IF pair.used_at IS NULL AND pair.refresh_expires_at <= at THEN RETURN; END IF;
  END IF;
  organization := held.organization_id;
  session := held.id;
  owner := held.user_id;
  outcome := CASE
    WHEN held.refresh_hash IS DISTINCT FROM given AND (pair.refresh_hash IS NULL OR pair.used_at <= at - grace) THEN 'reused'
    WHEN NOT (SELECT u.is_active FROM users u WHERE u.organization_id = held.organization_id AND u.id = held.user_id)
      THEN 'user_inactive'
    WHEN EXISTS (SELECT FROM organizations o WHERE o.organization_id = held.organization_id AND o.status <> 'active')
      THEN 'organization_inactive'
    WHEN pair.used_at IS NULL THEN 'refreshed'
    ELSE 'repeated' END;
  IF outcome = 'reused' THEN
    UPDATE sessions s SET revoked_at = at WHERE s.organization_id = held.organization_id AND s.id = held.id;
  ELSIF outcome IN ('refreshed', 'repeated') THEN
    PERFORM retire_pair(held, given, at, grace, most_pairs);
    UPDATE sessions s SET access_hash = next_access, access_expires_at = at + access_life, refresh_hash = next_refresh,
      refresh_expires_at = at + refresh_life, refreshed_from = given, refreshed_at = at
      WHERE s.organization_id = held.organization_id AND s.id = held.id;
  END IF;
END $$;

-- Makes room for a newer pair of a session: the newest one joins the others, the one of the given token is used. Its use
-- ends the grace of the token that it was issued for; its siblings stay good. Of unused pairs the oldest leave first.
CREATE OR REPLACE FUNCTION retire_pair(held sessions, given bytea, at timestamptz, grace interval, most_pairs int)
  RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  predecessor bytea;
BEGIN
  INSERT INTO session_pairs (organization_id, session_id, refresh_hash, refresh_expires_at, access_hash, access_expires_at,
      refreshed_from, issued_at)
    VALUES (held.organization_id, held.id, held.refresh_hash, held.refresh_expires_at, held.access_hash,
      held.access_expires_at, held.refreshed_from, held.refreshed_at);
  UPDATE session_pairs p SET used_at = coalesce(p.used_at, at), access_hash = NULL
    WHERE p.organization_id = held.organization_id AND p.session_id = held.id AND p.refresh_hash = given
    RETURNING p.refreshed_from INTO predecessor;
  DELETE FROM session_pairs p WHERE p.organization_id = held.organization_id AND p.session_id = held.id
    AND (p.refresh_hash = predecessor OR p.used_at <= at - grace);
  DELETE FROM session_pairs p WHERE p.organization_id = held.organization_id AND p.session_id = held.id
    AND p.refresh_hash IN (
      SELECT o.refresh_hash FROM session_pairs o
      WHERE o.organization_id = held.organization_id AND o.session_id = held.id AND o.used_at IS NULL
      ORDER BY o.issued_at DESC, o.refresh_hash OFFSET most_pairs - 1);
END $$;
