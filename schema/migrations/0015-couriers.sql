-- External couriers: who they are, and the books of the company that is built in. Written by workers.

-- The courier that has the task, as it was when it took it; null for a task of an agent, or of nobody.
ALTER TABLE tasks ADD COLUMN courier json;

CREATE SEQUENCE courier_ids;
CREATE TABLE couriers (
  organization_id bigint NOT NULL,
  id bigint NOT NULL DEFAULT nextval('courier_ids'),
  provider text NOT NULL,
  external_id text NOT NULL,
  name text NOT NULL,
  phone_number text,
  country_code text,
  vehicle_type text NOT NULL,
  vehicle json NOT NULL,
  tracking_url text,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, provider, external_id)
);

-- What vehicles of an organization's fleet have taken. Entries are numbered without gaps up to the last one: who writes
-- an entry after one that is no longer the last has not read all of them, and is refused by the key.
CREATE TABLE fleet_jobs (
  organization_id bigint NOT NULL,
  entry bigint NOT NULL,
  task_id bigint NOT NULL,
  vehicle text NOT NULL,
  weight_kg float8 NOT NULL,
  volume_m3 float8 NOT NULL,
  packages int NOT NULL,
  booked_at timestamptz NOT NULL,
  is_withdrawn boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization_id, entry)
);
