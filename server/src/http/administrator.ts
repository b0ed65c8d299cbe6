import type { FastifyRequest } from 'fastify';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { bearerToken } from './authenticate.ts';
import type { HttpServices } from './services.ts';

/**
 * Who asks an operation that anybody may call, when it is an administrator, or a token for administration; undefined for everybody
 * else, and while nobody can be told apart yet.
 */
export async function administratorOf(
  request: FastifyRequest,
  operation: Operation,
  services: HttpServices,
): Promise<Caller | undefined> {
  if (request.headers.authorization === undefined || !services.status.ready()) return undefined;
  try {
    const caller = await services.identity.authenticate(bearerToken(request, operation));
    return isForAdministration(caller) ? caller : undefined;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function isForAdministration({ isAdmin, isReadOnlyAdmin, scopes }: Caller): boolean {
  return isAdmin || isReadOnlyAdmin || scopes.some((scope) => scope.startsWith('admin:'));
}
