-- A new user is welcomed by a mail, or by an invitation that an administrator hands over; both lead to the first password.
ALTER TABLE user_tokens DROP CONSTRAINT user_tokens_purpose_check,
  ADD CONSTRAINT user_tokens_purpose_check CHECK (purpose IN ('verify_email', 'reset_password', 'welcome', 'invitation'));
ALTER TABLE mail_requests DROP CONSTRAINT mail_requests_purpose_check,
  ADD CONSTRAINT mail_requests_purpose_check CHECK (purpose IN ('verify_email', 'reset_password', 'welcome'));

-- A new invitation takes the place of the last.
CREATE UNIQUE INDEX user_tokens_invitation ON user_tokens (organization_id, user_id) WHERE purpose = 'invitation';
