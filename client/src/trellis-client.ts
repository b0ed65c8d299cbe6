import { EditorChannel } from './editor-channel.ts';
import {
  approveAdminAgentCommit,
  streamAdminAgentMessage,
  uploadAdminAgentFile,
} from './methods/admin-agent.ts';
import { sendChatMessage, streamChatMessage, watchChat } from './methods/chat.ts';
import { codeVersions } from './methods/code-history.ts';
import { type EndpointBody, endpointRuns } from './methods/endpoint-runs.ts';
import {
  endpointWatches,
  type OnValue,
  type WatchEndpointOptions,
} from './methods/endpoint-watches.ts';
import { fileTransfers } from './methods/files.ts';
import { ingest, ingestStream } from './methods/ingest.ts';
import { beginLogin, consumeSamlResponse } from './methods/login.ts';
import { downloadLogs, watchEndpointLogs, watchJob, watchLogs } from './methods/logs.ts';
import { getAvailable, getHealth } from './methods/status.ts';
import { listSynonyms } from './methods/synonyms.ts';
import { importDefinitions, putInterface, rollBack } from './methods/zips.ts';
import { operationsOf } from './operation-methods.ts';
import { SystemEndpoints } from './system-endpoints.ts';
import type { ReplicaList } from './routing.ts';
import { Transport, type TransportOptions } from './transport.ts';

/** The part of a client that its methods share: see `TrellisClient`. */
class ClientBase {
  protected readonly transport: Transport;

  constructor(options: TransportOptions) {
    this.transport = new Transport(options);
  }

  /** Address of the service, with replicas that of its primary; with a slash at its end. */
  get baseUrl(): URL {
    return new URL(this.transport.baseUrl);
  }

  /**
   * Sent with every call from now on. Signing in does not set it:
   * `client.token = (await client.login.create(...)).token`.
   */
  get token(): string | undefined {
    return this.transport.token;
  }

  set token(token: string | undefined) {
    this.transport.token = token;
  }

  /** The storage sequence number of this client's last write; 0 before the first. */
  get lastWriteSequence(): number {
    return this.transport.lastWriteSequence;
  }

  /**
   * From now on reads are shared with these replicas, checked before their next use: the text of
   * `MSKREPLICAURLS` or the `replicas` of a `REPLICAS_CHANGED` message, or URLs. Empty, all goes to
   * `baseUrl`.
   */
  setReplicas(replicas: ReplicaList): void {
    this.transport.routing.setReplicas(replicas);
  }
}

