import type { AgentRun } from '@trellis/contract/shapes/agent.ts';
import type { AnswerSupport } from '@trellis/contract/shapes/support.ts';
import { must } from '#base/assert.ts';
import {
  AGENT_RUNS_KEPT,
  AGENT_RUNS_KEPT_PER_USER,
  AGENT_TRANSCRIPT_CHARACTERS_MAX,
} from '#base/assistant-limits.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { TokenCounts } from '../router/llm-call.ts';
import type { Snippet } from '../citations/snippets.ts';
import { keptSupport, type KeptSupport, supportOf } from '../support/kept-support.ts';
import type { ModelEvent, ToolCall } from '../model/model-run.ts';

export type AgentRunStatus = 'Running' | 'Completed' | 'Canceled' | 'Failed';

/** The state of a run. */
export interface AgentRunState {
  readonly status: AgentRunStatus;
  /** Text, or a value of the agent's schema; null unless the run is completed. */
  readonly result: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** ISO 8601 UTC. */
  readonly endedAt: string | null;
  readonly usage: TokenCounts;
  /** What a result that is text cites. */
  readonly citations?: readonly Snippet[];
  readonly support?: AnswerSupport;
}

/** A run as it is stored. */
export interface StoredAgentRun extends Omit<AgentRun, 'citations' | keyof AnswerSupport> {
  readonly citations: readonly Snippet[];
  readonly support: KeptSupport;
}

export interface NewAgentRun {
  readonly agent: string;
  /** UID of the user whom it runs as. */
  readonly user: string;
  readonly message: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly startedAt: string;
}

/** What is kept in memory of each run. */
export interface AgentRunEntry extends Pick<NewAgentRun, 'agent' | 'user'> {
  readonly uid: string;
  readonly key: string;
}

/** The node type in which runs are stored: see `#graph/system-schema.ts`. */
const RUN_TYPE = '_AgentRun';

/** The fields shown for a run, besides those of its entry. */
const SHOWN_FIELDS = [
  'Message',
  'Variables',
  'Status',
  'Result',
  'Error',
  'StartedAt',
  'EndedAt',
  'Usage',
  'Support',
] as const;

/** The runs of agents, newest first. Beyond a number, the oldest ended ones are deleted. */
export class AgentRunStore {
  readonly #reader: GraphReader;
  readonly #commits: CommitPort;
  #entries: readonly AgentRunEntry[];

