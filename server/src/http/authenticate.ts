import type { FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';

const TOKEN_PARAMETERS = ['token', 'access_token'];
/** The characters of a bearer token (RFC 6750, section 2.1). */
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

/** Strangers with many connections must not take much memory by what they say. */
const REMEMBERED_CHARACTERS_MAX = 1_024;

/** What a connection said last of who calls. */
interface LastBearer {
  readonly header: string;
  readonly token: string;
}

/**
 * By connection, which says the same of who calls with nearly every request. A token is long: to
 * look at each of its letters, and to compute the hash by which it is looked up, takes a twentieth
 * of a small call, to compare it next to nothing.
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
    // An operation may have a parameter of that name which is no token of ours.
    const isItsOwn = operation.query !== undefined && name in operation.query.shape;
    if (name in query && !isItsOwn) {
      throw new Problem('token_in_query', `The query string has the parameter "${name}".`);
    }
  }
}
