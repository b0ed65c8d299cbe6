import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import {
  AGENT_DEPTH_MAX,
  AGENT_RUNS_PER_USER_MAX,
  AGENT_TOOL_TIMEOUT_MS,
} from '#base/assistant-limits.ts';
import type { Clock } from '#base/clock.ts';
import { Places } from '#base/places.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import { type FactsParts, ReaderFacts } from '../citations/reader-facts.ts';
import { Snippets } from '../citations/snippets.ts';
import type {
  AgentRun,
  AgentRunRequest,
  AgentRunWithTranscript,
} from '@trellis/contract/shapes/agent.ts';
import type { ModelRequest, ModelRunner } from '../model/model-run.ts';
import type { WorkspaceBrief } from '../model/workspace-brief.ts';
import type { TokenCounts } from '../router/llm-call.ts';
import type { AnswerChecker } from '../support/answer-checker.ts';
import { shownSupport } from '../support/kept-support.ts';
import type { CallerTools, WantedTools } from '../tools/caller-tools.ts';
import {
  type AgentRunEntry,
  type AgentRunState,
  AgentRunStore,
  Transcript,
} from './agent-run-store.ts';
import { mayRun, noAgent } from './agent-service.ts';
import { AgentStore, filledIn, type StoredAgent } from './agent-store.ts';
import { OutputSchema } from './output-schema.ts';

export interface AgentRunsParts extends AgentAnswerParts, FactsParts {
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  /** Called with errors that are no `Problem`, and with runs that could not be stored. */
  readonly onFault: (error: unknown) => void;
  /** Told that a run has begun, has come further or has ended, with the UID of its user. */
  readonly onChange: (user: string) => void;
}

/** The origin of a run. */
export interface AgentRunOrigin {
  /** IP address of the client; null when it is not known. */
  readonly address: string | null;
  /** The headers that the code of endpoints may see, as JSON text of an object. */
  readonly headers?: string | undefined;
  readonly authorization?: string | undefined;
  /** The number of agent runs around this one; 0 by default. */
  readonly depth?: number | undefined;
  /** True: offers no tools that could change something. */
  readonly isReadOnly?: boolean | undefined;
  /** Aborts when nobody wants the result any more. */
  readonly signal?: AbortSignal | undefined;
}

interface RunningAgent {
  readonly entry: AgentRunEntry;
  readonly controller: AbortController;
  readonly transcript: Transcript;
  /** Never rejects. */
  ended: Promise<void>;
}

const UNUSED: TokenCounts = { inputTokens: 0, outputTokens: 0 };

/**
 * Runs agents, each as one user, and keeps the results. A run belongs to its user, and
 * administrators see it.
 */
export class AgentRuns implements AsyncDisposable {
  readonly #parts: AgentRunsParts;
  readonly #agents: AgentStore;
  readonly #store: AgentRunStore;
  readonly #running = new Map<string, RunningAgent>();
  /** The number of runs, by user, that are being stored and have not started yet. */
  readonly #beginning = new Places();
  #isClosed = false;

  constructor(parts: AgentRunsParts) {
    this.#parts = parts;
    this.#agents = new AgentStore(parts.reader);
    this.#store = new AgentRunStore(parts.reader, parts.commits);
  }

  /** Marks the runs that a stop of the server has interrupted as failed. */
  async failInterrupted(): Promise<void> {
    for (const entry of this.#store.underWay()) {
      await this.#store.end(entry, this.#failed(interrupted(), UNUSED));
    }
  }

  /** Resolves when the run has ended, also when it has failed. Rejects like `start`. */
  async run(
    caller: Caller,
    name: string,
    request: AgentRunRequest,
    origin: AgentRunOrigin,
  ): Promise<AgentRunWithTranscript> {
    const { entry, ended } = await this.#start(caller, name, request, origin);
    await ended;
    return this.#read(caller, entry);
  }

