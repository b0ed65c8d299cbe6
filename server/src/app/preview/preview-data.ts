import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkProgress } from '#backup/work-progress.ts';
import type { Environment } from '#config/config-error.ts';
import { readConfig } from '#config/read-config.ts';
import { SIGNING_KEY_FILE } from '#store/signing-key.ts';
import { openStorage, readingOf } from '../open-storage.ts';
import type { CommandOutcome } from '../command-outcome.ts';
import { restore, type RestoredWorkspace } from '../restore.ts';
import { keepSample, type Sample } from './keep-sample.ts';

export interface PreviewRequest {
  /** As those of `RestoreRequest`. */
  readonly from: string;
  readonly at: string | undefined;
  /** The storage folder. */
  readonly to: string;
  /** At most this many nodes of each type; all when not given. */
  readonly nodesMax: number | undefined;
  /** Whether the key in the backup that signs tokens, and opens secrets, is used. */
  readonly usesSigningKey: boolean;
}

export interface PreviewData {
  readonly restored: RestoredWorkspace;
  /** Undefined when all nodes are kept. */
  readonly sample: Sample | undefined;
}

/** Makes the data of a preview of a backup. The variables are those of the server. */
export async function preparePreview(
  env: Environment,
  { from, at, to, nodesMax, usesSigningKey }: PreviewRequest,
  progress: WorkProgress,
): Promise<CommandOutcome<PreviewData>> {
  const outcome = await restore(env, { from, to, at }, progress);
  if ('failure' in outcome) return outcome;
  const { done: restored } = outcome;
  if (!usesSigningKey) await rm(join(to, SIGNING_KEY_FILE), { force: true });
  if (nodesMax === undefined) return { done: { restored, sample: undefined } };
  return { done: { restored, sample: await sampled(env, { to, nodesMax }, progress) } };
}

async function sampled(
  env: Environment,
  { to, nodesMax }: { readonly to: string; readonly nodesMax: number },
  { signal, report, log }: WorkProgress,
): Promise<Sample> {
  const { config, secrets } = readConfig(env, { opensOlder: true });
  await using state = await openStorage(
    { ...readingOf({ storage: to, config, secrets }), lowMemory: config.lowMemory },
    { onNote: log, onCrash: (error) => log(error.message) },
  );
  const { reader, writer: commits } = state;
  return await keepSample(
    {
      reader,
      commits,
      signal,
      report: (done, total) => report(total === 0 ? 1 : done / total, `Sampling: ${done} deleted`),
    },
    nodesMax,
  );
}
