import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Caller } from '#access/caller.ts';
import { type PrimaryAddress, requirePrimary } from '#base/primary-address.ts';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { MIN_SEQUENCE } from './headers.ts';
import type { HttpServices } from './services.ts';
import { disconnectSignal } from './live-answers.ts';
import { unreachable } from '#base/assert.ts';
import { scopesOf } from '@trellis/contract/rights.ts';

export interface GateOptions {
  /** Null on a primary, which redirects nothing. */
  readonly primaryAddress: PrimaryAddress | null;
  readonly minSequenceWaitMs: number;
}

export type Gate = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
) => void;

/**
 * The checks before the body of a request is read, in this order: the server is ready; a replica
 * may serve the operation, or redirects a known caller to the primary; the encoding is known; the
 * state is recent enough, also to know the caller; the caller is known and allowed. One function,
 * without promises where possible, because every call passes here.
 */
export function createGate(
  operation: Operation,
  services: HttpServices,
  options: GateOptions,
): Gate {
  const { auth } = operation;
  // Anybody may ask for the status of the server at any time.
  if (operation.area === 'status') return (_request, _reply, done) => done();
  const redirectTo = operation.onReplica === 'redirect' ? options.primaryAddress : null;

  return (request, reply, done) => {
    request.response = reply.raw;
    const admit = (caller: Caller | null): void => {
      if (caller !== null) authorize(operation, caller);
      request.caller = caller;
      done();
    };
    const identify = (then: (caller: Caller | null) => void): void => {
      if (auth === 'none') {
        then(null);
        return;
      }
      then(services.identity.authenticate(bearerToken(request, operation)));
    };
    try {
      if (!services.status.ready()) throw new Problem('not_ready', 'The graph is not loaded yet.');
      // Only operations that ask for a caller wait for a sequence.
      const isAhead = auth !== 'none' && request.headers[MIN_SEQUENCE] !== undefined;
      if (isAhead) services.identity.verify(bearerToken(request, operation));
      if (redirectTo !== null) {
        const redirect = (): void => {
          reply
            .code(303)
            .header('location', requirePrimary(redirectTo) + request.url)
            .send();
        };
        // The caller has seen a newer state than this replica: only the primary can tell who it is.
        if (isAhead) redirect();
        else identify(redirect);
        return;
      }
      refuseEncoding(operation, request);
      const waiting = awaitMinSequence(request, reply, services, options.minSequenceWaitMs);
      if (waiting === undefined) identify(admit);
      else waiting.then(() => identify(admit)).catch(done);
    } catch (error) {
      done(error instanceof Error ? error : new Error('a gate threw no error', { cause: error }));
    }
  };
}

function refuseEncoding(operation: Operation, request: FastifyRequest): void {
  const encoding = request.headers['content-encoding']?.toLowerCase();
  if (encoding === undefined || encoding === 'identity') return;
  if (operation.gzip === true && encoding === 'gzip') return;
  const supported = operation.gzip === true ? ['gzip', 'identity'] : ['identity'];
  throw new Problem('unsupported_encoding', `Content-Encoding "${encoding}" is not taken here.`, {
    details: { supported },
  });
}

/**
 * Holds a request until the state has reached the sequence in `X-MSK-Min-Sequence` (open-shapes,
 * section 2). It answers no promise when there is nothing to wait for, so that the common case
 * costs no turn.
 */
function awaitMinSequence(
  request: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
  waitMs: number,
): Promise<void> | undefined {
  const header = request.headers[MIN_SEQUENCE];
  if (header === undefined) return undefined;
  const wanted = typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : null;
  if (wanted === null) {
    const message = 'must be a whole number';
    throw new Problem('invalid_request', 'The header X-MSK-Min-Sequence is not a sequence.', {
      details: { fields: [{ path: 'X-MSK-Min-Sequence', message }] },
    });
  }
  if (services.sequence() >= wanted) return undefined;
  return reach(wanted, reply, services, waitMs);
}

async function reach(
  wanted: number,
  reply: FastifyReply,
  services: HttpServices,
  waitMs: number,
): Promise<void> {
  if (await services.waitForSequence(wanted, waitMs, disconnectSignal(reply))) return;
  throw new Problem('replica_behind', `Sequence ${wanted} has not arrived here yet.`, {
    details: { sequence: services.sequence() },
  });
}

const TOKEN_PARAMETERS = ['token', 'access_token'];
/** The characters of a bearer token (RFC 6750, section 2.1). */
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

/** Longer tokens are not remembered: many connections must not take much memory. */
const REMEMBERED_CHARACTERS_MAX = 1_024;

/** The last token of a connection, and its caller. */
interface LastBearer {
  readonly header: string;
  readonly token: string;
}

/**
 * By connection, since nearly every request of one brings the same token. To check each letter of a
 * token, and to hash it for the lookup, takes a twentieth of a small call; to compare it takes next
 * to nothing.
 */
