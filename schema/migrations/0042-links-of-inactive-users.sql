-- What was sent to a user ends with the user's activity, by any writer of that: a route, an actor, `npm run admin`, psql.
-- It is done on the way back as well, for a token that was made beside the deactivation. The rows stay, because they
-- count as mails of the hour; nothing that anybody was sent leads to a hash of a hash.
CREATE OR REPLACE FUNCTION void_user_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE user_tokens SET token_hash = sha256(token_hash) WHERE organization_id = NEW.organization_id AND user_id = NEW.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER users_tokens AFTER UPDATE OF is_active ON users
  FOR EACH ROW WHEN (OLD.is_active IS DISTINCT FROM NEW.is_active) EXECUTE FUNCTION void_user_tokens();
