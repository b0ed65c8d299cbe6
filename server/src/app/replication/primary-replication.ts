import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
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
import { systemTimers } from '#base/timers.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import { Followers } from '#log/followers.ts';
import type { Logger } from '#observe/logger.ts';
import type { AnswerEmbed, EmbedRequest } from '#replication/embed-call.ts';
import type { Notice } from '#replication/message-shapes.ts';
import type { ReplicaStatus } from '#replication/replica-registry.ts';
import { startThread } from '../start-thread.ts';
import { errorOf, failureOf } from '../thread-failure.ts';
import { ThreadRequests } from '../thread-requests.ts';
import type {
  FromPrimary,
  PrimaryOptions,
  PrimaryRequest,
  ReplicationState,
  ToPrimary,
} from './primary-messages.ts';
import { RegistrationGate } from './registration-gate.ts';
import { proofOfPrimary } from './registration-proof.ts';
import { verifyAsJob, type VerificationPort } from './verification-job.ts';

/** What a primary is to its replicas (specification, sections 2.7 and 3.1): registration here, the channel in a thread of its own. */
export class PrimaryReplication implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #options: PrimaryOptions;
  readonly #logger: Logger;
  readonly #port: number;
  /** Of the log. */
  readonly #epoch: string;
  readonly #requests: ThreadRequests<PrimaryRequest>;
  readonly #gate: RegistrationGate;
  #publicUrls: readonly string[] = [];
  #onReplicas: () => void = () => undefined;
  #embed: AnswerEmbed = () =>
    Promise.reject(new Problem('embeddings_unavailable', 'The primary is not ready yet.'));
  #jobs: JobRegistry | undefined;
  #isClosing = false;
  #isEnded = false;

  private constructor(
    worker: Worker,
    options: PrimaryOptions,
    logger: Logger,
    { port, epoch }: { readonly port: number; readonly epoch: string },
  ) {
    this.#worker = worker;
    this.#options = options;
    this.#logger = logger;
    this.#gate = new RegistrationGate({
      ...options,
      clock: systemClock,
      timers: systemTimers,
      logger,
    });
    this.#port = port;
    this.#epoch = epoch;
    this.#requests = new ThreadRequests((message) => {
      worker.postMessage(message satisfies ToPrimary);
    });
    worker.on('message', (message: FromPrimary) => this.#receive(message));
    worker.on('error', (error) => this.#end(error));
    worker.on('exit', (code) => this.#end(new Error(`the replication thread ended with ${code}`)));
  }

  /** Rejects with `replication_unavailable` when the port is taken. */
  static async open(options: PrimaryOptions, logger: Logger): Promise<PrimaryReplication> {
    const worker = startThread(new URL('./primary-worker.ts', import.meta.url), options);
    const [message] = (await once(worker, 'message')) as [FromPrimary];
    if (message.kind === 'failed') {
      await worker.terminate();
      throw errorOf(message.failure);
    }
    assert(message.kind === 'listening', 'the thread listens before it says anything else');
    return new PrimaryReplication(worker, options, logger, message);
  }

  async register(registration: ReplicaRegistration, address: string): Promise<ReplicaAdmission> {
    const { secret, version } = this.#options;
    this.#gate.admit(registration, address);
    const { replicaUID, publicAddress, serverAddress, epoch, sequence } = registration;
    const registered = await this.#requests.ask<ReplicaStatus>({
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
      proof: proofOfPrimary(secret, registration.nonce),
    };
  }

  async health(): Promise<ReplicaHealth> {
    if (this.#isEnded) return { isReplica: false, hasReplicas: false };
    const { replicas, lag } = await this.#requests.ask<ReplicationState>({ kind: 'state' });
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
    const { replicas } = await this.#requests.ask<ReplicationState>({ kind: 'state' });
    return {
      version: this.#options.version,
      epoch: this.#epoch,
      sequence: new Followers(this.#options.followers).applied.get(),
      replicas: replicas.map(recordOf),
    };
  }

  /** Throws `verification_running`, `job_cancelled`. */
  verify(): Promise<ReplicaVerification> {
    const run: VerificationPort['run'] = (onProgress) =>
      this.#requests.ask<ReplicaVerification>({ kind: 'verify' }, onProgress);
    const cancel = (): void => void this.#requests.ask({ kind: 'cancelVerification' });
    return this.#jobs === undefined ? run(undefined) : verifyAsJob(this.#jobs, { run, cancel });
  }

  /** Whether replicas are not served any more. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Comparisons are jobs of this registry from now on. */
  reportTo(jobs: JobRegistry): void {
    this.#jobs = jobs;
  }

  /** Of the registered replicas. */
  publicUrls(): readonly string[] {
    return this.#publicUrls;
  }

  /** Calls the listener when one has registered or was dropped. */
  onReplicas(listener: () => void): void {
    this.#onReplicas = listener;
  }

  /** Answers replicas from now on, which ask no provider of embeddings themselves. */
  embedWith(embed: AnswerEmbed): void {
    this.#embed = embed;
  }

  /** To every replica, also to those that connect later. */
  announce(notice: Notice): Promise<void> {
    return this.#requests.ask<void>({ kind: 'announce', notice });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosing) return;
    const closed = this.#requests.ask<void>({ kind: 'close' });
    this.#isClosing = true;
    this.#gate[Symbol.dispose]();
    await closed.catch(() => undefined);
    await this.#worker.terminate();
  }

  #receive(message: FromPrimary): void {
    switch (message.kind) {
      case 'replicas':
        this.#publicUrls = message.publicUrls;
        this.#onReplicas();
        return;
      case 'embed':
        void this.#answerEmbed(message.id, message.request);
        return;
      case 'note':
        this.#logger[message.level](message.text);
        return;
      case 'progress':
        this.#requests.progress(message.id, message.done, message.total);
        return;
      case 'done':
        this.#requests.done(message.id, message.value);
        return;
      case 'failed':
        this.#requests.failed(
          must(message.id, 'the id of a failed request'),
          errorOf(message.failure),
        );
        return;
      case 'listening':
    }
  }

  async #answerEmbed(id: number, request: EmbedRequest): Promise<void> {
    let answer: ToPrimary;
    try {
      answer = { kind: 'embedded', id, vector: await this.#embed(request) };
    } catch (error) {
      if (!(error instanceof Problem)) this.#logger.error({ err: error }, 'a query of a replica');
      answer = { kind: 'notEmbedded', id, failure: failureOf(error) };
    }
    this.#worker.postMessage(answer);
  }

  /** The workspace is worth more than its replicas: it goes on without them, and keeps no log for them. */
  #end(error: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const message = 'Replicas are not served any more: see the log.';
    this.#requests.end(new Problem('replication_off', message));
    new Followers(this.#options.followers).release('replica');
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
