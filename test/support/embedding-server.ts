import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface EmbeddingRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly encodingFormat: string | undefined;
  readonly authorization: string | undefined;
  readonly path: string;
}

export interface EmbeddingFault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** As the server writes it. */
  readonly body?: string;
}

/** What a test may change at any time. */
export interface EmbeddingScript {
  dimensions: number;
  /** What `encoding_format` does: `refused` answers 400 to it, `ignored` answers numbers. */
  format: 'known' | 'ignored' | 'refused';
  /** What the header Authorization must be; undefined takes any. */
  authorization: string | undefined;
  /** More are refused. */
  textsMax: number;
  /** Texts that are refused, with 400. */
  isRefused: (text: string) => boolean;
  /** Undefined takes every model; others are not found. */
  models: readonly string[] | undefined;
  /** Instead of vectors. */
  fault: EmbeddingFault | undefined;
  /** Waited for before each answer. */
  gate: Promise<void>;
  /** Changes an answer before it is sent. */
  edit: (answer: { data: unknown }) => unknown;
}

/** A server that speaks OpenAI's protocol for embeddings. Its vectors are those of `wordVector`. */
export class EmbeddingServer implements AsyncDisposable {
  readonly requests: EmbeddingRequest[] = [];
  readonly script: EmbeddingScript = {
    dimensions: 64,
    format: 'known',
    authorization: undefined,
    textsMax: Infinity,
    isRefused: () => false,
    models: undefined,
    fault: undefined,
    gate: Promise.resolve(),
    edit: (answer) => answer,
  };
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #arrivals: (() => void)[] = [];

  static async start(): Promise<EmbeddingServer> {
    const server = new EmbeddingServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** What `baseUrl` is to be. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** All that were asked for, in the order in which they came. */
  get texts(): string[] {
    return this.requests.flatMap(({ input }) => input);
  }

  /** When there are so many requests. */
  async received(count: number): Promise<void> {
    while (this.requests.length < count) {
      await new Promise<void>((resolve) => this.#arrivals.push(resolve));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await json(request)) as {
      model: string;
      input: string | readonly string[];
      encoding_format?: string;
    };
    const asked: EmbeddingRequest = {
      model: body.model,
      input: typeof body.input === 'string' ? [body.input] : body.input,
      encodingFormat: body.encoding_format,
      authorization: request.headers.authorization,
      path: request.url ?? '',
    };
    this.requests.push(asked);
    for (const arrived of this.#arrivals.splice(0)) arrived();
    await this.script.gate;
    const { status, headers, body: answer } = this.#respond(asked);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(answer);
  }

  #respond(asked: EmbeddingRequest): EmbeddingFault {
    const { script } = this;
    const { model, input, encodingFormat, authorization } = asked;
    if (script.fault !== undefined) return script.fault;
    if (script.authorization !== undefined && authorization !== script.authorization) {
      return fault(401, `Incorrect API key provided: ${authorization}`);
    }
    if (asked.path !== '/v1/embeddings') return fault(404, 'There is nothing here.');
    if (script.models?.includes(model) === false) {
      return fault(404, `The model "${model}" does not exist.`);
    }
    if (script.format === 'refused' && encodingFormat !== undefined) {
      return fault(400, 'Unrecognized request argument supplied: encoding_format');
    }
    if (input.length > script.textsMax) return fault(422, `more than ${script.textsMax} texts`);
    if (input.some(script.isRefused)) return fault(400, 'An input is too long.');
    const isBase64 = script.format === 'known' && encodingFormat === 'base64';
    const data = input.map((one, index) => {
      const vector = wordVector(one, script.dimensions);
      const embedding = isBase64 ? base64Of(vector) : vector;
      return { object: 'embedding', index, embedding };
    });
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    const answer = script.edit({ object: 'list', model, data, usage } as { data: unknown });
    return { status: 200, body: typeof answer === 'string' ? answer : JSON.stringify(answer) };
  }
}

function fault(status: number, message: string): EmbeddingFault {
  return { status, body: JSON.stringify({ error: { message, type: 'invalid_request_error' } }) };
}

/**
 * The words of a text and the trigrams of their letters, hashed into dimensions with a sign each
 * (Weinberger et al., Feature Hashing for Large Scale Multitask Learning, 2009): the more two texts
 * have in common, the nearer they are. The vector is not normalized.
 */
export function wordVector(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  const add = (feature: string, weight: number): void => {
    const hash = hashOf(feature);
    vector[hash % dimensions]! += hash & 0x4000_0000 ? weight : -weight;
  };
  // So that no text is the zero vector.
  add('', 0.01);
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    add(word, 2);
    const padded = `^${word}$`;
    for (let i = 0; i + 3 <= padded.length; i++) add(padded.slice(i, i + 3), 1);
  }
  return vector;
}

/** FNV-1a, 32 bits, mixed once more so that all its bits depend on all letters. */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function base64Of(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}
