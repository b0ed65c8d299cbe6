import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type {
  ReplicaAdmission,
  ReplicaHealth,
  ReplicaOverview,
  ReplicaRegistration,
  ReplicaVerification,
} from '@trellis/contract/shapes/replica.ts';
import { assert, must } from '#base/assert.ts';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { Logger } from '#observe/logger.ts';
import type { Notice } from '#replication/message-shapes.ts';
import type { ReplicaStatus } from '#replication/replica-registry.ts';
import { PublishedSequence } from '../writer/published-sequence.ts';
import type {
  FromPrimary,
  PrimaryOptions,
  PrimaryRequest,
  ReplicationState,
  ToPrimary,
} from './primary-messages.ts';
import { SharedNumber } from './shared-number.ts';
import {
  isSameProof,
  proofOfMasterKey,
  proofOfPrimary,
  proofOfReplica,
} from './registration-proof.ts';

/** Clocks of two machines may differ by so much. */
const REGISTRATION_AGE_MAX_MS = 5 * 60_000;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What a primary is to its replicas (specification, sections 2.7 and 3.1): registration here, the channel in a thread of its own. */
export class PrimaryReplication implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #options: PrimaryOptions;
  readonly #logger: Logger;
  readonly #port: number;
  /** Of the log. */
  readonly #epoch: string;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #publicUrls: readonly string[] = [];
  #onReplicas: () => void = () => undefined;
  #isClosing = false;
  /** Why nothing more can be asked of the thread. */
  #ended: Problem | undefined;

  private constructor(
    worker: Worker,
    options: PrimaryOptions,
    logger: Logger,
    { port, epoch }: { readonly port: number; readonly epoch: string },
  ) {
    this.#worker = worker;
    this.#options = options;
    this.#logger = logger;
    this.#port = port;
    this.#epoch = epoch;
    worker.on('message', (message: FromPrimary) => this.#receive(message));
    worker.on('error', (error) => this.#end(error));
    worker.on('exit', (code) => this.#end(new Error(`the replication thread ended with ${code}`)));
  }

  /** Rejects with `replication_unavailable` when the port is taken. */
  static async open(options: PrimaryOptions, logger: Logger): Promise<PrimaryReplication> {
    const worker = new Worker(new URL('./primary-worker.ts', import.meta.url), {
      workerData: options,
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    const [message] = (await once(worker, 'message')) as [FromPrimary];
    if (message.kind === 'failed') {
      await worker.terminate();
      throw errorOf(message);
    }
    assert(message.kind === 'listening', 'the thread listens before it says anything else');
    return new PrimaryReplication(worker, options, logger, message);
  }

  async register(registration: ReplicaRegistration, address: string): Promise<ReplicaAdmission> {
    const { secret, version } = this.#options;
    const { proof, ...told } = registration;
    if (!isSameProof(proofOfReplica(secret, told), proof)) {
      throw this.#refuse(address, 'invalid secret', '');
    }
    // So that a registration which somebody has recorded is worth nothing.
    if (Math.abs(systemClock.now() - told.time) > REGISTRATION_AGE_MAX_MS) {
      throw this.#refuse(address, 'its clock differs', ': the clocks differ by over five minutes');
    }
    this.#checkMasterKey(told, address);
    this.#checkAddresses(told);
    const { replicaUID, publicAddress, serverAddress, epoch, sequence } = told;
    const registered = await this.#ask<ReplicaStatus>({
      kind: 'register',
      registration: {
        replicaUID,
        publicUrl: publicAddress,
        internalUrl: serverAddress,
        appliedSequence: epoch === this.#epoch ? sequence : 0,
      },
    });
    return {
      replicaName: registered.replicaName,
      replicationPort: this.#port,
      version,
      proof: proofOfPrimary(secret, told.nonce),
    };
  }

  async health(): Promise<ReplicaHealth> {
    if (this.#ended !== undefined) return { isReplica: false, hasReplicas: false };
    const { replicas, lag } = await this.#ask<ReplicationState>({ kind: 'state' });
    return {
      isReplica: false,
      hasReplicas: replicas.length > 0,
      ...lag,
      replicas: replicas.map(({ replicaUID, replicaName, lagVersions }) => ({
        replicaUID,
        replicaName,
        lagVersions,
      })),
    };
  }

  async list(): Promise<ReplicaOverview> {
    const { replicas } = await this.#ask<ReplicationState>({ kind: 'state' });
    return {
      version: this.#options.version,
      epoch: this.#epoch,
      sequence: new PublishedSequence(this.#options.sequence).get(),
      replicas: replicas.map(recordOf),
    };
  }

  /** Throws `verification_running`. */
  verify(): Promise<ReplicaVerification> {
    return this.#ask<ReplicaVerification>({ kind: 'verify' });
  }

  /** Of the registered replicas. */
  publicUrls(): readonly string[] {
    return this.#publicUrls;
  }

  /** Calls the listener when one has registered or was dropped. */
  onReplicas(listener: () => void): void {
    this.#onReplicas = listener;
  }

  /** To every replica, also to those that connect later. */
  announce(notice: Notice): Promise<void> {
    return this.#ask<void>({ kind: 'announce', notice });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosing) return;
    const closed = this.#ask<void>({ kind: 'close' });
    this.#isClosing = true;
    await closed.catch(() => undefined);
    await this.#worker.terminate();
  }

  #refuse(address: string, reason: string, detail: string): Problem {
    this.#logger.warn(`failed connection of a replica from ${address}: ${reason}`);
    const message = `replication is not authenticated${detail}`;
    return new Problem('replication_not_authenticated', message);
  }

  #checkMasterKey({ masterKeyProof }: { masterKeyProof: string }, address: string): void {
    const { secret, masterKey } = this.#options;
    if (isSameProof(proofOfMasterKey(secret, masterKey), masterKeyProof)) return;
    this.#logger.warn(`a replica at ${address} was not registered: its master key differs`);
    const message = 'the master keys of primary and replica differ';
    throw new Problem('replication_master_key_differs', message);
  }

  #checkAddresses(told: Pick<ReplicaRegistration, 'publicAddress' | 'serverAddress'>): void {
    for (const path of ['publicAddress', 'serverAddress'] as const) {
      if (/^https?:\/\/[^/]/.test(told[path]) && URL.canParse(told[path])) continue;
      this.#logger.warn(`a replica was not registered: URI format error in its ${path}`);
      const message = 'must be an http or https URL';
      throw new Problem('invalid_request', `body, ${path}: ${message}`, {
        details: { fields: [{ path, message }] },
      });
    }
  }

  #ask<T>(request: PrimaryRequest): Promise<T> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const id = ++this.#lastId;
    return new Promise<T>((resolve, reject) => {
      // The thread answers each kind of request with its own type: see `primary-worker.ts`.
      this.#waiting.set(id, { resolve: (value) => resolve(value as T), reject });
      this.#worker.postMessage({ ...request, id } satisfies ToPrimary);
    });
  }

  #receive(message: FromPrimary): void {
    switch (message.kind) {
      case 'replicas':
        this.#publicUrls = message.publicUrls;
        this.#onReplicas();
        return;
      case 'note':
        this.#logger[message.level](message.text);
        return;
      case 'done':
        this.#take(message.id).resolve(message.value);
        return;
      case 'failed':
        this.#take(must(message.id, 'the id of a failed request')).reject(errorOf(message));
        return;
      case 'listening':
    }
  }

  #take(id: number): Waiting {
    const waiting = must(this.#waiting.get(id), `request ${id} to the replication thread`);
    this.#waiting.delete(id);
    return waiting;
  }

  /** The workspace is worth more than its replicas: it goes on without them, and keeps no log for them. */
  #end(error: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = new Problem('replication_off', 'Replicas are not served any more: see the log.');
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
    new SharedNumber(this.#options.needed).set(undefined);
    if (!this.#isClosing) this.#logger.error({ err: error }, 'replicas are not served any more');
  }
}

function recordOf(replica: ReplicaStatus): ReplicaOverview['replicas'][number] {
  const { replicaUID, replicaName, publicUrl, internalUrl, version, lagVersions } = replica;
  const { registeredAt, reportedAt, appliedSequence } = replica;
  return {
    replicaUID,
    replicaName,
    publicAddress: publicUrl,
    serverAddress: internalUrl,
    version: version ?? null,
    registeredAt: new Date(registeredAt).toISOString(),
    reportedAt: reportedAt === undefined ? null : new Date(reportedAt).toISOString(),
    appliedSequence,
    lagVersions,
  };
}

function errorOf({ problem, stack }: Extract<FromPrimary, { kind: 'failed' }>): Error {
  if (problem !== null) return Problem.fromMessage(problem);
  const error = new Error('the replication thread failed');
  error.stack = stack;
  return error;
}
