import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { Logger } from '../logger.ts';

/** A receiver that is away for a night is not told of every few seconds. */
const REPEATED_AFTER_MS = 600_000;

/** What OpenTelemetry says of itself goes to the log, each thing once in ten minutes: an export that fails, above all. */
export function reportFaults(logger: Pick<Logger, 'warn'>): void {
  const told = new Map<string, number>();
  const tell = (message: unknown): void => {
    const text = String(message).slice(0, 500);
    const now = performance.now();
    const before = told.get(text);
    if (before !== undefined && now - before < REPEATED_AFTER_MS) return;
    if (told.size > 100) told.clear();
    told.set(text, now);
    logger.warn({ telemetry: text }, 'telemetry is not exported as it should be');
  };
  const ignore = (): void => {};
  diag.setLogger(
    { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
