import type { HealthReport, HealthSummary } from '@trellis/contract/shapes/health.ts';
import { callTo } from '../operation-methods.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** The check of a load balancer; not being available is an answer, not an error. */
export async function getAvailable(
  transport: Transport,
  options?: CallOptions,
): Promise<'available' | 'not available'> {
  const call = { ...callTo('status', 'getAvailable'), answers: [503], ...options };
  const { response } = await transport.send(call);
  return response.ok ? 'available' : 'not available';
}

/** Memory, disk and readiness; a server that is not ready yet answers too. */
export function getHealth(
  transport: Transport,
  options?: CallOptions,
): Promise<HealthReport | HealthSummary> {
  return transport.json({ ...callTo('status', 'getHealth'), answers: [503], ...options });
}
