-- The one way in which the state of organizations changes: everything that the actors of one process decided
-- since its last commit, in one statement and so in one transaction.
--
-- Rows come as JSON arrays (null when there are none); texts that are JSON themselves come beside them, joined by
-- the record separator (U+001E), which no JSON contains unescaped. `counts` holds how many rows each array has, in
-- the order of the parameters: what was written must be what was meant. Behind these, how many of the tasks are new,
-- and what write_task_lists asks for; earlier releases end before that.
--
-- Errors: DE001 a shard has another owner or epoch; DE002 a head or a row is not in the version expected.

-- The form of earlier releases would stay beside this one. Their calls arrive here: what they do not know has defaults.
DROP FUNCTION IF EXISTS commit_group(uuid, int[], bigint[], int[], text, text, text, text, text, text, text, text, text,
  text, text, text, text);
DROP FUNCTION IF EXISTS commit_group(uuid, int[], bigint[], int[], text, text, text, text, text, text, text, text, text,
  text, text, text, text, text, text);
DROP FUNCTION IF EXISTS commit_group(uuid, int[], bigint[], int[], text, text, text, text, text, text, text, text, text,
  text, text, text, text, text, text, text);
DROP FUNCTION IF EXISTS commit_group(uuid, int[], bigint[], int[], text, text, text, text, text, text, text, text, text,
  text, text, text, text, text, text, text, text);
DROP FUNCTION IF EXISTS commit_group(uuid, int[], bigint[], int[], text, text, text, text, text, text, text, text, text,
  text, text, text, text, text, text, text, text, text, text, text);
DROP FUNCTION IF EXISTS write_tasks(json, int);
DROP FUNCTION IF EXISTS write_tasks(text, json, int);
DROP FUNCTION IF EXISTS write_task_lists(text, json, json);

