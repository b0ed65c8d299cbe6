import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type {
  NamedFile,
  NamedTarget,
  OtlpTlsFiles,
  ReadTelemetry,
} from '#observe/telemetry/telemetry-variables.ts';
import type { Logger } from '#observe/logger.ts';
import type { OtlpTls } from '#observe/telemetry/otlp.ts';
import type { Telemetry } from '#observe/telemetry/telemetry.ts';
import { VERSION } from '../server-status.ts';

/** Only here OpenTelemetry is loaded, and only where somebody has asked for it. */
export async function startTelemetry(
  { settings }: ReadTelemetry,
  logger: Logger,
  startFolder: string,
): Promise<Telemetry | undefined> {
  if (settings === null) return undefined;
  const { openTelemetry } = await import('#observe/telemetry/open-telemetry.ts');
  const withTls = (target: NamedTarget | null) =>
    target && { ...target, tls: readTls(target.tlsFiles, startFolder, logger) };
  const targets = { traces: withTls(settings.traces), metrics: withTls(settings.metrics) };
  return openTelemetry({ settings: { ...settings, ...targets }, version: VERSION, logger });
}

/**
 * What `OTEL_EXPORTER_OTLP_*CERTIFICATE` and `_CLIENT_KEY` name, relative to the folder that the
 * server was started in. By the standard, what cannot be used is as if it were not set: a warning
 * says so, and the server starts.
 */
function readTls(
  { ca, certificate, key }: OtlpTlsFiles,
  startFolder: string,
  logger: Pick<Logger, 'warn'>,
): OtlpTls {
  const refuse = (variables: string, problem: string): undefined => {
    logger.warn(`${variables} ${problem}: it is taken as not set.`);
  };
  const read = (file: NamedFile): Buffer | undefined => {
    try {
      return readFileSync(resolve(startFolder, file.path));
    } catch {
      return refuse(file.variable, 'names a file that cannot be read');
    }
  };
  const trusted = ca && read(ca);
  const isTrusted = trusted !== undefined && isCertificate(trusted);
  if (trusted !== undefined && !isTrusted) {
    refuse(ca?.variable ?? '', 'names a file that is no certificate in PEM');
  }
  const client = clientOf(certificate, key, read, refuse);
  return { ...(isTrusted ? { ca: trusted } : {}), ...client };
}

function clientOf(
  certificate: NamedFile | undefined,
  key: NamedFile | undefined,
  read: (file: NamedFile) => Buffer | undefined,
  refuse: (variables: string, problem: string) => undefined,
): OtlpTls {
  if (certificate === undefined && key === undefined) return {};
  if (certificate === undefined || key === undefined) {
    refuse((certificate ?? key)?.variable ?? '', 'needs the other of certificate and key');
    return {};
  }
  const cert = read(certificate);
  const secret = read(key);
  if (cert === undefined || secret === undefined) return {};
  const pair = { cert, key: secret };
  if (isPair(pair)) return pair;
  refuse(
    `${certificate.variable} with ${key.variable}`,
    'is no certificate with its key, both in PEM',
  );
  return {};
}

function isCertificate(pem: Buffer): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function isPair(pair: { readonly cert: Buffer; readonly key: Buffer }): boolean {
  try {
    createSecureContext(pair);
    return true;
  } catch {
    return false;
  }
}
