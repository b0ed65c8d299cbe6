import type { OtlpTarget, ReadTelemetry } from '#config/telemetry-variables.ts';
import type { Logger } from '#observe/logger.ts';
import type { Telemetry } from '#observe/telemetry/telemetry.ts';
import { VERSION } from '../server-status.ts';
import { readTls } from './read-tls.ts';

/** Only here OpenTelemetry is loaded, and only where somebody has asked for it. */
export async function startTelemetry(
  { settings }: ReadTelemetry,
  logger: Logger,
  startFolder: string,
): Promise<Telemetry | undefined> {
  if (settings === null) return undefined;
  const { openTelemetry } = await import('#observe/telemetry/open-telemetry.ts');
  const withTls = (target: OtlpTarget | null) =>
    target && { ...target, tls: readTls(target.tlsFiles, startFolder, logger) };
  const targets = { traces: withTls(settings.traces), metrics: withTls(settings.metrics) };
  return openTelemetry({ settings: { ...settings, ...targets }, version: VERSION, logger });
}
