import type { TaskChange } from '@trellis/contract/shapes/task.ts';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { Schedule } from './schedule.ts';
import type { RunnableTask, TaskEndpoints, TaskSettings } from './task.ts';

/** What settings are held against. */
export interface TaskRules {
  readonly endpoints: TaskEndpoints;
  readonly builtIns: readonly RunnableTask[];
  /** The system, or a user; undefined for one who is not there, or not active. */
  readonly callerFor: (actingUser: string | null) => Caller | undefined;
}

/**
 * Settings with a change laid over. Who names an endpoint takes the task away from what is built
 * in, and the other way round. Throws `invalid_schedule`, `invalid_request`, `endpoint_not_found`,
 * `user_not_found`, `forbidden`.
 */
export function settled(
  caller: Caller,
  before: TaskSettings,
  change: TaskChange,
  rules: TaskRules,
): TaskSettings {
  const { cron, timeZone } = Schedule.parse(
    change.cron ?? before.cron,
    change.timeZone ?? before.timeZone,
  );
  const settings: TaskSettings = {
    cron,
    timeZone,
    ...targetOf(before, change),
    body: change.body === undefined ? before.body : change.body,
    actingUser: change.actingUser === undefined ? before.actingUser : change.actingUser,
    enabled: change.enabled ?? before.enabled,
    whenMissed: change.whenMissed ?? before.whenMissed,
  };
  checkTarget(settings, rules);
  checkRights(caller, before, settings, rules);
  return settings;
}

function targetOf(
  before: TaskSettings,
  { endpoint, builtIn }: TaskChange,
): Pick<TaskSettings, 'endpoint' | 'builtIn'> {
  const namesEndpoint = typeof endpoint === 'string';
  const namesBuiltIn = typeof builtIn === 'string';
  return {
    endpoint: endpoint === undefined ? (namesBuiltIn ? null : before.endpoint) : endpoint,
    builtIn: builtIn === undefined ? (namesEndpoint ? null : before.builtIn) : builtIn,
  };
}

function checkTarget(settings: TaskSettings, { endpoints, builtIns }: TaskRules): void {
  const { endpoint, builtIn, body, actingUser } = settings;
  if ((endpoint === null) === (builtIn === null)) {
    throw invalid('endpoint', 'a task runs either an endpoint or what is built in');
  }
  if (endpoint !== null && endpoints.access(endpoint) === undefined) throw notFound(endpoint);
  if (builtIn === null) return;
  if (!builtIns.some(({ name }) => name === builtIn)) {
    const known = builtIns.map(({ name }) => name).join(', ');
    throw invalid('builtIn', `"${builtIn}" is not built in: there are ${known}`);
  }
  if (body !== null) throw invalid('body', 'only endpoints take a body');
  if (actingUser !== null) throw invalid('actingUser', 'only endpoints run as a user');
}

/**
 * A token that manages tasks is nobody's session: it lends nobody's rights, and has nothing run
 * that only administrators may call. What an administrator has set of these stays.
 */
function checkRights(
  caller: Caller,
  before: TaskSettings,
  { actingUser, endpoint, body }: TaskSettings,
  { callerFor, endpoints }: TaskRules,
): void {
  if (
    actingUser !== null &&
    actingUser !== before.actingUser &&
    callerFor(actingUser) === undefined
  )
    throw new Problem('user_not_found', `There is no active user ${actingUser}`);
  if (caller.kind === 'session') return;
  const isAsBefore =
    endpoint === before.endpoint && JSON.stringify(body) === JSON.stringify(before.body);
  const isBold =
    (actingUser !== null && (actingUser !== before.actingUser || !isAsBefore)) ||
    (endpoint !== null && !isAsBefore && endpoints.access(endpoint) === 'admins') ||
    (actingUser === null && before.actingUser !== null);
  if (!isBold) return;
  // That there is one for administrators a task that runs it tells, and nothing else does.
  if (endpoint !== null && endpoint !== before.endpoint && endpoints.access(endpoint) === 'admins')
    throw notFound(endpoint);
  throw new Problem(
    'forbidden',
    'A token has no task run as a user, nor what only administrators may call',
    { details: { role: 'admin-write' } },
  );
}

function notFound(endpoint: string): Problem {
  return new Problem('endpoint_not_found', `There is no endpoint "${endpoint}"`);
}

function invalid(path: string, message: string): Problem {
  return new Problem('invalid_request', `The task's ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}
