import { randomBytes } from 'node:crypto';
import { replicaAdmission, type ReplicaAdmission } from '@trellis/contract/shapes/replica.ts';
import { errorBody, errorCodeOf } from '@trellis/contract/errors.ts';
import { systemClock } from '#base/clock.ts';
import { REPLICA_REGISTRATION_TIMEOUT_MS } from '#base/replication-limits.ts';
import { Problem } from '#base/problem.ts';
import type { History } from '#store/history.ts';
import {
  isSameProof,
  proofOfMasterKey,
  proofOfPrimary,
  proofOfReplica,
} from './registration-proof.ts';

export interface RegistrationOptions {
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly primaryAddress: string;
  readonly secret: Uint8Array;
  readonly replicaUID: string;
  readonly publicAddress: string;
  readonly serverAddress: string;
  readonly version: string;
}

const PATH = '/api/replicas/register';

/**
 * Registers with the primary: the key is proved and never sent, and the primary proves that it has
 * it too (specification, section 3.1). Throws `replication_unavailable` when the primary does not
 * answer, `replication_not_authenticated`, and what else the primary says.
 */
export async function registerReplica(
  options: RegistrationOptions,
  history: History | undefined,
): Promise<ReplicaAdmission> {
  const { primaryAddress, secret, replicaUID, publicAddress, serverAddress, version } = options;
  const nonce = randomBytes(32).toString('hex');
  const { epoch = '', sequence = 0 } = history ?? {};
  const masterKeyProof = proofOfMasterKey(secret, options.masterKey);
  const addresses = { publicAddress, serverAddress };
  const told = { replicaUID, ...addresses, version, epoch, sequence, masterKeyProof };
  const registration = { ...told, time: systemClock.now(), nonce };
  const body = { ...registration, proof: proofOfReplica(secret, registration) };
  const answer = await post(primaryAddress + PATH, body);
  const admission = replicaAdmission.safeParse(answer);
  if (!admission.success) {
    throw new Problem('replication_unavailable', `${primaryAddress} is no primary: ${PATH}`);
  }
  if (!isSameProof(proofOfPrimary(secret, nonce), admission.data.proof)) {
    throw new Problem('replication_not_authenticated', 'replication is not authenticated');
  }
  return admission.data;
}

async function post(url: string, body: object): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(REPLICA_REGISTRATION_TIMEOUT_MS),
    });
  } catch (cause) {
    const why = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const message = `the primary does not answer at ${url}: ${String(why)}`;
    throw new Problem('replication_unavailable', message, { cause });
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const refused = errorBody.safeParse(answer);
  if (!refused.success || response.status >= 500) {
    throw new Problem(
      'replication_unavailable',
      `the primary answers ${response.status} at ${url}`,
    );
  }
  const { code, message, hint } = refused.data.error;
  throw new Problem(
    errorCodeOf(code, 'replication_unavailable'),
    `the primary does not register this replica: ${message}`,
    hint === undefined ? {} : { hint },
  );
}