/** A method of a namespace, of the function that it is written as. */
function bound<Args extends readonly unknown[], Result>(
  transport: Transport,
  method: (transport: Transport, ...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => method(transport, ...args);
}

/**
 * The service's API, for example `client.tasks.list({ take: 10 })`. Each operation is a method, in
 * the namespace of what it is about; it takes what the path names, the body, the query, and last
 * the options of the call. Runs in Node and in browsers, without dependencies. Every method rejects
 * with a `TrellisError`, or with the signal's reason when it was aborted.
 */
export class TrellisClient extends ClientBase {
  /** Signing in and out: by password, and at identity providers. */
  readonly login = {
    ...operationsOf(this.transport, 'login'),
    begin: bound(this.transport, beginLogin),
  };
  /** How identity providers are set up; for administrators. */
  readonly sso = {
    ...operationsOf(this.transport, 'sso'),
    consumeSamlResponse: bound(this.transport, consumeSamlResponse),
  };
  /** The page that asks a user whether an MCP client may act as them. */
  readonly oauth = operationsOf(this.transport, 'oauth');
  readonly users = operationsOf(this.transport, 'users');
  readonly teams = operationsOf(this.transport, 'teams');
  readonly tokens = operationsOf(this.transport, 'tokens');
  readonly audit = operationsOf(this.transport, 'audit');
  /** Who may see what. */
  readonly access = operationsOf(this.transport, 'access');
  /** The settings of the workspace, its license, and the description of its API. */
  readonly workspace = operationsOf(this.transport, 'workspace');
  /** Custom front ends (docs/interfaces.md). */
  readonly interfaces = {
    ...operationsOf(this.transport, 'interfaces'),
    put: bound(this.transport, putInterface),
  };
  /** Everything custom of a workspace as a zip of files that people read (docs/definitions.md). */
  readonly definitions = {
    ...operationsOf(this.transport, 'definitions'),
    import: bound(this.transport, importDefinitions),
  };
  /** The states of the definitions that are kept (docs/definitions.md). */
  readonly deployments = {
    ...operationsOf(this.transport, 'deployments'),
    rollBack: bound(this.transport, rollBack),
  };
  readonly schema = operationsOf(this.transport, 'schema');
  /** What is written to the graph. */
  readonly graph = {
    ...operationsOf(this.transport, 'graph'),
    ingest: bound(this.transport, ingest),
    ingestStream: bound(this.transport, ingestStream),
  };
  readonly nodes = operationsOf(this.transport, 'nodes');
  /** Files of nodes. */
  readonly files = {
    ...operationsOf(this.transport, 'files'),
    ...fileTransfers(this.transport, operationsOf(this.transport, 'files')),
  };
  /** The settings of search. To search, call `system.search`. */
  readonly search = operationsOf(this.transport, 'search');
  readonly synonyms = {
    ...operationsOf(this.transport, 'synonyms'),
    list: bound(this.transport, listSynonyms),
  };
  /** Queries whose answers are known, and how search does with them. */
  readonly goldenSets = operationsOf(this.transport, 'goldenSets');
  /** Vectors of nodes, and what is similar by them. */
  readonly embeddings = operationsOf(this.transport, 'embeddings');
  /** Custom endpoints: their code, their runs, what they log. */
  readonly endpoints = {
    ...operationsOf(this.transport, 'endpoints'),
    ...endpointRuns(this.transport),
    ...endpointWatches(this.transport),
    watchLogs: bound(this.transport, watchEndpointLogs),
  };
  /** The endpoints that every server brings along, typed. */
  readonly system = new SystemEndpoints((name, body, options) =>
    this.endpoints.runAlias(name, body, options),
  );
  /** All code at once, and the editor's compiler. */
  readonly modules = operationsOf(this.transport, 'modules');
  readonly packages = operationsOf(this.transport, 'packages');
  readonly build = {
    ...operationsOf(this.transport, 'build'),
    /**
     * Opens with its first request, at the primary, with the token of that moment, which must be
     * that of a session.
     */
    openEditor: (): EditorChannel => {
      const { transport } = this;
      return new EditorChannel({
        baseUrl: transport.baseUrl,
        locate: (how) => transport.routing.primaryUrl(how),
        token: () => transport.token,
      });
    },
  };
  readonly codeHistory = {
    ...operationsOf(this.transport, 'codeHistory'),
    ...codeVersions(this.transport),
  };
  /** Keys that the code of endpoints names in requests to other servers. */
  readonly secrets = operationsOf(this.transport, 'secrets');
  readonly migrations = operationsOf(this.transport, 'migrations');
  /** What the server does by itself, and when. */
  readonly tasks = operationsOf(this.transport, 'tasks');
  readonly triggers = operationsOf(this.transport, 'triggers');
  readonly webhooks = operationsOf(this.transport, 'webhooks');
  /** Sources that the server brings into the workspace. */
  readonly connectors = operationsOf(this.transport, 'connectors');
  /** Nodes that may be one thing: find, merge and split them. */
  readonly duplicates = operationsOf(this.transport, 'duplicates');
  /** Nodes and edges that are read out of files and texts: propose and approve them. */
  readonly documents = operationsOf(this.transport, 'documents');
  readonly jobs = {
    ...operationsOf(this.transport, 'jobs'),
    watch: bound(this.transport, watchJob),
  };
  readonly backups = operationsOf(this.transport, 'backups');
  /** What the server at `baseUrl` has logged. */
  readonly logs = {
    ...operationsOf(this.transport, 'logs'),
    download: bound(this.transport, downloadLogs),
    watch: bound(this.transport, watchLogs),
  };
  /** The counters of the server at `baseUrl`. */
  readonly stats = operationsOf(this.transport, 'stats');
  readonly status = {
    ...operationsOf(this.transport, 'status'),
    getAvailable: bound(this.transport, getAvailable),
    getHealth: bound(this.transport, getHealth),
  };
  readonly replicas = operationsOf(this.transport, 'replicas');
  readonly members = operationsOf(this.transport, 'members');
  readonly agents = operationsOf(this.transport, 'agents');
  /** Endpoints that models may call. */
  readonly tools = operationsOf(this.transport, 'tools');
  /** Conversations with the assistant, each of its own user only. */
  readonly chats = {
    ...operationsOf(this.transport, 'chats'),
    send: bound(this.transport, sendChatMessage),
    stream: bound(this.transport, streamChatMessage),
    watch: bound(this.transport, watchChat),
  };
  readonly deepResearch = operationsOf(this.transport, 'deepResearch');
  readonly goldenAnswers = operationsOf(this.transport, 'goldenAnswers');
  /** Conversations with the admin agent, which proposes changes of definitions. */
  readonly adminAgent = {
    ...operationsOf(this.transport, 'adminAgent'),
    approveCommit: bound(this.transport, approveAdminAgentCommit),
    stream: bound(this.transport, streamAdminAgentMessage),
    uploadFile: bound(this.transport, uploadAdminAgentFile),
  };
  /** What models of the assistant are told. */
  readonly assistant = operationsOf(this.transport, 'assistant');
  readonly aiProviders = operationsOf(this.transport, 'aiProviders');
  /** What was used of models, and whether they answer. */
  readonly llm = operationsOf(this.transport, 'llm');

  /**
   * Tells the answer of a read-only endpoint at once, and each time that it changes:
   *
   * ```ts
   * const controller = new AbortController();
   * await client.watchEndpoint('books/count', { shelf: 'A' }, (count) => show(count), {
   *   signal: controller.signal,
   * });
   * ```
   *
   * After a lost connection it goes on where it was. It resolves once the signal has aborted, and
   * rejects with what the service refuses for good, such as `endpoint_not_found` or
   * `not_read_only`.
   */
  watchEndpoint<T = unknown>(
    path: string,
    body: EndpointBody,
    onValue: OnValue<T>,
    options?: WatchEndpointOptions,
  ): Promise<void> {
    return this.endpoints.watch(path, body, onValue, options);
  }
}
