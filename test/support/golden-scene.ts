import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import { TrellisClient as Client } from '@trellis/client/trellis-client.ts';
import type { GoldenReport, GoldenRunRequest } from '@trellis/contract/shapes/golden-answers.ts';
import type { Job } from '@trellis/contract/shapes/job.ts';
import { ChatScene } from './chat-scene.ts';
import { calls, says, type LlmServerRequest, type LlmTurn } from './llm-server.ts';

/** What the model does with a question: the notes that it looks up, and what it says then. */
export interface Scripted {
  readonly finds?: readonly string[];
  readonly says: string;
}

/** The scene of the chat, with a model that does for each question what it is told. */
export class GoldenScene implements AsyncDisposable {
  readonly at: ChatScene;
  readonly admin: TrellisClient;

  private constructor(at: ChatScene) {
    this.at = at;
    const { url } = at.people.workspace.server;
    this.admin = new Client({ baseUrl: url, token: at.people.token('admin') });
  }

  static async start(): Promise<GoldenScene> {
    return new GoldenScene(await ChatScene.start());
  }

  /** By the question. Whoever asks something else is told nothing. */
  script(
    scripted: Readonly<Record<string, Scripted>>,
    other?: (asked: LlmServerRequest) => LlmTurn,
  ) {
    this.at.provider.reset();
    this.at.provider.script.turn = (asked) => {
      const messages: { role: string; content: string }[] = Object(asked.body).messages;
      const question = messages.find(({ role }) => role === 'user')?.content ?? '';
      const turn = scripted[question];
      if (turn === undefined) return other?.(asked) ?? says('');
      const isFirst = !messages.some(({ role }) => role === 'tool');
      const { finds = [] } = turn;
      return isFirst && finds.length > 0
        ? calls(...finds.map((name) => ['find', { name }] as const))
        : says(turn.says);
    };
  }

  /** When the run has ended. */
  async run(name: string, request?: GoldenRunRequest): Promise<GoldenReport> {
    const { id, run } = await this.admin.goldenAnswers.run(name, request);
    await this.end(id);
    return this.admin.goldenAnswers.getRun(name, run);
  }

  async end(id: string): Promise<Job> {
    for await (const _ of this.admin.jobs.watch(id)) {
      // It ends with the job.
    }
    return this.admin.jobs.get(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.at[Symbol.asyncDispose]();
  }
}
