import type { ReadTelemetry } from '#config/telemetry-variables.ts';
import type { Logger } from '#observe/logger.ts';
import type { Telemetry } from '#observe/telemetry/telemetry.ts';
import { VERSION } from '../server-status.ts';

/** Only here OpenTelemetry is loaded, and only where somebody has asked for it. */
export async function startTelemetry(
  { settings }: ReadTelemetry,
  logger: Logger,
): Promise<Telemetry | undefined> {
  if (settings === null) return undefined;
  const { openTelemetry } = await import('#observe/telemetry/open-telemetry.ts');
  return openTelemetry({ settings, version: VERSION, logger });
}
