import type { Caller } from '#access/caller.ts';
import type { ModelRequest, ModelTool } from '#assistant/model/model-run.ts';
import { RunningCallers } from '#access/running-callers.ts';
import { SdkModelRunner } from '#assistant/model/sdk-model-runner.ts';
import type { ChatTarget } from '#assistant/provider-settings.ts';
import { LlmAdmission } from '#assistant/router/admission.ts';
import { ProviderClient, type ProviderState } from '#assistant/router/provider-client.ts';
import { ProviderStreams } from '#assistant/router/provider-stream.ts';
import { UsageLedger } from '#assistant/router/usage-ledger.ts';
import { must } from '#base/assert.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { LlmServer } from '../../../../test/support/llm-server.ts';
import { providerTransport } from '../provider-transport.ts';

export const KEY = 'sk-a-key-that-nobody-else-sees';
export const USER = '1111111111111111111111';
export const LIMITS = {
  stepsMax: 6,
  toolCallsMax: 10,
  tokensMax: 100_000,
  timeoutMs: 60_000,
  toolTimeoutMs: 60_000,
};

const CALLER: Caller = {
  kind: 'session',
  userUid: USER,
  userName: 'ada',
  isAdmin: false,
  isReadOnlyAdmin: false,
  isGuest: false,
  roles: [],
  scopes: [],
  endpointPath: null,
  tokenId: 'session-1',
};

export const lookup: ModelTool = {
  name: 'lookup',
  description: 'Looks a word up.',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } } },
  call: async ({ word }) => ({ text: `${String(word)} is a word`, output: { word } }),
};

export function toolOf(call: ModelTool['call']): ModelTool {
  return { ...lookup, call };
}

export function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    caller: CALLER,
    feature: 'chat',
    instructions: 'Be short.',
    messages: [{ role: 'user', text: 'What is a tree?' }],
    tools: [lookup],
    limits: LIMITS,
    signal: new AbortController().signal,
    ...more,
  };
}

interface RunnerOptions {
  readonly tokensPerDay?: number;
  readonly timeouts?: { readonly headMs: number; readonly idleMs: number };
}

/** What asks models, over the real client, and a provider that says what a test wants. */
export class ModelScene implements AsyncDisposable {
  readonly server: LlmServer;
  readonly faults: unknown[] = [];
  readonly #graph: TestGraph;
  #ledger: UsageLedger | undefined;
  #provider: ProviderClient | undefined;

  private constructor(server: LlmServer, graph: TestGraph) {
    this.server = server;
    this.#graph = graph;
  }

  static async open(): Promise<ModelScene> {
    const server = await LlmServer.start();
    server.script.key = KEY;
    const graph = await openTestGraph();
    await graph.writer.addSystemSchema();
    graph.reader.refresh();
    return new ModelScene(server, graph);
  }

  /** A new one, which has used and asked nothing so far. */
  runner(kind: ChatTarget['provider'], options: RunnerOptions = {}): SdkModelRunner {
    const { tokensPerDay = 1_000_000, timeouts = { headMs: 30_000, idleMs: 30_000 } } = options;
    const target: ChatTarget = {
      name: '',
      provider: kind,
      baseUrl: this.server.url,
      models: ['large', 'small'],
      tokensPerAnswer: 500,
      apiKey: KEY,
    };
    const clock = { now: () => Date.UTC(2026, 10, 21, 12) };
    const { reader, writer: commits } = this.#graph;
    const ledger = new UsageLedger({ reader, commits, clock });
    const settings = {
      chatTargets: () => [target],
      tokensPerUserAndDay: () => tokensPerDay,
      embeddingTarget: () => undefined,
      embeddingModel: () => undefined,
    };
    const admission = new LlmAdmission(settings, ledger, {
      reserve: () => ({ [Symbol.dispose]: () => undefined }),
      of: () => ({ months: [], workspaceMonth: null, currency: 'EUR' }),
    });
    const provider = new ProviderClient({ transport: providerTransport(), clock, timeouts });
    this.#ledger = ledger;
    this.#provider = provider;
    return new SdkModelRunner({
      admission,
      streams: new ProviderStreams(provider, admission),
      running: new RunningCallers({ again: (caller) => caller }),
      now: () => performance.now(),
      onToolFault: (error) => this.faults.push(error),
    });
  }

  /** The ledger of the last runner; so the next one. */
  get ledger(): UsageLedger {
    return must(this.#ledger, 'a runner');
  }

  get state(): ProviderState {
    return must(this.#provider, 'a runner').stateOf(this.server.url);
  }

  /** All that was sent to the provider in one request, as text. */
  sent(index: number): string {
    return JSON.stringify(this.server.requests[index]?.body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.#graph[Symbol.asyncDispose]();
  }
}
