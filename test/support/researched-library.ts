import type { Job } from '@trellis/contract/shapes/job.ts';
import type { Chat } from '@trellis/contract/shapes/chat.ts';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { calls, says, type LlmServerRequest, type LlmTurn } from './llm-server.ts';
import { LlmWorkspace } from './llm-workspace.ts';
import { LIBRARY_SCHEMA } from './workspace.ts';

const FIND = `export const input = z.object({ isbn: z.string() });
export default async function ({ body, q, notFound }: Scope<typeof input>) {
  const [book] = await q().startAt('Book', body.isbn).asUser().nodes();
  return book ?? notFound('no such book');
}
`;

export type ResearchTurn = (request: LlmServerRequest) => LlmTurn;

/** Who is asked. */
export type Phase = 'plan' | 'study' | 'report';

export function phaseOf({ body }: LlmServerRequest): Phase {
  const text = JSON.stringify(body);
  if (text.includes('You plan research')) return 'plan';
  return text.includes('You are the researcher') ? 'study' : 'report';
}

/** The name of the book that a researcher is asked for. */
export function bookAskedOf({ body }: LlmServerRequest): string {
  return /Your question:\\n(\w+)/.exec(JSON.stringify(body))?.[1] ?? '';
}

/**
 * Researchers look up the book that their question names, and say what they found; other phases may
 * say something else.
 */
export function research(phases: Partial<Record<Phase, LlmTurn>> = {}): ResearchTurn {
  return (request) => {
    const phase = phaseOf(request);
    const turn = phases[phase];
    if (turn !== undefined) return turn;
    if (phase === 'plan') return says(PLAN);
    if (phase === 'report')
      return says('Two is long [2], one is short [1]. Nobody knows more [9].');
    const isFound = JSON.stringify(request.body).includes('"role":"tool"');
    if (!isFound) return calls(['find', { isbn: bookAskedOf(request) }]);
    return says(`${bookAskedOf(request)} is known [1].`);
  };
}

const PLAN = JSON.stringify([
  { researcher: 'Facts', question: 'one' },
  { researcher: 'Doubts', question: 'two' },
]);

/** A workspace with two books, an endpoint that finds them, a scripted model, and users who ask. */
export class ResearchedLibrary implements AsyncDisposable {
  readonly at: LlmWorkspace;

  private constructor(at: LlmWorkspace) {
    this.at = at;
  }

  static async start(): Promise<ResearchedLibrary> {
    const at = await LlmWorkspace.start();
    const library = new ResearchedLibrary(at);
    await at.use('openai-compatible');
    await library.ok('PUT', '/api/schema', LIBRARY_SCHEMA);
    const book = (key: string) => ({
      op: 'addOrUpdate',
      type: 'Book',
      key,
      fields: { Title: `Book ${key}` },
    });
    await library.ok('POST', '/api/ingest', { operations: [book('one'), book('two')] });
    const find = { name: 'find', code: FIND, isReadOnly: true };
    await library.ok('POST', '/api/endpoints/create', find);
    return library;
  }

  client(user: string): TrellisClient {
    const { people } = this.at;
    return new TrellisClient({
      baseUrl: people.workspace.server.url,
      token: people.token(user),
      retry: { retriesMax: 0 },
    });
  }

  /** A new conversation of this user, after which nobody has asked the model. */
  async chat(user: string): Promise<string> {
    const { chatUID } = await this.client(user).chats.send({ message: 'Hello' });
    this.at.provider.reset();
    return chatUID;
  }

  /** The job once it has ended. */
  async end(user: string, jobId: string): Promise<Job | undefined> {
    let last: Job | undefined;
    for await (const event of this.client(user).jobs.watch(jobId)) {
      if (event.kind === 'job') last = event.job;
    }
    return last;
  }

  /** The last message of a conversation. */
  async lastMessage(user: string, chatUID: string): Promise<Chat['messages'][number] | undefined> {
    return (await this.client(user).chats.get(chatUID)).messages.at(-1);
  }

  /** All that wait or are under way; the model says what it says at first. */
  async cancelAll(): Promise<void> {
    const admin = this.client('admin');
    const { running, queued } = await admin.deepResearch.getSettings();
    for (const { chatUID, jobId } of [...queued, ...running]) {
      await admin.deepResearch.cancel({ chatUID });
      await this.end('admin', jobId);
    }
    this.at.provider.reset();
  }

  async ok(method: string, path: string, body?: unknown): Promise<unknown> {
    const { status, text, json } = await this.at.people.as('admin', method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return json;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.at[Symbol.asyncDispose]();
  }
}
