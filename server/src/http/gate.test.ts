import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import type { Auth, Operation } from '@trellis/contract/operation.ts';
import { ROLES, type Scope, SCOPES, TOKEN_KINDS } from '@trellis/contract/rights.ts';
import { operations as contract } from '@trellis/contract/operations.ts';
import { authorize } from './gate.ts';

const AUTHS: readonly Auth[] = ['none', 'session', 'admin', 'admin-write', 'token'];

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const operations: fc.Arbitrary<Operation> = fc
  .record({
    auth: fc.constantFrom(...AUTHS),
    role: optional(fc.constantFrom(...ROLES)),
    scope: optional(
      fc.oneof(fc.constantFrom(...SCOPES), fc.subarray([...SCOPES], { minLength: 1 })),
    ),
    tokens: optional(fc.subarray([...TOKEN_KINDS], { minLength: 1 })),
    noGuests: optional(fc.constant(true)),
  })
  .map(({ auth, role, scope, tokens, noGuests }) => ({
    id: 'doSomething',
    area: 'nodes',
    method: 'GET',
    path: '/api/something',
    auth,
    ...(role === undefined ? {} : { role }),
    ...(scope === undefined ? {} : { scope }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(noGuests === undefined ? {} : { noGuests }),
    responses: {},
    errors: [],
    onReplica: 'serve',
    summary: 'Does something.',
  }));

const rights = {
  isAdmin: fc.boolean(),
  isReadOnlyAdmin: fc.boolean(),
  isGuest: fc.boolean(),
  roles: fc.subarray([...ROLES]),
};
const callers: fc.Arbitrary<Caller> = fc.record({
  kind: fc.constantFrom('session', ...TOKEN_KINDS),
  userUid: fc.constant('1'.repeat(22)),
  userName: fc.constant('ada'),
  ...rights,
  scopes: fc.subarray([...SCOPES]),
  endpointPath: fc.constant(null),
  tokenId: fc.constant('t'),
});

function refusal(operation: Operation, caller: Caller): Problem | undefined {
  try {
    authorize(operation, caller);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

describe('who may call', () => {
  it('is decided for a token by its kind and its scopes, whatever its user may do', () => {
    fc.assert(
      fc.property(operations, callers, fc.record(rights), (operation, caller, other) => {
        fc.pre(caller.kind !== 'session');
        const isAllowed = refusal(operation, caller) === undefined;
        const { tokens } = operation;
        const scopes: readonly string[] = [operation.scope ?? []].flat();
        // The scope of access data holds that of ingestion.
        const enough = scopes.includes('ingestion') ? [...scopes, 'ingestion:acl'] : scopes;
        const fits =
          caller.scopes.some((one) => enough.some((needed) => needed === one)) ||
          (tokens ?? []).some((kind) => kind === caller.kind);
        if (!fits) expect(isAllowed).toBe(false);
        else expect(isAllowed).toBe(!(operation.noGuests && caller.isGuest));
        const asAnother = { ...caller, ...other, isGuest: caller.isGuest };
        expect(refusal(operation, asAnother) === undefined).toBe(isAllowed);
      }),
    );
  });

  it('is decided for a session by its role, whatever the row says of tokens', () => {
    fc.assert(
      fc.property(operations, callers, (operation, caller) => {
        const session: Caller = { ...caller, kind: 'session' };
        const { isAdmin, isReadOnlyAdmin, isGuest } = caller;
        const hasRole = caller.roles.some((one) => one === operation.role);
        const has = {
          none: true,
          session: true,
          admin: isAdmin || isReadOnlyAdmin || hasRole,
          'admin-write': (isAdmin || hasRole) && !isReadOnlyAdmin,
          token: false,
        };
        const isAllowed = has[operation.auth] && !(operation.noGuests && isGuest);
        expect(refusal(operation, session) === undefined).toBe(isAllowed);
      }),
    );
  });

  it('is told to whoever may not', () => {
    fc.assert(
      fc.property(operations, callers, (operation, caller) => {
        const problem = refusal(operation, caller);
        if (problem === undefined) return;
        const { auth, role = auth, scope, tokens, noGuests } = operation;
        expect(problem.code).toBe('forbidden');
        expect({ ...problem.details }).toEqual(
          JSON.parse(
            JSON.stringify({ role: auth === 'token' ? undefined : role, scope, tokens, noGuests }),
          ),
        );
        for (const one of [scope ?? []].flat()) expect(problem.message).toContain(one);
        for (const kind of tokens ?? []) expect(problem.message).toContain(kind);
      }),
    );
  });

  it.each<[Partial<Operation>, string]>([
    [{ auth: 'admin' }, 'x needs a system administrator.'],
    [
      { auth: 'admin-write', role: 'CanManageSynonyms' },
      'x needs a system administrator with write access, or the role CanManageSynonyms.',
    ],
    [{ auth: 'session', noGuests: true }, 'x needs a signed-in user who is no guest.'],
    [
      { auth: 'session', scope: 'endpoints:run' },
      'x needs a signed-in user, or a token with the scope "endpoints:run".',
    ],
    [
      { auth: 'admin', scope: ['admin:backup', 'admin:tasks'] },
      'x needs a system administrator, or a token with the scope "admin:backup" or "admin:tasks".',
    ],
    [{ auth: 'token', tokens: ['endpoint'] }, 'x needs a token of kind "endpoint".'],
    [
      { auth: 'session', tokens: ['mcp', 'interface'] },
      'x needs a signed-in user, or a token of kind "mcp" or "interface".',
    ],
  ])('in words: %o', (row, words) => {
    const [operation] = fc.sample(operations, 1);
    const [caller] = fc.sample(callers, 1);
    const nobody: Caller = { ...caller!, kind: 'api', scopes: [] };
    const { role: _r, scope: _s, tokens: _t, noGuests: _n, ...bare } = operation!;
    expect(refusal({ ...bare, id: 'x', ...row }, nobody)?.message).toBe(words);
  });
});

/** Written down once more beside the rows of the contract, by scope (open-shapes, section 2). */
const BY_SCOPE: Readonly<Record<Scope, string>> = {
  // No operation asks for it: searches run in the code of endpoints.
  search: '',
  ingestion:
    'getSchema putSchema deleteSchemaIndex ingest uploadNodeFile deleteFile createFileUpload getFileUpload ' +
    'appendFileUpload deleteFileUpload',
  'ingestion:acl': 'resolvePrincipals',
  read:
    'getNode getNodeHistory queryNodes getManyNodes getManyFields downloadCsv downloadJsonl ' +
    'downloadZip listNodeFiles getFile downloadFile getBuildTypes getEmbeddings getSimilarNodes ' +
    'findSimilarNodes',
  'endpoints:run': 'runEndpoint runEndpointAlias watchEndpoint cancelRun cancelRunAlias',
  'admin:backup':
    'listJobs getJob cancelJob watchJob runBackup listBackups verifyBackup deleteBackup',
  deploy: 'exportDefinitions importDefinitions getBuildTypes getProgramTypes',
  'admin:tasks':
    'listJobs getJob cancelJob watchJob listTasks listBuiltInTasks createTask checkTaskSchedule ' +
    'getTask putTask deleteTask runTask enableTask disableTask listTaskRuns ' +
    'listTriggers pauseTrigger resumeTrigger listSetAside retrySetAside deleteSetAside',
  'admin:scim':
    'getScimServiceProviderConfig listScimResourceTypes getScimResourceType listScimSchemas ' +
    'getScimSchema listScimUsers createScimUser getScimUser replaceScimUser patchScimUser ' +
    'deleteScimUser listScimGroups createScimGroup getScimGroup replaceScimGroup patchScimGroup ' +
    'deleteScimGroup',
  'admin:webhooks':
    'listWebhooks createWebhook getWebhook updateWebhook deleteWebhook listWebhookDeliveries ' +
    'replayWebhook testWebhook rotateWebhookSecret',
  'admin:connectors':
    'listConnectors createConnector testConnector getConnector updateConnector deleteConnector ' +
    'runConnector cancelConnectorRun listConnectorRuns listConnectorAccess',
};

it.each(SCOPES)('a token with the scope %s may call what it is for', (scope) => {
  const opened = contract.filter((row) => [row.scope ?? []].flat().includes(scope));
  expect(opened.map(({ id }) => id)).toEqual(BY_SCOPE[scope].split(' ').filter(Boolean));
});
