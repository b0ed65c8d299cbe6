import { TrellisError, type TrellisErrorFields } from '@trellis/client/trellis-error.ts';

/**
 * For a `ConnectorClient` that calls no server over HTTP: what a run takes for the refusal of a
 * workspace.
 */
export function workspaceRefusal(message: string, fields: TrellisErrorFields): Error {
  return new TrellisError(message, fields);
}

/** The code of a workspace's refusal; undefined for any other error. */
export function refusalCode(error: unknown): string | undefined {
  return error instanceof TrellisError ? error.code : undefined;
}
