import type { sendUnaryData, ServerReadableStream, ServerWritableStream } from '@grpc/grpc-js';
import { Problem } from '#base/problem.ts';
import { notAuthenticated, notRegistered, statusOf, unavailable } from './channel-problem.ts';
import { decodeFrame, FrameOpener, FrameSealer } from './frame.ts';
import { MessageSender } from './frame-stream.ts';
import type { PrimarySession, PrimarySessions } from './primary-sessions.ts';
import type { OnReplicationEvent, ReplicaRegistry, ReplicaStatus } from './replica-registry.ts';
import { METADATA, type Nothing } from './service-definition.ts';
import type { CallName } from './session-keys.ts';

/** An admitted call that answers with messages. */
export interface AnsweredCall {
  readonly replica: ReplicaStatus;
  readonly request: Buffer;
  readonly sender: MessageSender;
  /** Aborted when the replica or the connection ends the call, and when its session is closed. */
  readonly signal: AbortSignal;
}

export interface ServedCallsOptions {
  readonly sessions: PrimarySessions;
  readonly registry: ReplicaRegistry;
  readonly onEvent: OnReplicationEvent;
}

/** What all kinds of calls of gRPC have in common. */
type AnyCall = ServerWritableStream<Buffer, Buffer> | ServerReadableStream<Buffer, Nothing>;

interface Admitted {
  readonly replica: ReplicaStatus;
  readonly session: PrimarySession;
  readonly name: CallName;
}

/**
 * Runs the calls of the sessions: admits them, opens and seals what they carry, tells the replica
 * of failures as a status, and knows which are running.
 */
export class ServedCalls {
  readonly #options: ServedCallsOptions;
  readonly #running = new Set<Promise<void>>();

  constructor(options: ServedCallsOptions) {
    this.#options = options;
  }

  /** When every call that was running is over. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** A call of one request, which `run` answers with messages until it returns. */
  answer(
    method: string,
    run: (call: AnsweredCall) => Promise<void>,
  ): (call: ServerWritableStream<Buffer, Buffer>) => void {
    return (call) => {
      const end = (error?: unknown): void => {
        if (error === undefined) call.end();
        else call.emit('error', statusOf(error));
      };
      this.#run(call, method, end, async ({ replica, session, name }, signal) => {
        const opener = new FrameOpener(session.keys.frameKey('replica', name));
        const request = opener.open(decodeFrame(call.request));
        const sealer = new FrameSealer(session.keys.frameKey('primary', name));
        const sender = new MessageSender(call, sealer, signal);
        await run({ replica, request, sender, signal });
      });
    };
  }

  /** A call that carries messages of one frame each to the primary until the replica ends it. */
  receive(
    method: string,
    onMessage: (replica: ReplicaStatus, message: Buffer) => void,
  ): (call: ServerReadableStream<Buffer, Nothing>, done: sendUnaryData<Nothing>) => void {
    return (call, done) => {
      const end = (error?: unknown): void => {
        if (error === undefined) done(null, {});
        else done(statusOf(error));
      };
      this.#run(call, method, end, async ({ replica, session, name }, signal) => {
        const opener = new FrameOpener(session.keys.frameKey('replica', name));
        const stop = (): void => void call.destroy(signal.reason);
        signal.addEventListener('abort', stop, { once: true });
        for await (const frame of call) onMessage(replica, opener.open(decodeFrame(frame)));
      });
    };
  }

  #run(
    call: AnyCall,
    method: string,
    end: (error?: unknown) => void,
    run: (admitted: Admitted, signal: AbortSignal) => Promise<void>,
  ): void {
    const ending = new AbortController();
    call.once('cancelled', () => ending.abort(unavailable('the replica has gone away')));
    const running = this.#runAdmitted(call, method, ending.signal, run).then(
      () => end(),
      (error: unknown) => {
        if (!ending.signal.aborted) end(error);
      },
    );
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  async #runAdmitted(
    call: AnyCall,
    method: string,
    signal: AbortSignal,
    run: (admitted: Admitted, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const admitted = this.#admit(call, method);
    const { session, replica } = admitted;
    try {
      await run(admitted, AbortSignal.any([signal, session.signal]));
    } catch (error) {
      if (!signal.aborted && !session.signal.aborted) {
        this.#options.onEvent({ kind: 'failed', replica, method, error });
      }
      throw error;
    }
  }

  #admit(call: AnyCall, method: string): Admitted {
    const { sessions, registry, onEvent } = this.#options;
    try {
      const name = { method, number: Number(readMetadata(call, METADATA.call)) };
      const session = sessions.get(readMetadata(call, METADATA.session));
      session.admit(name, Buffer.from(readMetadata(call, METADATA.proof), 'hex'));
      return { replica: requireRegistered(registry, session.replicaUID), session, name };
    } catch (error) {
      reportRejection(onEvent, error, call.getPeer());
      throw error;
    }
  }
}

export function requireRegistered(registry: ReplicaRegistry, replicaUID: string): ReplicaStatus {
  const replica = registry.find(replicaUID);
  if (replica === undefined) throw notRegistered(`the primary does not know replica ${replicaUID}`);
  return replica;
}

/** Tells of those who may not connect; the values that were wrong are never told. */
export function reportRejection(onEvent: OnReplicationEvent, error: unknown, peer: string): void {
  if (!(error instanceof Problem)) return;
  if (error.code === 'replication_not_authenticated') {
    onEvent({ kind: 'rejected', reason: 'invalid secret', peer });
  }
  if (error.code === 'replica_not_registered') {
    onEvent({ kind: 'rejected', reason: 'not registered', peer });
  }
}

function readMetadata({ metadata }: AnyCall, key: string): string {
  const [value] = metadata.get(key);
  if (typeof value !== 'string') throw notAuthenticated();
  return value;
}
