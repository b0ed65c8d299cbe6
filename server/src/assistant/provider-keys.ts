import { Problem } from '#base/problem.ts';
import type { CommitRequest } from '#graph/operations.ts';

/** Secrets at rest, always as of the newest commit. */
export interface SecretReader {
  get(key: string): Uint8Array | undefined;
}

/** For a commit; a key that is null is removed. It is kept with the server that it was given for. */
export function keyRecord(
  purpose: string,
  baseUrl: string,
  apiKey: string | null,
): NonNullable<CommitRequest['vault']>[number] {
  const record = Buffer.from(JSON.stringify({ baseUrl, apiKey }), 'utf8');
  return { key: recordKey(purpose), value: apiKey === null ? null : record.toString('base64') };
}

/** Null when there is none for this server. */
export function storedKey(secrets: SecretReader, purpose: string, baseUrl: string): string | null {
  const key = recordKey(purpose);
  const bytes = secrets.get(key);
  if (bytes === undefined) return null;
  const record: { baseUrl?: unknown; apiKey?: unknown } = JSON.parse(Buffer.from(bytes).toString());
  if (typeof record.baseUrl !== 'string' || typeof record.apiKey !== 'string') {
    throw new Problem('storage_failed', `the vault's record ${key} is not readable`);
  }
  return record.baseUrl === baseUrl ? record.apiKey : null;
}

function recordKey(purpose: string): string {
  return `ai-secret/${purpose}`;
}
