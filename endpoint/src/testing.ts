import { createRequire } from 'node:module';
import type { AiAnswer, AiRequest } from './ai.ts';

/**
 * Names a node: by its UID, by the node itself, or by type and key. A user is named by `{user}`, a
 * team by `{team}`, each with its name.
 */
export type TestReference =
  | string
  | { readonly uid: string }
  | { readonly UID: string }
  | { readonly type: string; readonly key: string }
  | { readonly user: string }
  | { readonly team: string };

/**
 * The node and edge types, in the form in which `trellis schema` and `PUT /api/schema` have them.
 */
export interface TestSchema {
  readonly nodes?: readonly {
    readonly type: string;
    readonly key?: string;
    readonly label?: string;
    readonly fields: Readonly<Record<string, string>>;
  }[];
  readonly edges?: readonly {
    readonly type: string;
    readonly inverse?: string;
    readonly fields?: Readonly<Record<string, string>>;
  }[];
}

export interface TestNode {
  readonly type: string;
  /** Without it the node has no key, and gets a UID at random. */
  readonly key?: string;
  readonly uid?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  /** ISO 8601, or milliseconds since 1970 UTC; now when not given. */
  readonly timestamp?: string | number;
  readonly aliases?: readonly string[];
}

export interface TestEdge {
  readonly from: TestReference;
  readonly edge: string;
  readonly to: TestReference;
  readonly inverse?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly timestamp?: string | number;
}

export interface TestUser {
  readonly name: string;
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly isAdmin?: boolean;
  readonly isReadOnlyAdmin?: boolean;
  readonly isGuest?: boolean;
  readonly roles?: readonly string[];
}

export interface TestTeam {
  readonly name: string;
  /** Names of users. */
  readonly members?: readonly string[];
  /** Names of teams that are in this one, with all who are in them. */
  readonly teams?: readonly string[];
}

/**
 * As `graph.restrict`: lets a user, or all of a team, see the node, and nobody else who is not
 * named likewise.
 */
export interface TestRestriction {
  readonly node: TestReference;
  readonly team?: string;
  readonly user?: string;
}

/**
 * What an endpoint may export: its function alone, or the namespace of its module
 * (`import * as ...`).
 */
export type TestedEndpoint =
  | ((scope: never) => unknown)
  | { readonly default: (scope: never) => unknown; readonly input?: unknown };

/**
 * As in the server, `// trellis:` lines of a file included; what is left out is as the server has
 * it by default.
 */
export interface TestedSettings {
  readonly isReadOnly?: boolean;
  readonly runAsAdmin?: boolean;
  readonly access?: 'users' | 'admins';
  readonly timeoutMs?: number;
}

/** Answers what endpoints send to one origin. */
export type TestFetch = (url: string, options: RequestInit) => Response | Promise<Response>;

/**
 * What is searched, and how, as `PUT /api/search/settings` takes it; by default all fields of text,
 * by their words.
 */
export interface TestSearchSettings {
  readonly types: Readonly<
    Record<
      string,
      {
        readonly searchable?: boolean;
        readonly language?: string;
        readonly fields: Readonly<
          Record<
            string,
            {
              readonly text?: { readonly boost?: number; readonly language?: string };
              readonly vector?: { readonly model?: string; readonly chunk?: number };
              readonly facet?: boolean;
            }
          >
        >;
      }
    >
  >;
}

/**
 * Answers in the place of models and agents. What is not there is refused, as in a workspace
 * without it.
 */
export interface TestAi {
  /** A text is the whole answer. */
  complete?(request: AiRequest): string | AiAnswer | Promise<string | AiAnswer>;
  embed?(texts: readonly string[]): TestVectors | Promise<TestVectors>;
  /**
   * By the name of the agent: gives the result of the run. What it throws is the error of a run
   * that failed.
   */
  readonly agents?: Readonly<
    Record<string, (message: string, variables: Readonly<Record<string, string>>) => unknown>
  >;
}

export type TestVectors = readonly (readonly number[])[];

/**
 * Makes a vector of a text of a node, or of a query. All vectors of a model have as many numbers.
 */
export type TestEmbed = (
  text: string,
  model: string,
) => readonly number[] | Promise<readonly number[]>;

