-- Counts the mailed tokens of an organization that expire after these times. A call waits until the transactions of
-- earlier callers have ended, and sees their rows: of several at once no two count the same.
CREATE OR REPLACE FUNCTION mails_since(organization bigint, verifying timestamptz, resetting timestamptz) RETURNS bigint
  LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('mails_since', organization));
  RETURN (SELECT count(*) FROM user_tokens t WHERE t.organization_id = organization
    AND t.expires_at > CASE t.purpose WHEN 'verify_email' THEN verifying WHEN 'welcome' THEN verifying
      WHEN 'reset_password' THEN resetting END);
END $$;
