import type { Mutation } from '../mutation.ts';
import { ACCESS } from './access.ts';
import { ASSIGNMENT } from './assignment.ts';
import { BOUNDARY } from './boundary.ts';
import { CLIENT } from './client.ts';
import { COMMIT } from './commit.ts';
import { CHANGED_ELSEWHERE } from './console/changed-elsewhere.ts';
import { KEPT_TEXT } from './console/kept-text.ts';
import { SHOWN } from './console/shown.ts';
import { TOGETHER } from './console/together.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { MACHINES } from './machines.ts';
import { MONEY } from './money.ts';
import { STORES } from './operating/stores.ts';
import { BESIDE_OTHERS } from './outbound/beside-others.ts';
import { NOTICES } from './outbound/notices.ts';
import { OUTBOUND_MUTATIONS } from './outbound.ts';
import { RECORD_LISTS } from './record-lists.ts';
import { REQUESTS } from './requests.ts';
import { STREAM } from './streams.ts';
import { TASK_LISTS } from './task-lists.ts';

/** Every planted mutation. */
export const MUTATIONS: readonly Mutation[] = [
  ...COMMIT,
  ...REQUESTS,
  ...MACHINES,
  ...MONEY,
  ...ASSIGNMENT,
  ...STREAM,
  ...TASK_LISTS,
  ...RECORD_LISTS,
  ...EXCEPTIONS,
  ...ACCESS,
  ...BOUNDARY,
  ...OUTBOUND_MUTATIONS,
  ...NOTICES,
  ...BESIDE_OTHERS,
  ...STORES,
  ...DESCRIPTIONS,
  ...CLIENT,
  ...CHANGED_ELSEWHERE,
  ...KEPT_TEXT,
  ...SHOWN,
  ...TOGETHER,
];
