import { createSign, generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startLoopback } from './loopback-server.ts';

/** A provider that answers whatever a test wants it to, signed with its key or with another one. */
export interface ForgingIdp extends AsyncDisposable {
  readonly issuer: string;
  /** Bodies of the requests to the token endpoint. */
  readonly tokenRequests: string[];
  /** The answers to come. */
  answer: Forgery;
}

export interface Forgery {
  /** Claims of the ID token; they replace good ones. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly key?: 'own' | 'foreign';
  readonly algorithm?: 'RS256' | 'none';
  /** Instead of tokens. */
  readonly redirect?: string;
}

export async function startForgingIdp(): Promise<ForgingIdp> {
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const tokenRequests: string[] = [];
  const idp: { answer: Forgery } = { answer: { claims: {} } };
  const server = await startLoopback((issuer) => async (request, response) => {
    const path = new URL(request.url ?? '', issuer).pathname;
    if (path === '/.well-known/openid-configuration') return sendJson(response, metadata(issuer));
    if (path === '/jwks') {
      const jwk = {
        ...own.publicKey.export({ format: 'jwk' }),
        kid: '1',
        use: 'sig',
        alg: 'RS256',
      };
      return sendJson(response, { keys: [jwk] });
    }
    if (path !== '/token') return void response.writeHead(404).end();
    tokenRequests.push(await bodyOf(request));
    const { claims, key = 'own', algorithm = 'RS256', redirect } = idp.answer;
    if (redirect !== undefined) return void response.writeHead(307, { location: redirect }).end();
    const now = Math.floor(Date.now() / 1_000);
    const payload = { iss: issuer, sub: 'mallory', aud: 'trellis', iat: now, exp: now + 60 };
    const header = { alg: algorithm, ...(algorithm === 'none' ? {} : { kid: '1' }) };
    const signed = `${encode(header)}.${encode({ ...payload, ...claims })}`;
    const { privateKey } = key === 'own' ? own : foreign;
    const signature = createSign('sha256').update(signed).sign(privateKey).toString('base64url');
    return sendJson(response, {
      access_token: 'an-access-token-of-the-provider',
      token_type: 'bearer',
      id_token: `${signed}.${algorithm === 'none' ? '' : signature}`,
    });
  });
  return Object.assign(idp, {
    issuer: server.url,
    tokenRequests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  });
}

function metadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
