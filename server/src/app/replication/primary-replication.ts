import { HEALTH_ADVICE } from '@trellis/contract/health-advice.ts';
import type {
  ReplicaAdmission,
  ReplicaHealth,
  ReplicaOverview,
  ReplicaRegistration,
  ReplicaVerification,
} from '@trellis/contract/shapes/replica.ts';
import { systemClock, systemTimers } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import { Followers } from '#log/followers.ts';
import { failed, OK, type PartState } from '#observe/health.ts';
import type { Logger } from '#observe/logger.ts';
import type { AnswerEmbed, EmbedRequest } from '#replication/embed-call.ts';
import type { Notice } from '#replication/message-shapes.ts';
import type { RegisteredReplica, ReplicaStatus } from '#replication/replica-registry.ts';
import type { OnVerificationProgress } from '#replication/verification.ts';
import type { LagReport } from '#replication/lag.ts';
import { Thread } from '../threads/thread.ts';
import { proofOfPrimary, RegistrationGate } from './registration.ts';
import type { Steps } from '../threads/channel.ts';

/** Options of the thread that serves replicas, which runs no user code. */
export interface PrimaryOptions {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly host: string;
  readonly port: number;
  readonly secret: Uint8Array;
  readonly version: string;
  /**
   * The files of the built-in front end, by their digest; those of others are in the storage
   * folder.
   */
  readonly frontEnd: ReadonlyMap<string, Uint8Array>;
  /**
   * The memory of `Followers`: tells how far the state is, and takes what replicas need of the log.
   */
  readonly followers: SharedArrayBuffer;
}

export interface ReplicationState {
  readonly replicas: readonly ReplicaStatus[];
  readonly lag: LagReport;
}

/** The calls that this thread answers. */
export interface ReplicationCalls {
  /** Answered once it listens. */
  listening(): Listening;
  register(registration: RegisteredReplica): ReplicaStatus;
  state(): ReplicationState;
  verify(given: undefined, steps: Steps): ReplicaVerification;
  cancelVerification(): void;
  announce(notice: Notice): void;
  close(): void;
}

export interface Listening {
  readonly port: number;
  readonly epoch: string;
}

/** The calls that it makes to the thread that started it. */
export interface ReplicationNotices {
  /** Somebody has registered, or was dropped: the public addresses of all. */
  replicas(publicUrls: readonly string[]): void;
  /** One has told how far it is. */
  reported(): void;
  /** Has a text of a replica embedded: only the main thread asks the provider of embeddings. */
  embed(request: EmbedRequest): string;
  note(note: { readonly level: 'info' | 'warn'; readonly text: string }): void;
}

interface ReplicationParts {
  readonly logger: Logger;
  /** Comparisons of replicas are jobs. */
  readonly jobs: JobRegistry;
}

/**
 * What a primary is to its replicas (specification, sections 2.7 and 3.1): registration here, the
 * channel in a thread of its own.
 */
export class PrimaryReplication implements AsyncDisposable {
  readonly #thread: Thread<ReplicationCalls, ReplicationNotices>;
  readonly #options: PrimaryOptions;
  readonly #logger: Logger;
  readonly #jobs: JobRegistry;
  /** The epoch of the log. */
  #epoch = '';
  readonly #settled: Promise<void>;
  #isRefusing = false;
  readonly #gate: RegistrationGate;
  #publicUrls: readonly string[] = [];
  #onReplicas: () => void = () => undefined;
  #onReports: () => void = () => undefined;
  #embed: AnswerEmbed = () =>
    Promise.reject(new Problem('embeddings_unavailable', 'The primary is not ready yet.'));
  #isClosing = false;
  #isEnded = false;

