import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { anthropicAnswer, anthropicEvents, openAiAnswer, openAiEvents } from './llm-words.ts';
import type { Said } from './llm-words.ts';

export interface LlmServerRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a test may change at any time. */
export interface LlmScript {
  /** The key that is asked for, in the header of either protocol; undefined takes any. */
  key: string | undefined;
  said: Said;
  /** The tokens that it counts in a request, where it counts any. */
  counted: number | undefined;
  /** Instead of an answer. */
  fault:
    | {
        readonly status: number;
        readonly headers?: Readonly<Record<string, string>>;
        readonly body?: string;
      }
    | undefined;
  /**
   * Instead of an answer, with status 200, or of the events of a stream; pieces that are sent one
   * by one.
   */
  raw: Iterable<string> | undefined;
  /** Waited for before the head of an answer. */
  gate: Promise<void>;
  /** Waited for before each event, or piece. */
  beforeEvent: (index: number) => Promise<void> | void;
  /** The connection is cut after so many events. */
  cutAfter: number;
  /**
   * What is different for one request of chat; asked once each, when the request is read. `inTurn`
   * makes one.
   */
  turn: (request: LlmServerRequest) => LlmTurn;
}

/** What is said to one request, and how. */
export type LlmTurn = Partial<Omit<LlmScript, 'key' | 'turn'>>;

const EMBEDDINGS = '/v1/embeddings';
const MESSAGES = '/v1/messages';
const COUNT = `${MESSAGES}/count_tokens`;

const HELLO: Said = {
  text: 'Hello to you, världen 👋.',
  tools: [],
  inputTokens: 11,
  outputTokens: 5,
  stop: 'end',
};

/** A turn in which the model only says something. */
export function says(text: string, more: Partial<Said> = {}): LlmTurn {
  return { said: { ...HELLO, text, ...more } };
}

/** A turn in which the model calls tools, all at once: pairs of a name and what it is given. */
export function calls(...tools: readonly (readonly [name: string, input: object])[]): LlmTurn {
  const named = tools.map(([name, input], index) => ({ id: `call_${name}_${index}`, name, input }));
  return { said: { ...HELLO, text: '', tools: named } };
}

/**
 * One turn for each request, in the order in which they come; what comes after the last gets what
 * the script says.
 */
export function inTurn(...turns: readonly LlmTurn[]): LlmScript['turn'] {
  const left = [...turns];
  return () => left.shift() ?? {};
}

/** A server that speaks both protocols, under `/v1`, and says what it is told to. */
export class LlmServer implements AsyncDisposable {
  readonly requests: LlmServerRequest[] = [];
  readonly script: LlmScript = {
    key: undefined,
    said: HELLO,
    counted: undefined,
    fault: undefined,
    raw: undefined,
    gate: Promise.resolve(),
    beforeEvent: () => undefined,
    cutAfter: Infinity,
    turn: () => ({}),
  };
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #leavers = 0;
  readonly #watchers: (() => void)[] = [];

  static async start(): Promise<LlmServer> {
    const server = new LlmServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** What `baseUrl` is to be. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  get last(): LlmServerRequest {
    const last = this.requests.at(-1);
    if (last === undefined) throw new Error('nobody has asked');
    return last;
  }

  /** As it is at first, and nobody has asked. */
  reset(): void {
    this.requests.length = 0;
    this.#leavers = 0;
    const initial = new LlmServer().script;
    Object.assign(this.script, initial, { key: this.script.key });
  }

  /** When so many have asked. */
  async received(count: number): Promise<void> {
    while (this.requests.length < count) await this.#change();
  }

  /** When so many have left before their answer was whole. */
  async left(count: number): Promise<void> {
    while (this.#leavers < count) await this.#change();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#watchers.push(resolve));
  }

  #changed(): void {
    for (const watcher of this.#watchers.splice(0)) watcher();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.once('close', () => {
      if (response.writableFinished) return;
      this.#leavers++;
      this.#changed();
    });
    const body = (await json(request)) as Record<string, unknown>;
    const path = request.url ?? '';
    const asked = { path, headers: request.headers, body };
    this.requests.push(asked);
    const turn = path === EMBEDDINGS ? {} : this.script.turn(asked);
    this.#changed();
    await (turn.gate ?? this.script.gate);
    const script = { ...this.script, ...turn };
    const fault = script.fault ?? this.#refusal(path, request.headers);
    if (fault !== undefined) {
      const { status, headers, body: text } = fault;
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
      return;
    }
    const isStream = body['stream'] === true;
    const type = isStream ? 'text/event-stream' : 'application/json';
    response.writeHead(200, { 'content-type': type });
    const counted = path === COUNT ? [JSON.stringify({ input_tokens: script.counted })] : undefined;
    const said = script.raw ?? counted ?? words(script.said, asked, isStream);
    await send(said, script, response);
  }

  #refusal(path: string, headers: IncomingMessage['headers']): LlmScript['fault'] {
    const { key, counted } = this.script;
    const isAnthropic = path.startsWith(MESSAGES);
    const given = isAnthropic ? headers['x-api-key'] : headers.authorization;
    if (key !== undefined && given !== (isAnthropic ? key : `Bearer ${key}`)) {
      return faultWith(401, `Incorrect API key provided: ${String(given)}`);
    }
    const counts = counted === undefined ? [] : [COUNT];
    const known = ['/v1/chat/completions', MESSAGES, EMBEDDINGS, ...counts];
    return known.includes(path) ? undefined : faultWith(404, 'There is nothing here.');
  }
}

function words(said: Said, { path, body }: LlmServerRequest, isStream: boolean): string[] {
  const model = String(body['model']);
  if (path === EMBEDDINGS) {
    const data = [{ object: 'embedding', index: 0, embedding: [0.6, 0.8] }];
    const usage = { prompt_tokens: said.inputTokens, total_tokens: said.inputTokens };
    return [JSON.stringify({ object: 'list', model, data, usage })];
  }
  if (path === MESSAGES) {
    return isStream ? anthropicEvents(said, model) : [anthropicAnswer(said, model)];
  }
  const options = body['stream_options'] as { include_usage?: boolean } | undefined;
  return isStream
    ? openAiEvents(said, model, options?.include_usage === true)
    : [openAiAnswer(said, model)];
}

async function send(
  pieces: Iterable<string>,
  { beforeEvent, cutAfter }: LlmScript,
  response: ServerResponse,
): Promise<void> {
  const closed = once(response, 'close');
  let index = 0;
  for (const piece of pieces) {
    await beforeEvent(index);
    if (index++ === cutAfter) {
      response.destroy();
      return;
    }
    if (response.destroyed) return;
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
  }
  response.end();
}

function faultWith(status: number, message: string): NonNullable<LlmScript['fault']> {
  return { status, body: JSON.stringify({ error: { message, type: 'invalid_request_error' } }) };
}