  /**
   * Resolves when the run has started; it goes on even when nobody waits for it. Rejects with
   * `agent_not_found`, `agent_too_deep`, `too_many_requests`.
   */
  async start(
    caller: Caller,
    name: string,
    request: AgentRunRequest,
    origin: AgentRunOrigin,
  ): Promise<AgentRunWithTranscript> {
    const { entry } = await this.#start(caller, name, request, { ...origin, signal: undefined });
    return this.#read(caller, entry);
  }

  /** The runs of the caller, or of all users for an administrator; the newest comes first. */
  list(
    caller: Caller,
    query: {
      readonly agent?: string | undefined;
      readonly skip: number;
      readonly take: number;
    },
  ) {
    const { agent, skip, take } = query;
    const all = this.#store.entries.filter(
      (entry) => maySee(caller, entry) && (agent === undefined || entry.agent === agent),
    );
    const items = all.slice(skip, skip + take).map((entry) => this.#shown(caller, entry));
    return { items, total: all.length, skip, take };
  }

  /** Throws `agent_run_not_found`. */
  get(caller: Caller, uid: string): AgentRunWithTranscript {
    return this.#read(caller, this.#require(caller, uid));
  }

  /**
   * Resolves when the run has ended. Rejects with `agent_run_not_found`, and with `forbidden` for a
   * read-only administrator.
   */
  async cancel(caller: Caller, uid: string): Promise<AgentRunWithTranscript> {
    const entry = this.#require(caller, uid);
    if (entry.user !== caller.userUid && !caller.isAdmin) {
      throw new Problem('forbidden', 'Only its user or an administrator may cancel a run.');
    }
    const running = this.#running.get(uid);
    running?.controller.abort();
    await running?.ended;
    return this.#read(caller, entry);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#running.values()];
    for (const { controller } of all) controller.abort();
    await Promise.all(all.map(({ ended }) => ended));
  }

