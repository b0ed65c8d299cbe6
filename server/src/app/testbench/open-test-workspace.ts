import type { AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { accessWritten } from '#access/ingest-service.ts';
import { RunningCallers } from '#access/running-callers.ts';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { GraphWriter } from '#graph/graph-writer.ts';
import { StateReader } from '#graph/state-reader.ts';
import { Snapshots } from '#graph/transactions/snapshots.ts';
import { StoredAuditTrail } from '#identity/audit-trail.ts';
import { fieldsOfNew, rightsFields } from '#identity/user-service.ts';
import { userKey } from '#access/user-names.ts';
import { userUid } from '#identity/users.ts';
import { EndpointLog } from '#runtime/endpoint-log.ts';
import { CallTraces } from '#runtime/tracing/call-traces.ts';
import { CallTracing } from '#runtime/tracing/call-tracing.ts';
import { EndpointRuntime } from '#runtime/endpoint-runtime.ts';
import { InProcessPool, provideGlobals } from '#runtime/in-process/in-process-pool.ts';
import type { ModelAsker, ModelCalls } from '#runtime/model-calls.ts';
import { OutboundRequests } from '#runtime/outbound-requests.ts';
import type { SecretSource } from '#runtime/secret-headers.ts';
import { MemoryState } from '#store/memory-state.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { AiAgentRun, AiAnswer, AiRequest } from '@trellis/endpoint/ai.ts';
import type {
  TestAi,
  TestReference,
  TestTeam,
  TestUser,
  TestWorkspace,
  TestWorkspaceOptions,
} from '@trellis/endpoint/testing.ts';
import { BenchEndpoints } from './bench-endpoints.ts';
import { BenchSearch } from './bench-search.ts';
import { ADMINISTRATOR, BenchLog, BenchWorkspace } from './bench-workspace.ts';

// When this is loaded and not later: the files of endpoints name `z` at their top level.
provideGlobals();

/**
 * The parts of a server that decide what an endpoint sees and does, over state in memory, with its
 * code in the realm of the process: see `testWorkspace` of `@trellis/endpoint/testing`.
 */
export async function openTestWorkspace(options: TestWorkspaceOptions): Promise<TestWorkspace> {
  const state = new MemoryState();
  const clock = options.now === undefined ? systemClock : { now: options.now };
  const writer = new GraphWriter(state, clock);
  await writer.addSystemSchema();
  const reader = new StateReader(state, state);
  const log = new BenchLog();
  const audit = new StoredAuditTrail({ reader, commits: writer, logger: log, clock });
  await addContent({ writer, audit, administrator: ADMINISTRATOR }, options);
  const search = new BenchSearch({ reader, writer, audit, embed: options.embed });
  if (options.search !== undefined) await search.put(ADMINISTRATOR, options.search);
  const pool = new InProcessPool(reader, new Snapshots(reader, state), search.live);
  const endpoints = new BenchEndpoints(pool, reader);
  for (const [path, endpoint] of Object.entries(options.endpoints ?? {})) {
    await endpoints.register(path, endpoint);
  }
  const answers = options.fetch ?? {};
  const runtime = new EndpointRuntime({
    store: endpoints,
    pool,
    reader,
    commits: writer,
    audit,
    logger: log,
    logs: new EndpointLog({ clock, redact: (json) => json }),
    clock,
    isReplica: false,
    outbound: new OutboundRequests(
      async (address, request) => answers[new URL(address).origin]!(address, request),
      () => Object.keys(answers),
      benchSecrets(options.secrets),
    ),
    primary: null,
    embedQuery: search.embedQuery,
    models: new BenchModels(options.ai),
    // Nobody's rights change while a test runs.
    running: new RunningCallers({ again: (caller) => caller }),
    tracing: new CallTracing({
      traces: new CallTraces({ redact: (json) => json }),
      settings: { share: 0, keepsInputs: false },
      reader,
    }),
  });
  return new BenchWorkspace({ state, reader, pool, endpoints, runtime, search, log });
}

/** Those that a test gives, for whatever it stands for. */
function benchSecrets(secrets: Readonly<Record<string, string>> = {}): SecretSource {
  return {
    take(name) {
      const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
      if (value !== undefined) return value;
      throw new Problem('secret_not_found', `There is no secret "${name}"`, {
        hint: 'Give the test workspace its value, in "secrets".',
      });
    },
  };
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/** What a test says that models and agents answer. */
class BenchModels implements ModelCalls {
  readonly #ai: TestAi;

  constructor(ai: TestAi = {}) {
    this.#ai = ai;
  }

  async complete(request: unknown, { caller }: ModelAsker): Promise<AiAnswer> {
    requireUser(caller);
    if (this.#ai.complete === undefined) throw notConfigured('complete');
    const answer = await this.#ai.complete(request as AiRequest);
    if (typeof answer !== 'string') return answer;
    return { text: answer, model: 'test', ended: 'answer', usage: NO_USAGE };
  }

  async embed(request: unknown, { caller }: ModelAsker): Promise<unknown> {
    requireUser(caller);
    if (this.#ai.embed === undefined) throw notConfigured('embed');
    const { texts } = request as { readonly texts: readonly string[] };
    return this.#ai.embed(texts);
  }

  async runAgent(request: unknown, { caller }: ModelAsker): Promise<AiAgentRun> {
    requireUser(caller);
    const { name, message, variables = {} } = request as AgentRequest;
    const agent = this.#ai.agents?.[name];
    if (agent === undefined) throw new Problem('agent_not_found', `There is no agent "${name}"`);
    const run = { UID: formatUid(randomUid()), usage: NO_USAGE, ...NOTHING_CITED };
    try {
      const result = await agent(message, variables);
      return { ...run, status: 'Completed', result, error: null };
    } catch (error) {
      const code = error instanceof Problem ? error.code : 'internal_error';
      const fault = { code, message: error instanceof Error ? error.message : String(error) };
      return { ...run, status: 'Failed', result: null, error: fault };
    }
  }
}

const NOTHING_CITED = { citations: [], support: [], supportRate: null, supportJudge: null };

interface AgentRequest {
  readonly name: string;
  readonly message: string;
  readonly variables?: Readonly<Record<string, string>>;
}

function requireUser(caller: Caller): void {
  if (caller.userUid !== null) return;
  throw new Problem('ai_needs_user', 'Nobody is signed in whom a model could be asked for');
}

function notConfigured(method: string): Problem {
  return new Problem('llm_not_configured', `The test says nothing of ai.${method}`);
}

interface ContentParts {
  readonly writer: GraphWriter;
  readonly audit: AuditTrail;
  /** Who brings it in. */
  readonly administrator: Caller;
}

type Operation = Readonly<Record<string, unknown>>;

/**
 * Fills a workspace: with people as the server itself writes them, and with nodes and edges as an
 * administrator brings them in. Each list is a commit of its own, so that a problem tells the place
 * in it.
 */
async function addContent(
  { writer, audit, administrator }: ContentParts,
  options: TestWorkspaceOptions,
): Promise<void> {
  const { schema = {}, users = [], teams = [], nodes = [], edges = [] } = options;
  const { restrictions = [] } = options;
  // Its shape is checked by the writer.
  const document = { nodes: [], edges: [], ...schema } as SchemaDocument;
  await writer.commit({ operations: [], schema: document });
  const names = new Names(users, teams);
  const add = async (operations: readonly Operation[]): Promise<void> => {
    const event = accessWritten({ caller: administrator, address: null }, { via: 'ingestion' });
    const author = { accessControl: { trace: audit.operation(event) } };
    if (operations.length > 0) await writer.ingest(operations, { firstIndex: 0, author });
  };
  await writer.commit({ operations: users.map(userWrite), system: true });
  const teamWrites = teams.map(({ name }) => teamWrite(name, names.teamUid(name)));
  await writer.commit({ operations: teamWrites, system: true });
  await add(teams.flatMap((team) => memberships(team, names)));
  await add(nodes.map((node) => ({ ...node, op: 'addOrUpdate' })));
  await add(
    edges.map((edge) => ({
      ...edge,
      op: 'link',
      from: names.resolve(edge.from),
      to: names.resolve(edge.to),
    })),
  );
  await add(
    restrictions.map(({ node, team, user }) => ({
      op: 'restrict',
      node: names.resolve(node),
      ...(team === undefined ? {} : { team: names.resolve({ team }) }),
      ...(user === undefined ? {} : { user: names.resolve({ user }) }),
    })),
  );
}

/** Users and teams by the names that tests give them. */
class Names {
  readonly #users: ReadonlySet<string>;
  readonly #teams: ReadonlyMap<string, string>;

  constructor(users: readonly TestUser[], teams: readonly TestTeam[]) {
    this.#users = new Set(users.map(({ name }) => userKey(name)));
    this.#teams = new Map(teams.map(({ name }) => [name, formatUid(randomUid())]));
  }

  resolve(reference: TestReference): Operation {
    if (typeof reference === 'string') return { uid: reference };
    if ('UID' in reference) return { uid: reference.UID };
    if ('user' in reference) return { uid: this.#userUid(reference.user) };
    if ('team' in reference) return { uid: this.teamUid(reference.team) };
    return reference;
  }

  #userUid(name: string): string {
    if (this.#users.has(userKey(name))) return userUid(name);
    throw new Problem('user_not_found', `There is no user "${name}" in the test workspace`);
  }

  teamUid(name: string): string {
    const uid = this.#teams.get(name);
    if (uid !== undefined) return uid;
    throw new Problem('team_not_found', `There is no team "${name}" in the test workspace`);
  }
}

function userWrite(user: TestUser) {
  const { name, email = `${userKey(name)}@example.com`, ...more } = user;
  const { roles = [], isAdmin = false, isReadOnlyAdmin = false, isGuest = false } = more;
  const fields = {
    ...fieldsOfNew({ ...more, userName: name, email }),
    ...rightsFields({ roles, isAdmin, isReadOnlyAdmin, isGuest }),
  };
  return { op: 'addOrUpdate', type: '_User', key: userKey(name), ifVersion: 0, fields } as const;
}

function teamWrite(name: string, uid: string) {
  return { op: 'addOrUpdate', type: '_AccessGroup', uid, fields: { Name: name } } as const;
}

function memberships({ name, members = [], teams = [] }: TestTeam, names: Names): Operation[] {
  const team = names.resolve({ team: name });
  return [
    ...members.map((user) => ({ op: 'addToTeam', team, user: names.resolve({ user }) })),
    ...teams.map((inner) => ({ op: 'addToTeam', team, member: names.resolve({ team: inner }) })),
  ];
}
