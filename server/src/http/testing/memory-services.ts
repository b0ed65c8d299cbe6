import { Problem } from '#base/problem.ts';
import type { Caller } from '#access/caller.ts';
import { RunningCallers } from '#access/running-callers.ts';
import { CALLERS } from './memory-callers.ts';
import type { EndpointDefinition, NewEndpoint } from '@trellis/contract/shapes/endpoint.ts';
import type { HealthReport } from '@trellis/contract/shapes/health.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { FrontEndFile } from '../front-end-service.ts';
import type { EndpointAnswer, EndpointCall, HttpServices, IngestStream } from '../services.ts';
import {
  memoryAccess,
  memoryPrincipals,
  memoryAudit,
  memoryPasswordReset,
  memoryTeams,
  memoryUsers,
  memoryWorkspace,
} from './memory-people.ts';
import {
  memoryBuild,
  memoryCodeHistory,
  memoryEndpointLogs,
  memoryEditor,
  memoryStatistics,
} from './memory-build.ts';
import { memoryMigrations, memoryTasks } from './memory-tasks.ts';
import { memoryAgentRuns, memoryAgents } from './memory-agents.ts';
import { memoryAdminAgent } from './memory-admin-agent.ts';
import { memoryAiProviders } from './memory-ai-providers.ts';
import { memoryChat } from './memory-chat.ts';
import { memoryLlm } from './memory-llm.ts';
import { memoryDeepResearch } from './memory-deep-research.ts';
import { memoryEmbeddings } from './memory-embeddings.ts';
import { memoryBackups, memoryJobs, memoryLicense, memoryLogs } from './memory-operations.ts';
import { memoryMcp } from './memory-mcp.ts';
import { memoryFiles } from './memory-files.ts';
import { memoryNodes } from './memory-nodes.ts';
import { memoryGoldenSets } from './memory-golden-sets.ts';
import { memoryApiDocument } from './memory-api-document.ts';
import { memoryDefinitions } from './memory-definitions.ts';
import { memoryInterfaces } from './memory-interfaces.ts';
import { memoryReplicas } from './memory-replicas.ts';
import { memorySearchConfiguration } from './memory-search-configuration.ts';
import { memorySso } from './memory-sso.ts';
import { memoryTokens } from './memory-tokens.ts';
import { memoryLlmSearchSettings, memoryTools } from './memory-tools.ts';

/** The services of HTTP over a few variables, to be looked into and steered by a test. */
export class MemoryServices implements HttpServices {
  isReady = true;
  current = 7;
  schemaDocument: SchemaDocument = { nodes: [], edges: [] };
  readonly endpointsByName = new Map<string, EndpointDefinition>();
  /** What arrived at ingestion: commits of JSON, and streams as text, with how they ended. */
  readonly commits: (readonly unknown[])[] = [];
  readonly streams: { text: string; ended: 'open' | 'end' | 'abort' }[] = [];
  readonly calls: EndpointCall[] = [];
  readonly cancelled: { readonly name: string; readonly runKey: string | null }[] = [];
  /** Replaced by a test that wants another behaviour. */
  onRun: (call: EndpointCall) => Promise<EndpointAnswer> = async ({ body }) => ({
    status: 200,
    body,
  });
  onComplete: () => Promise<void> = async () => {};
  onWrite: (chunk: Uint8Array) => Promise<void> = async () => {};
  onAuthenticate: (token: string) => Caller | Promise<Caller> = (token) => {
    const found = Object.entries(CALLERS).find(([name]) => name === token);
    if (found === undefined) throw new Problem('invalid_token', 'The token is not valid.');
    return found[1];
  };
  #waiting: { sequence: number; resolve: (reached: boolean) => void }[] = [];

  sequence(): number {
    return this.current;
  }