const lastBearers = new WeakMap<FastifyRequest['socket'], LastBearer>();

/**
 * The token of `Authorization: Bearer`, which is the only place for one (specification, section 5)
 * but for operations that name a header of another protocol.
 */
export function bearerToken(request: FastifyRequest, operation: Operation): string {
  const header = request.headers.authorization;
  if (header !== undefined && request.url.includes('?')) {
    refuseTokenInQuery(request.query, operation);
  }
  const last = lastBearers.get(request.socket);
  if (last !== undefined && last.header === header) return last.token;
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1];
  if (header !== undefined && token !== undefined) {
    if (header.length <= REMEMBERED_CHARACTERS_MAX) {
      lastBearers.set(request.socket, { header, token });
    }
    return token;
  }
  const other = header === undefined ? otherToken(request, operation) : undefined;
  if (other !== undefined) return other;
  throw new Problem(
    'missing_token',
    header === undefined
      ? 'The header Authorization is missing.'
      : 'The header Authorization is not "Bearer <token>".',
  );
}

/** The characters of a token without anything around it. */
const TOKEN = /^[\w.~+/-]+=*$/;

function otherToken(request: FastifyRequest, operation: Operation): string | undefined {
  const { tokenHeader } = operation;
  const token = tokenHeader === undefined ? undefined : request.headers[tokenHeader];
  if (typeof token !== 'string' || !TOKEN.test(token)) return undefined;
  if (request.url.includes('?')) refuseTokenInQuery(request.query, operation);
  return token;
}

function refuseTokenInQuery(query: unknown, operation: Operation): void {
  if (typeof query !== 'object' || query === null) return;
  for (const name of TOKEN_PARAMETERS) {
    // The operation may have a parameter of that name that is no token.
    const isItsOwn = operation.query !== undefined && name in operation.query.shape;
    if (name in query && !isItsOwn) {
      throw new Problem('token_in_query', `The query string has the parameter "${name}".`);
    }
  }
}

/** The members of an operation that say who may call it. */
type Guarded = Pick<Operation, 'id' | 'auth' | 'role' | 'scope' | 'tokens' | 'noGuests'>;

/**
 * Throws `forbidden`, naming what is missing, unless the caller may call the operation
 * (specification, section 4). A token passes by its scope or its kind alone: what the user it acts
 * as may do, a session of that user may do.
 */
export function authorize(operation: Guarded, caller: Caller): void {
  const isAllowed =
    caller.kind === 'session'
      ? hasRole(operation, caller)
      : hasScope(operation, caller) || operation.tokens?.includes(caller.kind) === true;
  if (!isAllowed || (operation.noGuests === true && caller.isGuest)) throw forbidden(operation);
}

function hasScope(operation: Guarded, { scopes }: Caller): boolean {
  return scopesOf(operation).some(
    (scope) =>
      scopes.includes(scope) ||
      // Access data is ingested "additionally" (specification, section 2.2): that scope holds the
      // other.
      (scope === 'ingestion' && scopes.includes('ingestion:acl')),
  );
}

/** Whether the user of a session has the rights that the operation needs. */
export function hasRole({ auth, role }: Pick<Guarded, 'auth' | 'role'>, caller: Caller): boolean {
  const holdsRole = role !== undefined && caller.roles.includes(role);
  switch (auth) {
    case 'none':
    case 'session':
      return true;
    case 'admin':
      return caller.isAdmin || caller.isReadOnlyAdmin || holdsRole;
    case 'admin-write':
      return (caller.isAdmin || holdsRole) && !caller.isReadOnlyAdmin;
    case 'token':
      return false;
    default:
      return unreachable(auth);
  }
}

const NEEDED = {
  none: 'nobody in particular',
  session: 'a signed-in user',
  admin: 'a system administrator',
  'admin-write': 'a system administrator with write access',
  token: null,
} as const;

function forbidden(operation: Guarded): Problem {
  const { id, auth, role, scope, tokens, noGuests } = operation;
  const scopes = scopesOf(operation).map((one) => `"${one}"`);
  const needed = [
    NEEDED[auth] && `${NEEDED[auth]}${noGuests === true ? ' who is no guest' : ''}`,
    role && `the role ${role}`,
    scopes.length > 0 && `a token with the scope ${scopes.join(' or ')}`,
    tokens && `a token of kind ${tokens.map((kind) => `"${kind}"`).join(' or ')}`,
  ].filter((need) => typeof need === 'string');
  return new Problem('forbidden', `${id} needs ${needed.join(', or ')}.`, {
    details: {
      ...(auth === 'token' ? {} : { role: role ?? auth }),
      ...(scope === undefined ? {} : { scope }),
      ...(tokens === undefined ? {} : { tokens }),
      ...(noGuests === undefined ? {} : { noGuests }),
    },
  });
}
