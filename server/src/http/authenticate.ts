import type { FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';

const TOKEN_PARAMETERS = ['token', 'access_token'];
/** The characters of a bearer token (RFC 6750, section 2.1). */
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

const USUAL = /^Bearer [\w.~+/-]+$/;
const USUAL_START = 'Bearer '.length;

/** The token of `Authorization: Bearer`, which is the only place for one (specification, section 5). */
export function bearerToken(request: FastifyRequest, operation: Operation): string {
  const header = request.headers.authorization;
  if (header !== undefined && request.url.includes('?')) {
    refuseTokenInQuery(request.query, operation);
  }
  // As nearly everybody writes it; the groups of a match cost more.
  if (header !== undefined && USUAL.test(header)) return header.slice(USUAL_START);
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1];
  if (token !== undefined) return token;
  throw new Problem(
    'missing_token',
    header === undefined
      ? 'The header Authorization is missing.'
      : 'The header Authorization is not "Bearer <token>".',
  );
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
