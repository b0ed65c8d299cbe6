import { ask } from './channel.ts';
import { parse, SafeMap, stringify, text } from './primordials.ts';

/** See `FetchOptions` of `@trellis/endpoint`. */
export interface FetchOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | Secret>>;
  readonly body?: string;
}

/** A secret by its name: the host puts in the value, which this realm never has. */
export class Secret {
  readonly #name: string;
  readonly #template: string | undefined;

  constructor(name: string, template: string | undefined) {
    this.#name = name;
    this.#template = template;
  }

  toJSON(): unknown {
    return { secret: this.#name, template: this.#template };
  }

  toString(): string {
    throw new TypeError(
      "secret() is the whole value of a header of fetch(), and no part of a text: write secret('NAME', 'Bearer {}')",
    );
  }
}

interface Received {
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What `fetch` gives: an answer that was read to its end. */
export class FetchAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly headers: FetchHeaders;
  readonly #text: string;

  constructor({ status, statusText, url, headers, text: body }: Received) {
    this.ok = status >= 200 && status < 300;
    this.status = status;
    this.statusText = statusText;
    this.url = url;
    this.headers = new FetchHeaders(headers);
    this.#text = body;
  }

  text(): Promise<string> {
    return Promise.resolve(this.#text);
  }

  async json(): Promise<unknown> {
    return parse(this.#text);
  }
}

class FetchHeaders {
  readonly #values = new SafeMap<string, string>();

  constructor(headers: Readonly<Record<string, string>>) {
    for (const [name, value] of Object.entries(headers)) this.#values.set(name, value);
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }
}

export function fetchFor(
  call: number,
  url: string,
  options?: FetchOptions | null,
): Promise<FetchAnswer> {
  const { method, headers, body } = options ?? {};
  if (body !== undefined && typeof body !== 'string') {
    throw new TypeError('fetch() takes a text as body: JSON.stringify() makes one');
  }
  const request = stringify({ url: text(url), method, headers, body });
  return ask(call, 'fetch', request).then((received) => new FetchAnswer(received as Received));
}