export interface TestWorkspaceOptions {
  readonly schema?: TestSchema;
  readonly nodes?: readonly TestNode[];
  readonly edges?: readonly TestEdge[];
  readonly users?: readonly TestUser[];
  readonly teams?: readonly TestTeam[];
  readonly restrictions?: readonly TestRestriction[];
  /** Endpoints by the path under which `run()` finds them; a URL names a file. */
  readonly endpoints?: Readonly<Record<string, TestedEndpoint | URL>>;
  /**
   * By origin, such as `https://api.example.com`. All others are refused, as by the allow-list of a
   * workspace.
   */
  readonly fetch?: Readonly<Record<string, TestFetch>>;
  /**
   * Values of secrets by name, for what `secret()` names in headers. They go to all origins of
   * `fetch`, and are taken out of answers as by a server: at least 8 characters each.
   */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly search?: TestSearchSettings;
  /**
   * In the place of a provider of embeddings, for fields of text that the settings give a vector.
   * It is asked before each run for the nodes that there are then.
   */
  readonly embed?: TestEmbed;
  /** For `ai`. Without it there is no provider, and there are no agents. */
  readonly ai?: TestAi;
  /** The time of the workspace, in milliseconds since 1970 UTC. */
  readonly now?: () => number;
}

export interface TestRun extends TestedSettings {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The name of a user; without one the endpoint runs as for a token that belongs to the system.
   */
  readonly user?: string;
  /** Aborts when the caller leaves. */
  readonly signal?: AbortSignal;
}

/** What the caller is sent. */
export interface TestAnswer {
  readonly status: number;
  /** Only where the endpoint's answer has some of its own: `location` of a redirect. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON that was sent, parsed; not there when nothing was sent. */
  readonly body?: unknown;
}

export interface TestLogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** The path of the endpoint, or the name of its function. */
  readonly endpoint: string;
  readonly message: string;
  readonly data?: unknown;
}

export interface TestProgress {
  readonly fraction: number | null;
  readonly text: string | null;
}

/**
 * A workspace that lives in the memory of this process, and is gone when it is disposed of or
 * forgotten.
 */
export interface TestWorkspace extends AsyncDisposable {
  /**
   * Calls an endpoint: a function, a module, the path of one of `endpoints`, or a file by its URL,
   * as `new URL('./words.ts', import.meta.url)`.
   *
   * Resolves with what the caller is sent, also when that is a refusal. When the endpoint fails (a
   * server answers 500 or above, not of the endpoint's own choice) it rejects with an error that
   * has the `code` (`endpoint_failed`, `endpoint_timeout`, ...), and as `cause` what the code
   * threw. Rejects with the reason of `signal` when that aborts.
   */
  run(endpoint: TestedEndpoint | URL | string, run?: TestRun): Promise<TestAnswer>;
  /**
   * Gives the value of a function that gets the scope of an endpoint, as an administrator's: to
   * look at the graph, or to change it, in a test. The value goes through JSON, as all that
   * endpoints answer.
   */
  evaluate<Value>(code: (scope: never) => Value): Promise<Awaited<Value>>;
  /** What endpoints logged since the workspace was made. */
  readonly logs: readonly TestLogLine[];
  /** What they said with `progress()`. */
  readonly progress: readonly TestProgress[];
}

interface Bench {
  openTestWorkspace(options: TestWorkspaceOptions): Promise<TestWorkspace>;
}

/**
 * The bench is made of the server's own parts, and the server depends on this package: so it is
 * looked up where it is used. At once and not by `import()`: files that are imported after this one
 * find the global `z`.
 */
const bench: Bench = createRequire(import.meta.url)(
  '@trellis/server/testbench/open-test-workspace.ts',
);

/**
 * A workspace in memory, to test endpoints in: the server's own schema, transactor, query, rules of
 * access and scope, without its sandbox, its compiler, and its network. Rejects with the problem
 * (`invalid_operation`, `schema_conflict`, ...) that the server has with what the options say.
 */
export function testWorkspace(options: TestWorkspaceOptions = {}): Promise<TestWorkspace> {
  return bench.openTestWorkspace(options);
}