  /**
   * Begins to listen. A port that is taken is in the log and keeps nothing else from working: the
   * workspace is worth more than its replicas.
   */
  constructor(options: PrimaryOptions, { logger, jobs }: ReplicationParts) {
    this.#options = options;
    this.#logger = logger;
    this.#jobs = jobs;
    this.#gate = new RegistrationGate({
      ...options,
      clock: systemClock,
      timers: systemTimers,
      logger,
    });
    this.#thread = new Thread<ReplicationCalls, ReplicationNotices>({
      name: 'the replication thread',
      file: new URL('./primary-worker.ts', import.meta.url),
      data: options,
      handlers: {
        replicas: (publicUrls) => {
          this.#publicUrls = publicUrls;
          this.#onReplicas();
          this.#onReports();
        },
        reported: () => this.#onReports(),
        embed: (request) => this.#answerEmbed(request),
        note: ({ level, text }) => logger[level](text),
      },
      onEnd: (error) => this.#end(error),
    });
    this.#settled = this.#thread.ask('listening').then(
      ({ epoch }) => void (this.#epoch = epoch),
      (error: unknown) => this.#refuse(error),
    );
  }

  /** Resolves when it listens, or never will. */
  settled(): Promise<void> {
    return this.#settled;
  }

  async register(registration: ReplicaRegistration, address: string): Promise<ReplicaAdmission> {
    const { secret, version } = this.#options;
    this.#gate.admit(registration, address);
    // One that refuses them says so by every call.
    const { port: replicationPort } = await this.#thread.ask('listening');
    const { replicaUID, publicAddress, serverAddress, epoch, sequence } = registration;
    const registered = await this.#thread.ask('register', {
      replicaUID,
      publicUrl: publicAddress,
      internalUrl: serverAddress,
      appliedSequence: epoch === this.#epoch ? sequence : 0,
    });
    return {
      replicaName: registered.replicaName,
      replicationPort,
      version,
      proof: proofOfPrimary(secret, registration.nonce),
    };
  }

  async health(): Promise<ReplicaHealth> {
    if (this.#isEnded) return { isReplica: false, hasReplicas: false };
    const { replicas, lag } = await this.#thread.ask('state');
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
    const { replicas } = await this.#thread.ask('state');
    return {
      version: this.#options.version,
      epoch: this.#epoch,
      sequence: new Followers(this.#options.followers).applied.get(),
      replicas: replicas.map(recordOf),
    };
  }

  /**
   * Compares the replicas as a job; a second one at a time is refused, and is none. Throws
   * `verification_running`, `job_cancelled`.
   */
  verify(): Promise<ReplicaVerification> {
    const kind = 'replica-verification';
    if (this.#jobs.underWay().some((job) => job.kind === kind)) return this.#compare();
    return this.#jobs.run({ kind, step: stepAt(0, 0), isCancellable: true }, async (job) => {
      const cancel = (): void => this.#thread.tell('cancelVerification');
      job.signal.addEventListener('abort', cancel, { once: true });
      const report = await this.#compare((done, total) => {
        job.report({ progress: done / total, step: stepAt(done, total) });
      });
      for (const { replicaName, state } of report.replicas) job.log(`${replicaName}: ${state}`);
      return report;
    });
  }

  /** How the channel is. */
  condition(): PartState {
    if (this.#isRefusing) return failed('port_not_open');
    return this.#isEnded ? failed('thread_ended') : OK;
  }

  /** The addresses of the registered replicas. */
  publicUrls(): readonly string[] {
    return this.#publicUrls;
  }

  /** Calls the listener when one has registered or was dropped. */
  onReplicas(listener: () => void): void {
    this.#onReplicas = listener;
  }

  /** Calls the listener when one has told how far it is, too. */
  onReports(listener: () => void): void {
    this.#onReports = listener;
  }

  /** Answers replicas from now on, which ask no provider of embeddings themselves. */
  embedWith(embed: AnswerEmbed): void {
    this.#embed = embed;
  }

  /** Sends a notice to every replica, also to those that connect later. */
  announce(notice: Notice): void {
    if (this.#isRefusing) return;
    this.#thread
      .ask('announce', notice)
      .catch((err: unknown) =>
        this.#logger.warn({ err }, `replicas do not hear of ${notice.kind}`),
      );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosing) return;
    const closed = this.#thread.ask('close');
    this.#isClosing = true;
    this.#gate[Symbol.dispose]();
    await closed.catch(() => undefined);
    await this.#thread.terminate();
  }

  #compare(onProgress?: OnVerificationProgress): Promise<ReplicaVerification> {
    return this.#thread.ask('verify', undefined, {
      onProgress: ({ done, total }) => onProgress?.(done, total),
    });
  }

  readonly #answerEmbed: AnswerEmbed = async (request) => {
    try {
      return await this.#embed(request);
    } catch (error) {
      if (!(error instanceof Problem)) this.#logger.error({ err: error }, 'a query of a replica');
      throw error;
    }
  };

  #refuse(error: unknown): void {
    // A thread that has ended is told of by itself.
    if (this.#isClosing || this.#isEnded) return;
    this.#isRefusing = true;
    this.#isEnded = true;
    const { meaning, remedy } = HEALTH_ADVICE.port_not_open;
    this.#thread.end(new Problem('replication_off', meaning, { hint: remedy }));
    this.#logger.error({ err: error }, 'replicas cannot follow this server');
    void this.#thread.terminate();
  }

  /**
   * The workspace is worth more than its replicas: it goes on without them, and keeps no log for
   * them.
   */
  #end(error: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const message = 'Replicas are not served any more: see the log.';
    this.#thread.end(new Problem('replication_off', message));
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

/** See `OnVerificationProgress`. */
function stepAt(done: number, total: number): string {
  if (done === 0) return 'Stopping the replicas at one commit';
  if (done === 1) return 'Reading the state of the primary';
  return `Comparing: ${done - 2} of ${total - 2} replicas`;
}
