import { operations } from '@trellis/contract/operations/status.ts';
import { administratorOf } from '../administrator.ts';
import { answer } from '../answer.ts';
import { sendJson } from '../route.ts';
import { routesOf } from '../routes-of.ts';
import type { HealthReport, HealthSummary } from '@trellis/contract/shapes/health.ts';

export const statusRoutes = routesOf(operations, {
  getReady: (_input, { status }) => answer(200, status.ready()),
  getAvailableStatus: (_input, { status }) =>
    status.ready() ? answer(200, 'available') : answer(503, 'not available'),
  /** Nobody is refused: a token that is no administrator's, or none any more, is as good as no token. */
  getHealth: {
    operation: operations.getHealth,
    intake: 'json',
    async handle(request, reply, { services }) {
      const report = await services.status.health();
      reply.code(report.ready ? 200 : 503);
      const isAdministrator =
        (await administratorOf(request, operations.getHealth, services)) !== undefined;
      return sendJson(reply, services, isAdministrator ? report : summaryOf(report));
    },
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
