-- What lists and searches of customers and warehouses are found by (ARCHITECTURE.md, "Customers").

-- A trusted extension: whoever may create objects in the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- A text without the difference between its upper and lower case, whatever the locale of the database. Upper case
-- because there a letter never depends on its neighbours.
CREATE FUNCTION fold_case(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN upper(value COLLATE "und-x-icu") COLLATE "C";

-- NAME <1F> EMAIL <1E> DIGITS OF THE PHONE: one text to look into; the separators occur in none of the parts.
ALTER TABLE customers ADD COLUMN search_text text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
  fold_case(translate(
    CASE WHEN last_name = '' THEN first_name ELSE first_name || ' ' || last_name END, E'\x1e\x1f', ''))
  || E'\x1f' || fold_case(coalesce(email, '')) || E'\x1e' || coalesce(substr(phone_e164, 2), '')
) STORED;

-- Pages in order, and what to look into along with them: no search costs more than the organization's part of it.
CREATE INDEX customers_created ON customers (organization_id, created_at, id) INCLUDE (search_text);

-- For searches that find little, in whatever organization: the few are sorted out by their rows. New entries gather in
-- a list, so that a commit pays for appending only; the workers work the list in every few seconds. Past
-- gin_pending_list_limit (kB) a commit would have to do it.
CREATE INDEX customers_trigrams ON customers USING gin (search_text gin_trgm_ops)
  WITH (fastupdate = on, gin_pending_list_limit = 16384);

CREATE INDEX warehouses_created ON warehouses (organization_id, created_at, id);

-- A customer's deliveries are counted by status without reading a task.
DROP INDEX tasks_customer;
CREATE INDEX tasks_customer ON tasks (organization_id, customer_id, created_at, id) INCLUDE (status_rank);