  #require(caller: Caller, uid: string): AgentRunEntry {
    const entry = this.#store.entries.find((one) => one.uid === uid);
    if (entry !== undefined && maySee(caller, entry)) return entry;
    throw new Problem('agent_run_not_found', `There is no run "${uid}"`);
  }

  async #start(
    caller: Caller,
    name: string,
    request: AgentRunRequest,
    origin: AgentRunOrigin,
  ): Promise<RunningAgent> {
    const agent = this.#agents.find(name);
    if (agent === undefined || !mayRun(caller, agent)) throw noAgent(name);
    const user = must(caller.userUid, 'the user of a caller who runs agents');
    using _place = this.#admit(user, name, origin.depth ?? 0);
    const { message, variables = {} } = request;
    const startedAt = this.#time();
    const { audit } = this.#parts;
    const entry = await this.#store.add(
      { agent: name, user, message, variables, startedAt },
      audit.operation(
        deed('agent.run', { caller, address: origin.address }, { kind: 'agent', id: name }),
      ),
      ({ uid }) => this.#running.has(uid),
    );
    const running: RunningAgent = {
      entry,
      controller: new AbortController(),
      transcript: new Transcript(() => this.#parts.onChange(user)),
      ended: Promise.resolve(),
    };
    this.#running.set(entry.uid, running);
    this.#parts.onChange(user);
    running.ended = this.#execute(running, { agent, caller, message, variables }, origin);
    return running;
  }

  #admit(user: string, name: string, depth: number): Disposable {
    if (this.#isClosed) throw interrupted();
    if (depth >= AGENT_DEPTH_MAX) {
      const message = `"${name}" is not run: agents run one another at most ${AGENT_DEPTH_MAX} deep`;
      throw new Problem('agent_too_deep', message);
    }
    const own = [...this.#running.values()].filter(({ entry }) => entry.user === user);
    const count = own.length + this.#beginning.of(user);
    if (count < AGENT_RUNS_PER_USER_MAX) return this.#beginning.take(user);
    throw new Problem('too_many_requests', `${count} runs of agents are under way already.`, {
      hint: 'Wait for one of them to end, or cancel it.',
    });
  }

  async #execute(
    { entry, controller, transcript }: RunningAgent,
    task: {
      readonly agent: StoredAgent;
      readonly caller: Caller;
      readonly message: string;
      readonly variables: Readonly<Record<string, string>>;
    },
    { headers, authorization, isReadOnly, depth = 0, signal: wanted }: AgentRunOrigin,
  ): Promise<void> {
    const { signal: cancelled } = controller;
    const signal = wanted === undefined ? cancelled : AbortSignal.any([cancelled, wanted]);
    const agentDepth = depth + 1;
    let usage = UNUSED;
    let state: AgentRunState;
    try {
      const snippets = new Snippets();
      const citing = task.agent.outputSchema === null ? { snippets } : {};
      const result = await answerOfAgent(
        {
          ...task,
          wanted: { headers, authorization, agentDepth, isReadOnlyOnly: isReadOnly, ...citing },
          transcript,
          onUsed: (used) => (usage = sum(usage, used)),
          signal,
        },
        this.#parts,
      );
      const checked = await this.#checked(task, result, { snippets, signal });
      state = {
        status: 'Completed',
        result,
        error: null,
        endedAt: this.#time(),
        usage,
        ...checked,
      };
    } catch (error) {
      state =
        signal.aborted && !this.#isClosed
          ? { status: 'Canceled', result: null, error: null, endedAt: this.#time(), usage }
          : this.#failed(signal.aborted ? interrupted() : error, usage);
    }
    await this.#store
      .end(entry, state, transcript.toText())
      .catch((error: unknown) => this.#parts.onFault(error));
    this.#running.delete(entry.uid);
    this.#parts.onChange(entry.user);
  }

  /** What a text rests on; an answer of a schema cites nothing. */
  async #checked(
    { caller, agent }: { readonly caller: Caller; readonly agent: StoredAgent },
    result: unknown,
    { snippets, signal }: { readonly snippets: Snippets; readonly signal: AbortSignal },
  ): Promise<Pick<AgentRunState, 'citations' | 'support'>> {
    if (typeof result !== 'string' || agent.outputSchema !== null) return {};
    const citations = snippets.citedIn(result);
    const asked = { caller, judgedFor: 'agents', answer: result, citations, signal } as const;
    return { citations, support: await this.#parts.checker.check(asked) };
  }

  #failed(error: unknown, usage: TokenCounts): AgentRunState {
    if (!(error instanceof Problem)) this.#parts.onFault(error);
    const fault =
      error instanceof Problem
        ? { code: error.code, message: error.message }
        : { code: 'internal_error', message: 'The run failed.' };
    return { status: 'Failed', result: null, error: fault, endedAt: this.#time(), usage };
  }

  /** The transcript of a running run has everything so far. */
  #read(caller: Caller, entry: AgentRunEntry): AgentRunWithTranscript {
    const running = this.#running.get(entry.uid)?.transcript.entries;
    const transcript = running ?? this.#store.transcript(entry);
    return { ...this.#shown(caller, entry), transcript };
  }

  /** With citations and quotes as the caller may read them now. */
  #shown(caller: Caller, entry: AgentRunEntry): AgentRun {
    const { citations, support, ...run } = this.#store.read(entry);
    const facts = new ReaderFacts(this.#parts, caller);
    const text = typeof run.result === 'string' ? run.result : '';
    return {
      ...run,
      citations: facts.snippets(citations),
      ...shownSupport(support, text, facts),
    };
  }

  #time(): string {
    return new Date(this.#parts.clock.now()).toISOString();
  }
}

function maySee({ userUid, isAdmin, isReadOnlyAdmin }: Caller, { user }: AgentRunEntry): boolean {
  return user === userUid || isAdmin || isReadOnlyAdmin;
}

function interrupted(): Problem {
  return new Problem('agent_interrupted', 'The server stopped while the run was under way.');
}

function sum(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}

interface AgentAnswerParts {
  readonly models: ModelRunner;
  readonly callerTools: CallerTools;
  readonly checker: Pick<AnswerChecker, 'check'>;
  readonly brief: WorkspaceBrief;
  /** In milliseconds; only differences between two values count. */
  readonly now: () => number;
}

interface AgentTask {
  readonly agent: StoredAgent;
  readonly caller: Caller;
  readonly message: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly wanted: Omit<WantedTools, 'names'>;
  readonly transcript: Transcript;
  /** Called with the tokens that each answer of the model has used. */
  readonly onUsed: (usage: TokenCounts) => void;
  readonly signal: AbortSignal;
}

/**
 * The answer of an agent: text, or a value that fits its schema. When the answer does not fit, the
 * agent is asked a second time. Rejects like the model, and with `agent_output_invalid`.
 */
async function answerOfAgent(task: AgentTask, parts: AgentAnswerParts): Promise<unknown> {
  const { agent, message, transcript } = task;
  const schema = agent.outputSchema === null ? undefined : new OutputSchema(agent.outputSchema);
  const untilMs = parts.now() + agent.limits.seconds * 1_000;
  const request = await requestOf(task, schema, parts);
  const ask = async (changed: Partial<ModelRequest>, said: string): Promise<string> => {
    transcript.ask(said);
    const { usage, ended } = await parts.models.run({ ...request, ...changed });
    task.onUsed(usage);
    const text = transcript.answer;
    // At its limit the model was asked for a last answer, which is better than nothing.
    if (ended === 'length' || (ended === 'tokens' && text === '')) throw cutShort(ended);
    return text;
  };
  const first = await ask({}, message);
  if (schema === undefined) return first;
  const checked = schema.check(first);
  if (checked.fault === undefined) return checked.value;
  const again = `That does not fit the JSON Schema:\n${checked.fault}\nAnswer with the JSON value alone.`;
  const second = await ask(
    {
      messages: [
        ...request.messages,
        // Providers take no message without text.
        { role: 'assistant', text: first === '' ? '(nothing)' : first },
        { role: 'user', text: again },
      ],
      tools: [],
      limits: { ...request.limits, timeoutMs: Math.max(1, Math.ceil(untilMs - parts.now())) },
    },
    again,
  );
  const rechecked = schema.check(second);
  if (rechecked.fault === undefined) return rechecked.value;
  throw new Problem(
    'agent_output_invalid',
    `The answer does not fit the outputSchema: ${rechecked.fault}`,
  );
}

async function requestOf(
  { agent, caller, message, variables, wanted, transcript, signal }: AgentTask,
  schema: OutputSchema | undefined,
  { callerTools, brief }: AgentAnswerParts,
): Promise<ModelRequest> {
  const { steps, toolCalls, tokens, seconds } = agent.limits;
  const filled = filledIn(agent.instructions, variables);
  const tools = await callerTools.for(caller, {
    ...wanted,
    names: agent.tools,
    question: message,
    signal,
  });
  // Without tools it reads nothing that it could cite.
  const isCiting = schema === undefined && tools.length > 0;
  const told = brief.after(isCiting ? `${filled}\n\n${CITING}` : filled, caller);
  const timeoutMs = seconds * 1_000;
  return {
    caller,
    feature: 'agents',
    model: agent.model ?? undefined,
    instructions: schema === undefined ? told : `${told}\n\n${schema.instructions}`,
    messages: [{ role: 'user', text: message }],
    tools,
    limits: {
      stepsMax: steps,
      toolCallsMax: toolCalls,
      tokensMax: tokens,
      timeoutMs,
      toolTimeoutMs: Math.min(AGENT_TOOL_TIMEOUT_MS, timeoutMs),
    },
    signal,
    onEvent: (event) => transcript.see(event),
  };
}

/** What an agent is told whose answer is text. */
const CITING =
  'A node in a result of a tool has a number as "citation": write it in square brackets after what you say of it, as [1] or [1][4]. Use no other numbers in square brackets.';

function cutShort(limit: string): Problem {
  const what = limit === 'length' ? 'tokens of one answer' : 'tokens of the run';
  return new Problem('agent_output_invalid', `The answer was cut short: the ${what} were used up.`);
}
