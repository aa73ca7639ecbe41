-- By which the system's processes know each other when they speak without Postgres in between; made once.
CREATE TABLE internal_secret (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  secret text NOT NULL
);
INSERT INTO internal_secret (secret) SELECT replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
