import { request } from 'node:http';

export interface SignInTry {
  readonly user: string;
  readonly password: string;
  /** An address of the loopback network, which stands for another machine. */
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SignInAnswer {
  readonly status: number;
  readonly retryAfter: number | undefined;
  /** What the browser keeps, as it sends it again. */
  readonly cookie: string | undefined;
  readonly setCookie: string;
  readonly text: string;
}

/** A sign-in from an address of its own: `fetch` has only one. */
export function signInFrom(url: string, attempt: SignInTry): Promise<SignInAnswer> {
  const { user, password, from = '127.0.0.1', headers = {} } = attempt;
  const { promise, resolve, reject } = Promise.withResolvers<SignInAnswer>();
  const sent = request(
    new URL('/api/login/create', url),
    {
      method: 'POST',
      localAddress: from,
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
    },
    (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const retryAfter = response.headers['retry-after'];
        const setCookie = response.headers['set-cookie']?.join('\n') ?? '';
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
          cookie: /^[^;]+/.exec(setCookie)?.[0],
          setCookie,
          text,
        });
      });
    },
  );
  sent.on('error', reject);
  sent.end(JSON.stringify({ user, password }));
  return promise;
}