  advanceTo(sequence: number): void {
    this.current = sequence;
    for (const wait of this.#waiting) if (sequence >= wait.sequence) wait.resolve(true);
  }

  async waitForSequence(
    sequence: number,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.push({ sequence, resolve });
    const timer = setTimeout(() => resolve(false), timeoutMs);
    signal.addEventListener('abort', () => resolve(false));
    return promise.finally(() => clearTimeout(timer));
  }

  /** As those who began something are now; another one, or a problem, in the place of a caller who has changed. */
  again: (caller: Caller) => Caller = (caller) => caller;
  readonly running = new RunningCallers({ again: (caller) => this.again(caller) });
  readonly identity: HttpServices['identity'] = {
    authenticate: (token) => this.onAuthenticate(token),
    verify: (token) => void this.onAuthenticate(token),
    login: async (user, password) => {
      if (user === 'eager') {
        throw new Problem('too_many_requests', 'Too many failed sign-ins.', {
          details: { retryAfterSeconds: 41.2 },
        });
      }
      if (password !== 'correct horse') throw new Problem('invalid_credentials', 'Wrong.');
      return { token: user, expiresAt: '2026-11-21T00:00:00.000Z', marks: `${user}-was-here` };
    },
    check: (who) => ({ user: { uid: String(who.userUid), name: String(who.userName) } }),
    changePassword: async (_caller, { oldPassword }) => {
      if (oldPassword !== 'correct horse') throw new Problem('wrong_password', 'Not that one.');
    },
    endSession: async () => {},
  };
  readonly passwordReset = memoryPasswordReset();
  readonly users = memoryUsers();
  readonly teams = memoryTeams();
  readonly audit = memoryAudit();
  readonly access = memoryAccess();
  readonly principals = memoryPrincipals();
  readonly nodes = memoryNodes();
  readonly nodeFiles = memoryFiles();
  readonly workspace = memoryWorkspace();
  readonly interfaces = memoryInterfaces();
  readonly apiDocument = memoryApiDocument();
  readonly definitions = memoryDefinitions();
  readonly tokens = memoryTokens();
  readonly replicas = memoryReplicas();
  readonly sso = memorySso();
  readonly build = memoryBuild();
  readonly editor = memoryEditor(() => this.onComplete());
  readonly codeHistory = memoryCodeHistory((name) => this.#definition(name));
  readonly endpointLogs = memoryEndpointLogs();
  readonly statistics = memoryStatistics();
  readonly license = memoryLicense();
  readonly jobs = memoryJobs();
  readonly backups = memoryBackups();
  readonly tasks = memoryTasks();
  readonly migrations = memoryMigrations();
  readonly logs = memoryLogs();
  readonly searchConfiguration = memorySearchConfiguration();
  readonly goldenSets = memoryGoldenSets();
  readonly embeddings = memoryEmbeddings();
  readonly aiProviders = memoryAiProviders();
  readonly llm = memoryLlm();
  readonly mcp = memoryMcp();
  readonly tools = memoryTools();
  readonly agents = memoryAgents();
  readonly agentRuns = memoryAgentRuns();
  readonly deepResearch = memoryDeepResearch();
  readonly chat = memoryChat();
  readonly llmSearchSettings = memoryLlmSearchSettings();
  readonly adminAgent = memoryAdminAgent();
  readonly schema: HttpServices['schema'] = {
    get: () => this.schemaDocument,
    put: async (_caller, document) => {
      this.schemaDocument = document;
      this.advanceTo(this.current + 1);
      return document;
    },
  };

  readonly ingest: HttpServices['ingest'] = {
    commit: async (_caller, operations) => {
      this.commits.push(operations);
      this.advanceTo(this.current + operations.length);
      return { nodes: operations.length, edges: 0, commits: 1, sequence: this.current };
    },
    openStream: () => this.#openStream(),
  };

  readonly endpoints: HttpServices['endpoints'] = {
    create: async (_caller, endpoint) => {
      const definition = definitionOf(endpoint);
      this.endpointsByName.set(endpoint.name, definition);
      return definition;
    },
    list: (_caller, { skip, take }) => {
      const all = [...this.endpointsByName.values()];
      return { items: all.slice(skip, skip + take), total: all.length, skip, take };
    },
    get: (_caller, name) => this.#definition(name),
    put: async (_caller, name, change) => {
      const { name: _, ...settings } = Object.fromEntries(
        Object.entries(change).filter(([, value]) => value !== undefined),
      );
      const changed = { ...this.#definition(name), ...settings };
      this.endpointsByName.set(name, changed);
      return changed;
    },
    delete: async (_caller, name) => {
      this.endpointsByName.delete(this.#definition(name).name);
    },
    check: async () => ({ diagnostics: [{ line: 1, column: 2, code: 2304, message: 'unknown' }] }),
    run: (call) => {
      this.calls.push(call);
      return this.onRun(call);
    },
    cancelRun: (_caller, name, runKey) => {
      this.cancelled.push({ name, runKey });
    },
  };

  readonly status: HttpServices['status'] = {
    ready: () => this.isReady,
    health: (): HealthReport => ({
      status: this.isReady ? 'ok' : 'starting',
      ready: this.isReady,
      uptimeSeconds: 1,
      version: '26.11.0',
      role: 'primary',
      memory: { status: 'ok', rssBytes: 1, heapUsedBytes: 1, heapTotalBytes: 1, externalBytes: 1 },
      disk: null,
      parts: [{ name: 'disk', status: 'failed', reason: 'disk_unreadable' }],
    }),
    replication: () => ({ isReplica: false, hasReplicas: false }),
  };

  readonly files = new Map<string, FrontEndFile>();
  replicaUrls = '';
  readonly frontEnd: HttpServices['frontEnd'] = {
    file: (path) => this.files.get(path),
    replicaUrls: () => this.replicaUrls,
  };

  #definition(name: string): EndpointDefinition {
    const found = this.endpointsByName.get(name);
    if (found === undefined)
      throw new Problem('endpoint_not_found', `There is no endpoint ${name}.`);
    return found;
  }

  #openStream(): IngestStream {
    const stream: (typeof this.streams)[number] = { text: '', ended: 'open' };
    this.streams.push(stream);
    return {
      write: async (chunk) => {
        await this.onWrite(chunk);
        stream.text += Buffer.from(chunk).toString('latin1');
      },
      end: async () => {
        stream.ended = 'end';
        const nodes = stream.text.split('\n').filter(Boolean).length;
        return { nodes, edges: 0, commits: 1, sequence: this.current };
      },
      abort: () => {
        stream.ended = 'abort';
      },
    };
  }
}

function definitionOf({ name, code, ...given }: NewEndpoint): EndpointDefinition {
  return {
    UID: '1111111111111111111112',
    name,
    code,
    isReadOnly: given.isReadOnly ?? false,
    mode: given.mode ?? 'sync',
    access: given.access ?? 'users',
    cacheSeconds: given.cacheSeconds ?? 0,
    runAsAdmin: given.runAsAdmin ?? false,
    timeoutMs: given.timeoutMs ?? 30_000,
    maxConcurrent: given.maxConcurrent ?? 0,
    maxQueued: given.maxQueued ?? 100,
    description: given.description ?? '',
    version: 1,
    compiles: true,
    mayRunOnPrimary: code.includes('runOnPrimary'),
    diagnostics: [],
  };
}
