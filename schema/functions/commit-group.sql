-- The one way in which the state of organizations changes: it writes all decisions of the actors of one process
-- since its last commit, in one statement and so in one transaction.
--
-- Rows of most tables come as lines (`lines_of`), those of few and small ones as JSON arrays; null when there are none.
-- Texts that are JSON themselves come beside them. `separator` stands between lines, and between such texts. `counts`
-- holds the number of rows of each table, in the order of the parameters: the written rows must be the intended ones.
-- After these come the number of new tasks, and the numbers that write_task_lists needs.
--
-- Errors: DE001 a shard has another owner or epoch; DE002 a head or a row is not in the version expected.

-- The form of an earlier release would stay beside this one. Its calls arrive here: parameters that it lacks have defaults.
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
DROP FUNCTION IF EXISTS commit_group(uuid, int[], bigint[], int[], text, text, text, text, text, text, text, text, text,
  text, text, text, text, text, text, text, text, text, text, text, text);
DROP FUNCTION IF EXISTS commit_group(uuid, int[], bigint[], int[], text, text, text, text, text, text, text, text, text,
  text, text, text, text, text, text, text, text, text, text, text, text, text);
DROP FUNCTION IF EXISTS commit_group(uuid, int[], bigint[], int[], text, text, text, text, text, text, text, text, text,
  text, text, text, text, text, text, text, text, text, text, text, text, text, bigint[]);
-- The older form that takes rows as JSON, before there were lines.
DROP FUNCTION IF EXISTS write_customers(json, int);
DROP FUNCTION IF EXISTS write_tasks(json, int);
DROP FUNCTION IF EXISTS write_tasks(text, json, int);
DROP FUNCTION IF EXISTS write_tasks(json, int, int);
DROP FUNCTION IF EXISTS write_tasks(task_line[], int, int, bigint[]);
DROP FUNCTION IF EXISTS insert_tasks(json);
DROP FUNCTION IF EXISTS insert_tasks(task_line[], bigint[]);
DROP FUNCTION IF EXISTS update_tasks(json);
DROP FUNCTION IF EXISTS write_task_lists(text, json, json);
DROP FUNCTION IF EXISTS write_task_lists(json, json, int[]);
DROP FUNCTION IF EXISTS unlist_tasks(json);
DROP FUNCTION IF EXISTS write_packages(json, int);
DROP FUNCTION IF EXISTS write_warehouses(json, int);
DROP FUNCTION IF EXISTS write_agents(json, int);
DROP FUNCTION IF EXISTS write_assignment_requests(json, int);
DROP FUNCTION IF EXISTS write_payments(json, int);
-- The older form that takes lines with separators of its own.
DROP FUNCTION IF EXISTS lines_of(text, anyarray);

