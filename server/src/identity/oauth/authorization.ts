import { createHash, timingSafeEqual } from 'node:crypto';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { OAUTH_CODE_LIFETIME_MS, OAUTH_REQUEST_LIFETIME_MS } from '#base/sign-in-limits.ts';
import { TextSeal } from '#base/text-seal.ts';
import { isRegisteredRedirect, type OAuthClients } from './oauth-clients.ts';

/** The parameters with which a client sends a browser (RFC 6749, 7636, 8707). */
export interface AuthorizationQuery {
  readonly response_type?: string | undefined;
  readonly client_id?: string | undefined;
  readonly redirect_uri?: string | undefined;
  readonly state?: string | undefined;
  readonly code_challenge?: string | undefined;
  readonly code_challenge_method?: string | undefined;
  readonly resource?: string | undefined;
}

/** A request that was checked, and waits for its user. */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly challenge: string;
  /** URL of the MCP server. */
  readonly resource: string;
  /** URL of this authorization server, as the client knows it. */
  readonly issuer: string;
}

/** What a code stands for. The grant is made when the code is used, under this id. */
export interface AuthorizationCode {
  readonly grantId: string;
  readonly userUid: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly resource: string;
  /** When the user agreed, in milliseconds since the Unix epoch. */
  readonly beganAt: number;
}

interface Ending<Value> {
  /** Milliseconds since the Unix epoch. */
  readonly endsAt: number;
  readonly value: Value;
}

/**
 * Requests and codes, which travel sealed and are kept nowhere: nobody can fill the server with
 * requests that no user ever answers.
 */
export class Authorizations {
  readonly #clients: OAuthClients;
  readonly #clock: Clock;
  readonly #requests: TextSeal;
  readonly #codes: TextSeal;

  constructor(signingKey: string, clients: OAuthClients, clock: Clock) {
    this.#clients = clients;
    this.#clock = clock;
    this.#requests = TextSeal.for('oauth-request', signingKey);
    this.#codes = TextSeal.for('oauth-code', signingKey);
  }

  /**
   * The sealed request; or where to send the browser back at once, with what is wrong. Throws
   * `invalid_client` and `invalid_redirect_uri`: then nobody knows where to send the browser; and
   * `invalid_request` where no user has said yes to going there.
   */
  begin(
    query: AuthorizationQuery,
    at: { readonly issuer: string; readonly resources: readonly string[] },
  ): { readonly request: string } | { readonly location: string } {
    const client = this.#clients.find(query.client_id ?? '');
    const redirectUri = query.redirect_uri ?? '';
    if (!isRegisteredRedirect(client, redirectUri)) {
      throw new Problem('invalid_redirect_uri', 'The client has not registered this redirect_uri.');
    }
    const { issuer } = at;
    const state = query.state ?? null;
    const back = { redirectUri, state, issuer };
    const resource = resourceOf(query.resource, at.resources);
    const fault = faultOf(query) ?? faultOfTarget(resource, at.resources);
    if (fault !== undefined) {
      if (!this.#clients.mayLeadTo(client, redirectUri)) throw faultHere(fault);
      return { location: answerOf(back, fault) };
    }
    const request: AuthorizationRequest = {
      ...back,
      clientId: client.id,
      clientName: client.name,
      challenge: query.code_challenge ?? '',
      resource: must(resource, 'the resource of a request without a fault'),
    };
    return { request: this.#seal(this.#requests, request, OAUTH_REQUEST_LIFETIME_MS) };
  }

  /** Throws `oauth_request_invalid`. */
  open(request: string): AuthorizationRequest {
    const opened = this.#open<AuthorizationRequest>(this.#requests, request);
    if (opened === undefined || opened.isOver) {
      throw new Problem(
        'oauth_request_invalid',
        'This request is not under way here, or no longer.',
      );
    }
    return opened.value;
  }

  issueCode(code: AuthorizationCode): string {
    return this.#seal(this.#codes, code, OAUTH_CODE_LIFETIME_MS);
  }

  /** Undefined unless it was issued here. It may be used or over. */
  openCode(code: string): { value: AuthorizationCode; isOver: boolean } | undefined {
    return this.#open<AuthorizationCode>(this.#codes, code);
  }

  #seal<Value>(seal: TextSeal, value: Value, lifetimeMs: number): string {
    const ending: Ending<Value> = { endsAt: this.#clock.now() + lifetimeMs, value };
    return seal.seal(JSON.stringify(ending));
  }

  #open<Value>(seal: TextSeal, text: string): { value: Value; isOver: boolean } | undefined {
    const opened = seal.open(text);
    if (opened === undefined) return undefined;
    const { endsAt, value }: Ending<Value> = JSON.parse(opened.text);
    return { value, isOver: endsAt <= this.#clock.now() };
  }
}

/** SHA-256 in base64url, as a client makes its challenge of its verifier (RFC 7636). */
const CHALLENGE = /^[\w-]{43}$/;
const VERIFIER = /^[\w.~-]{43,128}$/;

type Fault = Readonly<Record<'error' | 'error_description', string>>;

function faultOf(query: AuthorizationQuery): Fault | undefined {
  if (query.response_type !== 'code') {
    return { error: 'unsupported_response_type', error_description: 'response_type must be code' };
  }
  if (query.code_challenge_method === 'S256' && CHALLENGE.test(query.code_challenge ?? '')) {
    return undefined;
  }
  const error_description = 'code_challenge is needed, with code_challenge_method=S256';
  return { error: 'invalid_request', error_description };
}

function faultOfTarget(
  resource: string | undefined,
  resources: readonly string[],
): Fault | undefined {
  if (resource !== undefined) return undefined;
  return { error: 'invalid_target', error_description: `resource must be ${resources[0]}` };
}

/** The fault told on the server's own page. */
function faultHere({ error, error_description }: Fault): Problem {
  const message = `${error}: ${error_description}`;
  const [path = ''] = error_description.split(' ');
  return new Problem('invalid_request', `query, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}

/** The server's own when none is asked for; undefined for one that is not this workspace's. */
export function resourceOf(
  asked: string | undefined,
  resources: readonly string[],
): string | undefined {
  if (asked === undefined) return resources[0];
  return resources.find((one) => one === asked || `${one}/` === asked);
}

export function isVerifierOf(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false;
  const made = createHash('sha256').update(verifier).digest();
  const wanted = Buffer.from(challenge, 'base64url');
  return made.length === wanted.length && timingSafeEqual(made, wanted);
}

/** Where to send the browser with an answer (RFC 6749, section 4.1.2; RFC 9207). */
export function answerOf(
  { redirectUri, state, issuer }: Pick<AuthorizationRequest, 'redirectUri' | 'state' | 'issuer'>,
  answer: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.append(name, value);
  if (state !== null) url.searchParams.append('state', state);
  url.searchParams.append('iss', issuer);
  return url.href;
}