CREATE OR REPLACE FUNCTION assert_written(what text, written bigint, meant int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF written <> meant THEN
    RAISE EXCEPTION 'commit_group wrote % of % %', written, meant, what USING ERRCODE = 'DE002';
  END IF;
END $$;

CREATE OR REPLACE FUNCTION commit_group(
  group_id uuid, shards_in int[], epochs_in bigint[], counts int[],
  heads_in text, customers_in text, locations_in text, tasks_in text, packages_in text, history_in text,
  events_in text, event_bodies text, idempotency_in text, idempotency_bodies text, usage_in text, warehouses_in text,
  task_counts_in text, organizations_in text DEFAULT NULL, audit_in text DEFAULT NULL,
  agents_in text DEFAULT NULL, requests_in text DEFAULT NULL, payments_in text DEFAULT NULL,
  transfers_in text DEFAULT NULL, ledger_entries_in text DEFAULT NULL, paid_tasks_in text DEFAULT NULL
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
  -- Cast once: each cast reads the whole text.
  tasks_json json;
BEGIN
  -- The fence. FOR SHARE waits for a takeover under way and makes a later one wait for us; weaker forms let a stale
  -- owner through (ARCHITECTURE.md, decision 4).
  PERFORM 1 FROM shards s JOIN unnest(shards_in, epochs_in) w(shard, epoch) ON s.shard = w.shard AND s.epoch = w.epoch
    ORDER BY s.shard FOR SHARE OF s;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> cardinality(shards_in) THEN
    RAISE EXCEPTION 'another process owns a shard of this group' USING ERRCODE = 'DE001';
  END IF;

  UPDATE organization_heads h SET last_sequence = n."lastSequence", last_at = n."lastAt", last_group = group_id,
      next_deadline_at = n."nextDeadlineAt"
    FROM json_to_recordset(heads_in::json) AS n("organizationId" bigint, "expectedSequence" bigint,
      "lastSequence" bigint, "lastAt" timestamptz, "nextDeadlineAt" timestamptz)
    WHERE h.organization_id = n."organizationId" AND h.last_sequence = n."expectedSequence";
  GET DIAGNOSTICS written = ROW_COUNT;
  PERFORM assert_written('heads', written, counts[1]);

  IF customers_in IS NOT NULL THEN
    PERFORM write_customers(customers_in::json, counts[2]);
  END IF;

  IF locations_in IS NOT NULL THEN
    INSERT INTO locations (organization_id, id, address, latitude, longitude, building, floor, apartment, task_id)
      SELECT "organizationId", id, address, latitude, longitude, building, floor, apartment, "taskId"
      FROM json_to_recordset(locations_in::json) AS n("organizationId" bigint, id bigint, address text,
        latitude float8, longitude float8, building text, floor text, apartment text, "taskId" bigint);
    GET DIAGNOSTICS written = ROW_COUNT;
    PERFORM assert_written('locations', written, counts[3]);
  END IF;

  IF tasks_in IS NOT NULL THEN
    tasks_json := tasks_in::json;
    PERFORM write_tasks(tasks_json, counts[4], counts[19]);
    PERFORM write_task_lists(tasks_json, task_counts_in::json, counts[20:24]);
  END IF;

  IF paid_tasks_in IS NOT NULL THEN
    UPDATE tasks t SET version = n.version, payment_id = n."paymentId", updated_at = n."updatedAt"
      FROM json_to_recordset(paid_tasks_in::json) AS n("organizationId" bigint, id bigint, "expectedVersion" int,
        version int, "paymentId" bigint, "updatedAt" timestamptz)
      WHERE t.organization_id = n."organizationId" AND t.id = n.id AND t.version = n."expectedVersion";
    GET DIAGNOSTICS written = ROW_COUNT;
    PERFORM assert_written('paid tasks', written, counts[18]);
  END IF;

  IF packages_in IS NOT NULL THEN
    PERFORM write_packages(packages_in::json, counts[5]);
  END IF;

  INSERT INTO task_history (organization_id, task_id, sequence, at, recorded_at, kind, from_status, to_status, reason,
      reason_code, details, actor_type, actor_id, correlation_id, address, changes)
    SELECT "organizationId", "taskId", sequence, at, "recordedAt", kind, "fromStatus", "toStatus", reason,
      "reasonCode", details, "actorType", "actorId", "correlationId", address, changes
    FROM json_to_recordset(history_in::json) AS n("organizationId" bigint, "taskId" bigint, sequence bigint,
      at timestamptz, "recordedAt" timestamptz, kind text, "fromStatus" text, "toStatus" text, reason text,
      "reasonCode" text, details json, "actorType" text, "actorId" bigint, "correlationId" uuid, address text,
      changes json)
    WHERE history_in IS NOT NULL;
  GET DIAGNOSTICS written = ROW_COUNT;
  PERFORM assert_written('history rows', written, counts[6]);

  INSERT INTO events (organization_id, sequence, at, type, epoch, body)
    SELECT "organizationId", sequence, at, type, epoch, body
    FROM ROWS FROM (
      json_to_recordset(events_in::json) AS ("organizationId" bigint, sequence bigint, at timestamptz, type text, epoch bigint),
      unnest(string_to_array(event_bodies, E'\x1e'))
    ) AS n("organizationId", sequence, at, type, epoch, body)
    WHERE events_in IS NOT NULL;
  GET DIAGNOSTICS written = ROW_COUNT;
  PERFORM assert_written('events', written, counts[7]);

  IF idempotency_in IS NOT NULL THEN
    INSERT INTO idempotency_records (organization_id, scope, key, at, fingerprint, status, sequence, told_at, body)
      SELECT "organizationId", scope, key, at, fingerprint, status, sequence, "toldAt", coalesce(body, '')
      FROM ROWS FROM (
        json_to_recordset(idempotency_in::json) AS ("organizationId" bigint, scope text, key text, at timestamptz,
          fingerprint text, status int, sequence bigint, "toldAt" bigint),
        unnest(string_to_array(idempotency_bodies, E'\x1e'))
      ) AS n("organizationId", scope, key, at, fingerprint, status, sequence, "toldAt", body);
    GET DIAGNOSTICS written = ROW_COUNT;
    PERFORM assert_written('idempotency records', written, counts[8]);
  END IF;

  IF usage_in IS NOT NULL THEN
    INSERT INTO usage (organization_id, resource, period, used)
      SELECT "organizationId", resource, period, used
      FROM json_to_recordset(usage_in::json) AS n("organizationId" bigint, resource text, period date, used bigint)
      ON CONFLICT (organization_id, resource, period) DO UPDATE SET used = excluded.used;
    GET DIAGNOSTICS written = ROW_COUNT;
    PERFORM assert_written('usage rows', written, counts[9]);
  END IF;

  IF warehouses_in IS NOT NULL THEN
    PERFORM write_warehouses(warehouses_in::json, counts[10]);
  END IF;

  IF organizations_in IS NOT NULL THEN
    PERFORM write_organizations(organizations_in::json, counts[11]);
  END IF;

  IF audit_in IS NOT NULL THEN
    INSERT INTO audit_records (organization_id, record_type, record_id, version, at, actor_type, actor_id,
        correlation_id, address, before, after)
      SELECT "organizationId", "recordType", "recordId", version, at, "actorType", "actorId", "correlationId", address,
        before, after
      FROM json_to_recordset(audit_in::json) AS n("organizationId" bigint, "recordType" text, "recordId" bigint,
        version int, at timestamptz, "actorType" text, "actorId" bigint, "correlationId" uuid, address text,
        before json, after json);
    GET DIAGNOSTICS written = ROW_COUNT;
    PERFORM assert_written('audit records', written, counts[12]);
  END IF;

  IF agents_in IS NOT NULL THEN
    PERFORM write_agents(agents_in::json, counts[13]);
  END IF;

  IF requests_in IS NOT NULL THEN
    PERFORM write_assignment_requests(requests_in::json, counts[14]);
  END IF;

  IF payments_in IS NOT NULL THEN
    PERFORM write_payments(payments_in::json, counts[15]);
  END IF;

  IF transfers_in IS NOT NULL THEN
    PERFORM write_ledger(transfers_in::json, ledger_entries_in::json, counts[16], counts[17]);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION write_customers(customers_in json, meant int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
  updated bigint := 0;
BEGIN
  INSERT INTO customers (organization_id, id, version, user_id, customer_type, first_name, last_name, email,
      phone_e164, country_code, phone_number, address, created_at, updated_at)
    SELECT "organizationId", id, version, "userId", "customerType", "firstName", "lastName", email,
      "phoneE164", "countryCode", "phoneNumber", address, "createdAt", "updatedAt"
    FROM json_to_recordset(customers_in) AS n("organizationId" bigint, id bigint, version int,
      "expectedVersion" int, "userId" bigint, "customerType" text, "firstName" text, "lastName" text, email text,
      "phoneE164" text, "countryCode" text, "phoneNumber" text, address text, "createdAt" timestamptz,
      "updatedAt" timestamptz)
    WHERE "expectedVersion" = 0;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written < meant THEN
    UPDATE customers c SET version = n.version, first_name = n."firstName", last_name = n."lastName", email = n.email,
        phone_e164 = n."phoneE164", country_code = n."countryCode", phone_number = n."phoneNumber",
        address = n.address, customer_type = n."customerType", updated_at = n."updatedAt"
      FROM json_to_recordset(customers_in) AS n("organizationId" bigint, id bigint, version int,
        "expectedVersion" int, "customerType" text, "firstName" text, "lastName" text, email text, "phoneE164" text,
        "countryCode" text, "phoneNumber" text, address text, "updatedAt" timestamptz)
      WHERE c.organization_id = n."organizationId" AND c.id = n.id AND c.version = n."expectedVersion";
    GET DIAGNOSTICS updated = ROW_COUNT;
  END IF;
  PERFORM assert_written('customers', written + updated, meant);
END $$;

-- `made`: how many of them are new; null when nobody has counted.
CREATE OR REPLACE FUNCTION write_tasks(tasks_in json, meant int, made int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written bigint := 0;
  updated bigint := 0;
BEGIN
  IF made IS DISTINCT FROM 0 THEN
    written := insert_tasks(tasks_in);
  END IF;
  IF written < meant THEN
    updated := update_tasks(tasks_in);
  END IF;
  PERFORM assert_written('tasks', written + updated, meant);
END $$;

CREATE OR REPLACE FUNCTION insert_tasks(tasks_in json) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
BEGIN
  INSERT INTO tasks (organization_id, id, version, name, code, task_type, status, status_rank, time_to_serve,
      scheduled_at, assigned_at, accepted_at, started_at, completed_at, description, notes, customer_id, agent_id,
      courier_type, courier_id, payment_id, location_id, pickup_location_id, channel_id, parent_id, integration_data,
      auto_assignment_status, auto_assignment_failure_reason, preferred_agent_id, ready_at, window_start, window_end,
      estimated_duration, required_skills, amount_minor, currency, outcome, failure_reason, tracking_token, delayed_at,
      arrived_at, eta_at, deadline_at, created_at, updated_at, child_ids, search, courier,
      cancelled_at, rating)
    SELECT "organizationId", id, version, name, code, "taskType", status, "statusRank", "timeToServe",
      "scheduledAt", "assignedAt", "acceptedAt", "startedAt", "completedAt", description, notes, "customerId", "agentId",
      "courierType", "courierId", "paymentId", "locationId", "pickupLocationId", "channelId", "parentId", "integrationData",
      "autoAssignmentStatus", "autoAssignmentFailureReason", "preferredAgentId", "readyAt", "windowStart", "windowEnd",
      "estimatedDuration", "requiredSkills", "amountMinor", currency, outcome, "failureReason", "trackingToken", "delayedAt",
      "arrivedAt", "etaAt", "deadlineAt", "createdAt", "updatedAt", "childIds", search, courier,
      "cancelledAt", rating
    FROM json_to_recordset(tasks_in) AS n("organizationId" bigint, id bigint, version int, "expectedVersion" int,
      name text, code text, "taskType" text, status text, "statusRank" smallint, "timeToServe" text,
      "scheduledAt" timestamptz, "assignedAt" timestamptz, "acceptedAt" timestamptz, "startedAt" timestamptz,
      "completedAt" timestamptz, description text, notes text, "customerId" bigint, "agentId" bigint,
      "courierType" text, "courierId" bigint, "paymentId" bigint, "locationId" bigint, "pickupLocationId" bigint,
      "channelId" bigint, "parentId" bigint, "integrationData" json, "autoAssignmentStatus" text,
      "autoAssignmentFailureReason" text, "preferredAgentId" bigint, "readyAt" timestamptz, "windowStart" timestamptz,
      "windowEnd" timestamptz, "estimatedDuration" int, "requiredSkills" json, "amountMinor" bigint, currency text,
      outcome text, "failureReason" text, "trackingToken" text, "delayedAt" timestamptz, "arrivedAt" timestamptz,
      "etaAt" timestamptz, "deadlineAt" timestamptz, "createdAt" timestamptz, "updatedAt" timestamptz, "childIds" json,
      search json, courier json, "cancelledAt" timestamptz, rating json)
    WHERE "expectedVersion" = 0;
  GET DIAGNOSTICS written = ROW_COUNT;
  RETURN written;
END $$;

CREATE OR REPLACE FUNCTION update_tasks(tasks_in json) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
BEGIN
  UPDATE tasks t SET version = n.version, name = n.name, status = n.status, status_rank = n."statusRank",
      time_to_serve = n."timeToServe", scheduled_at = n."scheduledAt", assigned_at = n."assignedAt",
      accepted_at = n."acceptedAt", started_at = n."startedAt", completed_at = n."completedAt",
      description = n.description, notes = n.notes, agent_id = n."agentId", courier_type = n."courierType",
      courier_id = n."courierId", payment_id = n."paymentId", location_id = n."locationId",
      pickup_location_id = n."pickupLocationId", integration_data = n."integrationData",
      auto_assignment_status = n."autoAssignmentStatus",
      auto_assignment_failure_reason = n."autoAssignmentFailureReason", preferred_agent_id = n."preferredAgentId",
      ready_at = n."readyAt", window_start = n."windowStart", window_end = n."windowEnd",
      estimated_duration = n."estimatedDuration", required_skills = n."requiredSkills",
      amount_minor = n."amountMinor", currency = n.currency, outcome = n.outcome, failure_reason = n."failureReason",
      delayed_at = n."delayedAt", arrived_at = n."arrivedAt", eta_at = n."etaAt", deadline_at = n."deadlineAt",
      updated_at = n."updatedAt", child_ids = n."childIds", search = n.search, courier = n.courier,
      cancelled_at = n."cancelledAt", rating = n.rating
    FROM json_to_recordset(tasks_in) AS n("organizationId" bigint, id bigint, version int, "expectedVersion" int,
      name text, status text, "statusRank" smallint, "timeToServe" text, "scheduledAt" timestamptz,
      "assignedAt" timestamptz, "acceptedAt" timestamptz, "startedAt" timestamptz, "completedAt" timestamptz,
      description text, notes text, "agentId" bigint, "courierType" text, "courierId" bigint, "paymentId" bigint,
      "locationId" bigint, "pickupLocationId" bigint, "integrationData" json, "autoAssignmentStatus" text,
      "autoAssignmentFailureReason" text, "preferredAgentId" bigint, "readyAt" timestamptz,
      "windowStart" timestamptz, "windowEnd" timestamptz, "estimatedDuration" int, "requiredSkills" json,
      "amountMinor" bigint, currency text, outcome text, "failureReason" text, "delayedAt" timestamptz,
      "arrivedAt" timestamptz, "etaAt" timestamptz, "deadlineAt" timestamptz, "updatedAt" timestamptz, "childIds" json,
      search json, courier json, "cancelledAt" timestamptz, rating json)
    WHERE t.organization_id = n."organizationId" AND t.id = n.id AND t.version = n."expectedVersion";
  GET DIAGNOSTICS written = ROW_COUNT;
  RETURN written;
END $$;

CREATE OR REPLACE FUNCTION write_packages(packages_in json, meant int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
  updated bigint := 0;
BEGIN
  INSERT INTO packages (organization_id, id, version, task_id, name, description, quantity, weight, width, height,
      length, is_fragile, barcode, notes, status, created_at, updated_at)
    SELECT "organizationId", id, version, "taskId", name, description, quantity, weight, width, height,
      length, "isFragile", barcode, notes, status, "createdAt", "updatedAt"
    FROM json_to_recordset(packages_in) AS n("organizationId" bigint, id bigint, version int, "expectedVersion" int,
      "taskId" bigint, name text, description text, quantity int, weight float8, width float8, height float8,
      length float8, "isFragile" boolean, barcode text, notes text, status text, "createdAt" timestamptz,
      "updatedAt" timestamptz)
    WHERE "expectedVersion" = 0;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written < meant THEN
    UPDATE packages p SET version = n.version, task_id = n."taskId", name = n.name, description = n.description,
        quantity = n.quantity, weight = n.weight, width = n.width, height = n.height, length = n.length,
        is_fragile = n."isFragile", barcode = n.barcode, notes = n.notes, status = n.status, updated_at = n."updatedAt"
      FROM json_to_recordset(packages_in) AS n("organizationId" bigint, id bigint, version int, "expectedVersion" int,
        "taskId" bigint, name text, description text, quantity int, weight float8, width float8, height float8,
        length float8, "isFragile" boolean, barcode text, notes text, status text, "updatedAt" timestamptz)
      WHERE p.organization_id = n."organizationId" AND p.id = n.id AND p.version = n."expectedVersion";
    GET DIAGNOSTICS updated = ROW_COUNT;
  END IF;
  PERFORM assert_written('packages', written + updated, meant);
END $$;

CREATE OR REPLACE FUNCTION write_warehouses(warehouses_in json, meant int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
BEGIN
  -- Few and rarely written: one statement for new ones and changed ones.
  INSERT INTO warehouses AS w (organization_id, id, version, name, location_id, is_active, created_at, updated_at)
    SELECT "organizationId", id, version, name, "locationId", "isActive", "createdAt", "updatedAt"
    FROM json_to_recordset(warehouses_in) AS n("organizationId" bigint, id bigint, version int, name text,
      "locationId" bigint, "isActive" boolean, "createdAt" timestamptz, "updatedAt" timestamptz)
    ON CONFLICT (organization_id, id) DO UPDATE SET version = excluded.version, name = excluded.name,
      location_id = excluded.location_id, is_active = excluded.is_active, updated_at = excluded.updated_at
      WHERE w.version < excluded.version;
  GET DIAGNOSTICS written = ROW_COUNT;
  PERFORM assert_written('warehouses', written, meant);
END $$;

-- Agents, each with the user that it signs in as. What else there is of such users, their passwords and whether their
-- address is verified, is theirs and changes by plain transactions.
CREATE OR REPLACE FUNCTION write_agents(agents_in json, meant int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  added bigint;
  updated bigint := 0;
  users_added bigint;
BEGIN
  INSERT INTO agents (organization_id, id, version, user_id, agent_type, is_active, on_duty, duty_changed_at, first_name,
      last_name, email, phone_e164, country_code, phone_number, vehicle, skills, home, created_at, updated_at)
    SELECT "organizationId", id, version, "userId", "agentType", "isActive", "onDuty", "dutyChangedAt", "firstName",
      "lastName", email, "phoneE164", "countryCode", "phoneNumber", vehicle, skills, home, "createdAt", "updatedAt"
    FROM json_to_recordset(agents_in) AS n("organizationId" bigint, id bigint, version int, "expectedVersion" int,
      "userId" bigint, "agentType" text, "isActive" boolean, "onDuty" boolean, "dutyChangedAt" timestamptz,
      "firstName" text, "lastName" text, email text, "phoneE164" text, "countryCode" text, "phoneNumber" text,
      vehicle json, skills json, home json, "createdAt" timestamptz, "updatedAt" timestamptz)
    WHERE "expectedVersion" = 0;
  GET DIAGNOSTICS added = ROW_COUNT;
  -- Whoever gives an agent its password vouches for the address; without one a mail asks for it, and proves it.
  INSERT INTO users (organization_id, id, role, email, first_name, last_name, is_active, email_verified_at,
      password_hash, created_at, updated_at)
    SELECT "organizationId", "userId", 'agent', email, "firstName", "lastName", "isActive",
      CASE WHEN "passwordHash" IS NOT NULL THEN "createdAt" END, "passwordHash", "createdAt", "updatedAt"
    FROM json_to_recordset(agents_in) AS n("organizationId" bigint, "expectedVersion" int, "userId" bigint, email text,
      "firstName" text, "lastName" text, "isActive" boolean, "passwordHash" text, "createdAt" timestamptz,
      "updatedAt" timestamptz)
    WHERE "expectedVersion" = 0
    -- In one order, so that two processes never wait for each other's addresses.
    ORDER BY lower(email);
  GET DIAGNOSTICS users_added = ROW_COUNT;
  PERFORM assert_written('users of agents', users_added, added::int);
  INSERT INTO mail_requests (purpose, email)
    SELECT 'reset_password', email
    FROM json_to_recordset(agents_in) AS n("expectedVersion" int, email text, "passwordHash" text)
    WHERE "expectedVersion" = 0 AND "passwordHash" IS NULL
    ORDER BY lower(email)
    ON CONFLICT (purpose, lower(email)) DO UPDATE SET requested_at = now(), attempts = 0, due_at = now();

  IF added < meant THEN
    -- The users first: what an agent was is still to be seen. One that the operator has locked stays so, until the
    -- agent itself ends its activity and comes back.
    UPDATE users u SET version = u.version + 1, first_name = n."firstName", last_name = n."lastName",
        is_active = CASE WHEN a.is_active = n."isActive" THEN u.is_active ELSE n."isActive" END,
        updated_at = n."updatedAt"
      FROM json_to_recordset(agents_in) AS n("organizationId" bigint, id bigint, "expectedVersion" int,
        "firstName" text, "lastName" text, "isActive" boolean, "updatedAt" timestamptz)
      JOIN agents a ON a.organization_id = n."organizationId" AND a.id = n.id AND a.version = n."expectedVersion"
      WHERE u.organization_id = a.organization_id AND u.id = a.user_id
        AND (a.first_name, a.last_name, a.is_active) IS DISTINCT FROM (n."firstName", n."lastName", n."isActive");
    -- Sessions end with the agent's activity; those that began beside its end do when it comes back.
    UPDATE sessions s SET revoked_at = now()
      FROM json_to_recordset(agents_in) AS n("organizationId" bigint, id bigint, "expectedVersion" int,
        "isActive" boolean)
      JOIN agents a ON a.organization_id = n."organizationId" AND a.id = n.id AND a.version = n."expectedVersion"
      WHERE s.organization_id = a.organization_id AND s.user_id = a.user_id AND s.revoked_at IS NULL
        AND a.is_active <> n."isActive";
    UPDATE agents a SET version = n.version, agent_type = n."agentType", is_active = n."isActive", on_duty = n."onDuty",
        duty_changed_at = n."dutyChangedAt", first_name = n."firstName", last_name = n."lastName",
        phone_e164 = n."phoneE164", country_code = n."countryCode", phone_number = n."phoneNumber",
        vehicle = n.vehicle, skills = n.skills, home = n.home, updated_at = n."updatedAt"
      FROM json_to_recordset(agents_in) AS n("organizationId" bigint, id bigint, version int, "expectedVersion" int,
        "agentType" text, "isActive" boolean, "onDuty" boolean, "dutyChangedAt" timestamptz, "firstName" text,
        "lastName" text, "phoneE164" text, "countryCode" text, "phoneNumber" text, vehicle json, skills json,
        home json, "updatedAt" timestamptz)
      WHERE a.organization_id = n."organizationId" AND a.id = n.id AND a.version = n."expectedVersion"
        AND n."expectedVersion" > 0;
    GET DIAGNOSTICS updated = ROW_COUNT;
  END IF;
  PERFORM assert_written('agents', added + updated, meant);
END $$;

-- Requests: made once, and answered once.
CREATE OR REPLACE FUNCTION write_assignment_requests(requests_in json, meant int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
  updated bigint := 0;
BEGIN
  INSERT INTO assignment_requests (organization_id, id, version, task_id, agent_id, channel_id, status, mode, attempt,
      score, distance_m, eta_seconds, expires_at, responded_at, rejection_reason, created_at, updated_at)
    SELECT "organizationId", id, version, "taskId", "agentId", "channelId", status, mode, attempt, score, "distanceM",
      "etaSeconds", "expiresAt", "respondedAt", "rejectionReason", "createdAt", "updatedAt"
    FROM json_to_recordset(requests_in) AS n("organizationId" bigint, id bigint, version int, "expectedVersion" int,
      "taskId" bigint, "agentId" bigint, "channelId" bigint, status text, mode text, attempt int, score float8,
      "distanceM" int, "etaSeconds" int, "expiresAt" timestamptz, "respondedAt" timestamptz, "rejectionReason" text,
      "createdAt" timestamptz, "updatedAt" timestamptz)
    WHERE "expectedVersion" = 0;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written < meant THEN
    UPDATE assignment_requests r SET version = n.version, status = n.status, responded_at = n."respondedAt",
        rejection_reason = n."rejectionReason", updated_at = n."updatedAt"
      FROM json_to_recordset(requests_in) AS n("organizationId" bigint, id bigint, version int, "expectedVersion" int,
        status text, "respondedAt" timestamptz, "rejectionReason" text, "updatedAt" timestamptz)
      WHERE r.organization_id = n."organizationId" AND r.id = n.id AND r.version = n."expectedVersion";
    GET DIAGNOSTICS updated = ROW_COUNT;
  END IF;
  PERFORM assert_written('assignment requests', written + updated, meant);
END $$;

-- Rows of organizations that changed, and tombstones of those that end: these have a name_hash and nothing else.
CREATE OR REPLACE FUNCTION write_organizations(organizations_in json, meant int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  updated bigint;
  ended bigint;
  gone bigint;
BEGIN
  UPDATE organizations o SET version = n.version, name = n.name, status = n.status, currency = n.currency,
      limits = n.limits, settings = n.settings, updated_at = n."updatedAt"
    FROM json_to_recordset(organizations_in) AS n("organizationId" bigint, version int, "expectedVersion" int,
      name text, status text, currency text, limits jsonb, settings json, "updatedAt" timestamptz)
    WHERE o.organization_id = n."organizationId" AND o.version = n."expectedVersion";
  GET DIAGNOSTICS updated = ROW_COUNT;
  INSERT INTO deleted_organizations (organization_id, name_hash, requested_by)
    SELECT "organizationId", decode("nameHash", 'hex'), "requestedBy"
    FROM json_to_recordset(organizations_in) AS n("organizationId" bigint, "nameHash" text, "requestedBy" bigint)
    WHERE "nameHash" IS NOT NULL;
  GET DIAGNOSTICS ended = ROW_COUNT;
  DELETE FROM organizations o
    USING json_to_recordset(organizations_in) AS n("organizationId" bigint, "nameHash" text)
    WHERE o.organization_id = n."organizationId" AND n."nameHash" IS NOT NULL;
  GET DIAGNOSTICS gone = ROW_COUNT;
  PERFORM assert_written('organizations', updated + gone, meant);
  PERFORM assert_written('tombstones', ended, gone::int);
END $$;
