import type { FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';

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