CREATE OR REPLACE FUNCTION assert_written(what text, written bigint, meant int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF written <> meant THEN
    RAISE EXCEPTION 'commit_group wrote % of % %', written, meant, what USING ERRCODE = 'DE002';
  END IF;
END $$;

-- The rows in `given`, each the text of a composite value. `lines` says their type.
CREATE OR REPLACE FUNCTION lines_of(given text, separator text, INOUT lines anyarray) LANGUAGE plpgsql AS $$
DECLARE
  padded text := given;
BEGIN
  -- A gateway of the release before leaves out the last fields of a task. Any other fault fails again.
  FOR missing IN 0..16 LOOP
    BEGIN
      lines := string_to_array(padded, separator);
      RETURN;
    EXCEPTION WHEN invalid_text_representation THEN
      IF missing = 16 THEN
        RAISE;
      END IF;
      padded := left(replace(padded, ')' || separator, ',)' || separator), -1) || ',)';
    END;
  END LOOP;
END $$;

-- Uses kept plans, here and in every function that it calls: they expect 10 lines. Otherwise Postgres finds such a plan
-- too dear for one line at a time, and plans every changing statement again for each commit: a third to half of its time.
-- A kept plan may have been made while there were no rows: every row is looked up by its key, however few there are.
CREATE OR REPLACE FUNCTION commit_group(
  group_id uuid, shards_in int[], epochs_in bigint[], counts int[],
  heads_in text, customers_in text, locations_in text, tasks_in text, packages_in text, history_in text,
  events_in text, event_bodies text, idempotency_in text, idempotency_bodies text, usage_in text, warehouses_in text,
  task_counts_in text, organizations_in text DEFAULT NULL, audit_in text DEFAULT NULL,
  agents_in text DEFAULT NULL, requests_in text DEFAULT NULL, payments_in text DEFAULT NULL,
  transfers_in text DEFAULT NULL, ledger_entries_in text DEFAULT NULL, paid_tasks_in text DEFAULT NULL,
  separator text DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  written bigint;
  -- Read once, for several statements.
  task_lines task_line[];
BEGIN
  -- The fence. FOR SHARE waits for a takeover in progress and makes a later one wait for us; weaker forms let a stale
  -- owner through (docs/decisions.md, decision 4).
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
    PERFORM write_customers(lines_of(customers_in, separator, NULL::customer_line[]), counts[2]);
  END IF;

  IF locations_in IS NOT NULL THEN
    INSERT INTO locations (organization_id, id, address, latitude, longitude, building, floor, apartment, task_id)
      SELECT "organizationId", id, address, latitude, longitude, building, floor, apartment, "taskId"
      FROM unnest(lines_of(locations_in, separator, NULL::location_line[])) n;
    GET DIAGNOSTICS written = ROW_COUNT;
    PERFORM assert_written('locations', written, counts[3]);
  END IF;

  IF tasks_in IS NOT NULL THEN
    task_lines := lines_of(tasks_in, separator, task_lines);
    PERFORM write_tasks(task_lines, counts[4], counts[19]);
    PERFORM write_task_lists(task_lines, task_counts_in::json, counts[20:24]);
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
    PERFORM write_packages(lines_of(packages_in, separator, NULL::package_line[]), counts[5]);
  END IF;

  IF history_in IS NOT NULL THEN
    INSERT INTO task_history (organization_id, task_id, sequence, at, recorded_at, kind, from_status, to_status, reason,
        reason_code, details, actor_type, actor_id, correlation_id, address, changes)
      SELECT "organizationId", "taskId", sequence, at, "recordedAt", kind, "fromStatus", "toStatus", reason,
        "reasonCode", details, "actorType", "actorId", "correlationId", address, changes
      FROM unnest(lines_of(history_in, separator, NULL::history_line[])) n;
    GET DIAGNOSTICS written = ROW_COUNT;
    PERFORM assert_written('history rows', written, counts[6]);
  END IF;

  IF events_in IS NOT NULL THEN
    INSERT INTO events (organization_id, sequence, at, type, epoch, body)
      SELECT "organizationId", sequence, at, type, epoch, body
      FROM ROWS FROM (
        unnest(lines_of(events_in, separator, NULL::event_line[])),
        unnest(string_to_array(event_bodies, separator))
      ) AS n("organizationId", sequence, at, type, epoch, body);
    GET DIAGNOSTICS written = ROW_COUNT;
    PERFORM assert_written('events', written, counts[7]);
  END IF;

  IF idempotency_in IS NOT NULL THEN
    INSERT INTO idempotency_records (organization_id, scope, key, at, fingerprint, status, sequence, told_at, body)
      SELECT "organizationId", scope, key, at, fingerprint, status, sequence, "toldAt", coalesce(body, '')
      FROM ROWS FROM (
        unnest(lines_of(idempotency_in, separator, NULL::outcome_line[])),
        unnest(string_to_array(idempotency_bodies, separator))
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
    PERFORM write_warehouses(lines_of(warehouses_in, separator, NULL::warehouse_line[]), counts[10]);
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
    PERFORM write_agents(lines_of(agents_in, separator, NULL::agent_line[]), counts[13]);
  END IF;

  IF requests_in IS NOT NULL THEN
    PERFORM write_assignment_requests(lines_of(requests_in, separator, NULL::request_line[]), counts[14]);
  END IF;

  IF payments_in IS NOT NULL THEN
    PERFORM write_payments(lines_of(payments_in, separator, NULL::payment_line[]), counts[15]);
  END IF;

  IF transfers_in IS NOT NULL THEN
    PERFORM write_ledger(transfers_in::json, ledger_entries_in::json, counts[16], counts[17]);
  END IF;
END $$;

-- Changed rows first: a new row may have the number that one of them gives up.
CREATE OR REPLACE FUNCTION write_customers(customers_in customer_line[], meant int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written bigint := 0;
  updated bigint := 0;
BEGIN
  IF EXISTS (SELECT FROM unnest(customers_in) n WHERE n."expectedVersion" > 0) THEN
    UPDATE customers c SET version = n.version, first_name = n."firstName", last_name = n."lastName", email = n.email,
        phone_e164 = n."phoneE164", country_code = n."countryCode", phone_number = n."phoneNumber",
        address = n.address, customer_type = n."customerType", updated_at = n."updatedAt"
      FROM unnest(customers_in) n
      WHERE c.organization_id = n."organizationId" AND c.id = n.id AND c.version = n."expectedVersion";
    GET DIAGNOSTICS updated = ROW_COUNT;
  END IF;
  IF updated < meant THEN
    INSERT INTO customers (organization_id, id, version, user_id, customer_type, first_name, last_name, email,
        phone_e164, country_code, phone_number, address, created_at, updated_at)
      SELECT "organizationId", id, version, "userId", "customerType", "firstName", "lastName", email,
        "phoneE164", "countryCode", "phoneNumber", address, "createdAt", "updatedAt"
      FROM unnest(customers_in) n
      WHERE "expectedVersion" = 0;
    GET DIAGNOSTICS written = ROW_COUNT;
  END IF;
  PERFORM assert_written('customers', written + updated, meant);
END $$;

-- `made`: the number of new ones; null when it is unknown.
CREATE OR REPLACE FUNCTION write_tasks(tasks_in task_line[], meant int, made int) RETURNS void LANGUAGE plpgsql AS $$
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

-- Lines of the release before say nothing of places among the moving tasks: it gives none.
CREATE OR REPLACE FUNCTION insert_tasks(tasks_in task_line[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
BEGIN
  INSERT INTO tasks (organization_id, id, version, name, code, task_type, status, status_rank, time_to_serve,
      scheduled_at, assigned_at, accepted_at, started_at, completed_at, description, notes, customer_id, agent_id,
      courier_type, courier_id, payment_id, location_id, pickup_location_id, channel_id, parent_id, integration_data,
      auto_assignment_status, auto_assignment_failure_reason, preferred_agent_id, ready_at, window_start, window_end,
      estimated_duration, required_skills, amount_minor, currency, outcome, failure_reason, tracking_token, delayed_at,
      arrived_at, eta_at, deadline_at, created_at, updated_at, awaiting_since, child_ids, search, courier,
      cancelled_at, rating, attempt, previous_task_id, next_task_id, contact, pickup_eta_at,
      pickup_arrived_at, picked_up_at, requirements, proofs, moving_while_open)
    SELECT "organizationId", id, version, name, code, "taskType", status, "statusRank", "timeToServe",
      "scheduledAt", "assignedAt", "acceptedAt", "startedAt", "completedAt", description, notes, "customerId", "agentId",
      "courierType", "courierId", "paymentId", "locationId", "pickupLocationId", "channelId", "parentId", "integrationData",
      "autoAssignmentStatus", "autoAssignmentFailureReason", "preferredAgentId", "readyAt", "windowStart", "windowEnd",
      "estimatedDuration", "requiredSkills", "amountMinor", currency, outcome, "failureReason", "trackingToken", "delayedAt",
      "arrivedAt", "etaAt", "deadlineAt", "createdAt", "updatedAt", "awaitingSince", "childIds", search, courier,
      "cancelledAt", rating, coalesce(attempt, 1), "previousTaskId", "nextTaskId", contact, "pickupEtaAt",
      "pickupArrivedAt", "pickedUpAt", requirements, proofs,
      coalesce("movingWhileOpen", false)
    FROM unnest(tasks_in) n
    WHERE "expectedVersion" = 0;
  GET DIAGNOSTICS written = ROW_COUNT;
  RETURN written;
END $$;

CREATE OR REPLACE FUNCTION update_tasks(tasks_in task_line[]) RETURNS bigint LANGUAGE plpgsql AS $$
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
      cancelled_at = n."cancelledAt", rating = n.rating, awaiting_since = n."awaitingSince",
      next_task_id = n."nextTaskId", contact = n.contact, pickup_eta_at = n."pickupEtaAt",
      pickup_arrived_at = n."pickupArrivedAt", picked_up_at = n."pickedUpAt",
      requirements = n.requirements, proofs = n.proofs,
      moving_while_open = coalesce(n."movingWhileOpen", t.moving_while_open)
    FROM unnest(tasks_in) n
    WHERE t.organization_id = n."organizationId" AND t.id = n.id AND t.version = n."expectedVersion";
  GET DIAGNOSTICS written = ROW_COUNT;
  RETURN written;
END $$;

CREATE OR REPLACE FUNCTION write_packages(packages_in package_line[], meant int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
  updated bigint := 0;
BEGIN
  INSERT INTO packages (organization_id, id, version, task_id, name, description, quantity, weight, width, height,
      length, is_fragile, barcode, notes, status, created_at, updated_at, scanned_at)
    SELECT "organizationId", id, version, "taskId", name, description, quantity, weight, width, height,
      length, "isFragile", barcode, notes, status, "createdAt", "updatedAt", "scannedAt"
    FROM unnest(packages_in) n
    WHERE "expectedVersion" = 0;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written < meant THEN
    UPDATE packages p SET version = n.version, task_id = n."taskId", name = n.name, description = n.description,
        quantity = n.quantity, weight = n.weight, width = n.width, height = n.height, length = n.length,
        is_fragile = n."isFragile", barcode = n.barcode, notes = n.notes, status = n.status, updated_at = n."updatedAt",
        scanned_at = n."scannedAt"
      FROM unnest(packages_in) n
      WHERE p.organization_id = n."organizationId" AND p.id = n.id AND p.version = n."expectedVersion";
    GET DIAGNOSTICS updated = ROW_COUNT;
  END IF;
  PERFORM assert_written('packages', written + updated, meant);
END $$;

CREATE OR REPLACE FUNCTION write_warehouses(warehouses_in warehouse_line[], meant int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
  updated bigint := 0;
BEGIN
  INSERT INTO warehouses (organization_id, id, version, name, location_id, is_active, created_at, updated_at)
    SELECT "organizationId", id, version, name, "locationId", "isActive", "createdAt", "updatedAt"
    FROM unnest(warehouses_in) n
    WHERE "expectedVersion" = 0;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written < meant THEN
    UPDATE warehouses w SET version = n.version, name = n.name, location_id = n."locationId", is_active = n."isActive",
        updated_at = n."updatedAt"
      FROM unnest(warehouses_in) n
      WHERE w.organization_id = n."organizationId" AND w.id = n.id AND w.version = n."expectedVersion";
    GET DIAGNOSTICS updated = ROW_COUNT;
  END IF;
  PERFORM assert_written('warehouses', written + updated, meant);
END $$;

-- Agents, each with the user that it signs in as. The other fields of such users, their passwords and whether their
-- address is verified, change by plain transactions.
CREATE OR REPLACE FUNCTION write_agents(agents_in agent_line[], meant int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  added bigint;
  updated bigint := 0;
  users_added bigint;
BEGIN
  INSERT INTO agents (organization_id, id, version, user_id, agent_type, is_active, on_duty, duty_changed_at, first_name,
      last_name, email, phone_e164, country_code, phone_number, vehicle, skills, home, created_at, updated_at, shifts, off_duty_at, deadline_at)
    SELECT "organizationId", id, version, "userId", "agentType", "isActive", "onDuty", "dutyChangedAt", "firstName",
      "lastName", email, "phoneE164", "countryCode", "phoneNumber", vehicle, skills, home, "createdAt", "updatedAt", shifts,
      "offDutyAt", "deadlineAt"
    FROM unnest(agents_in) n
    WHERE "expectedVersion" = 0;
  GET DIAGNOSTICS added = ROW_COUNT;
  -- A caller that gives an agent its password vouches for the address; without one a mail asks for it, and proves it.
  INSERT INTO users (organization_id, id, role, email, first_name, last_name, is_active, email_verified_at,
      password_hash, created_at, updated_at)
    SELECT "organizationId", "userId", 'agent', email, "firstName", "lastName", "isActive",
      CASE WHEN "passwordHash" IS NOT NULL THEN "createdAt" END, "passwordHash", "createdAt", "updatedAt"
    FROM unnest(agents_in) n
    WHERE "expectedVersion" = 0
    -- In one order, so that two processes never wait for each other's addresses.
    ORDER BY lower(email);
  GET DIAGNOSTICS users_added = ROW_COUNT;
  PERFORM assert_written('users of agents', users_added, added::int);
  INSERT INTO mail_requests (purpose, email)
    SELECT 'welcome', email
    FROM unnest(agents_in) n
    WHERE "expectedVersion" = 0 AND "passwordHash" IS NULL
    ORDER BY lower(email)
    ON CONFLICT (purpose, lower(email)) DO UPDATE SET requested_at = now(), attempts = 0, due_at = now();

  IF added < meant THEN
    -- The users first, while the old agent is still visible. A user that the operator has locked stays so, until the
    -- agent itself ends its activity and comes back.
    UPDATE users u SET version = u.version + 1, first_name = n."firstName", last_name = n."lastName",
        is_active = CASE WHEN a.is_active = n."isActive" THEN u.is_active ELSE n."isActive" END,
        updated_at = n."updatedAt"
      FROM unnest(agents_in) n
      JOIN agents a ON a.organization_id = n."organizationId" AND a.id = n.id AND a.version = n."expectedVersion"
      WHERE u.organization_id = a.organization_id AND u.id = a.user_id
        AND (a.first_name, a.last_name, a.is_active) IS DISTINCT FROM (n."firstName", n."lastName", n."isActive");
    -- Sessions end with the agent's activity; sessions that began beside its end do when it comes back.
    UPDATE sessions s SET revoked_at = now()
      FROM unnest(agents_in) n
      JOIN agents a ON a.organization_id = n."organizationId" AND a.id = n.id AND a.version = n."expectedVersion"
      WHERE s.organization_id = a.organization_id AND s.user_id = a.user_id AND s.revoked_at IS NULL
        AND a.is_active <> n."isActive";
    UPDATE agents a SET version = n.version, agent_type = n."agentType", is_active = n."isActive", on_duty = n."onDuty",
        duty_changed_at = n."dutyChangedAt", first_name = n."firstName", last_name = n."lastName",
        phone_e164 = n."phoneE164", country_code = n."countryCode", phone_number = n."phoneNumber",
        vehicle = n.vehicle, skills = n.skills, home = n.home, updated_at = n."updatedAt",
        shifts = n.shifts, off_duty_at = n."offDutyAt", deadline_at = n."deadlineAt"
      FROM unnest(agents_in) n
      WHERE a.organization_id = n."organizationId" AND a.id = n.id AND a.version = n."expectedVersion"
        AND n."expectedVersion" > 0;
    GET DIAGNOSTICS updated = ROW_COUNT;
  END IF;
  PERFORM assert_written('agents', added + updated, meant);
END $$;

-- Requests: made once, and answered once.
CREATE OR REPLACE FUNCTION write_assignment_requests(requests_in request_line[], meant int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
  updated bigint := 0;
BEGIN
  INSERT INTO assignment_requests (organization_id, id, version, task_id, agent_id, channel_id, status, mode, attempt,
      score, distance_m, eta_seconds, expires_at, responded_at, rejection_reason, created_at, updated_at)
    SELECT "organizationId", id, version, "taskId", "agentId", "channelId", status, mode, attempt, score, "distanceM",
      "etaSeconds", "expiresAt", "respondedAt", "rejectionReason", "createdAt", "updatedAt"
    FROM unnest(requests_in) n
    WHERE "expectedVersion" = 0;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written < meant THEN
    UPDATE assignment_requests r SET version = n.version, status = n.status, responded_at = n."respondedAt",
        rejection_reason = n."rejectionReason", updated_at = n."updatedAt"
      FROM unnest(requests_in) n
      WHERE r.organization_id = n."organizationId" AND r.id = n.id AND r.version = n."expectedVersion";
    GET DIAGNOSTICS updated = ROW_COUNT;
  END IF;
  PERFORM assert_written('assignment requests', written + updated, meant);
END $$;

-- Rows of changed organizations, and tombstones of deleted ones: these have a name_hash and nothing else.
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
