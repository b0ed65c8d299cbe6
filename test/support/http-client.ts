import { ADMIN_PASSWORD } from './trellis-process.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when there is none or it is not JSON. */
  readonly json: unknown;
}

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Plain requests, so that tests see what any client sees. */
export class HttpClient {
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  async send(call: Call): Promise<Answer> {
    const isRaw = typeof call.body === 'string' || call.body instanceof Uint8Array;
    const response = await fetch(new URL(call.path, this.#baseUrl), {
      method: call.method ?? (call.body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
        ...call.headers,
      },
      ...(call.body === undefined
        ? {}
        : {
            body: isRaw
              ? (call.body as NonNullable<RequestInit['body']>)
              : JSON.stringify(call.body),
          }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  }

  async signIn(user = 'admin', password = ADMIN_PASSWORD): Promise<string> {
    const answer = await this.send({ path: '/api/login/create', body: { user, password } });
    if (answer.status !== 200) throw new Error(`sign-in answered ${answer.status}: ${answer.text}`);
    return field(answer.json, 'token');
  }
}

/** A member, by path; undefined when there is none. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null
        ? Object.getOwnPropertyDescriptor(at, name)?.value
        : undefined,
    value,
  );
}

/** A string member, by path. */
export function field(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  if (typeof found !== 'string')
    throw new Error(`no string at ${path.join('.')} in ${JSON.stringify(value)}`);
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
