import type { FastifyRequest } from 'fastify';
import { operations } from '@trellis/contract/operations/status.ts';
import type { HealthReport, HealthSummary } from '@trellis/contract/shapes/health.ts';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { answer, routesOf, sendJson } from '../route.ts';
import { bearerToken } from '../gate.ts';
import { TERM } from '../headers.ts';
import type { HttpServices } from '../services.ts';

/**
 * The caller of an operation that anybody may call, when it is an administrator or a token for
 * administration. Undefined for everybody else, and while callers cannot be known yet.
 */
function administratorOf(
  request: FastifyRequest,
  operation: Operation,
  services: HttpServices,
): Caller | undefined {
  if (request.headers.authorization === undefined || !services.status.ready()) return undefined;
  try {
    const caller = services.identity.authenticate(bearerToken(request, operation));
    return isForAdministration(caller) ? caller : undefined;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function isForAdministration({ isAdmin, isReadOnlyAdmin, scopes }: Caller): boolean {
  return isAdmin || isReadOnlyAdmin || scopes.some((scope) => scope.startsWith('admin:'));
}

export const statusRoutes = routesOf(operations, {
  getReady: (_input, { status }) => answer(200, status.ready()),
  getAvailableStatus: (_input, { status }) =>
    status.ready() ? answer(200, 'available') : answer(503, 'not available'),
  /** Nobody is refused: a token without rights of an administrator counts as no token. */
  getHealth: {
    operation: operations.getHealth,
    intake: 'json',
    async handle(request, reply, { services }) {
      const report = await services.status.health();
      reply.code(report.ready ? 200 : 503);
      const isAdministrator =
        administratorOf(request, operations.getHealth, services) !== undefined;
      return sendJson(reply, services, isAdministrator ? report : summaryOf(report));
    },
  },
  getPrimaryHealth: (_input, { status }) => {
    const term = status.term();
    const headers: Record<string, string> = term === undefined ? {} : { [TERM]: String(term) };
    return status.isPrimary()
      ? answer(200, 'primary', headers)
      : answer(503, 'not primary', headers);
  },
  getReplicaHealth: async (_input, { status }) => answer(200, await status.replication()),
});

function summaryOf({
  status,
  ready,
  uptimeSeconds,
  role,
  memory,
  disk,
}: HealthReport): HealthSummary {
  return {
    status,
    ready,
    uptimeSeconds,
    role,
    memory: { status: memory.status },
    disk: { status: disk?.status ?? 'failed' },
  };
}