  constructor(reader: GraphReader, commits: CommitPort) {
    this.#reader = reader;
    this.#commits = commits;
    reader.refresh();
    this.#entries = reader.idsOfType(RUN_TYPE).map((id) => {
      const fields = must(reader.fields(id, ['Agent', 'User', 'Key']), 'the node of a run');
      const [agent, user, key] = fields.values.map(String);
      const uid = must(reader.uid(id), 'the UID of a run');
      return { uid, key: key ?? '', agent: agent ?? '', user: user ?? '' };
    });
  }

  get entries(): readonly AgentRunEntry[] {
    return this.#entries;
  }

  /**
   * Stores a run, with `trace` in the same commit. Runs for which `isRunning` is true stay, however
   * old they are.
   */
  async add(
    run: NewAgentRun,
    trace: WriterOperation,
    isRunning: (entry: AgentRunEntry) => boolean,
  ): Promise<AgentRunEntry> {
    const key = formatUid(randomUid());
    const { agent, user, message, variables, startedAt } = run;
    const old = this.#tooMany(user).filter((entry) => !isRunning(entry));
    const { outcomes } = await this.#commits.commit({
      system: true,
      operations: [
        {
          op: 'addOrUpdate',
          type: RUN_TYPE,
          key,
          timestamp: startedAt,
          fields: {
            Agent: agent,
            User: user,
            Status: 'Running',
            Message: message,
            Variables: { ...variables },
            StartedAt: startedAt,
          },
        },
        ...old.map((entry) => ({ op: 'delete', type: RUN_TYPE, key: entry.key }) as const),
        trace,
      ],
    });
    const entry = { uid: must(outcomes[0]?.uid, 'the UID of a run'), key, agent, user };
    this.#entries = [entry, ...this.#entries.filter((one) => !old.includes(one))];
    return entry;
  }

  async end({ key }: AgentRunEntry, state: AgentRunState, transcript?: string): Promise<void> {
    const { status, result, error, endedAt, usage, citations = [], support } = state;
    await this.#commits.commit({
      system: true,
      operations: [
        {
          op: 'update',
          type: RUN_TYPE,
          key,
          fields: {
            Status: status,
            Result: JSON.stringify(result ?? null),
            Error: error === null ? null : { ...error },
            EndedAt: endedAt,
            Usage: { ...usage },
            ...(support === undefined
              ? {}
              : { Support: { citations: [...citations], ...keptSupport(support) } }),
            ...(transcript === undefined ? {} : { Transcript: transcript }),
          },
        },
      ],
    });
  }

  /** The runs that have not ended. */
  underWay(): AgentRunEntry[] {
    return this.#entries.filter((entry) => this.#fields(entry, ['Status'])[0] === 'Running');
  }

  /** Without its transcript, which may be long. */
  read(entry: AgentRunEntry): StoredAgentRun {
    const [message, variables, status, result, error, startedAt, endedAt, usage, support] =
      this.#fields(entry, SHOWN_FIELDS);
    const { uid: UID, agent, user } = entry;
    return {
      UID,
      agent,
      user,
      status: status as AgentRunStatus,
      message: String(message),
      variables: (variables ?? {}) as Readonly<Record<string, string>>,
      result: JSON.parse(String(result ?? 'null')) as unknown,
      error: (error ?? null) as AgentRunState['error'],
      startedAt: String(startedAt),
      endedAt: typeof endedAt === 'string' ? endedAt : null,
      usage: (usage as TokenCounts | undefined) ?? { inputTokens: 0, outputTokens: 0 },
      citations: (support as Pick<StoredAgentRun, 'citations'> | undefined)?.citations ?? [],
      support: supportOf(support),
    };
  }

  transcript(entry: AgentRunEntry): readonly TranscriptEntry[] {
    const [transcript] = this.#fields(entry, ['Transcript']);
    return JSON.parse(String(transcript ?? '[]')) as readonly TranscriptEntry[];
  }

  #fields({ uid }: AgentRunEntry, names: readonly string[]): readonly unknown[] {
    this.#reader.refresh();
    const id = must(this.#reader.id({ uid }), 'the node of a run');
    return must(this.#reader.fields(id, names), 'the node of a run').values;
  }

  /** The runs to delete before a new run of this user is added. */
  #tooMany(user: string): AgentRunEntry[] {
    const own = this.#entries.filter((entry) => entry.user === user);
    return [
      ...new Set([
        ...own.slice(AGENT_RUNS_KEPT_PER_USER - 1),
        ...this.#entries.slice(AGENT_RUNS_KEPT - 1),
      ]),
    ];
  }
}

/**
 * One text or one call of a tool. A call without output and error gave more output than is kept.
 */
export type TranscriptEntry =
  | { readonly role: 'user' | 'assistant'; readonly text: string }
  | ({ readonly role: 'tool' } & ToolCall);

/** One run of an agent as it happens, oldest first. */
export class Transcript {
  readonly #onChange: () => void;
  readonly #entries: TranscriptEntry[] = [];
  #said = '';

  constructor(onChange: () => void = () => {}) {
    this.#onChange = onChange;
  }

  see(event: ModelEvent): void {
    switch (event.kind) {
      case 'text':
        this.#said += event.text;
        break;
      case 'tool-call':
        return this.#flush();
      case 'tool-result':
        this.#entries.push({ role: 'tool', ...event.call });
    }
    this.#onChange();
  }

  ask(text: string): void {
    this.#flush();
    this.#entries.push({ role: 'user', text });
    this.#onChange();
  }

  get entries(): readonly TranscriptEntry[] {
    const text = this.#said.trim();
    return text === '' ? this.#entries : [...this.#entries, { role: 'assistant', text }];
  }

  /** The last text, which the model said after its last call of a tool. */
  get answer(): string {
    const last = this.entries.at(-1);
    return last?.role === 'assistant' ? last.text : '';
  }

  /** The transcript as JSON of limited length: the first entries give way. */
  toText(): string {
    let left = AGENT_TRANSCRIPT_CHARACTERS_MAX;
    const kept = this.entries.toReversed().map((entry) => {
      const length = JSON.stringify(entry).length;
      if (length <= left) {
        left -= length;
        return entry;
      }
      return shortened(entry);
    });
    return JSON.stringify(kept.toReversed());
  }

  #flush(): void {
    const text = this.#said.trim();
    this.#said = '';
    if (text !== '') this.#entries.push({ role: 'assistant', text });
  }
}

const SHORT_TEXT_CHARACTERS = 200;

function shortened(entry: TranscriptEntry): TranscriptEntry {
  if (entry.role !== 'tool') return { ...entry, text: entry.text.slice(0, SHORT_TEXT_CHARACTERS) };
  const { role, tool, error, ms } = entry;
  return { role, tool, input: {}, ms, ...(error === undefined ? {} : { error }) };
}
