-- What commit_group is told of the rows of a table: a line each, the values of a composite type in its order. Reading that
-- costs Postgres half of what JSON does. The gateway writes them in the order of `engine/store/rows/record-tables.ts`, behind what
-- stands first here. A type grows at its end alone; commit_group then has to fill up the lines of gateways of the release
-- before.

CREATE TYPE customer_line AS (
  "expectedVersion" int,
  "organizationId" bigint, id bigint, version int, "userId" bigint, "customerType" text, "firstName" text,
  "lastName" text, email text, "countryCode" text, "phoneNumber" text, "phoneE164" text, address text,
  "createdAt" timestamptz, "updatedAt" timestamptz
);

-- "taskId": the task that the place was made for, if it was made for one.
CREATE TYPE location_line AS (
  "taskId" bigint,
  "organizationId" bigint, id bigint, address text, latitude float8, longitude float8, building text, floor text,
  apartment text
);

-- "relist", "reusesLocation" and "sought" are for write_task_lists.
CREATE TYPE task_line AS (
  "expectedVersion" int, "statusRank" smallint, relist boolean, "reusesLocation" boolean, sought boolean,
  "organizationId" bigint, id bigint, version int, name text, code text, "taskType" text, status text,
  "timeToServe" text, "scheduledAt" timestamptz, "assignedAt" timestamptz, "acceptedAt" timestamptz,
  "startedAt" timestamptz, "completedAt" timestamptz, "cancelledAt" timestamptz, description text, notes text,
  "customerId" bigint, "agentId" bigint, "courierType" text, "courierId" bigint, courier json, "paymentId" bigint,
  "locationId" bigint, "pickupLocationId" bigint, "channelId" bigint, "parentId" bigint, "childIds" json,
  "integrationData" json, "autoAssignmentStatus" text, "autoAssignmentFailureReason" text, search json,
  "preferredAgentId" bigint, "readyAt" timestamptz, "windowStart" timestamptz, "windowEnd" timestamptz,
  "estimatedDuration" int, "requiredSkills" json, "amountMinor" bigint, currency text, outcome text,
  "failureReason" text, "trackingToken" text, rating json, "delayedAt" timestamptz, "arrivedAt" timestamptz,
  "etaAt" timestamptz, "deadlineAt" timestamptz, "createdAt" timestamptz, "updatedAt" timestamptz
);

CREATE TYPE package_line AS (
  "expectedVersion" int,
  "organizationId" bigint, id bigint, version int, "taskId" bigint, name text, description text, quantity int,
  weight float8, width float8, height float8, length float8, "isFragile" boolean, barcode text, notes text, status text,
  "createdAt" timestamptz, "updatedAt" timestamptz
);

CREATE TYPE history_line AS (
  "organizationId" bigint, "taskId" bigint, sequence bigint, at timestamptz, "recordedAt" timestamptz, kind text,
  "fromStatus" text, "toStatus" text, reason text, "reasonCode" text, details json, "actorType" text, "actorId" bigint,
  "correlationId" uuid, address text, changes json
);

-- Their bodies come beside them.
CREATE TYPE event_line AS ("organizationId" bigint, sequence bigint, at timestamptz, type text, epoch bigint);
CREATE TYPE outcome_line AS (
  "organizationId" bigint, scope text, key text, at timestamptz, fingerprint text, status int, sequence bigint,
  "toldAt" bigint
);

CREATE TYPE warehouse_line AS (
  "expectedVersion" int,
  "organizationId" bigint, id bigint, version int, name text, "locationId" bigint, "isActive" boolean,
  "createdAt" timestamptz, "updatedAt" timestamptz
);

CREATE TYPE agent_line AS (
  "expectedVersion" int, "passwordHash" text,
  "organizationId" bigint, id bigint, version int, "userId" bigint, "agentType" text, "isActive" boolean,
  "onDuty" boolean, "dutyChangedAt" timestamptz, "firstName" text, "lastName" text, email text, "countryCode" text,
  "phoneNumber" text, "phoneE164" text, vehicle json, skills json, home json, "createdAt" timestamptz,
  "updatedAt" timestamptz
);

CREATE TYPE request_line AS (
  "expectedVersion" int,
  "organizationId" bigint, id bigint, version int, "taskId" bigint, "agentId" bigint, "channelId" bigint, status text,
  mode text, attempt int, score float8, "distanceM" int, "etaSeconds" int, "expiresAt" timestamptz,
  "respondedAt" timestamptz, "rejectionReason" text, "createdAt" timestamptz, "updatedAt" timestamptz
);

CREATE TYPE payment_line AS (
  "expectedVersion" int,
  "organizationId" bigint, id bigint, version int, "taskId" bigint, "customerId" bigint, "agentId" bigint,
  "courierId" bigint, "channelId" bigint, method text, status text, "amountMinor" bigint, currency text, reference text,
  provider text, "providerReference" text, "checkoutToken" text, "checkoutPage" text, step text, refund json,
  "failureReason" text, "createdAt" timestamptz, "updatedAt" timestamptz
);
