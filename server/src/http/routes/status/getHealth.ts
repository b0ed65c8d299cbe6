import { getHealth as operation } from '@trellis/contract/operations/status.ts';
import type { HealthReport, HealthSummary } from '@trellis/contract/shapes/health.ts';
import { administratorOf } from '../../administrator.ts';
import { sendJson, type Route } from '../../route.ts';

/** Nobody is refused: a token that is no administrator's, or none any more, is as good as no token. */
export const getHealth: Route = {
  operation,
  intake: 'json',
  async handle(request, reply, { services }) {
    const report = await services.status.health();
    reply.code(report.ready ? 200 : 503);
    const isAdministrator = (await administratorOf(request, operation, services)) !== undefined;
    return sendJson(reply, services, isAdministrator ? report : summaryOf(report));
  },
};

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
